"""A tournament in simulated time: real rules about who sits down, bots that only take time."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from arena.games import GAMES
from arena.referee.sitting.sitting import Dispatcher
from arena.table.clock import SECOND, TimeControl
from arena.table.table import TableRules
from arena.tournament.backlog import Hindrances
from arena.tournament.course import Due
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.seating import Seating
from tests.tournament.night import played

RULES = TableRules(GAMES["hyrule"], GAMES["hyrule"].Options(), 2, TimeControl(SECOND, 0, SECOND), 3)
TURNS = 6  # of each seat in a game
_LOOK = 0.25  # seconds between two looks at who thinks


class Over(NamedTuple):
    """A game that is over: when, and whose it was."""

    at: float
    players: tuple[int, ...]


class _Running(NamedTuple):
    due: Due
    began: float
    turns: Sequence[tuple[float, int]]  # when each ends, and whose it is


class SimulatedHall:
    """A tournament whose bots think for fixed times.

    Args:
        plan: the tournament.
        thinking: how long each entrant thinks for a turn, in seconds.
        tables: how many tables there are.
        limits: at how many tables entrants play that do not play at any number.

    Attributes:
        course: the course of the tournament.
        over: the games that are over.
    """

    def __init__(
        self, plan: Plan, thinking: Sequence[float], tables: int, limits: Mapping[int, int] = {}
    ) -> None:
        self._thinking = thinking
        self._time = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._running: dict[Due, _Running] = {}
        self.over: list[Over] = []
        self.course = new_course(plan, Effects(len(thinking)))
        instances = plan.instances
        self._dispatcher = Dispatcher(
            self._open,
            lambda player: limits.get(player, 0),
            self._next,
            instances=lambda player: instances,
            bots=lambda: len(thinking),
            now=lambda: self._time,
        )
        self._dispatcher.concurrency = tables
        self._instances = instances
        self._at(0.0, self._dispatcher.begin)
        self._at(_LOOK, self._look)

    def play(self, until: float) -> list[Over]:
        """Plays until so many seconds have passed; returns the games that are over."""
        while self._events and self._events[0][0] <= until:
            self._time, _, happen = heapq.heappop(self._events)
            happen()
        return self.over

    @property
    def running(self) -> int:
        """How many games are played."""
        return len(self._running)

    @property
    def games(self) -> list[Due]:
        """The games that are played."""
        return [*self._running]

    def tables_of(self, entrant: int) -> int:
        """At how many tables an entrant sits."""
        return self._dispatcher.tables_of(entrant)

    def _at(self, time: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._numbers), happen))

    def _next(self, hindrances: Hindrances) -> Seating | None:
        due = self.course.take(hindrances)
        return None if due is None else self._seating(due)

    def _seating(self, due: Due) -> Seating:
        instance = due.key.rotation if self._instances > 1 else 0
        instances = (instance,) * len(due.players)
        return Seating(due.key, RULES, bytes(32), due.players, (), instances)

    def _open(self, seating: Seating) -> None:
        due, now = Due(seating.key, seating.players), self._time
        order = [player for _ in range(TURNS) for player in seating.players]
        ends = itertools.accumulate((self._thinking[player] for player in order), initial=now)
        next(ends)
        self._running[due] = _Running(due, now, [*zip(ends, order, strict=True)])
        self._at(self._running[due].turns[-1][0], lambda: self._end(seating))

    def _end(self, seating: Seating) -> None:
        due = Due(seating.key, seating.players)
        del self._running[due]
        thought = [TURNS * self._thinking[player] for player in due.players]
        self.over.append(Over(self._time, due.players))
        result = played(due)
        seats = zip(result.seats, thought, strict=True)
        timed = tuple(seat._replace(decisions=TURNS, time=round(1e6 * time)) for seat, time in seats)
        self.course.add(result._replace(seats=timed))
        self._dispatcher.ended(seating, thought)
        self._dispatcher.dealt_with([seating])

    def _look(self) -> None:
        """What `Sitting` asks the rooms: who thinks for how long."""
        waited: dict[int, float] = {}
        for running in self._running.values():
            began = running.began
            for ends, player in running.turns:
                if ends > self._time:
                    waited[player] = max(waited.get(player, 0.0), self._time - began)
                    break
                began = ends
        for player, seconds in waited.items():
            self._dispatcher.bot_thinks(player, seconds)
        self._at(self._time + _LOOK, self._look)
