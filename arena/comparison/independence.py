"""Checks whether boards are independent, and how many single games one game of a board replaces.

All findings and intervals assume that boards are independent. They are not
if a bot learns, or plays well for a while and then badly for a while. Two
numbers show that: the difference between the second half of the boards and the
first, and the correlation of each board with the next ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import Final, NamedTuple

from arena.comparison.comparison import Rotations

NEIGHBOURS: Final = 4
"""The number of following boards with which each board is compared."""
DOUBTFUL: Final = 3.5
"""The number of standard errors for a warning; docs/design-notes.md says how often it is false."""
_FEWEST = 10
_ADDED = 0.5  # to the squares, as `fixed_interval` adds boards, so that a few wins are no difference


class Independence(NamedTuple):
    """Measures of the independence of boards, from their scores in order.

    Attributes:
        halves: the mean scores of the first half and of the second.
        apart: their difference in standard errors.
        correlation: of the scores of neighbours; None if too few boards differ from the others.
        alike: by how many standard errors this is above that of independent boards.
    """

    halves: tuple[float, float]
    apart: float
    correlation: float | None
    alike: float

    @property
    def doubtful(self) -> bool:
        """Whether there is a warning."""
        return max(self.apart, self.alike) >= DOUBTFUL


def independence(scores: Sequence[float]) -> Independence | None:
    """Measures the independence of boards with these scores; None for fewer than ten.

    The standard errors are about those over all orders of the same scores. For few boards, that of
    the correlation is a little larger.
    """
    boards = len(scores)
    if boards < _FEWEST:
        return None
    mean = fsum(scores) / boards
    gaps = [score - mean for score in scores]
    squares, fourths = fsum(gap**2 for gap in gaps), fsum(gap**4 for gap in gaps)
    cut = boards // 2
    first, second = fsum(scores[:cut]) / cut, fsum(scores[cut:]) / (boards - cut)
    apart = abs(first - second) / sqrt((squares + _ADDED) / boards * (1 / cut + 1 / (boards - cut)))
    if not fourths or squares**2 < _FEWEST * fourths:
        return Independence((first, second), apart, None, 0.0)
    steps = range(1, NEIGHBOURS + 1)
    products = fsum(one * other for step in steps for one, other in zip(gaps, gaps[step:], strict=False))
    pairs = sum(boards - step for step in steps)
    ordered = boards * (boards - 1)
    alike = (products + pairs * squares / ordered) / sqrt(pairs * (squares**2 - fourths) / ordered)
    return Independence((first, second), apart, products / pairs * boards / squares, alike)


def games_replaced(boards: Sequence[Sequence[Rotations]]) -> float | None:
    """How many single games, each on its own board and from all seats in turn, one of these games replaces.

    It is the variance of the score if each game had its own
    deal, divided by its actual variance.

    Args:
        boards: for each board the scores by seat; of two matches if the
            difference of two bots in the same company counts.

    Returns:
        the ratio; None for fewer than two boards, and if all scores are the same.
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
