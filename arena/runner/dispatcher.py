"""Which of the waiting games begins when: never more tables than wished, nor than a bot can play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import trio

from arena.runner.rooms.room import Seating

_AHEAD = 4
"""How many games per table wait at the most, so that one can be found whose bots are free."""

_UNSTORED = 4
"""How many games per table may be over and not yet stored before no further one begins."""


class Dispatcher:
    """Opens games, in the order given as far as the bots' limits allow.

    Args:
        open_table: opens one.
        concurrency: how many tables are played at once, at least 1.
        limit: how many tables a bot, given by its number, can play at once; 0 for any number.

    Attributes:
        running: how many games run.
    """

    def __init__(
        self, open_table: Callable[[Seating], None], concurrency: int, limit: Callable[[int], int]
    ) -> None:
        self._open_table = open_table
        self._concurrency = concurrency
        self._limit = limit
        self._waiting: list[Seating] = []
        self.running = 0
        self._tables: Counter[int] = Counter()  # at how many each bot sits
        self._unstored = 0
        self._room_to_wait = trio.Event()

    async def submit(self, seating: Seating) -> None:
        """Lets a game be played; waits while too many wait already."""
        while len(self._waiting) >= _AHEAD * self._concurrency:
            self._room_to_wait = trio.Event()
            await self._room_to_wait.wait()
        self._waiting.append(seating)
        self._begin()

    def add(self, seatings: Iterable[Seating]) -> None:
        """Lets a few games be played, before all others, without waiting."""
        self._waiting[:0] = seatings
        self._begin()

    def again(self, seating: Seating) -> None:
        """Lets a game that was void be played once more, before all others."""
        self._close(seating)
        self.add((seating,))

    def ended(self, seating: Seating) -> None:
        """A game is over: its place is free."""
        self._close(seating)
        self._unstored += 1
        self._begin()

    def stored(self, games: int) -> None:
        """So many games that were over are stored."""
        self._unstored -= games
        self._begin()

    def _begin(self) -> None:
        while (
            self.running < self._concurrency
            and self._unstored < _UNSTORED * self._concurrency
            and (seating := self._next()) is not None
        ):
            self.running += 1
            self._tables.update(seating.players)
            self._open_table(seating)
        self._room_to_wait.set()

    def _close(self, seating: Seating) -> None:
        self.running -= 1
        self._tables.subtract(seating.players)

    def _next(self) -> Seating | None:
        for position, seating in enumerate(self._waiting):
            if all(self._is_free(player) for player in seating.players):
                return self._waiting.pop(position)
        return None

    def _is_free(self, player: int) -> bool:
        limit = self._limit(player)
        return limit == 0 or self._tables[player] < limit
