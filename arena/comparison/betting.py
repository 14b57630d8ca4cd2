"""Confidence intervals for a mean score: anytime-valid by betting, or for a fixed number of boards.

A gambler bets, board after board, that the mean score lies above (or below) a
value. If it does not, no bet pays on average. So the gambler's wealth, 1 at the
beginning, is a supermartingale, and the probability that it ever reaches 1/e is at
most e (J. Ville, 1939). That holds for scores from 0 to 1 of any
distribution, for all moments together. So one may look after every board and stop
at any time. The only assumption about the scores of the boards is
that each has the same mean, given the earlier ones.

The wealth is the mean wealth of several gamblers, each of whom bets a constant part
of the largest allowed bet, as in I. Waudby-Smith and A. Ramdas, "Estimating
means of bounded random variables by betting", Journal of the Royal Statistical
Society B 86, 2024, section 4 (a hedge of constant bets). Small bets find small
differences in the end, large bets find large differences at once.

**For a number of boards that was fixed beforehand**, `fixed_interval` is a shorter interval.
The lower end adds one board of the least possible score to the boards that were
played, the upper end one board of the greatest. Then each board gets a random weight:
independent exponential variables, divided by their sum. The end is a quantile of
the mean with these weights (N. Gaffke, Mathematical Methods of Statistics 14,
2005; E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of
a bounded random variable", arXiv 1905.06208). If every score is the least or
the greatest, this is the interval of C. J. Clopper and E. S. Pearson (Biometrika
26, 1934), which never covers less than it says. For other scores this is not
proved, and no exception is known. docs/comparing.md has the
computed coverage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import copysign, exp, fsum, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

FRACTIONS: Final = tuple(0.06 * (0.8 / 0.06) ** (step / 5) for step in range(6))
"""The gamblers' parts of the largest possible bet, from .06 to .8 in equal ratios."""

_FIXED_HALVINGS = 25  # of an interval of a few units: to well below a millionth
_NORMAL = NormalDist()
_HALVINGS = 50  # of an interval of at most a few units: to well below a billionth


class Bets:
    """The wealth of the gamblers who bet that the mean score lies on one side of a value.

    Args:
        mean: the value, from 0 to 1.
        above: whether they bet that the mean lies above it, else below.
    """

    __slots__ = ("_above", "_logs", "_mean")

    def __init__(self, mean: float, above: bool) -> None:
        self._mean, self._above = mean, above
        self._logs = (0.0,) * len(FRACTIONS)

    def see(self, score: float) -> None:
        """Adds the score of a board."""
        growth = _known_growth(score, self._mean, self._above)
        self._logs = tuple([log_ + more for log_, more in zip(self._logs, growth, strict=True)])

    @property
    def log_wealth(self) -> float:
        """The logarithm of their total wealth, if each began with an equal part of 1."""
        return _log_of_mean(self._logs)

    def boards_to(self, log_wealth: float, counts: Mapping[float, float]) -> float:
        """How many boards like these the best bet takes to win so much; infinite if no bet wins.

        Args:
            log_wealth: the logarithm of the wealth.
            counts: the number of boards with each score.
        """
        boards = sum(counts.values())
        growths = [(_known_growth(score, self._mean, self._above), count) for score, count in counts.items()]
        best = max(fsum(growth[bet] * count for growth, count in growths) for bet in range(len(FRACTIONS)))
        return (log_wealth + log(len(FRACTIONS))) * boards / best if best > 0 else inf


def _growth(score: float, mean: float, above: bool) -> tuple[float, ...]:
    """The logarithm of the factor by which a board multiplies each gambler's wealth."""
    room = mean if above else 1.0 - mean
    if room <= 0.0:  # the bet is on a certain or an impossible event
        return (0.0 if score == mean else inf,) * len(FRACTIONS)
    gain = (score - mean) / room if above else (mean - score) / room
    return tuple([log1p(fraction * gain) for fraction in FRACTIONS])


_known_growth = lru_cache(1 << 12)(_growth)  # boards have few different scores


def _log_of_mean(logs: tuple[float, ...]) -> float:
    most = max(logs)
    if most == inf:
        return inf
    return most + log(fsum(exp(each - most) for each in logs) / len(logs))


def betting_interval(counts: Mapping[float, int], error: float) -> tuple[float, float]:
    """The interval of the means that the bets do not contradict.

    The probability that the true mean is ever outside, however often one looks, is
    at most `error`, half of it on either side.

    Args:
        counts: the number of boards with each score.
        error: the probability of an error, such as 0.05.

    Returns:
        the lower and the upper end; 0 and 1 if there are no boards.
    """
    boards = sum(counts.values())
    if not boards:
        return 0.0, 1.0
    mean = fsum(score * count for score, count in counts.items()) / boards
    enough = log(2 / error)
    return _end(counts, mean, True, enough), _end(counts, mean, False, enough)


def _end(counts: Mapping[float, int], mean: float, above: bool, enough: float) -> float:
    """The end of the interval below (or above) the mean of the scores.

    The farther a value is from that mean, the more the bets on the mean's side have won.
    """
    refuted, possible = (0.0 if above else 1.0), mean
    for _ in range(_HALVINGS):
        value = (refuted + possible) / 2
        if _log_wealth(counts, value, above) >= enough:
            refuted = value
        else:
            possible = value
    return refuted


def _log_wealth(counts: Mapping[float, int], value: float, above: bool) -> float:
    growths = [(_growth(score, value, above), count) for score, count in counts.items()]
    return _log_of_mean(
        tuple([fsum(growth[bet] * count for growth, count in growths) for bet in range(len(FRACTIONS))])
    )


def fixed_interval(counts: Mapping[float, int], error: float) -> tuple[float, float]:
    """The interval that misses the true mean with a probability of at most `error`, if looked at once.

    Args:
        counts: the number of boards with each score.
        error: such as 0.05; each end has half of it.

    Returns:
        the lower and the upper end; 0 and 1 for fewer than two boards.
    """
    if sum(counts.values()) < 2:
        return 0.0, 1.0
    low = _lower_end([(0.0, 1), *counts.items()], error / 2)
    high = -_lower_end([(-1.0, 1), *((-score, count) for score, count in counts.items())], error / 2)
    return max(0.0, low), min(1.0, high)


def _lower_end(scores: Sequence[tuple[float, int]], error: float) -> float:
    """The value below which the randomly weighted mean of the scores lies with the probability `error`.

    `scores`: each with the number of its boards.
    """
    mean = fsum(score * count for score, count in scores) / sum(count for _, count in scores)
    low, high = min(scores)[0], mean
    for _ in range(_FIXED_HALVINGS):
        value = (low + high) / 2
        if low < value < high and _chance_below(value, scores) < error:
            low = value
        else:
            high = value
    return low


def _chance_below(value: float, scores: Sequence[tuple[float, int]]) -> float:
    """The probability that the randomly weighted mean of the scores lies below a value.

    The value must lie between the least score and the mean. It is the probability that a
    sum of gamma variables, each times the gap between a score and the value, is
    negative, by the saddlepoint formula of R. Lugannani and S. Rice (Advances in
    Applied Probability 12, 1980). Its relative error is about 1 % from ten boards on,
    and 6 % before.
    """
    gaps = [(score - value, count) for score, count in scores]
    low, high = 1 / min(gaps)[0], 0.0
    for _ in range(_FIXED_HALVINGS):
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
