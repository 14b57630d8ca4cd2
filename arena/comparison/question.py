"""One question: whose mean score is higher, or is there no difference that matters?

Boards are asked in their order, whenever they were played; so the answer, and
the board at which it comes, follow from the boards alone.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from math import ceil, fsum, inf, log
from typing import NamedTuple

from arena.comparison.betting import Bets, betting_interval, fixed_interval

LEVEL = 0.5
"""The mean score where neither is better."""


class Finding(enum.Enum):
    """What a question came to."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"


class Precision(NamedTuple):
    """When an answer counts as sure.

    Attributes:
        error: how likely it may be that a finding is wrong, however often one looks.
        margin: the smallest difference from LEVEL that matters; to find none of
            that size is a finding too.
    """

    error: float
    margin: float


class Estimate(NamedTuple):
    """What some boards say of a mean score.

    Attributes:
        boards: how many.
        score: their mean; None without boards.
        low, high: the ends of the interval.
        anytime: whether the interval holds however often one looks.
    """

    boards: int
    score: float | None
    low: float
    high: float
    anytime: bool


def estimate(scores: Sequence[float], error: float, *, anytime: bool) -> Estimate:
    """What some boards say of a mean score.

    Args:
        scores: those of the boards.
        error: how likely it may be that the interval misses the true mean.
        anytime: whether the interval holds however often one looks, or for a
            number of boards that was settled beforehand.
    """
    interval = betting_interval if anytime else fixed_interval
    low, high = interval(Counter(scores), error)
    mean = fsum(scores) / len(scores) if scores else None
    return Estimate(len(scores), mean, max(low, 0.0), min(high, 1.0), anytime)


def finding_of(known: Estimate, precision: Precision) -> Finding | None:
    """What an interval says, which holds for a number of boards that was settled beforehand."""
    if known.low > LEVEL:
        return Finding.BETTER
    if known.high < LEVEL:
        return Finding.WORSE
    if LEVEL - precision.margin < known.low and known.high < LEVEL + precision.margin:
        return Finding.NO_DIFFERENCE
    return None


class Question:
    """One question, and the boards that were asked.

    Args:
        precision: when it is answered.
        stops: whether it is ever answered before all boards are played; if
            not, the number of boards was settled beforehand.

    Attributes:
        scores: those of the boards, in their order.
        finding: the answer; None as long as it is open.
        boards_needed: after how many boards it was found; None as long as it is open.
    """

    def __init__(self, precision: Precision, *, stops: bool = True) -> None:
        self.precision = precision
        self.scores: list[float] = []
        self.finding: Finding | None = None
        self.boards_needed: int | None = None
        self._stops = stops
        margin = precision.margin
        self._expected: tuple[int, int | None] = (0, None)  # after how many boards what was expected
        self._better = Bets(LEVEL, True)
        self._worse = Bets(LEVEL, False)
        self._above_least = Bets(LEVEL - margin, True)
        self._below_most = Bets(LEVEL + margin, False)

    def add(self, score: float) -> None:
        """The next board was played."""
        self.scores.append(score)
        if not self._stops or self.finding is not None:
            return
        for bets in (self._better, self._worse, self._above_least, self._below_most):
            bets.see(score)
        self.finding = self._answer()
        if self.finding is not None:
            self.boards_needed = len(self.scores)

    def _answer(self) -> Finding | None:
        # That it is the one or the other is two questions, so each has half of the error. That there
        # is no difference is wrong on one side at most: there each has the whole of it.
        either, both = log(2 / self.precision.error), log(1 / self.precision.error)
        if self._better.log_wealth >= either:
            return Finding.BETTER
        if self._worse.log_wealth >= either:
            return Finding.WORSE
        if self._above_least.log_wealth >= both and self._below_most.log_wealth >= both:
            return Finding.NO_DIFFERENCE
        return None

    def estimate(self, boards: int | None = None) -> Estimate:
        """The mean score with its interval, over the first boards, or all.

        Where it was answered before these, the interval is what it has in common with that at the
        answer, which it so never contradicts: all of them hold together, with the same error.
        """
        known = self._estimate(len(self.scores) if boards is None else boards)
        if self.boards_needed is None or known.boards <= self.boards_needed:
            return known
        found = self._estimate(self.boards_needed)
        low, high = max(known.low, found.low), min(known.high, found.high)
        return known._replace(low=low, high=high) if low <= high else known

    def _estimate(self, boards: int) -> Estimate:
        return estimate(self.scores[:boards], self.precision.error, anytime=self._stops)

    def settled_by(self, boards: int) -> Finding | None:
        """The finding where the number of boards was settled beforehand: whether the interval is clear."""
        return finding_of(self.estimate(boards), self.precision)

    def boards_expected(self) -> int | None:
        """How many boards it will take in all, if they go on as they did; None where nobody can say."""
        known, expected = self._expected
        if known != len(self.scores):
            expected = self._look_ahead()
            self._expected = len(self.scores), expected
        return expected

    def _look_ahead(self) -> int | None:
        counts = Counter(self.scores)
        if not counts or not self._stops:
            return None
        if self.boards_needed is not None:
            return self.boards_needed
        for bound in (0.0, 1.0):  # else the first few boards would look like all that there can be
            counts[bound] += 1
        either, both = log(2 / self.precision.error), log(1 / self.precision.error)
        better, worse, above, below = (
            bets.boards_to(wealth, counts)
            for bets, wealth in (
                (self._better, either),
                (self._worse, either),
                (self._above_least, both),
                (self._below_most, both),
            )
        )
        expected = min(better, worse, max(above, below))
        return None if expected == inf else max(ceil(expected), len(self.scores) + 1)
