"""The benchmark of the referee end to end: two bots in processes, every game stored durably."""

from __future__ import annotations

import cProfile
import dataclasses
import itertools
import json
import math
import operator
import pstats
import random
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import trio

from arena.bench.bot import TIMES
from arena.formats.round_robin import RoundRobinFormat
from arena.games import GAMES
from arena.league.entrants import started
from arena.league.store import FinishedGame, League
from arena.league.tournament_file import Bots, TournamentFile, made, safe_to_share
from arena.link.local.sandbox import Asked, Level, Trust, usual
from arena.link.streams.moments import Moment
from arena.link.streams.stream import Batch
from arena.link.wire.messages import Decision
from arena.referee.night.settings import Settings, Watcher
from arena.referee.night.tournament import Run
from arena.referee.rooms.room import Room
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.plan import Plan, Rules
from arena.tournament.seating import Seating
from arena.v1 import bot_pb2

TIMES_FOLDER = "times"
"""The folder, inside a bot's folder, for the times of its turns."""

_KEY = bytes(32)  # the same deals on every machine
_BOARDS = 20_000  # more than any measurement can play
_GLANCE = 0.01  # seconds between two checks of the progress
_WARM_UP = 0.25  # warm-up before the measured time, as a share of it


class Speed(NamedTuple):
    """The result of one measurement of the referee.

    Attributes:
        rate: decisions - answered turns - per second.
        games: games stored per second.
        cpu: seconds of the referee's CPU time per decision, in all its processes.
        own: the part of them in the processes that only play.
        store: the part that stored games.
    """

    rate: float
    games: float
    cpu: float
    own: float
    store: float


def bench_bot(folder: Path, times: bool = False) -> Path:
    """Makes the folder of the benchmark's bot; with `times` the bot writes its times to `TIMES_FOLDER`."""
    folder.mkdir()
    command = ["python", "-m", "arena.bench.bot"]
    if times:
        command[:0] = ["env", f"{TIMES}={folder / TIMES_FOLDER}"]
    text = f'name = "bench"\n[run]\ncommand = {json.dumps(command)}\n'
    if times:
        (folder / TIMES_FOLDER).mkdir()
        text += f'[needs]\nwritable = ["{TIMES_FOLDER}"]\n'
    (folder / "bot.toml").write_text(text, "utf-8")
    return folder


class Referee:
    """A referee that is measured.

    Args:
        folder: an empty folder for the league file.
        bot: the folder of the bot that plays at both seats.
        sandbox: the sandbox of the bot; None for the usual one.
    """

    def __init__(self, folder: Path, bot: Path, sandbox: Level | None = None) -> None:
        self._folder = folder
        self._bot = bot
        self._sandbox = sandbox
        self._count = 0

    def measure(self, games: Sequence[str], tables: int, seconds: float, least: int = 0) -> Speed:
        """Measures these games with two seats, at a number of tables.

        The measurement takes the given time, or on a slow machine until the first decision. Then the referee
        plays on until the league holds at least `games` games.
        """
        self._count += 1
        return trio.run(self._measure, self._tournament(games), tables, seconds, least)

    def split(self, games: Sequence[str], tables: int, seconds: float, speed: Speed) -> dict[str, float]:
        """The seconds of the referee's CPU time per decision of a measurement, split by activity.

        The CPU clocks of processes and threads give the time of playing, of storing and of the rest. A
        profile of a room without a network, which takes the given time, splits the time of playing further.
        """
        shares = room_shares(self._tournament(games).plan, games, tables, seconds / 2)
        split = {part: speed.own * share for part, share in shares.items()}
        return {**split, "transport": speed.cpu - speed.own - speed.store, "store": speed.store}

    @property
    def league(self) -> Path:
        """The league file of the last measurement."""
        return self._folder / f"bench-{self._count}.league"

    def _tournament(self, games: Sequence[str]) -> TournamentFile:
        trust = Trust(usual()).at(Asked(self._sandbox)) if self._sandbox else Trust(usual())
        entrants = tuple(started(self._bot, games, trust, f"bot {number}") for number in (1, 2))
        stages = (RoundRobinFormat(len(entrants), 2, cycles=1),)
        rules = Rules(games=tuple(games), boards=_BOARDS)
        plan = rules.plan("bench", stages)
        plan = dataclasses.replace(plan, shared_cards=safe_to_share(plan, entrants))
        return made(self._folder / "bench.json", plan, Bots(None, entrants, trust))

    async def _measure(self, file: TournamentFile, tables: int, seconds: float, least: int) -> Speed:
        with _MeteredLeague.create_or_open(self.league) as league:
            settings = Settings(_KEY, tables, self._folder / "logs")
            run = Run(file, league, settings, Watcher())

            def reading() -> tuple[float, ...]:
                own = run.worker_cpu / 1e9
                cpu = time.process_time() + own
                return time.perf_counter(), run.decisions, league.stored, cpu, own, league.cpu

            async with trio.open_nursery() as nursery:
                nursery.start_soon(run.play)
                while not run.decisions:  # until the bots and the workers run
                    await trio.sleep(_GLANCE)
                await trio.sleep(_WARM_UP * seconds)
                before, decided = reading(), run.decisions
                await trio.sleep(seconds)
                while run.decisions == decided:
                    await trio.sleep(_GLANCE)
                after = reading()
                while league.stored < least:
                    await trio.sleep(_GLANCE)
                nursery.cancel_scope.cancel()
        wall, decisions, stored, cpu, own, store = map(operator.sub, after, before)
        return Speed(decisions / wall, stored / wall, cpu / decisions, own / decisions, store / decisions)


class _MeteredLeague(League):
    """A league that counts its recorded games, and the CPU time of recording them, in seconds."""

    stored = 0
    cpu = 0.0

    def record_games(self, tournament: int, games: Iterable[FinishedGame]) -> list[int]:
        """Records games as any league does."""
        begin = time.thread_time()
        numbers = super().record_games(tournament, games)
        self.cpu += time.thread_time() - begin
        self.stored += len(numbers)
        return numbers


def arrivals(folder: Path) -> list[float]:
    """The seconds between one turn and the next, from the times of all bots in a folder; sorted.

    With one table there is one turn at a time.
    """
    times = array("q")
    for path in folder.glob("*.times"):
        times.frombytes(path.read_bytes())
    ordered = sorted(times)
    return sorted((late - early) / 1e9 for early, late in itertools.pairwise(ordered))


def quantile(ordered: Sequence[float], share: float) -> float:
    """A quantile of sorted values; NaN if there are none."""
    return ordered[int(share * (len(ordered) - 1))] if ordered else math.nan


_ROOM_PARTS = ("rules", "encoding", "scheduling")  # of a room's time

_PART_OF_FOLDER = {
    "arena/games/": "rules",
    "arena/table/deal.py": "rules",
    "arena/cards.py": "rules",
    "arena/link/": "encoding",
    "google/": "encoding",
}
_PLAYERS = (0, 1)
_PROFILES = 5


class _Bot:
    """A stream whose bot gives random answers when `answers` is called."""

    def __init__(self) -> None:
        self._requests: list[bytes] = []

    def send(self, data: bytes, turns: int) -> Batch:
        self._requests.append(data)
        batch = Batch(data, turns, _now())
        batch.sent = batch.queued
        return batch

    def answers(self, chance: random.Random) -> list[Decision]:
        """Random answers to all turns since the last call."""
        request = bot_pb2.PlayRequest.FromString(b"".join(self._requests))
        self._requests.clear()
        return [
            (
                turn.table,
                turn.turn,
                chance.randrange(len(getattr(turn, turn.WhichOneof("game") or "").legal_actions)),
                b"",
            )
            for turn in request.turns
        ]


def _now() -> Moment:
    return Moment(time.perf_counter_ns(), 0)


def room_shares(plan: Plan, games: Sequence[str], tables: int, seconds: float) -> dict[str, float]:
    """The shares of `_ROOM_PARTS` in a room's time (medians), with so many tables of these games.

    Args:
        plan: gives the options and the clock.
        seconds: the time of the profile, after a warm-up of the same length.
    """
    profile = cProfile.Profile(time.thread_time)
    room = Room(lambda played: None, lambda seating: None, _now)
    bots = [_Bot() for _ in _PLAYERS]
    for player, bot in zip(_PLAYERS, bots, strict=True):
        room.connect(player, bot)
    chance, boards = random.Random(0), itertools.count()

    def play() -> None:
        while room.tables < tables:
            board = next(boards)
            game = games[board % len(games)]
            rules = TableRules(GAMES[game], plan.options[game], len(_PLAYERS), plan.clock, plan.max_faults)
            room.open(Seating(board, rules, board_key(bytes(32), game, str(board)), _PLAYERS), board + 1)
        room.flush()
        for player, bot in zip(_PLAYERS, bots, strict=True):
            profile.disable()
            answers = bot.answers(chance)
            profile.enable()
            room.decided(player, answers, _now())

    def profiled(seconds: float) -> dict[str, float]:
        profile.clear()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            play()
        profile.disable()
        return _shares(profile)

    profiled(seconds)
    # The machine may stop for a moment, which the profile counts for the code that was running.
    several = [profiled(seconds / _PROFILES) for _ in range(_PROFILES)]
    middle = {part: median(shares[part] for shares in several) for part in _ROOM_PARTS}
    return {part: share / sum(middle.values()) for part, share in middle.items()}


def _shares(profile: cProfile.Profile) -> dict[str, float]:
    totals: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]  # untyped
        if file != "~":
            totals[_part(file)] += own
        elif "arena_engine" in function:  # the rules; it encodes besides
            totals["rules"] += own
        else:  # a builtin counts for its caller
            for (caller, _, _), (_, _, share, _) in callers.items():
                totals[_part(caller)] += share
    whole = sum(totals.values())
    return {part: totals[part] / whole for part in _ROOM_PARTS}


def _part(file: str) -> str:
    return next((part for folder, part in _PART_OF_FOLDER.items() if folder in file), "scheduling")
