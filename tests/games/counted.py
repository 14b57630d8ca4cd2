"""A `Chance` for complete enumeration, which gives every result once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class Counted:
    """A chance that gives every result once: draw from it as often as `every` says."""

    def __init__(self) -> None:
        self._path: list[tuple[int, int]] = []  # what was drawn, and of how many
        self._step = 0

    def every(self) -> Iterator[None]:
        """Gives the word for each result; it is to be drawn then."""
        while True:
            self._step = 0
            yield
            while self._path and self._path[-1][0] + 1 == self._path[-1][1]:
                self._path.pop()
            if not self._path:
                return
            last, of = self._path[-1]
            self._path[-1] = last + 1, of

    @property
    def likely(self) -> float:
        """The probability of this result."""
        chance = 1.0
        for _, of in self._path:
            chance /= of
        return chance

    def below(self, n: int) -> int:
        if self._step == len(self._path):
            self._path.append((0, n))
        drawn, of = self._path[self._step]
        assert of == n
        self._step += 1
        return drawn

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        shuffled = list(items)
        for i in range(len(shuffled) - 1, 0, -1):
            j = self.below(i + 1)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return shuffled
