"""What waits for its players: games, or matches.

Each item waits with one of its players that was busy when somebody last looked at it. So an item that
waits for a slow player is looked at again only when that player is free, however many items there are.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Entry(NamedTuple, Generic[T]):
    """An item of a backlog: its number in the order, and who plays in it."""

    number: int
    players: Sequence[int]
    item: T


class Backlog(Generic[T]):
    """Items in an order, of which the first whose players are free is taken."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[Entry[T]]] = {}  # by a player of each: a heap, the first of it on top
        self._numbers = count()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return (entry.item for entry in sorted(each for heap in self._waiting.values() for each in heap))

    def add(self, item: T, players: Sequence[int]) -> None:
        """Adds an item behind all others."""
        self.put(Entry(next(self._numbers), players, item))

    def put(self, entry: Entry[T]) -> None:
        """Puts an item back at its place in the order."""
        self._put(entry, entry.players[0])

    def take(
        self, busy: Container[int], further: Callable[[], tuple[T, Sequence[int]] | None] = lambda: None
    ) -> Entry[T] | None:
        """Takes out the first item none of whose players is busy; None where there is none.

        Args:
            busy: the players that are busy.
            further: gives further items with their players, which come behind all others; asked as long
                as none that is here can be taken, and none of those that it gave.
        """
        best: list[Entry[T]] | None = None
        for player in [each for each in self._waiting if each not in busy]:
            heap = self._waiting[player]
            while heap and (other := _first(heap[0].players, busy)) is not None:
                self._put(heappop(heap), other)
                self._length -= 1
            if not heap:
                del self._waiting[player]
            elif best is None or heap[0] < best[0]:
                best = heap
        if best is not None:
            self._length -= 1
            return heappop(best)
        while (found := further()) is not None:
            item, players = found
            entry = Entry(next(self._numbers), players, item)
            if (other := _first(players, busy)) is None:
                return entry
            self._put(entry, other)
        return None

    def clear(self) -> None:
        """Forgets all items."""
        self._waiting.clear()
        self._length = 0

    def _put(self, entry: Entry[T], player: int) -> None:
        heappush(self._waiting.setdefault(player, []), entry)
        self._length += 1


def _first(players: Sequence[int], busy: Container[int]) -> int | None:
    """The first of some players that is busy."""
    return next((player for player in players if player in busy), None)
