"""Checks whether boards are independent, and how many single games one game of a board replaces.

All findings and intervals assume that boards are independent. They are not
if a bot learns, or plays well for a while and then badly for a while. Two
numbers show that: the difference between the second half of the boards and the
first, and the correlation of each board with the next ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log, sqrt
from operator import mul
from typing import Final, NamedTuple

from arena.comparison.comparison import Rotations
from arena.standings.student import quantile

NEIGHBOURS: Final = 4
"""The number of following boards with which each board is compared."""
DOUBTFUL: Final = 3.5
"""The number of standard errors for a warning; docs/design-notes.md says how often it is false."""
_FEWEST = 10
_FEWEST_DECIDING = 5  # with 2, up to 22 of 100 intervals miss where boards favour a seat
_OUTSIDE = 0.025  # beyond each end of an interval of 95 %
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
    gaps = _gaps(scores)
    each = [gap**2 for gap in gaps]
    squares, fourths = fsum(each), fsum(square**2 for square in each)
    cut = boards // 2
    first, second = fsum(scores[:cut]) / cut, fsum(scores[cut:]) / (boards - cut)
    apart = abs(first - second) / sqrt((squares + _ADDED) / boards * (1 / cut + 1 / (boards - cut)))
    if _deciding(each) < _FEWEST:
        return Independence((first, second), apart, None, 0.0)
    steps = range(1, NEIGHBOURS + 1)
    products = fsum(one * other for step in steps for one, other in zip(gaps, gaps[step:], strict=False))
    pairs = sum(boards - step for step in steps)
    ordered = boards * (boards - 1)
    alike = (products + pairs * squares / ordered) / sqrt(pairs * (squares**2 - fourths) / ordered)
    return Independence((first, second), apart, products / pairs * boards / squares, alike)


class Replaced(NamedTuple):
    """How many single games, each on its own board and from all seats in turn, one game replaces.

    Attributes:
        games: the number.
        low, high: its 95 % interval.
    """

    games: float
    low: float
    high: float


def games_replaced(boards: Sequence[Sequence[Rotations]]) -> Replaced | None:
    """How many single games, each on its own board and from all seats in turn, one of these games replaces.

    It is the variance of the score if each game had its own
    deal, divided by its actual variance. The interval is by the jackknife of the logarithm of the ratio
    (R. G. Miller, The jackknife: a review, Biometrika 61, 1974): that is computed again without each board
    in turn. Few boards may make up most of the variance, as where most boards are level. So Student's t has
    the degrees of freedom of as many boards as decide (`_deciding`), less one.

    Args:
        boards: for each board the scores by seat; of two matches if the
            difference of two bots in the same company counts.

    Returns:
        the number; None for fewer than ten boards, or if fewer than five decide: then the interval is too
        wide to be of use, or does not hold.
    """
    count = len(boards)
    if count < _FEWEST:
        return None
    signs = [1 - 2 * match for match in range(len(boards[0]))]
    columns = zip(*([score for match in board for score in match] for board in boards), strict=True)
    apart = [fsum(of_board) for of_board in zip(*map(_squares, columns), strict=True)]
    sums = [fsum(map(mul, signs, map(fsum, board))) for board in boards]
    together = _squares(sums)
    all_apart, all_together = fsum(apart), fsum(together)
    deciding = _deciding(together)
    if deciding < _FEWEST_DECIDING:
        return None
    weight = count / (count - 1)  # without a board the squares are less by this multiple of its own
    others = [
        log((all_apart - weight * one) / (all_together - weight * both))
        for one, both in zip(apart, together, strict=True)
    ]
    error = sqrt(fsum(_squares(others)) / weight)
    reach = exp(quantile(_OUTSIDE, deciding - 1) * error)
    games = all_apart / all_together
    return Replaced(games, games / reach, games * reach)


def _squares(values: Sequence[float]) -> list[float]:
    """The squares of the distances from the mean."""
    return [gap**2 for gap in _gaps(values)]


def _gaps(values: Sequence[float]) -> list[float]:
    """The distances from the mean, without their last digits: those of equal values are exactly 0."""
    mean = fsum(values) / len(values)
    return [round(value - mean, 12) for value in values]


def _deciding(squares: Sequence[float]) -> float:
    """How many boards make up a variance, by the squares of their distances from the mean.

    n boards that are as far from the mean as each other, beside any number at the mean, are n boards.
    """
    fourths = fsum(square**2 for square in squares)
    return fsum(squares) ** 2 / fourths if fourths else 0.0
