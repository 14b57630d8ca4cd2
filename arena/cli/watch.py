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
from arena.report.live_text import cluster_line, watch_text
from arena.report.outcome import outcome_of, outcome_text
from arena.runner.leagues.summary import Summary
from arena.runner.night.control_client import state_of
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
    help="How often to look at the league.",
)
@click.option("--once", is_flag=True, help="Look once, and end.")
def watch(league: Path, tournament: int | None, every: float, once: bool) -> None:
    """Shows a tournament live while it is played: standings, what is left, faults.

    It reads the league file, so any number of these commands may run, and they do not disturb the
    games. It ends with the tournament, or at Ctrl-C.
    """
    with contextlib.suppress(KeyboardInterrupt):
        if once or not sys.stdout.isatty():
            _in_lines(league, tournament, every, once)
        else:
            _on_a_screen(league, tournament, every)


def _look(league: Path, tournament: int | None) -> tuple[str, bool]:
    """How it stands, as text, and whether it is over."""
    with League.read(league) as store:
        outcome = outcome_of(store, choose_tournament(store, tournament).id, intervals=False)
    cluster_statistics = state_of(league).cluster_statistics
    away = f"\ncluster: {cluster_line(cluster_statistics)}" if cluster_statistics is not None else ""
    if isinstance(outcome, Summary):
        return watch_text(outcome, screen_width()) + away, outcome.tournament.finished is not None
    return outcome_text(outcome, screen_width()) + away, outcome.over


def _on_a_screen(league: Path, tournament: int | None, every: float) -> None:
    with Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="ellipsis") as live:
        while True:
            text, over = _look(league, tournament)
            live.update(Text(printable(text), no_wrap=True, overflow="ellipsis"), refresh=True)
            if over:
                return
            time.sleep(every)


def _in_lines(league: Path, tournament: int | None, every: float, once: bool) -> None:
    """Prints the whole again whenever it has changed."""
    before = ""
    while True:
        text, over = _look(league, tournament)
        if text != before:
            echo(text)
        if once or over:
            return
        before = text
        time.sleep(every)
