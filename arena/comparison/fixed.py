"""An interval for a mean where it was settled beforehand how many boards are played.

The lower end adds one board of the least possible score to those that were
played, the upper end one of the greatest. Then each board gets a random weight:
independent exponential variables, divided by their sum. The end is a quantile of
the mean with these weights (N. Gaffke, Mathematical Methods of Statistics 14,
2005; E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of
a bounded random variable", arXiv 1905.06208). Where every score is the least or
the greatest, this is the interval of C. J. Clopper and E. S. Pearson (Biometrika
26, 1934), which never covers less than it says. For other scores nobody has
proved that, and nobody has found an exception. docs/comparing.md has the
coverage that was computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import copysign, fsum, log1p, sqrt
from statistics import NormalDist

from arena.comparison.betting import WHOLE, Bounds

_HALVINGS = 25  # of an interval of a few units: to well below a millionth
_NORMAL = NormalDist()


def fixed_interval(counts: Mapping[float, int], error: float, bounds: Bounds = WHOLE) -> tuple[float, float]:
    """The interval that misses the true mean with a chance of `error` or less, if looked at once.

    Args:
        counts: how many boards had which score.
        error: such as 0.05; each end has half of it.
        bounds: those of a score.

    Returns:
        the lower and the upper end; the bounds themselves for fewer than two boards.
    """
    if sum(counts.values()) < 2:
        return bounds
    low = _lower_end([(bounds.low, 1), *counts.items()], error / 2)
    high = -_lower_end([(-bounds.high, 1), *((-score, count) for score, count in counts.items())], error / 2)
    return max(bounds.low, low), min(bounds.high, high)


def _lower_end(scores: Sequence[tuple[float, int]], error: float) -> float:
    """The value below which the randomly weighted mean of some scores lies with the chance `error`.

    `scores`: each with how many boards had it.
    """
    mean = fsum(score * count for score, count in scores) / sum(count for _, count in scores)
    low, high = min(scores)[0], mean
    for _ in range(_HALVINGS):
        value = (low + high) / 2
        if low < value < high and _chance_below(value, scores) < error:
            low = value
        else:
            high = value
    return low


def _chance_below(value: float, scores: Sequence[tuple[float, int]]) -> float:
    """The chance that the randomly weighted mean of some scores lies below a value.

    The value lies between the least score and their mean. It is the chance that a
    sum of gamma variables, each times the gap between a score and the value, is
    negative: by the saddlepoint formula of R. Lugannani and S. Rice (Advances in
    Applied Probability 12, 1980), right to about 1 % of itself from ten boards on,
    and to 6 % before.
    """
    gaps = [(score - value, count) for score, count in scores]
    low, high = 1 / min(gaps)[0], 0.0
    for _ in range(_HALVINGS):
        point = (low + high) / 2
        if fsum(count * gap / (1 - point * gap) for gap, count in gaps) < 0:
            low = point
        else:
            high = point
    deviance = 2 * fsum(count * log1p(-point * gap) for gap, count in gaps)
    root = copysign(sqrt(max(deviance, 0.0)), point)
    curved = point * sqrt(fsum(count * (gap / (1 - point * gap)) ** 2 for gap, count in gaps))
    if root > -1e-3:  # as good as the mean itself
        return 0.5
    return _NORMAL.cdf(root) + _NORMAL.pdf(root) * (1 / root - 1 / curved)
