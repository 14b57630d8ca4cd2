"""A priority queue of games or matches, from which items that cannot be played now are skipped.

Each item is filed under what hindered it at the last check: usually a busy player. So an item that waits for
a slow player is checked again only when that player is free, however many items there are.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Generic, NamedTuple, TypeVar

from arena.tournament.instances import player_of

T = TypeVar("T")


class Hindrances(abc.ABC):
    """What hinders items from being played now: the number of a busy player, or any other hashable value."""

    @abc.abstractmethod
    def first(self, players: Sequence[int]) -> Hashable | None:
        """What hinders an item of these players; None if nothing does."""

    @abc.abstractmethod
    def __contains__(self, hindrance: object) -> bool:
        """Whether it still hinders items; true for all that `first` returns."""


class _Busy(Hindrances):
    """The hindrances if some players are busy, with all of their instances."""

    def __init__(self, busy: Container[int]) -> None:
        self._busy = busy

    def first(self, players: Sequence[int]) -> Hashable | None:
        return next((number for number in players if player_of(number) in self._busy), None)

    def __contains__(self, hindrance: object) -> bool:
        return isinstance(hindrance, int) and player_of(hindrance) in self._busy


class Entry(NamedTuple, Generic[T]):
    """An item of a backlog.

    Attributes:
        place: its place in the order: when it was added, then its turn among the items added with it.
        players: the numbers of bots, or of their instances.
        item: the item.
    """

    place: tuple[int, int]
    players: Sequence[int]
    item: T


class Backlog(Generic[T]):
    """An ordered queue from which the first item that nothing hinders is taken.

    Items that are added together take turns: an item that is put back goes behind the others of them.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, list[Entry[T]]] = {}  # a heap of items under a hindrance of each
        self._additions = count()
        self._turns = count()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return (entry.item for entry in sorted(each for heap in self._waiting.values() for each in heap))

    def add(self, item: T, players: Sequence[int]) -> None:
        """Adds an item behind all others."""
        self.add_together([(item, players)])

    def add_together(self, items: Iterable[tuple[T, Sequence[int]]]) -> None:
        """Adds items with their players behind all others."""
        number = next(self._additions)
        for item, players in items:
            self._put(Entry((number, next(self._turns)), players, item), players[0])

    def put_back(self, entry: Entry[T]) -> None:
        """Puts back an item that was taken."""
        place = entry.place[0], next(self._turns)
        self._put(Entry(place, entry.players, entry.item), entry.players[0])

    def take(
        self,
        busy: Container[int] | Hindrances,
        further: Callable[[], Collection[tuple[T, Sequence[int]]]] = tuple,
    ) -> Entry[T] | None:
        """Removes and returns the first item that nothing hinders; None if there is none.

        Args:
            busy: the busy players, or all hindrances.
            further: returns the next items with their players, which are added together; empty if there are
                none. It is called while nothing in the backlog can be taken.
        """
        hindrances = busy if isinstance(busy, Hindrances) else _Busy(busy)
        taken = self._take(hindrances)
        while taken is None and (items := further()):
            number = next(self._additions)
            for item, players in items:
                entry = Entry((number, next(self._turns)), players, item)
                hindrance = hindrances.first(players)
                if taken is None and hindrance is None:
                    taken = entry
                else:
                    self._put(entry, players[0] if hindrance is None else hindrance)
        return taken

    def _take(self, hindrances: Hindrances) -> Entry[T] | None:
        """The same, without `further`."""
        best: list[Entry[T]] | None = None
        for key in [each for each in self._waiting if each not in hindrances]:
            heap = self._waiting[key]
            while heap and (hindrance := hindrances.first(heap[0].players)) is not None:
                self._put(heappop(heap), hindrance)
                self._length -= 1
            if not heap:
                del self._waiting[key]
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

    def _put(self, entry: Entry[T], hindrance: Hashable) -> None:
        heappush(self._waiting.setdefault(hindrance, []), entry)
        self._length += 1
