"""`arena list`: the tournaments of a league."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import league_argument
from arena.cli.output import echo, echo_json, screen_width
from arena.report.tournaments import list_json, list_text
from arena.store import League


@click.command("list")
@league_argument
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_tournaments(league: Path, as_json: bool) -> None:
    """Lists the tournaments of a league: when they were played, how far they are, and who won."""
    with League.read(league) as store:
        store.require_sound()
        if as_json:
            echo_json(list_json(store))
        else:
            echo(list_text(store, screen_width()))
