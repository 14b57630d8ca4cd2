"""What `arena run` and `arena resume` share: playing a tournament, and its end by whatever means."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
import trio

from arena.cli.addresses import own_host
from arena.cli.common import FAILED, INTERRUPTED, first_error, sandbox_option
from arena.cli.crash import crashed
from arena.cli.ending import Ending
from arena.cli.on_cluster import cluster_option, playing_on
from arena.cli.output import echo, echo_json, screen_width
from arena.cli.progress import PlainProgress, make_progress
from arena.cli.tls import security_options
from arena.link.local.sandbox import Level
from arena.link.streams.trio_thread import in_trio
from arena.report.outcome import Outcome, outcome_json, outcome_of, outcome_text
from arena.runner.night.settings import DEFAULT_LOBBY, CannotRun, Settings
from arena.runner.night.tournament import run_tournament
from arena.runner.rooms.rooms import WorkerDied
from arena.runner.sitting.sitting import DEFAULT_CONCURRENCY, ElsewhereLost
from arena.runner.tournament_file import TournamentFile, contained
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
        help="How many worker processes play tables (default: by tables and processors).",
    ),
    cluster_option,
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
        help=("Begin after so many seconds without the missing bots (default: wait for all, or for Enter)."),
    ),
    sandbox_option("How all bots that the arena starts are contained, whatever the file says."),
    click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON, and nothing else."),
)

# What the referee takes, and each process of a bot besides: open files (measured: 11 and 6.4), and address
# space in bytes, most of it reserved for threads and never used (measured: 1,240 and 24 MiB).
_FILES, _FILES_OF_A_BOT = 32, 8
_MEMORY, _MEMORY_OF_A_BOT = 1536 << 20, 32 << 20


def playing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a command that plays a tournament."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return security_options(command)


def play(
    file: TournamentFile,
    store: League,
    settings: Settings,
    start_after: float | None,
    as_json: bool,
    sandbox: str | None,
    resumed: int | None = None,
    show: Callable[[Outcome], None] | None = None,
    cluster: str | None = None,
    page: str | None = None,
) -> None:
    """Plays a tournament to its end, with progress, and prints what it came to.

    Args:
        file: the tournament.
        store: the league that keeps it.
        settings: how it is run.
        start_after: see `make_progress`.
        as_json: whether what it came to is printed as JSON.
        sandbox: the level at which all bots are contained, None for the file's.
        resumed: the tournament that goes on; None for one that begins.
        show: what prints it instead.
        cluster: where it is played besides, see `cluster_option`.
        page: see `make_progress`.

    Ctrl-C, SIGTERM or SIGHUP ends it in order: games that are not over are
    void. A second one ends it at once. Exits with the code of how it went.
    """
    file = contained(file, Level(sandbox) if sandbox else None)
    _require_resources(len(file.entrants) * file.plan.instances)
    _require_out_of_reach(store.path, "the league", file)
    if settings.tls is not None:
        _require_out_of_reach(settings.tls.identity.key, "the key of the certificate", file)
    progress = make_progress(file, own_host(settings.lobby), start_after, page)

    def stopped() -> str:
        if resumed is None and not progress.begun:
            return "arena: stopped before the first game: nothing is stored of it, begin again as you began"
        return (
            f"arena: stopped; the finished games are in {store.path}, go on with: arena resume {store.path}"
        )

    def settle() -> None:
        store.settle()  # which may be in use; where it is not, nothing is left beside it
        store.close()

    with Ending(settle, stopped) as ending:
        number = _play(file, store, settings, progress, resumed, ending, cluster)
        if number is None:
            _exit_interrupted(stopped())
        # An exception that a signal raises may be swallowed, as in `__del__`; the end of the process is not.
        ending.last_words = lambda: f"arena: stopped; all games are played: arena standings {store.path}"
        ending.stop = ending.end_at_once
        if ending.asked:  # too late to stop the tournament
            ending.end_at_once()
        outcome = outcome_of(store, number)
        if show is None:
            _show(store, outcome, as_json)
        else:
            show(outcome)
    if progress.absent:
        sys.exit(FAILED)


def _require_resources(processes: int) -> None:
    """Raises CannotRun where the system lets this process open too few files or have too little memory.

    Args:
        processes: how many processes of bots there may be.
    """
    try:
        import resource  # which Windows does not have
    except ImportError:
        return
    files = _FILES + _FILES_OF_A_BOT * processes
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and soft < files <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    elif soft != resource.RLIM_INFINITY and soft < files:
        raise CannotRun(
            f"the system lets the arena open {soft} files at once, and these bots take {files}: "
            f"allow more by ulimit -n {files}, or enter fewer bots"
        )
    memory = _MEMORY + _MEMORY_OF_A_BOT * processes
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < memory:
        raise CannotRun(
            f"the system lets the arena have {allowed >> 20} MiB of address space, and these bots take "
            f"{memory >> 20} MiB: allow more by ulimit -v {memory >> 10}"
        )


def _require_out_of_reach(secret: Path, what: str, file: TournamentFile) -> None:
    """Raises CannotRun where a bot that is contained could read a file that holds a secret."""
    for entrant in file.entrants:
        bot, level = entrant.bot, entrant.sandbox.level
        if (
            bot is not None
            and level is not Level.NONE
            and secret.resolve().is_relative_to(bot.folder.resolve())
        ):
            raise CannotRun(
                f"{what} {secret} would lie in the folder of {entrant.name}, which may read it: "
                "keep it elsewhere"
            )


def _play(
    file: TournamentFile,
    store: League,
    settings: Settings,
    progress: PlainProgress,
    resumed: int | None,
    ending: Ending,
    cluster: str | None,
) -> int | None:
    """Plays a tournament; returns its id, or None where a signal ended it."""
    with progress, playing_on(cluster, settings.concurrency, progress.say) as elsewhere:
        settings = dataclasses.replace(settings, elsewhere=elsewhere)
        try:
            return trio.run(_until_stopped, file, store, settings, progress, resumed, ending)
        except (BaseExceptionGroup, trio.TrioInternalError) as group:
            error = first_error(group)
            if isinstance(error, (DiskFull, DiskFails, LeagueNotWritable, WorkerDied, ElsewhereLost)):
                raise CannotRun(f"{error}, then go on with: arena resume {store.path}") from group
            from arena.cli.user_errors import USER_ERRORS  # only here, for it loads much

            if isinstance(error, Exception) and not isinstance(error, USER_ERRORS):
                raise crashed(group, store.path) from group
            raise error from group


async def _until_stopped(
    file: TournamentFile,
    store: League,
    settings: Settings,
    progress: PlainProgress,
    resumed: int | None,
    ending: Ending,
) -> int | None:
    """Runs the tournament as `_play` does."""
    with trio.CancelScope() as tournament:

        def stop() -> None:
            progress.say("stopping: games that are not over are void; once more stops at once")
            tournament.cancel()

        ending.stop = in_trio(stop)
        if ending.asked:
            stop()
        return await run_tournament(file, store, settings, progress, resumed)
    return None


def _show(store: League, outcome: Outcome, as_json: bool) -> None:
    """Prints the standings."""
    if as_json:
        echo_json(outcome_json(outcome))
    else:
        echo(outcome_text(outcome, screen_width()))
        echo(
            f"\nThe games are in {store.path}: arena standings {store.path}, arena replay {store.path}",
            err=True,
        )


def _exit_interrupted(sentence: str) -> NoReturn:
    with contextlib.suppress(OSError):  # the terminal is gone
        echo(sentence, err=True)
    sys.exit(INTERRUPTED)
