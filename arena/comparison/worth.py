"""What a duplicate board is worth: how many games on boards of their own tell as much as one of its games."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from arena.comparison.comparison import Rotations


def games_replaced(boards: Sequence[Sequence[Rotations]]) -> float | None:
    """How many single games, on a board each and from all seats in turn, one game of these boards replaces.

    It is the variance that the score would have if each of its games had been
    dealt for itself, by the variance that it has.

    Args:
        boards: for each board the scores by seat; of two matches where the
            difference of two bots in the same company counts.

    Returns:
        the ratio; None for fewer than two boards, and where all came to the same.
    """
    if len(boards) < 2:
        return None
    matches, seats = range(len(boards[0])), len(boards[0][0])
    apart = fsum(
        _variance([board[match][seat] for board in boards]) for match in matches for seat in range(seats)
    )
    together = _variance(
        [fsum((1 - 2 * match) * fsum(board[match]) for match in matches) for board in boards]
    )
    return apart / together if together > 0 else None


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
