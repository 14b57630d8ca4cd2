"""The whole benchmark, in the order in which it is printed."""

from __future__ import annotations

import dataclasses
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from arena.bench import referee
from arena.bench.bare import Bare, measure_bare
from arena.bench.referee import TIMES_FOLDER, Referee, Speed, bench_bot
from arena.bench.rules import Playouts, measure_rules
from arena.games import BUILT_IN as GAMES
from arena.link.local.sandbox import Level
from arena.runner.leagues.verification import Verification
from arena.store import League

TABLES = (1, 8, 64, 256)
"""At how many tables the referee is measured."""

MIX = "mix"
"""What all games together are called."""

_BUSY = 64  # tables at which the CPU time is split and a compiled bot is measured
_CALIBRATION = 200_000  # turns of an empty loop: some milliseconds


@dataclasses.dataclass(frozen=True, slots=True)
class Latency:
    """From one decision to the next at one table, beside bare messages there and back, in seconds."""

    p50: float
    p99: float
    bare_p50: float
    bare_p99: float


@dataclasses.dataclass(frozen=True, slots=True)
class Noise:
    """How quiet the machine was.

    Attributes:
        cpus: how many processors this process may use.
        load: the system's load average over the last minute, when the benchmark began.
        spread: of a loop that always does the same, run between the
            measurements: how much longer the slowest took than the fastest, as
            a share.
    """

    cpus: int
    load: float
    spread: float


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """All that was measured.

    Attributes:
        bare: gRPC alone.
        speeds: the referee with Python bots, by game (or `MIX`) and tables.
        compiled: the name of the compiled bot and the referee's speeds with it, by
            tables, all games mixed; None where no bot was built.
        rules: the rules alone, by game.
        verify: games per second of `arena verify`.
        split: the seconds of the referee's CPU time per decision, by `referee.PARTS`, at `busy` tables.
        busy: the number of tables at which that was measured.
        latency: at one table.
        noise: how quiet the machine was.
        seconds: how long it all took.
    """

    bare: Bare
    speeds: dict[str, dict[int, Speed]]
    compiled: tuple[str, dict[int, Speed]] | None
    rules: dict[str, Playouts]
    verify: float
    split: dict[str, float]
    busy: int
    latency: Latency
    noise: Noise
    seconds: float


def run_bench(
    folder: Path,
    compiled: tuple[str, Path] | None,
    scale: float,
    say: Callable[[str], None],
    sandbox: Level | None = None,
) -> Result:
    """Measures everything.

    Args:
        folder: an empty folder on the disk that is to hold the league files.
        compiled: the name and the folder of a bot that is built already, if there is one.
        scale: 1 for the usual time of about 100 seconds, less for less.
        say: called with what is measured next.
        sandbox: how the bots are contained; None for as usual.
    """
    return _Bench(folder, scale, say, sandbox).run(compiled)


class _Bench:
    def __init__(self, folder: Path, scale: float, say: Callable[[str], None], sandbox: Level | None) -> None:
        self._folder = folder
        self._scale = scale
        self._say = say
        self._sandbox = sandbox
        self._loops: list[float] = []
        self._python = Referee(self._sub("python"), bench_bot(folder / "bot"), sandbox)

    def run(self, compiled: tuple[str, Path] | None) -> Result:
        began, load = time.perf_counter(), os.getloadavg()[0]
        self._next("gRPC alone")
        bare = measure_bare(2 * self._scale)
        speeds: dict[str, dict[int, Speed]] = {}
        of_the_mix = Path()
        for name, games in {MIX: list(GAMES), **{game: [game] for game in GAMES}}.items():
            seconds = (3 if name == MIX else 1) * self._scale
            least = 1 if name == MIX else 0  # which is verified
            speeds[name] = {
                tables: self._speed(self._python, name, games, tables, seconds, least) for tables in TABLES
            }
            if name == MIX:
                of_the_mix = self._python.league
        with_compiled = None
        if compiled is not None:
            other = Referee(self._sub("compiled"), compiled[1], self._sandbox)
            with_compiled = (
                compiled[0],
                {
                    tables: self._speed(other, compiled[0], list(GAMES), tables, 2 * self._scale)
                    for tables in TABLES
                },
            )
        self._next(f"where the referee's time goes, {_BUSY} tables")
        split = self._python.split(list(GAMES), _BUSY, 2 * self._scale, speeds[MIX][_BUSY])
        verify = self._verify(of_the_mix)
        rules = {}
        for game in GAMES:
            self._next(f"the rules of {game}")
            rules[game] = measure_rules(game, self._scale)
        latency = self._latency(bare)
        self._calibrate()
        noise = Noise(len(os.sched_getaffinity(0)), load, max(self._loops) / min(self._loops) - 1)
        return Result(
            bare,
            speeds,
            with_compiled,
            rules,
            verify,
            split,
            _BUSY,
            latency,
            noise,
            time.perf_counter() - began,
        )

    def _sub(self, name: str) -> Path:
        path = self._folder / name
        path.mkdir()
        return path

    def _next(self, what: str) -> None:
        self._say(what)
        self._calibrate()

    def _calibrate(self) -> None:
        """Times a loop that always does the same, the best of a few."""
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            for _ in range(_CALIBRATION):
                pass
            times.append(time.perf_counter() - begin)
        self._loops.append(statistics.median(times))

    def _speed(
        self, bench: Referee, name: str, games: list[str], tables: int, seconds: float, least: int = 0
    ) -> Speed:
        self._next(f"the referee: {name}, {tables} {'table' if tables == 1 else 'tables'}")
        return bench.measure(games, tables, seconds, least)

    def _verify(self, path: Path) -> float:
        """Verifies a league; returns games per second."""
        self._next("verify")
        with League.read(path) as league:
            verification = Verification(league)
            begin = time.perf_counter()
            problems = [problem for problem in verification.problems() if problem is not None]
            took = time.perf_counter() - begin
        assert not problems, problems
        return verification.verified.games / took

    def _latency(self, bare: Bare) -> Latency:
        self._next("latency at one table")
        bot = bench_bot(self._folder / "timed", times=True)
        Referee(self._sub("latency"), bot, self._sandbox).measure(list(GAMES), 1, 2 * self._scale)
        ours, echo = referee.arrivals(bot / TIMES_FOLDER), bare.stream_latencies
        return Latency(
            referee.quantile(ours, 0.5),
            referee.quantile(ours, 0.99),
            referee.quantile(echo, 0.5),
            referee.quantile(echo, 0.99),
        )
