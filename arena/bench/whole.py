"""The whole benchmark: all measurements, in the order in which they are printed."""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import time
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from arena.bench.bare import Bare, measure_bare
from arena.bench.referee import TIMES_FOLDER, Referee, Speed, arrivals, bench_bot, quantile
from arena.games import BUILT_IN as GAMES
from arena.league.store import League
from arena.league.verification import Verification
from arena.link.local.sandbox import Level
from arena.table.deal import KeyedBoard

TABLES = (1, 8, 64, 256)
"""The numbers of tables at which the referee is measured."""

MIX = "mix"
"""The name for all games together."""

_SEATS = 2
_BUSY = 64  # tables at which the CPU time is split and a compiled bot is measured
_COPIES = 2_000  # copies of a position
_CALIBRATION = 200_000  # turns of an empty loop, which take some milliseconds


Speeds: TypeAlias = dict[int, Speed]
"""The referee's speeds, by tables."""


class Playouts(NamedTuple):
    """The speed of random playouts of one game.

    Attributes:
        rate: decisions per second, without forced turns; dealing included.
        clone: the seconds for one copy of a position.
    """

    rate: float
    clone: float


class Latency(NamedTuple):
    """The time from one decision to the next at one table, and of bare round trips, in seconds."""

    p50: float
    p99: float
    bare_p50: float
    bare_p99: float


class Noise(NamedTuple):
    """How quiet the machine was.

    Attributes:
        cpus: how many processors this process may use.
        load: the system's load average over the last minute, when the benchmark began.
        spread: how much longer the slowest run of a constant loop took than the fastest, as a share; the loop
            runs between the measurements.
    """

    cpus: int
    load: float
    spread: float


class Result(NamedTuple):
    """All results.

    Attributes:
        bare: gRPC alone.
        speeds: the referee with Python bots, by game (or `MIX`) and tables.
        compiled: the name of the compiled bot and the referee's speeds with it, by
            tables, all games mixed; None if no bot was built.
        rules: the rules alone, by game.
        verify: games per second of `arena verify`.
        split: the seconds of the referee's CPU time per decision, by activity, at `busy` tables.
        busy: the number of tables at which that was measured.
        latency: at one table.
        noise: how quiet the machine was.
        seconds: the time of the whole benchmark.
    """

    bare: Bare
    speeds: dict[str, Speeds]
    compiled: tuple[str, Speeds] | None
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
    sandbox: Level | None,
    games: Sequence[str],
    tables: Sequence[int],
) -> Result:
    """Measures everything.

    Args:
        folder: an empty folder for the league files.
        compiled: the name and the folder of a bot that is built already, if there is one.
        scale: 1 for the usual time of about 100 seconds, less for less.
        say: called with the name of the next measurement.
        sandbox: the sandbox of the bots; None for the usual one.
    """
    began, load = time.perf_counter(), os.getloadavg()[0]
    loops: list[float] = []

    def begin(what: str) -> None:
        say(what)
        loops.append(_loop_time())

    def referee(name: str, bot: Path) -> Referee:
        (folder / name).mkdir()
        return Referee(folder / name, bot, sandbox)

    def speeds(bench: Referee, name: str, games: Sequence[str], seconds: float, least: int = 0) -> Speeds:
        found = {}
        for count in tables:
            begin(f"the referee: {name}, {count} {'table' if count == 1 else 'tables'}")
            found[count] = bench.measure(games, count, seconds * scale, least)
        return found

    begin("gRPC alone")
    bare = measure_bare(2 * scale)
    python = referee("python", bench_bot(folder / "bot"))
    measured = {MIX: speeds(python, MIX, games, 3, least=1)}
    of_the_mix = python.league  # from its last measurement, which has at least one game
    measured |= {game: speeds(python, game, [game], 1) for game in games}
    with_compiled = None
    if compiled is not None:
        name, bot = compiled
        with_compiled = name, speeds(referee("compiled", bot), name, games, 2)
    begin(f"where the referee's time goes, {_BUSY} tables")
    split = python.split(games, _BUSY, 2 * scale, measured[MIX][_BUSY])
    begin("verify")
    verify = _verify(of_the_mix)
    rules = {}
    for game in games:
        begin(f"the rules of {game}")
        rules[game] = measure_rules(game, scale)
    begin("latency at one table")
    timed = bench_bot(folder / "timed", times=True)
    referee("latency", timed).measure(games, 1, 2 * scale)
    ours, echo = arrivals(timed / TIMES_FOLDER), bare.stream_latencies
    loops.append(_loop_time())
    return Result(
        bare=bare,
        speeds=measured,
        compiled=with_compiled,
        rules=rules,
        verify=verify,
        split=split,
        busy=_BUSY,
        latency=Latency(quantile(ours, 0.5), quantile(ours, 0.99), quantile(echo, 0.5), quantile(echo, 0.99)),
        noise=Noise(len(os.sched_getaffinity(0)), load, max(loops) / min(loops) - 1),
        seconds=time.perf_counter() - began,
    )


def _loop_time() -> float:
    """The seconds of a constant loop: the median of five runs."""
    return statistics.median(timeit.repeat("pass", number=_CALIBRATION, repeat=5))


def _verify(path: Path) -> float:
    """Verifies a league; returns games per second."""
    with League.read(path) as league:
        verification = Verification(league)
        begin = time.perf_counter()
        problems = [problem for problem in verification.problems() if problem is not None]
        took = time.perf_counter() - begin
    assert not problems, problems
    return verification.verified.games / took


def measure_rules(game_id: str, seconds: float) -> Playouts:
    """Plays random games with two seats for the given time, after a warm-up of half of it."""
    _playouts(game_id, "warm up", seconds / 2)  # fills the caches of the rules
    return Playouts(_playouts(game_id, "measure", seconds), _clone_time(game_id))


def _playouts(game_id: str, what: str, seconds: float) -> float:
    """Decisions per second in other games for every `what`."""
    game = GAMES[game_id]
    options = game.Options()
    deck = game.deck(options)
    chance = random.Random(game_id).random
    decisions = games = 0
    begin = time.perf_counter()
    while (now := time.perf_counter()) < begin + seconds:
        games += 1
        key = hashlib.sha256(f"{what} {game_id} {games}".encode()).digest()
        state = game.new(KeyedBoard(key, deck), _SEATS, options, 0)
        while state.to_act:
            seat = state.to_act[0]
            actions = state.legal_actions(seat)
            count = len(actions)
            if count > 1:
                decisions += 1
                state.apply(seat, actions[int(chance() * count)])
            else:
                state.apply(seat, actions[0])
    return decisions / (now - begin)


def _clone_time(game_id: str) -> float:
    """The seconds for a copy of a position in mid-game."""
    game = GAMES[game_id]
    options = game.Options()
    state = game.new(KeyedBoard(bytes(32), game.deck(options)), _SEATS, options, 0)
    for _ in range(5):
        if state.to_act:
            seat = state.to_act[0]
            state.apply(seat, state.legal_actions(seat)[0])
    return timeit.timeit(state.clone, number=_COPIES) / _COPIES
