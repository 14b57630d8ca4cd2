"""`arena backup`: a consistent copy of a league, at any time."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import league_argument
from arena.cli.output import echo
from arena.store import League


@click.command()
@league_argument
@click.argument("copy", type=click.Path(path_type=Path, dir_okay=False))
def backup(league: Path, copy: Path) -> None:
    """Copies a league to the new file COPY, also while a tournament is running.

    The copy is a league like any other: standings, verify and resume work on it.
    """
    with League.read(league) as store:
        store.backup(copy)
    echo(f"{league} is copied to {copy}")
