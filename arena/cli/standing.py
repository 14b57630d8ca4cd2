"""What all commands that talk to a standing league share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from arena.cli.output import echo, echo_json

url_option = click.option(
    "--url", metavar="URL", help="The standing league (default: that of your last login)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, nothing else.")


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Prints rows in columns as wide as their longest words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        echo("  ".join(f"{word:{width}}" for word, width in zip(row, widths, strict=True)).rstrip())


def tell_done(as_json: bool, data: Any, text: str) -> None:
    """Prints the answer of a command."""
    if as_json:
        echo_json(data)
    else:
        echo(text)
