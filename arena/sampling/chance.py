"""Chance that comes from a generator of random numbers, where it is drawn and not written down before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from arena.games.game import Seat

T = TypeVar("T")


class RandomDeal:
    """A deal in random order, and all its chance (`Deal` and `Chance` of the game contract).

    Whatever is asked is drawn anew, for any name: nothing here can be played a second time.

    Args:
        rng: where chance comes from.
        ordered_deck: the cards of the deal; none where they are dealt already.
    """

    __slots__ = ("_rng", "deck")

    def __init__(self, rng: random.Random, ordered_deck: Sequence[Any] = ()) -> None:
        self._rng = rng
        self.deck: Sequence[Any] = self.shuffle(ordered_deck)

    def chance(self, purpose: str, seat: Seat, count: int) -> RandomDeal:
        """The draws of any event."""
        return self

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n-1."""
        return int(self._rng.random() * n)

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        """`below(n)` for each n of `bounds`."""
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """The items in a uniform random order, as a new list."""
        shuffled = list(items)
        self._rng.shuffle(shuffled)
        return shuffled


class RandomBoard:
    """A board whose every deal is in a new random order (the `Board` of the game contract).

    Args:
        rng: where chance comes from.
        ordered_deck: the cards of a deal.
    """

    __slots__ = ("_ordered_deck", "_rng")

    def __init__(self, rng: random.Random, ordered_deck: Sequence[Any]) -> None:
        self._rng = rng
        self._ordered_deck = ordered_deck

    def deal(self, number: int) -> RandomDeal:
        """A new deal."""
        return RandomDeal(self._rng, self._ordered_deck)
