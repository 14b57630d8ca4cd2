"""One of a few words, and what was meant where another is given."""

from __future__ import annotations

import click

from arena.names import did_you_mean


class OneOf(click.Choice[str]):
    """A parameter that is one of a few words."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """What is said where none is given."""
        return f"valid: {', '.join(self.choices)}"

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """What is said of a word that is none of them."""
        return f"unknown {str(value)!r}; {did_you_mean(str(value), self.choices)}"
