"""An interval for a mean where it was settled beforehand how many boards are played.

Student's interval ("The probable error of a mean", Biometrika 6, 1908) with
half a board won and half a board lost added, as A. Agresti and B. Caffo do
for proportions (The American Statistician 54, 2000): without them it is far
too narrow where nearly all boards come out alike. docs/comparing.md has its
coverage.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, sqrt

from arena.comparison.betting import WHOLE, Bounds
from arena.student import quantile

_ADDED = 0.5  # boards of the least, and of the greatest score


def fixed_interval(counts: Mapping[float, int], error: float, bounds: Bounds = WHOLE) -> tuple[float, float]:
    """The interval that misses the true mean with a chance of about `error`, if looked at once.

    Args:
        counts: how many boards had which score.
        error: such as 0.05.
        bounds: those of a score.

    Returns:
        the lower and the upper end; the bounds themselves for fewer than two boards.
    """
    boards = sum(counts.values())
    if boards < 2:
        return bounds
    weights: dict[float, float] = dict(counts)
    for bound in bounds:
        weights[bound] = weights.get(bound, 0) + _ADDED
    weight = boards + 2 * _ADDED
    mean = fsum(score * count for score, count in weights.items()) / weight
    variance = fsum((score - mean) ** 2 * count for score, count in weights.items()) / (weight - 1)
    half = quantile(error / 2, boards - 1) * sqrt(variance / weight)
    return max(bounds.low, mean - half), min(bounds.high, mean + half)
