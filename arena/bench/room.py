"""Where the time of a room goes: it is profiled with bots that answer at once, and without a network."""

from __future__ import annotations

import cProfile
import itertools
import pstats
import random
import time
from collections import Counter
from collections.abc import Sequence
from statistics import median

from arena.games import GAMES
from arena.link.streams.moments import Moment
from arena.link.streams.stream import Batch
from arena.link.wire.messages import Decision
from arena.runner.rooms.room import Room, Seating
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.plan import Plan
from arena.v1 import bot_pb2

PARTS = ("rules", "encoding", "scheduling")
"""What a room's time divides into."""

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
    """A stream whose bot answers at random when it is asked to."""

    def __init__(self) -> None:
        self._requests: list[bytes] = []

    def send(self, data: bytes, turns: int) -> Batch:
        self._requests.append(data)
        batch = Batch(data, turns, _now())
        batch.sent = batch.queued
        return batch

    def answers(self, chance: random.Random) -> list[Decision]:
        """A random answer to every turn sent since the last call."""
        request = bot_pb2.PlayRequest.FromString(b"".join(self._requests))
        self._requests.clear()
        return [
            Decision(
                turn.table,
                turn.turn,
                chance.randrange(len(getattr(turn, turn.WhichOneof("game") or "").legal_actions)),
            )
            for turn in request.turns
        ]


def _now() -> Moment:
    return Moment(time.perf_counter_ns(), 0)


def room_shares(plan: Plan, games: Sequence[str], tables: int, seconds: float) -> dict[str, float]:
    """How a room's time divides into `PARTS`, as shares (medians), with so many tables of these games.

    Args:
        plan: what says the options and the clock.
        seconds: how long it is profiled, after as long to warm up.
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
            room.open(Seating(board, rules, board_key(bytes(32), game, str(board)), _PLAYERS))
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
    # The machine may stand still for a moment, which then counts for whatever was running.
    several = [profiled(seconds / _PROFILES) for _ in range(_PROFILES)]
    middle = {part: median(shares[part] for shares in several) for part in PARTS}
    return {part: share / sum(middle.values()) for part, share in middle.items()}


def _shares(profile: cProfile.Profile) -> dict[str, float]:
    totals: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]  # untyped
        if file != "~":
            totals[_part(file)] += own
        else:  # a builtin counts where it was called
            for (caller, _, _), (_, _, share, _) in callers.items():
                totals[_part(caller)] += share
    whole = sum(totals.values())
    return {part: totals[part] / whole for part in PARTS}


def _part(file: str) -> str:
    return next((part for folder, part in _PART_OF_FOLDER.items() if folder in file), "scheduling")
