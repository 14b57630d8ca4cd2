"""Decides who sits where in the games of a match, so that seats and neighbours are balanced.

On each board the entrants of a table sit in one circular order, which is turned through all rotations. So
everybody plays the board once from every seat, and an entrant that follows another in the order plays right
after it in all its games. The order changes from board to board, so that over a stage each entrant follows
each other entrant equally often, or nearly so. `docs/fairness.md` has the results.

Only the schedule decides the seatings: the identity of the entrants and their results have no influence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from arena.results import MatchKey

Rule = Literal["balanced", "cyclic"]
"""The rule of a tournament for seating tables; `cyclic` is the rule of early versions."""

Order = tuple[int, ...]
"""A circular order of the positions of a match's entrants."""


class Seatings(ABC):
    """The seatings of all games of a stage."""

    @abstractmethod
    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        """The circular order of a match's entrants on one of its boards; at rotation 0 it begins at seat 0.

        Args:
            match: the match.
            seats: how many entrants it has.
            board: the number of the board in the match, extra boards counted on.

        Raises:
            LookupError: the stage has no such match or board.
        """

    def seating(self, match: MatchKey, seats: int, board: int, rotation: int) -> tuple[int, ...]:
        """For each seat of a game, from 0, the position of the entrant that sits there.

        Raises:
            LookupError: the stage has no such game.
        """
        if not 0 <= rotation < seats:
            raise LookupError(f"at {seats} seats there is no rotation {rotation}")
        return _turned(self.order(match, seats, board), rotation)


@lru_cache(1 << 14)
def _turned(order: Order, rotation: int) -> tuple[int, ...]:
    return order[-rotation:] + order[:-rotation] if rotation else order


class CyclicSeatings(Seatings):
    """The order of the match's entrants on every board."""

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        return tuple(range(seats))


class ListedSeatings(Seatings):
    """The orders of `balanced_orders` in turn, from board to board and from round to round.

    For matches whose entrants are not known beforehand, as in a knockout, and for matches that always have
    the same entrants.

    Args:
        boards: how many regular boards a match has.
    """

    def __init__(self, boards: int) -> None:
        self._boards = boards

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        orders = balanced_orders(seats)
        return orders[(match.round * self._boards + board) % len(orders)]


class SeatingsOfParts(Seatings):
    """The seatings of a stage that is made of parts: each match is seated as in its part.

    Args:
        there: gives the seatings of a match's part, and the match's key in it.
    """

    def __init__(self, there: Callable[[MatchKey], tuple[Seatings, MatchKey]]) -> None:
        self._there = there

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        seatings, own = self._there(match)
        return seatings.order(own, seats, board)


class SeatingsInBlocks(Seatings):
    """The seatings of boards in blocks, each of which has seatings of its own.

    Args:
        blocks: the number of boards of each block, and its seatings, which number them from 0.
    """

    def __init__(self, blocks: Sequence[tuple[int, Seatings]]) -> None:
        self._blocks = tuple(blocks)

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        left = board
        for boards, seatings in self._blocks:
            if left < boards:
                return seatings.order(match, seats, left)
            left -= boards
        raise LookupError(f"{match} has no board {board}")


@lru_cache
def balanced_orders(seats: int) -> tuple[Order, ...]:
    """Circular orders of a table's positions, in which everybody follows everybody equally often.

    With 3, 5 and 7 seats exactly once; with 4 and 6, where there are no such
    orders, twice. The second is the first in reverse, the fourth the third, and
    so on, so that an even number of boards treats before and after alike.

    Raises:
        LookupError: there are no tables of that size.
    """
    if seats == 2:
        return ((0, 1),)
    if seats in (3, 5, 7):  # steps of 1, 2, ... reach every place if their number is prime
        steps = range(1, seats // 2 + 1)
        return _with_reverses(tuple(step * i % seats for i in range(seats)) for step in steps)
    if seats in _EVEN:
        return _with_reverses(_EVEN[seats])
    raise LookupError(f"there are no tables of {seats} seats")


_EVEN: dict[int, tuple[Order, ...]] = {
    4: ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)),
    6: (
        (0, 1, 2, 3, 4, 5),
        (0, 3, 1, 5, 2, 4),
        (0, 1, 2, 3, 5, 4),
        (0, 2, 5, 1, 4, 3),
        (0, 2, 4, 1, 3, 5),
    ),
}
"""Any two positions are neighbours in exactly two of these orders."""


def _with_reverses(orders: Iterable[Order]) -> tuple[Order, ...]:
    return tuple(both for order in orders for both in (order, order[:1] + order[:0:-1]))
