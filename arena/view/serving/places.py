"""Places and turns that askers share: nobody can take them all. Used in trio's thread alone."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator

import trio


class Full(Exception):
    """All places are taken, each by another asker."""


class Place:
    """A taken place.

    Args:
        asker: who has it.
        lost: called when somebody else gets it.
    """

    def __init__(self, asker: str, lost: Callable[[], object]) -> None:
        self.asker, self.lost = asker, lost


class Places:
    """A number of places. Once all are taken, the next asker gets the oldest place of the one who has most.

    So an asker may have as many as there is room for, and those who have few lose none to one who has many.

    Args:
        most: how many there are.

    Attributes:
        count: how many are taken.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[str, dict[Place, None]] = {}  # by asker, the oldest first
        self.count = 0

    @contextlib.contextmanager
    def taken(self, asker: str, lost: Callable[[], object]) -> Iterator[Place]:
        """A place for an asker while the context is entered, or until `lost` is called. Raises Full."""
        if self.count >= self._most:
            self._make_room(asker)
        place = Place(asker, lost)
        self._enter(place)
        try:
            yield place
        finally:
            self._leave(place)

    def renew(self, place: Place, asker: str) -> None:
        """Makes a place the newest one of an asker, also of another than before, unless it is lost."""
        if self._leave(place):
            place.asker = asker
            self._enter(place)

    def of(self, asker: str) -> int:
        """How many places an asker has."""
        return len(self._taken.get(asker, ()))

    def _enter(self, place: Place) -> None:
        self._taken.setdefault(place.asker, {})[place] = None
        self.count += 1

    def _leave(self, place: Place) -> bool:
        """Frees a place; returns whether it was taken."""
        own = self._taken.get(place.asker, {})
        if place not in own:
            return False
        del own[place]
        self.count -= 1
        if not own:
            del self._taken[place.asker]
        return True

    def _make_room(self, asker: str) -> None:
        """Takes the oldest place from the asker who has most, with the one that is asked for. Raises Full."""
        most = max(self._taken, key=lambda each: (len(self._taken[each]) + (each == asker), each == asker))
        if len(self._taken[most]) + (most == asker) < 2:
            raise Full
        oldest = next(iter(self._taken[most]))
        self._leave(oldest)
        oldest.lost()


class Turns:
    """Turns at work that is done for a few at a time, and for one asker once at a time.

    Args:
        most: how many have a turn at once.
    """

    def __init__(self, most: int) -> None:
        self._turns = trio.CapacityLimiter(most)
        self._locks: dict[str, trio.Lock] = {}  # by asker who has a turn, or waits for one

    @property
    def known(self) -> int:
        """How many askers have a turn, or wait for one."""
        return len(self._locks)

    @contextlib.asynccontextmanager
    async def turn(self, asker: str) -> AsyncIterator[None]:
        """Waits for a turn of an asker, which lasts while the context is entered."""
        lock = self._locks.setdefault(asker, trio.Lock())
        try:
            async with lock, self._turns:
                yield
        finally:
            if not lock.locked():  # else somebody else of the same asker is next
                self._locks.pop(asker, None)
