"""Deltas of running tables, for onlookers: what was played at a table since the last delta.

It is what was played, and never what a seat has chosen that is not played yet: where
several choose at once, all of it comes together, and nothing says who chose first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from arena.runner.rooms.room_state import Running, Seating

MOST_TABLES = 32
"""How many tables of a room are told of at once."""


class Delta(NamedTuple):
    """What was played at a table since the last delta of it.

    Attributes:
        table: its number.
        seating: the game; None where an earlier delta has said it.
        actions: the actions, as a record has them.
        end: how it ended, `over` or `void`; empty while it runs.
    """

    table: int
    seating: Seating | None
    actions: tuple[int, ...]
    end: str = ""


class Deltas:
    """The tables of a room that onlookers are told of, and how far.

    A table that is over between two looks is never told of: nobody could follow it.

    Args:
        tell: called with what was played at these tables since it was called last.
    """

    def __init__(self, tell: Callable[[list[Delta]], None]) -> None:
        self._told: dict[int, int] = {}  # by table number, how many of its actions
        self._new: set[int] = set()  # the tables that ran at the last look, and are not told of
        self._tell = tell

    def look(self, tables: Iterable[Running], anew: bool) -> None:
        """Tells what was played at the tables that run. `anew`: to someone who was told nothing yet."""
        if anew:
            self._told.clear()
        known, self._new = self._new, set()
        deltas = []
        for running in tables:
            number = running.number
            if number in self._told:
                delta = self._delta(running)
                if delta.actions:
                    deltas.append(delta)
            elif number in known and len(self._told) < MOST_TABLES:
                self._told[number] = 0
                deltas.append(self._delta(running)._replace(seating=running.seating))
            else:
                self._new.add(number)
        if deltas:
            self._tell(deltas)

    def end(self, running: Running, end: str) -> None:
        """A table has ended, by `over` or `void`."""
        if running.number in self._told:
            self._tell([self._delta(running)._replace(end=end)])
            del self._told[running.number]

    def _delta(self, running: Running) -> Delta:
        """What was played at a table since it was told of last."""
        actions = running.table.played_since(self._told[running.number])
        self._told[running.number] += len(actions)
        return Delta(running.number, None, actions)
