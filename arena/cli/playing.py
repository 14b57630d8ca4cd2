"""Commands that play a tournament: `arena run` and `resume`. `arena compare` uses them too."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import trio

from arena.cli.options import deal_key, league_argument, league_path, sandbox_option
from arena.cli.output import echo, echo_json, say_engine, screen_width
from arena.cli.page_beside import Page, page_beside, page_beside_options
from arena.cli.parameters import in_one, require_port
from arena.cli.process import FAILED, INTERRUPTED, Ending, first_error
from arena.cli.progress import HostedProgress, PlainProgress
from arena.cli.tls import Security, security_options
from arena.league.store import (
    DiskFails,
    DiskFull,
    League,
    LeagueNotFound,
    LeagueNotWritable,
    StoredTournament,
)
from arena.league.stored import stored_tournament
from arena.league.summary import Summary
from arena.league.tournament_file import (
    TournamentFile,
    TournamentFileError,
    is_made,
    read_tournament,
    require_sandboxes,
)
from arena.link.local.sandbox import Asked, Level, SandboxMissing
from arena.link.streams.trio_thread import in_trio
from arena.processes.worker import WorkerDied
from arena.referee.cluster.address import require_cluster
from arena.referee.night.settings import DEFAULT_LOBBY, CannotRun, Settings
from arena.referee.night.tournament import require_whole, run_tournament
from arena.referee.sitting.sitting import DEFAULT_CONCURRENCY, Cluster, ClusterLost
from arena.report.live_text import cluster_lines
from arena.report.outcome import outcome_json, outcome_of, outcome_text
from arena.report.standings_text import first_place_words
from arena.strict_toml import read_text
from arena.text import one_line, shell_word, size_text
from arena.view.listening import DEFAULT_LISTEN, own_host

# The needs of the referee and of each process of a bot: open files (measured: 11 and 6.4), and address space
# in bytes, most of it reserved for threads and never used (measured: 1,240 and 24 MiB).
_FILES, _FILES_OF_A_BOT = 32, 8
_MEMORY, _MEMORY_OF_A_BOT = 1536 << 20, 32 << 20


class Playing(NamedTuple):
    """How a command plays a tournament: its options.

    Attributes:
        security: the options for TLS of the lobby and the page.
        lobby: the address at which bots dial in, `host:port`.
        page: the options of the page.
        concurrency: how many tables are played at once; None for as many as the file says.
        workers: see `Settings`.
        cluster: the cluster that plays too, see `cluster_option`; None for this machine alone.
        start_after: the seconds after which it begins without missing bots; None to wait for all.
        sandbox: the level at which all bots are contained, whatever the file says; None for the file's. It is
            no demand if `hosted`: the host process has looked what the machine offers.
        as_json: whether the standings are printed as JSON.
        verbose: whether progress says before the first game what the standings say at the end.
        hosted: whether the host of a standing league plays it: progress is printed in lines, and a league may
            hold other unfinished tournaments, such as a ladder that is stopped for a night.
        tell: the descriptor on which that host is told how guests join; None for no host.
    """

    security: Security = Security(tls=False)
    lobby: str = DEFAULT_LOBBY
    page: Page = Page()
    concurrency: int | None = None
    workers: int | None = None
    cluster: str | None = None
    start_after: float | None = None
    sandbox: str | None = None
    as_json: bool = False
    verbose: bool = False
    hosted: bool = False
    tell: int | None = None

    @property
    def asked(self) -> Asked | None:
        """The level that is asked for; None if none is."""
        return Asked(Level(self.sandbox), demanded=not self.hosted) if self.sandbox else None

    def go_on(self, league: Path) -> str:
        """The command that goes on with the unfinished tournament of a league."""
        return (
            f"arena club up {shell_word(league.parent)}"
            if self.hosted
            else f"arena resume {shell_word(league)}"
        )


def _where(ctx: click.Context, parameter: click.Parameter, where: str | None) -> str | None:
    if where is not None:
        require_cluster(where)
    return where


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_where,
    help="Play on the workers of the dask scheduler at ADDRESS, or in N processes here: local:N.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(0, 64),
    help="How many worker processes play tables (default: by tables and processors).",
)


def _lobby(ctx: click.Context, parameter: click.Parameter, address: str) -> str:
    require_port(address, "--lobby")
    return address


playing_options = in_one(
    "how",
    Playing,
    (
        page_beside_options,
        security_options,
        click.option(
            "--concurrency",
            type=click.IntRange(1, 10_000),
            help=f"How many tables are played at once (default: the file's, or {DEFAULT_CONCURRENCY}).",
        ),
        workers_option,
        cluster_option,
        click.option(
            "--lobby",
            metavar="HOST:PORT",
            default=DEFAULT_LOBBY,
            show_default=True,
            callback=_lobby,
            help="Where bots dial in, if the file has entrants with join = true.",
        ),
        click.option(
            "--start-after",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="Begin after this many seconds without missing bots (default: wait for all, or for Enter).",
        ),
        sandbox_option("How all bots that the arena starts are contained, whatever the file says."),
        click.option(
            "--json", "as_json", is_flag=True, help="Print the standings as JSON, and nothing else."
        ),
        click.option(
            "--verbose",
            is_flag=True,
            help="Print before the first game what fixes the deals, and how cards are shared.",
        ),
        click.option("--hosted", is_flag=True, hidden=True),
        click.option("--tell", type=int, hidden=True),
    ),
)
"""Adds the options of a command that plays a tournament; the command takes them as `how`."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--league",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=league_path,
    help="The league file that keeps the games (default: FILE's name with .league, in this folder).",
)
@click.option(
    "--seed", help="Any text; makes the deals reproducible, and with deterministic bots the results."
)
@playing_options
def run(file: Path, league: Path | None, seed: str | None, how: Playing) -> None:
    """Plays the tournament that FILE describes.

    It prints the standings at the end. FILE is written in TOML; - is standard input. It needs a name and
    two or more [[entrant]] tables. Each entrant has one of bot = "FOLDER", address = "HOST:PORT", or
    join = true and a name. docs/tournament-file.md explains every key.

    The arena builds the bots in folders if needed, starts and stops them, and keeps what they print
    beside the league file. It stores every finished game at once. If the tournament is stopped in any
    way, arena resume continues it.

    Exit code 0: played to the end; 1: played, but a bot never came; 2: it cannot start, or half
    of the bots that the arena starts or dials never came; 130: stopped by Ctrl-C, SIGTERM or SIGHUP.
    """
    tournament = read_tournament(Path("/dev/stdin") if str(file) == "-" else file, how.asked)
    require_sandboxes(tournament)
    path = league or Path(f"{tournament.path.stem}.league")
    with League.create_or_open(path) as store:
        earlier = store.tournaments()
        for stored in earlier:
            if stored.finished is None and not how.hosted:
                raise CannotRun(
                    f"{path} holds the unfinished tournament {stored.name!r}: go on with it by arena resume "
                    f"{path}, or keep the new one in another file with --league"
                )
        if earlier:
            echo(f"{path} holds games already: this is its tournament {earlier[-1].id + 1}", err=True)
        play(tournament, store, deal_key(seed), how, contributions=seed is None)


@click.command()
@league_argument
@click.option("--tournament", type=click.IntRange(1), metavar="ID", hidden=True)
@playing_options
def resume(league: Path, tournament: int | None, how: Playing) -> None:
    """Continues the unfinished tournament of a league.

    The arena checks the league first, and adds nothing to a damaged league. Then it plays the games
    that are left.

    The tournament file is the one that the tournament began with, as stored in the league: a file that was
    edited since then changes nothing, and a line says so. The bots are started from the same folders as
    then; nothing is needed of a bot that is withdrawn.

    Exit codes: see arena run.
    """
    if not league.exists():
        raise LeagueNotFound(f"there is no league file {league}; begin a tournament with arena run FILE")
    with League.create_or_open(league) as store:
        unfinished = [stored for stored in store.tournaments() if stored.finished is None]
        if not unfinished:
            raise CannotRun(f"{league} holds no unfinished tournament; begin one with arena run FILE")
        if tournament is not None:
            unfinished = [stored for stored in unfinished if stored.id == tournament]
            if not unfinished:
                raise CannotRun(
                    f"tournament {tournament} of {league} is not unfinished: "
                    f"see arena list {shell_word(league)}"
                )
        echo(f"checking the league {league} ...", err=True)
        require_whole(store)
        stored = unfinished[-1]
        if not how.hosted:
            _say_if_edited(stored)
        file = stored_tournament(store, stored, how.asked)
        try:
            require_sandboxes(file)
        except SandboxMissing as problem:
            raise CannotRun(f"{problem}, by --sandbox {problem.instead}") from None
        play(file, store, store.tournament_key(stored.id), how, resumed=stored.id)


def _say_if_edited(stored: StoredTournament) -> None:
    """Says so if the tournament file is another than the one that the tournament began with."""
    path = stored.file_path
    if is_made(stored.file_text) or not path.is_file():
        return
    with contextlib.suppress(TournamentFileError):
        if read_text(path, TournamentFileError) != stored.file_text:
            echo(
                f"{path} was edited after this tournament began, which changes nothing here; to play the "
                f"edited file, begin a tournament: arena run {shell_word(path)} --league FILE.league",
                err=True,
            )


def play(
    file: TournamentFile,
    store: League,
    key: bytes,
    how: Playing,
    *,
    contributions: bool = False,
    resumed: int | None = None,
    show: Callable[[int, bool], None] | None = None,
) -> None:
    """Plays a tournament to its end, with progress, and prints its outcome.

    Args:
        file: the tournament.
        store: the league that keeps it.
        key: the key of its deals.
        how: the command's options.
        contributions: whether bots are asked for bytes that go into the deals.
        resumed: the tournament that goes on; None for one that begins.
        show: prints the outcome of the tournament with this id, and is told whether it was interrupted;
            None to print the standings.

    Ctrl-C, SIGTERM or SIGHUP ends the tournament in order: games that are not over are
    void. If JSON is asked for, it then has the outcome so far. A second signal ends the process at once.
    Exits with the code of how it went.
    """
    say_engine()
    settings = Settings(
        key=key,
        concurrency=how.concurrency or file.concurrency or DEFAULT_CONCURRENCY,
        logs=store.path.with_suffix(".logs"),
        lobby=how.lobby,
        workers=how.workers,
        contributions=contributions,
        tls=how.security.serving(store.path, how.lobby),
        require_tls=how.security.require_tls,
        one_time=how.security.one_time_tokens,
        watch_delay=how.page.watch_delay,
    )
    _require_resources((len(file.entrants) - len(file.gone)) * file.plan.instances)
    _require_out_of_reach(store.path, "the league", file)
    if settings.tls is not None:
        _require_out_of_reach(settings.tls.identity.key, "the key of the certificate", file)
    with page_beside(store.path, how.page, settings.tls) as page:
        make = partial(HostedProgress, tell=how.tell) if how.hosted else make_progress
        verbose = how.verbose or how.hosted
        progress = make(file, own_host(how.lobby), how.start_after, page, store.path, verbose)

        def stopped() -> str:
            if resumed is None and not progress.begun:
                return "arena: stopped before the first game: nothing is stored, so repeat the command"
            return (
                f"arena: stopped; the finished games are in {store.path}, go on with: {how.go_on(store.path)}"
            )

        def checkpoint() -> None:
            store.checkpoint()  # the file may be in use; otherwise closing it removes the files beside it
            store.close()

        # Until the command leaves: a signal that comes later must not change what its exit code means.
        ending = click.get_current_context().find_root().with_resource(Ending(checkpoint, stopped))
        with progress, _playing_on(how.cluster, settings.concurrency, progress.say) as cluster:
            settings = dataclasses.replace(settings, cluster=cluster)
            run = partial(run_tournament, file, store, settings, progress, resumed)
            number = _until_stopped(run, ending, progress.say, store.path, how.go_on(store.path))
        show = show or partial(_show, store, how.as_json, page)
        if number is None:
            echo(stopped(), err=True)
            if how.as_json and (file.plan.reveal is not None or (resumed is None and not progress.begun)):
                echo_json({"interrupted": True})
            elif how.as_json:
                show(resumed or store.tournaments()[-1].id, True)
            sys.exit(INTERRUPTED)
        # An exception that a signal raises may be lost, as in `__del__`; ending the process always works.
        ending.last_words = lambda: (
            f"arena: stopped; all games are played: arena standings {shell_word(store.path)}"
        )
        ending.stop = ending.end_at_once
        if ending.asked:  # too late to stop the tournament
            ending.end_at_once()
        show(number, False)
        if progress.absent:
            sys.exit(FAILED)


def make_progress(
    file: TournamentFile,
    host: str,
    start_after: float | None,
    page: str | None = None,
    league: Path = Path("LEAGUE"),
    verbose: bool = False,
) -> PlainProgress:
    """The progress display that fits standard error: bars on a terminal, lines elsewhere.

    The arguments are those of `PlainProgress`.
    """
    if not sys.stderr.isatty() or file.plan.reveal is not None:  # bars would tell what is hidden
        return PlainProgress(file, host, start_after, page, league, verbose)
    from arena.cli.bars import BarProgress  # only here: the library that draws them takes long to load

    return BarProgress(file, host, start_after, page, league, verbose)


def _until_stopped(
    run: Callable[[], Awaitable[int]], ending: Ending, say: Callable[[str], None], league: Path, go_on: str
) -> int | None:
    """Runs a tournament; returns its id, or None if a signal ended it.

    `go_on` is the command that goes on with it, for the sentence about an error.
    """

    async def playing() -> int | None:
        with trio.CancelScope() as tournament:

            def stop() -> None:
                say("stopping: games that are not over are void; Ctrl-C again stops at once")
                tournament.cancel()

            ending.stop = in_trio(stop)
            if ending.asked:
                stop()
            return await run()
        return None

    try:
        return trio.run(playing)
    except (BaseExceptionGroup, trio.TrioInternalError) as group:
        error = first_error(group)
        if isinstance(error, (DiskFull, DiskFails, LeagueNotWritable, WorkerDied, ClusterLost)):
            raise CannotRun(f"{error}, then go on with: {go_on}") from group
        from arena.cli.errors import USER_ERRORS, crashed  # only here, because it loads much

        if isinstance(error, Exception) and not isinstance(error, USER_ERRORS):
            raise crashed(group, league, go_on) from group
        raise error from group


def _show(store: League, as_json: bool, page: str | None, tournament: int, interrupted: bool) -> None:
    """Prints the standings, and then where the games are and who won.

    Args:
        store: the league.
        as_json: whether the standings are JSON, and nothing else is printed.
        page: the address of the page that is served; None for no page.
        tournament: its id.
        interrupted: whether the tournament is stopped and goes on.
    """
    outcome = outcome_of(store, tournament)
    if as_json:
        echo_json({**outcome_json(outcome), "interrupted": interrupted})
    else:
        echo(outcome_text(outcome, screen_width()))
        word = shell_word(store.path)
        echo(f"\nThe games are in {store.path}: arena standings {word}, arena replay {word}", err=True)
        if page is None:
            echo(f"The page: arena serve {word}, and in a browser http://{DEFAULT_LISTEN}/", err=True)
        if isinstance(outcome, Summary) and outcome.podium:
            names = [entrant.name for entrant in outcome.tournament.entrants]
            first = (f"{line.place}. {one_line(names[line.entrant])}" for line in outcome.podium)
            echo(f"The podium: {', '.join(first)}", err=True)
            if words := first_place_words(outcome, lambda each: one_line(names[each])):
                echo(words, err=True)


@contextlib.contextmanager
def _playing_on(where: str | None, tables: int, say: Callable[[str], None]) -> Iterator[Cluster | None]:
    """The cluster at an address, or None for no cluster, for as long as the context is entered.

    Args:
        where: the address as `--cluster` takes it; None for no cluster.
        tables: how many games a worker plays at once.
        say: called with a line for people.

    Raises Unreachable.
    """
    if where is None:
        yield None
        return
    from arena.referee.cluster.cluster import cluster  # only here: it takes long to load

    say(f"connecting to the cluster {where} ...")
    with cluster(where, tables, say) as there:
        try:
            yield there
        finally:
            played = there.cluster_statistics()
            if played.at_home or any(worker.games for worker in played.workers):
                say("\n".join(("what was played where", *cluster_lines(played))))


def _require_resources(processes: int) -> None:
    """Raises CannotRun if the system limits open files or memory too much for so many processes of bots."""
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
            f"allow more by ulimit -n {files}, or play with fewer bots"
        )
    memory = _MEMORY + _MEMORY_OF_A_BOT * processes
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < memory:
        raise CannotRun(
            f"the system lets the arena have {size_text(allowed)} of address space, and these bots take "
            f"{size_text(memory)}: allow more by ulimit -v {memory >> 10}"
        )


def _require_out_of_reach(secret: Path, what: str, file: TournamentFile) -> None:
    """Raises CannotRun if a bot in a sandbox could read a file that holds a secret."""
    for entrant in file.entrants:
        if problem := entrant.may_read(secret):
            raise CannotRun(f"{what} {problem}")
