"""What `arena run` and `arena resume` share: playing a tournament, and its end by whatever means."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import click
import trio

from arena.cli.common import FAILED, INTERRUPTED, first_error, own_host
from arena.cli.output import echo, echo_json
from arena.cli.progress import PlainProgress, make_progress
from arena.report.standings_json import summary_json
from arena.report.standings_text import summary_text
from arena.runner.gathering import DEFAULT_LOBBY, CannotRun, Settings
from arena.runner.rooms.apart import WorkerDied
from arena.runner.summary import summarize
from arena.runner.tournament import DEFAULT_CONCURRENCY, run_tournament
from arena.runner.tournament_file import TournamentFile
from arena.store import DiskFails, DiskFull, League, LeagueNotWritable

_OPTIONS = (
    click.option(
        "--concurrency",
        type=click.IntRange(1, 10_000),
        help=f"How many tables are played at once (default: the file's, or {DEFAULT_CONCURRENCY}).",
    ),
    click.option(
        "--workers",
        type=click.IntRange(0, 64),
        help="In how many processes besides this one tables are played (default: by tables and processors).",
    ),
    click.option(
        "--lobby",
        metavar="HOST:PORT",
        default=DEFAULT_LOBBY,
        show_default=True,
        help="Where bots dial in, if the file has entrants with join = true.",
    ),
    click.option(
        "--start-after",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="Begin after so long without bots that have not dialled in (default: wait for all, or Enter).",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON, and nothing else."),
)


def playing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a command that plays a tournament."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def play(
    file: TournamentFile,
    store: League,
    settings: Settings,
    start_after: float | None,
    as_json: bool,
    resumed: int | None = None,
) -> None:
    """Plays a tournament to its end, with progress, and prints its standings.

    Ctrl-C, or SIGTERM, ends it in order: games that are not over are void. A
    second one ends it at once. Exits with the code of how it went.
    """
    with make_progress(file, own_host(settings.lobby), start_after) as progress:
        try:
            number = trio.run(_until_signal, file, store, settings, progress, resumed)
        except BaseExceptionGroup as group:
            error = first_error(group)
            if isinstance(error, (DiskFull, DiskFails, LeagueNotWritable, WorkerDied)):
                raise CannotRun(f"{error}, then go on with: arena resume {store.path}") from group
            raise error from group
    if number is None:
        echo(
            f"arena: stopped; the finished games are in {store.path}, go on with: arena resume {store.path}",
            err=True,
        )
        sys.exit(INTERRUPTED)
    summary = summarize(store, number)
    if as_json:
        echo_json(summary_json(summary))
    else:
        echo(summary_text(summary))
        echo(
            f"\nThe games are in {store.path}: arena standings {store.path}, arena replay {store.path}",
            err=True,
        )
    if progress.absent:
        sys.exit(FAILED)


async def _until_signal(
    file: TournamentFile, store: League, settings: Settings, progress: PlainProgress, resumed: int | None
) -> int | None:
    """Runs the tournament; returns its id, or None where a signal ended it."""
    number: int | None = None
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            tournament = trio.CancelScope()

            async def watch() -> None:
                async for _ in signals:
                    if tournament.cancel_called:
                        os._exit(INTERRUPTED)  # the bots' guards see it and end them
                    progress.say("stopping: games that are not over are void; once more stops at once")
                    tournament.cancel()

            nursery.start_soon(watch)
            with tournament:
                number = await run_tournament(file, store, settings, progress, resumed)
            nursery.cancel_scope.cancel()
    return number
