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

A board may have several scores with the same mean, such as the plain one and the one without luck. Then
the gamblers bet an equal share of their money on each. All scores but the first may reach
beyond 0 and 1. How far is known before the board is played, and the bets are smaller by that.

**For a number of boards that was fixed beforehand**, `fixed_interval` is a shorter interval.
The lower end adds one board of the least possible score to the boards that were
played, the upper end one board of the greatest. Then each board gets a random weight:
independent exponential variables, divided by their sum. The end is a quantile of
the mean with these weights (N. Gaffke, Mathematical Methods of Statistics 14,
2005; E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of
a bounded random variable", arXiv 1905.06208). If every score is the least or
the greatest, this is the interval of C. J. Clopper and E. S. Pearson (Biometrika
26, 1934), which never covers less than it says. For other scores this is not
proved, and no exception is known. docs/design-notes.md has the
computed coverage.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import copysign, exp, fsum, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers = TypeVar("Numbers", float, "NDArray[Any]")
"""A number, or an array of them."""

FRACTIONS: Final = tuple(0.06 * (0.8 / 0.06) ** (step / 5) for step in range(6))
"""The gamblers' parts of the largest possible bet, from .06 to .8 in equal ratios."""

BOARDS_BEFORE, VARIANCE_BEFORE = 4, 1 / 8
"""The seventh gambler begins as if there had been four boards, half of them level."""

_FIXED_HALVINGS = 25  # of an interval of a few units: to well below a millionth
_NORMAL = NormalDist()
_HALVINGS = 40  # of the interval from 0 to 1: to well below a billionth


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
    """One score of a board, as the gamblers see it.

    Attributes:
        score: the score, from `-reach` to `1 + reach`.
        stake: what the seventh gambler wins for each whole point above the value, decided before the
            board: in parts of that gambler's wealth; None without that gambler.
        reach: how far beyond 0 and 1 the score can lie, known before the board.
    """

    score: float
    stake: float | None
    reach: float = 0.0


Boards = Mapping[tuple[Board, ...], int]
"""How often boards with these scores occur; all have the same number of scores."""


class Scored(NamedTuple):
    """A score that may lie outside of 0 to 1, and how far it can: see `Board`."""

    score: float
    reach: float


def digits(margin: float) -> int:
    """The number of decimals of a stake: more for a small margin, for which the stakes are small."""
    return 2 if margin >= 0.01 else 4


def best_stake(margin: float, squares: Numbers, boards: Numbers) -> Numbers:
    """The best stake on a difference d, to the second order: d / (v + d * d) with the variance v.

    The variance about a half is taken for v. About the other values of interest it is nearly the same.

    Args:
        margin: the difference.
        squares: the sum of the squared distances of the scores from a half.
        boards: of how many boards.
    """
    stake: Numbers = margin / (squares / boards + margin**2)
    return stake


class Target:
    """What the seventh gambler stakes, from the boards before.

    Args:
        margin: the smallest difference that matters.
    """

    def __init__(self, margin: float) -> None:
        self._margin = margin
        self._boards, self._squares = BOARDS_BEFORE, BOARDS_BEFORE * VARIANCE_BEFORE

    @property
    def stake(self) -> float:
        """The stake on the next board. It is rounded, so that few different stakes occur."""
        return round(best_stake(self._margin, self._squares, self._boards), digits(self._margin))

    def see(self, score: float) -> None:
        """Adds the score of a board."""
        self._boards += 1
        self._squares += (score - 0.5) ** 2


def boards_of(
    scores: Iterable[float], margin: float, betting: Betting, corrected: Iterable[Scored] | None = None
) -> Counter[tuple[Board, ...]]:
    """How often each board occurs.

    Args:
        scores: the scores of the boards, in their order.
        margin: the smallest difference that matters.
        betting: how the gamblers share the wealth.
        corrected: another score of each of these boards, if there is one.
    """
    ways = [_seen([Scored(score, 0.0) for score in scores], margin, betting)]
    if corrected is not None:
        ways.append(_seen(corrected, margin, betting))
    return Counter(zip(*ways, strict=True))


def _seen(scores: Iterable[Scored], margin: float, betting: Betting) -> list[Board]:
    if betting is Betting.HEDGED:
        return [Board(score, None, reach) for score, reach in scores]
    target, boards = Target(margin), []
    for score, reach in scores:
        boards.append(Board(score, target.stake, reach))
        target.see(score)
    return boards


class Bets:
    """The wealth of the gamblers who bet that the mean score lies on one side of a value.

    Args:
        mean: the value, from 0 to 1.
        above: whether they bet that the mean lies above it, else below.
        betting: how they share the wealth.
        ways: how many scores each board has.
    """

    __slots__ = ("_above", "_logs", "_mean", "_shares")

    def __init__(self, mean: float, above: bool, betting: Betting, ways: int = 1) -> None:
        self._mean, self._above = mean, above
        self._shares = _shares(betting, ways)
        self._logs = (0.0,) * len(self._shares)

    def see(self, *board: Board) -> None:
        """Adds a board, with all its scores."""
        growth = [more for way in board for more in _known_growth(way, self._mean, self._above)]
        self._logs = tuple([log_ + more for log_, more in zip(self._logs, growth, strict=True)])

    @property
    def log_wealth(self) -> float:
        """The logarithm of their total wealth, which was 1 at the beginning."""
        return _log_of_total(self._logs, self._shares)

    def boards_to(self, log_wealth: float, boards: Boards) -> float:
        """How many boards like these the best bet takes to win so much; infinite if no bet wins.

        Args:
            log_wealth: the logarithm of the wealth.
            boards: the number of boards of each kind.
        """
        count = sum(boards.values())
        won = _Kinds(boards).growth(self._mean, self._above)
        return min(
            (
                (log_wealth - log(share)) * count / each
                for each, share in zip(won, self._shares, strict=True)
                if each > 0
            ),
            default=inf,
        )


def _shares(betting: Betting, ways: int) -> tuple[float, ...]:
    return tuple([share / ways for share in betting.shares]) * ways


def winnings(
    score: Numbers,
    stake: Numbers | None,
    reach: Numbers | float,
    mean: float,
    above: bool,
    least: Callable[[Numbers, float], Numbers],
) -> Iterator[Numbers]:
    """What each gambler wins by a board, in parts of the gambler's wealth; arrays are of many boards.

    Args:
        score, stake, reach: as of a `Board`.
        mean: the value.
        above: whether they bet that the mean lies above it, else below.
        least: gives the smaller one of two numbers.
    """
    room = (mean if above else 1.0 - mean) + reach
    gain = (score - mean if above else mean - score) / room
    yield from (fraction * gain for fraction in FRACTIONS)
    if stake is not None:
        yield least(stake * room, FRACTIONS[-1]) * gain


def _growth(board: Board, mean: float, above: bool) -> tuple[float, ...]:
    """The logarithm of the factor by which a board multiplies each gambler's wealth."""
    score, stake, reach = board
    if (mean if above else 1.0 - mean) + reach <= 0.0:  # the bet is on a certain or an impossible event
        return (0.0 if score == mean else inf,) * (len(FRACTIONS) + (stake is not None))
    return tuple([log1p(won) for won in winnings(score, stake, reach, mean, above, min)])


_known_growth = lru_cache(1 << 13)(_growth)  # boards have few different scores and stakes


def _log_of_total(logs: tuple[float, ...], shares: tuple[float, ...]) -> float:
    most = max(logs)
    if most == inf:
        return inf
    return most + log(fsum(share * exp(each - most) for each, share in zip(logs, shares, strict=True)))


class _Kinds:
    """Boards of several kinds, whose growth is computed at once, by numpy.

    `growth` gives the same numbers as `_growth`, but for their last digits, which may differ between
    machines. So it is only for what is shown: no finding follows from it.
    """

    def __init__(self, boards: Boards) -> None:
        import numpy as np  # only here: it takes long to load

        kinds = sorted(boards)
        self._ways: list[tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]]] = []
        for way in zip(*kinds, strict=True):
            scores, stakes, reaches = zip(*way, strict=True)
            staked = None if None in stakes else np.array(stakes, float)
            self._ways.append((np.array(scores, float), staked, np.array(reaches, float)))
        self._counts = np.array([boards[kind] for kind in kinds], float)

    def growth(self, mean: float, above: bool) -> tuple[float, ...]:
        """The logarithm of the factor by which all boards multiply each gambler's wealth.

        `mean`: more than 0 and less than 1.
        """
        import numpy as np

        growth: list[float] = []
        for way in self._ways:
            won = np.array([*winnings(*way, mean, above, np.minimum)])
            growth += (np.log1p(won) @ self._counts).tolist()
        return tuple(growth)


def betting_interval(boards: Boards, error: float, betting: Betting) -> tuple[float, float]:
    """The interval of the means that the bets do not contradict.

    The probability that the true mean is ever outside, however often one looks, is
    at most `error`, half of it on either side.

    The wealth of each gambler who bets on a mean above a value falls as the value rises. Let r be the reach
    of a score. Then a board's factor is 1 - f + f * (score + r) / (value + r) with a constant part f, where
    score + r is not negative, and 1 + s * (score - value) with a stake s. So these means are an interval.

    Args:
        boards: the number of boards of each kind (`boards_of`).
        error: the probability of an error, such as 0.05.
        betting: how the gamblers share the wealth.

    Returns:
        the lower and the upper end; 0 and 1 if there are no boards. If several scores of the boards
        contradict each other, so that no mean is left, both are in the middle.
    """
    ways = len(next(iter(boards), ()))
    if not sum(boards.values()):
        return 0.0, 1.0
    kinds, shares, enough = _Kinds(boards), _shares(betting, ways), log(2 / error)
    low, high = (_end(kinds, above, enough, shares) for above in (True, False))
    return (low, high) if low <= high else ((low + high) / 2,) * 2


def _end(kinds: _Kinds, above: bool, enough: float, shares: tuple[float, ...]) -> float:
    """The lower end of the interval (if they bet that the mean lies above), or the upper one."""
    refuted, possible = (0.0, 1.0) if above else (1.0, 0.0)
    for _ in range(_HALVINGS):
        value = (refuted + possible) / 2
        if _log_of_total(kinds.growth(value, above), shares) >= enough:
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
