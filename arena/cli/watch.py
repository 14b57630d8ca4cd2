"""`arena watch`: live standings of a tournament that is being played."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.cli.common import choose_tournament, league_argument, tournament_option
from arena.cli.output import echo, screen_width
from arena.report.watch_text import watch_text
from arena.runner.leagues.summary import Summary, summarize
from arena.store import League
from arena.text import printable


@click.command()
@league_argument
@tournament_option
@click.option(
    "--every",
    type=click.FloatRange(min=0.2),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
@click.option("--once", is_flag=True, help="Look once, and end.")
def watch(league: Path, tournament: int | None, every: float, once: bool) -> None:
    """Shows how a tournament stands while it is played: standings, what is left, faults; until it is over.

    It reads the league file, so it may run anywhere that can, in any number,
    and does not disturb the games. Ctrl-C ends it.
    """
    with contextlib.suppress(KeyboardInterrupt):
        if once or not sys.stdout.isatty():
            _in_lines(league, tournament, every, once)
        else:
            _on_a_screen(league, tournament, every)


def _look(league: Path, tournament: int | None) -> Summary:
    with League.read(league) as store:
        return summarize(store, choose_tournament(store, tournament).id, intervals=False)


def _on_a_screen(league: Path, tournament: int | None, every: float) -> None:
    with Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="ellipsis") as live:
        while True:
            summary = _look(league, tournament)
            live.update(
                Text(printable(watch_text(summary, screen_width())), no_wrap=True, overflow="ellipsis"),
                refresh=True,
            )
            if summary.tournament.finished:
                return
            time.sleep(every)


def _in_lines(league: Path, tournament: int | None, every: float, once: bool) -> None:
    """Prints the whole again whenever it has changed."""
    before = ""
    while True:
        summary = _look(league, tournament)
        text = watch_text(summary, screen_width())
        if text != before:
            echo(text)
        if once or summary.tournament.finished:
            return
        before = text
        time.sleep(every)
