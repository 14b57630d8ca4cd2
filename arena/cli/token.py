"""The options that give the token of an entrant that dials in."""

from __future__ import annotations

import os
from typing import TextIO

import click

from arena.cli.parameters import in_one
from arena.link.local.process import TOKEN


def _token(token: str | None, token_file: TextIO | None) -> str:
    """The token, from the command line or else from the environment. Raises UsageError."""
    if token is not None and token_file is not None:
        raise click.UsageError("give the token once: with --token-file, or with --token")
    found = token_file.read().strip() if token_file is not None else token
    if found is None:
        found = os.environ.get(TOKEN, "")
    if not found:
        raise click.UsageError(
            f"there is no token: set {TOKEN} to the one that the tournament's host has for you, "
            "or give a file that holds it with --token-file"
        )
    if not found.isprintable():
        raise click.UsageError("the token has to be a single line of printable characters")
    return found


token_options = in_one(
    "token",
    _token,
    (
        click.option(
            "--token", help="The token; other users of this machine see it in the list of processes."
        ),
        click.option(
            "--token-file",
            type=click.File(encoding="utf-8-sig", errors="replace"),
            help="A file that holds the token and nothing else; - for standard input.",
        ),
    ),
)
"""Adds the options of a command that dials in; it takes them as `token`. The environment may hold it too."""
