"""A priority queue of games or matches, from which items with busy players are skipped.

Each item is filed under one of its players that was busy at the last check. So an item that waits for a
slow player is checked again only when that player is free, however many items there are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Entry(NamedTuple, Generic[T]):
    """An item of a backlog: its place in the order (group, then turn in the group), and its players."""

    place: tuple[int, int]
    players: Sequence[int]
    item: T


class Backlog(Generic[T]):
    """An ordered queue from which the first item whose players are free is taken.

    Items of one group take turns: an item that is put back goes behind the others of its group.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, list[Entry[T]]] = {}  # a heap of items under a player of each
        self._groups = count()
        self._turns = count()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return (entry.item for entry in sorted(each for heap in self._waiting.values() for each in heap))

    def add(self, item: T, players: Sequence[int]) -> None:
        """Adds an item behind all others."""
        self._put(Entry((next(self._groups), next(self._turns)), players, item), players[0])

    def put_back(self, entry: Entry[T]) -> None:
        """Puts back an item that was taken."""
        place = entry.place[0], next(self._turns)
        self._put(Entry(place, entry.players, entry.item), entry.players[0])

    def take(
        self, busy: Container[int], further: Callable[[], Collection[tuple[T, Sequence[int]]]] = tuple
    ) -> Entry[T] | None:
        """Removes and returns the first item without busy players; None if there is none.

        Args:
            busy: the busy players.
            further: returns the next group of items with their players, which goes behind all others;
                empty if there is none. It is called while nothing in the backlog can be taken.
        """
        taken = self._take(busy)
        while taken is None and (group := further()):
            number = next(self._groups)
            for item, players in group:
                entry = Entry((number, next(self._turns)), players, item)
                other = _first(players, busy)
                if taken is None and other is None:
                    taken = entry
                else:
                    self._put(entry, players[0] if other is None else other)
        return taken

    def _take(self, busy: Container[int]) -> Entry[T] | None:
        """The same, without `further`."""
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
        if best is None:
            return None
        self._length -= 1
        return heappop(best)

    def clear(self) -> None:
        """Forgets all items."""
        self._waiting.clear()
        self._length = 0

    def _put(self, entry: Entry[T], player: int) -> None:
        heappush(self._waiting.setdefault(player, []), entry)
        self._length += 1


def _first(players: Sequence[int], busy: Container[int]) -> int | None:
    """The first busy one of some players."""
    return next((player for player in players if player in busy), None)
