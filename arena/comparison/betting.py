"""Confidence intervals for a mean score: anytime-valid by betting, or for a fixed number of boards.

A gambler bets, board after board, that the mean score lies above (or below) a
value. If it does not, no bet pays on average. So the gambler's wealth, 1 at the
beginning, is a supermartingale, and the probability that it ever reaches 1/e is at
most e (J. Ville, 1939). That holds for scores from 0 to 1 of any
distribution, for all moments together. So one may look after every board and stop
at any time. The only assumption about the scores of the boards is
that each has the same mean, given the earlier ones.

Several gamblers share the wealth. Six of them each bet a constant part of the
largest allowed bet, as in I. Waudby-Smith and A. Ramdas, "Estimating
means of bounded random variables by betting", Journal of the Royal Statistical
Society B 86, 2024, section 4 (a hedge of constant bets). Small bets find small
differences in the end, large bets find large differences at once. With
`Betting.TARGETED` a seventh gambler has half of the wealth, and bets what is best
if the mean lies just as far from the value as the difference that matters (the
same paper, section 5; the best bet is that of J. Kelly, 1956, in its second order).

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

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import copysign, exp, fsum, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

FRACTIONS: Final = tuple(0.06 * (0.8 / 0.06) ** (step / 5) for step in range(6))
"""The gamblers' parts of the largest possible bet, from .06 to .8 in equal ratios."""

BOARDS_BEFORE, VARIANCE_BEFORE = 4, 1 / 8
"""The seventh gambler begins as if there had been four boards, half of them level."""

_FIXED_HALVINGS = 25  # of an interval of a few units: to well below a millionth
_NORMAL = NormalDist()
_HALVINGS = 50  # of an interval of at most a few units: to well below a billionth


class Betting(enum.Enum):
    """How the gamblers share the wealth at the beginning.

    Attributes:
        HEDGED: the six who bet constant parts have a sixth each.
        TARGETED: the one who bets on the difference that matters has a half, the six the other half.
    """

    HEDGED = "hedged"
    TARGETED = "targeted"

    @property
    def shares(self) -> tuple[float, ...]:
        """Each gambler's share of the wealth at the beginning."""
        constant = 1.0 if self is Betting.HEDGED else 0.5
        shares = (constant / len(FRACTIONS),) * len(FRACTIONS)
        return shares if self is Betting.HEDGED else (*shares, 1.0 - constant)


class Board(NamedTuple):
    """A board as the gamblers see it.

    Attributes:
        score: its score, from 0 to 1.
        stake: what the seventh gambler wins for each whole point above the value, decided before the
            board: in parts of that gambler's wealth; None without that gambler.
    """

    score: float
    stake: float | None


class Target:
    """What the seventh gambler stakes, from the boards before.

    The best stake for a difference d and the variance v about the value is d / (v + d * d) in the second
    order. The variance about a half stands for v: about other values that are of interest it hardly differs.

    Args:
        margin: the smallest difference that matters.
    """

    def __init__(self, margin: float) -> None:
        self._margin = margin
        self._boards, self._squares = BOARDS_BEFORE, BOARDS_BEFORE * VARIANCE_BEFORE

    @property
    def stake(self) -> float:
        """The stake on the next board. It is rounded, so that few different stakes occur."""
        return round(self._margin / (self._squares / self._boards + self._margin**2), 2)

    def see(self, score: float) -> None:
        """Adds the score of a board."""
        self._boards += 1
        self._squares += (score - 0.5) ** 2


def boards_of(scores: Iterable[float], margin: float, betting: Betting) -> Counter[Board]:
    """How often each board occurs.

    Args:
        scores: the scores of the boards, in their order.
        margin: the smallest difference that matters.
        betting: how the gamblers share the wealth.
    """
    boards: Counter[Board] = Counter()
    if betting is Betting.HEDGED:
        for score, count in Counter(scores).items():
            boards[Board(score, None)] = count
        return boards
    target = Target(margin)
    for score in scores:
        boards[Board(score, target.stake)] += 1
        target.see(score)
    return boards


class Bets:
    """The wealth of the gamblers who bet that the mean score lies on one side of a value.

    Args:
        mean: the value, from 0 to 1.
        above: whether they bet that the mean lies above it, else below.
        betting: how they share the wealth.
    """

    __slots__ = ("_above", "_logs", "_mean", "_shares")

    def __init__(self, mean: float, above: bool, betting: Betting) -> None:
        self._mean, self._above = mean, above
        self._shares = betting.shares
        self._logs = (0.0,) * len(self._shares)

    def see(self, board: Board) -> None:
        """Adds a board."""
        growth = _known_growth(board, self._mean, self._above)
        self._logs = tuple([log_ + more for log_, more in zip(self._logs, growth, strict=True)])

    @property
    def log_wealth(self) -> float:
        """The logarithm of their total wealth, which was 1 at the beginning."""
        return _log_of_total(self._logs, self._shares)

    def boards_to(self, log_wealth: float, counts: Mapping[Board, float]) -> float:
        """How many boards like these the best bet takes to win so much; infinite if no bet wins.

        Args:
            log_wealth: the logarithm of the wealth.
            counts: the number of boards of each kind.
        """
        boards = sum(counts.values())
        growths = [(_known_growth(board, self._mean, self._above), count) for board, count in counts.items()]
        fewest = inf
        for bet, share in enumerate(self._shares):
            won = fsum(growth[bet] * count for growth, count in growths)
            if won > 0:
                fewest = min(fewest, (log_wealth - log(share)) * boards / won)
        return fewest


def _growth(board: Board, mean: float, above: bool) -> tuple[float, ...]:
    """The logarithm of the factor by which a board multiplies each gambler's wealth."""
    score, stake = board
    room = mean if above else 1.0 - mean
    parts = FRACTIONS if stake is None else (*FRACTIONS, min(stake * room, FRACTIONS[-1]))
    if room <= 0.0:  # the bet is on a certain or an impossible event
        return (0.0 if score == mean else inf,) * len(parts)
    gain = (score - mean) / room if above else (mean - score) / room
    return tuple([log1p(part * gain) for part in parts])


_known_growth = lru_cache(1 << 13)(_growth)  # boards have few different scores and stakes


def _log_of_total(logs: tuple[float, ...], shares: tuple[float, ...]) -> float:
    most = max(logs)
    if most == inf:
        return inf
    return most + log(fsum(share * exp(each - most) for each, share in zip(logs, shares, strict=True)))


def betting_interval(counts: Mapping[Board, int], error: float, betting: Betting) -> tuple[float, float]:
    """The interval of the means that the bets do not contradict.

    The probability that the true mean is ever outside, however often one looks, is
    at most `error`, half of it on either side.

    The wealth of each gambler who bets on a mean above a value falls as the value rises:
    the factor of a board is 1 + f * (score / value - 1) with a constant part f, and
    1 + s * (score - value) with a stake s. So these means are an interval.

    Args:
        counts: the number of boards of each kind (`boards_of`).
        error: the probability of an error, such as 0.05.
        betting: how the gamblers share the wealth.

    Returns:
        the lower and the upper end; 0 and 1 if there are no boards.
    """
    boards = sum(counts.values())
    if not boards:
        return 0.0, 1.0
    mean = fsum(board.score * count for board, count in counts.items()) / boards
    enough = log(2 / error)
    low, high = (_end(counts, mean, above, enough, betting.shares) for above in (True, False))
    return low, high


def _end(
    counts: Mapping[Board, int], mean: float, above: bool, enough: float, shares: tuple[float, ...]
) -> float:
    """The end of the interval below (or above) the mean of the scores.

    The farther a value is from that mean, the more the bets on the mean's side have won.
    """
    refuted, possible = (0.0 if above else 1.0), mean
    for _ in range(_HALVINGS):
        value = (refuted + possible) / 2
        growths = [(_growth(board, value, above), count) for board, count in counts.items()]
        logs = tuple([fsum(growth[bet] * count for growth, count in growths) for bet in range(len(shares))])
        if _log_of_total(logs, shares) >= enough:
            refuted = value
        else:
            possible = value
    return refuted


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
