"""How fast the referee is end to end: two bots in processes of their own, every game stored durably."""

from __future__ import annotations

import itertools
import json
import math
import time
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import trio

from arena.bench.bot import TIMES
from arena.bench.room import PARTS as ROOM_PARTS
from arena.bench.room import room_shares
from arena.link import GRPC_SETTINGS
from arena.link.local.sandbox import Level
from arena.runner.night.settings import Settings, Watcher
from arena.runner.night.tournament import Run
from arena.runner.tournament_file import TournamentFile, parse_tournament
from arena.store import FinishedGame, League

TIMES_FOLDER = "times"
"""The folder in a bot's own where it leaves the moments at which it was asked."""

_KEY = bytes(32)  # the same deals on every machine
_BOARDS = 20_000  # more than any measurement gets through
_GLANCE = 0.01  # seconds
_WARM_UP = 0.25  # of the measured time, before it begins

PARTS = (*ROOM_PARTS, "transport", "store")
"""Where the referee's CPU time goes."""


class Speed(NamedTuple):
    """What one measurement of the referee gave.

    Attributes:
        rate: decisions - answered turns - per second.
        games: games stored per second.
        cpu: seconds of the referee's CPU time per decision, in all its processes.
        own: the part of these in the processes that only play.
        store: the part in which games were stored.
    """

    rate: float
    games: float
    cpu: float
    own: float
    store: float


def bench_bot(folder: Path, times: bool = False) -> Path:
    """Makes the folder of the benchmark's own bot; `times`: it is to leave its times in `TIMES_FOLDER`."""
    folder.mkdir()
    settings = {**GRPC_SETTINGS, **({TIMES: str(folder / TIMES_FOLDER)} if times else {})}
    assignments = [f"{name}={value}" for name, value in settings.items()]
    command = ["env", *assignments, "python", "-m", "arena.bench.bot"]
    text = f'name = "bench"\n[run]\ncommand = {json.dumps(command)}\n'
    if times:
        (folder / TIMES_FOLDER).mkdir()
        text += f'[needs]\nwritable = ["{TIMES_FOLDER}"]\n'
    (folder / "bot.toml").write_text(text, "utf-8")
    return folder


class Referee:
    """A referee to be measured.

    Args:
        folder: an empty folder on the disk that is to hold the league file.
        bot: the folder of the bot that plays at both seats.
        sandbox: how it is contained; None for as usual.
    """

    def __init__(self, folder: Path, bot: Path, sandbox: Level | None = None) -> None:
        self._folder = folder
        self._bot = bot
        self._sandbox = sandbox
        self._count = 0

    def measure(self, games: Sequence[str], tables: int, seconds: float, least: int = 0) -> Speed:
        """Plays these games at so many tables, at two seats.

        It is measured for so long, or on a slow machine until there was a
        decision. Then it plays on until the league holds so many games at least.
        """
        self._count += 1
        return trio.run(self._measure, self._tournament(games), tables, seconds, least)

    def split(self, games: Sequence[str], tables: int, seconds: float, speed: Speed) -> dict[str, float]:
        """The seconds of the referee's CPU time per decision of a measurement, by `PARTS`.

        The processes' own clocks told playing, the rest, and in it storing; what
        playing is divides as it does in a room without a network, which is
        profiled for so long.
        """
        shares = room_shares(self._tournament(games).plan, games, tables, seconds / 2)
        split = {part: speed.own * share for part, share in shares.items()}
        return {**split, "transport": speed.cpu - speed.own - speed.store, "store": speed.store}

    @property
    def league(self) -> Path:
        """The league file of the last measurement."""
        return self._folder / f"bench-{self._count}.league"

    def _tournament(self, games: Sequence[str]) -> TournamentFile:
        names = ", ".join(f'"{game}"' for game in games)
        entrants = "".join(f'[[entrant]]\nname = "bot {number}"\nbot = "{self._bot}"\n' for number in (1, 2))
        text = f'name = "bench"\nboards = {_BOARDS}\ngames = [{names}]\n'
        if self._sandbox is not None:
            text += f'sandbox = "{self._sandbox}"\n'
        return parse_tournament(text + entrants, self._folder / "bench.toml")

    async def _measure(self, file: TournamentFile, tables: int, seconds: float, least: int) -> Speed:
        with _MeteredLeague.create_or_open(self.league) as league:
            settings = Settings(_KEY, tables, self._folder / "logs")
            watcher = _FirstGame()
            run = Run(file, league, settings, watcher)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run.play)
                await watcher.begun.wait()
                while not run.decisions:  # until the workers are up
                    await trio.sleep(_GLANCE)
                await trio.sleep(_WARM_UP * seconds)
                before = _Reading.now(run, league)
                await trio.sleep(seconds)
                while run.decisions == before.decisions:
                    await trio.sleep(_GLANCE)
                after = _Reading.now(run, league)
                while league.stored < least:
                    await trio.sleep(_GLANCE)
                nursery.cancel_scope.cancel()
        spent = after.since(before)
        return Speed(
            spent.decisions / spent.wall,
            spent.games / spent.wall,
            spent.cpu / spent.decisions,
            spent.own_cpu / spent.decisions,
            spent.store_cpu / spent.decisions,
        )


class _Reading(NamedTuple):
    """What has run up so far; times in seconds."""

    wall: float
    decisions: int
    games: int
    cpu: float
    own_cpu: float
    store_cpu: float

    @classmethod
    def now(cls, run: Run, league: _MeteredLeague) -> _Reading:
        return cls(
            time.perf_counter(),
            run.decisions,
            league.stored,
            time.process_time() + run.worker_cpu / 1e9,
            run.worker_cpu / 1e9,
            league.cpu,
        )

    def since(self, other: _Reading) -> _Reading:
        return _Reading(
            self.wall - other.wall,
            self.decisions - other.decisions,
            self.games - other.games,
            self.cpu - other.cpu,
            self.own_cpu - other.own_cpu,
            self.store_cpu - other.store_cpu,
        )


class _MeteredLeague(League):
    """A league that knows how many games went into it and what CPU time that took, in seconds."""

    stored = 0
    cpu = 0.0

    def record_games(self, tournament: int, games: Iterable[FinishedGame]) -> list[int]:
        """Records games as any league does."""
        begin = time.thread_time()
        numbers = super().record_games(tournament, games)
        self.cpu += time.thread_time() - begin
        self.stored += len(numbers)
        return numbers


class _FirstGame(Watcher):
    """Waits for the first game."""

    def __init__(self) -> None:
        self.begun = trio.Event()

    def started(self, tournament: int, commitment: str) -> None:
        """The games begin."""
        self.begun.set()


def arrivals(folder: Path) -> list[float]:
    """The seconds between one turn and the next, of all bots that left their times in a folder; sorted.

    With one table there is one turn at a time, whoever's it is.
    """
    times = array("q")
    for path in folder.glob("*.times"):
        times.frombytes(path.read_bytes())
    ordered = sorted(times)
    return sorted((late - early) / 1e9 for early, late in itertools.pairwise(ordered))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of the sorted values lies; NaN where there are none."""
    return ordered[int(share * (len(ordered) - 1))] if ordered else math.nan
