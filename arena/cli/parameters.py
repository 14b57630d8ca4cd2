"""Types of command-line parameters that load quickly: words, addresses, groups of options as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import click

from arena.names import did_you_mean

SESSION = ".jsonl"
"""How the name of a file with a session of a bot ends."""


class OneOf(click.Choice[str]):
    """A parameter that is one of a few words."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """The end of the message if no word is given."""
        return f"valid: {', '.join(self.choices)}"

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """The end of the message if another word is given."""
        return f"unknown {str(value)!r}; {did_you_mean(str(value), self.choices)}"


def in_one(
    name: str, make: Callable[..., Any], options: Sequence[Callable[[Any], Any]]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds options to a command, and gives the command one value that holds them all.

    Args:
        name: the parameter of the command that takes the value.
        make: makes the value; its parameters are named as the options are.
        options: the decorators of the single options.
    """
    fields = signature(make).parameters

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def gathering(**given: Any) -> Any:
            return command(**{name: make(**{field: given.pop(field) for field in fields})}, **given)

        for option in reversed(options):
            gathering = option(gathering)
        return gathering

    return decorated


def require_port(address: str, option: str) -> None:
    """Raises BadParameter if an address to listen at has no port (0 stands for any port)."""
    port = address.rpartition(":")[2] if ":" in address else ""
    if not (port.isascii() and port.isdecimal() and int(port) <= 65535):
        raise click.BadParameter(
            f"{address!r} is no HOST:PORT, such as 0.0.0.0:50050 (0 for any port)", param_hint=option
        )
