"""Subcommands that are loaded only when they run, because what they need takes time to load."""

from __future__ import annotations

import importlib
from typing import Any

import click

from arena.cli.loading import loading


class LazyCommand(click.Command):
    """A subcommand by its name and its short help; everything else of it is loaded when it is called.

    Args:
        name: what people type.
        place: where the command itself is, as `module:attribute`.
        short_help: the first sentence of its help.
    """

    def __init__(self, name: str, place: str, short_help: str) -> None:
        super().__init__(name, help=short_help)
        self._place = place

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self._place.partition(":")
        with loading():
            command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself, which runs then."""
        return self.load().make_context(info_name, args, parent, **extra)
