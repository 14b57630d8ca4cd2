"""A sequential test: which of two bots has the higher mean score, or is there no difference that matters?

Boards are added in their order, whenever they were played. So the answer, and
the board at which it comes, depend on the boards alone.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from math import ceil, fsum, inf, log
from typing import NamedTuple

from arena.comparison.betting import (
    Bets,
    Betting,
    Board,
    Scored,
    Target,
    betting_interval,
    boards_of,
    fixed_interval,
)

LEVEL = 0.5
"""The mean score if neither bot is better."""


class Finding(enum.Enum):
    """The answer to a question."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"


class Precision(NamedTuple):
    """The precision at which a question is answered.

    Attributes:
        error: the most probability of a wrong finding, however often one looks.
        margin: the smallest difference from LEVEL that matters; that there is no
            such difference is a finding too.
        betting: how the gamblers share the wealth. With `TARGETED` each side of "no difference"
            is shown once and for all; with `HEDGED`, that of earlier versions, both are shown
            at the same board.
    """

    error: float
    margin: float
    betting: Betting = Betting.TARGETED


class Estimate(NamedTuple):
    """An estimate of a mean score from some boards, with its confidence interval.

    Attributes:
        boards: the number of boards.
        score: their mean; None without boards.
        low, high: the ends of the interval.
        anytime: whether the interval holds however often one looks.
    """

    boards: int
    score: float | None
    low: float
    high: float
    anytime: bool


def estimate(
    scores: Sequence[float],
    precision: Precision,
    *,
    anytime: bool,
    corrected: Sequence[Scored] | None = None,
) -> Estimate:
    """Estimates a mean score from some boards.

    Args:
        scores: the scores of the boards, in their order.
        precision: its error is the most probability that the interval misses the true mean.
        anytime: whether the interval holds however often one looks, or for a
            number of boards that was fixed beforehand.
        corrected: the scores of these boards without luck, on which the interval `anytime` also relies, if
            there are any.
    """
    error, margin, betting = precision
    if anytime:
        low, high = betting_interval(boards_of(scores, margin, betting, corrected), error, betting)
    else:
        low, high = fixed_interval(Counter(scores), error)
    mean = fsum(scores) / len(scores) if scores else None
    return Estimate(len(scores), mean, max(low, 0.0), min(high, 1.0), anytime)


def finding_of(known: Estimate, precision: Precision) -> Finding | None:
    """The finding from an interval for a number of boards that was fixed beforehand."""
    if known.low > LEVEL:
        return Finding.BETTER
    if known.high < LEVEL:
        return Finding.WORSE
    if LEVEL - precision.margin < known.low and known.high < LEVEL + precision.margin:
        return Finding.NO_DIFFERENCE
    return None


class Evidence:
    """The four bets about the mean score of a pair.

    Args:
        precision: its margin is the smallest difference that matters.
        ways: how many scores each board has.

    Attributes:
        better, worse: the bets that the mean is above and below LEVEL.
        above_least, below_most: the bets that it is not as low as LEVEL less the margin, and not as high
            as LEVEL and the margin.
    """

    def __init__(self, precision: Precision, ways: int = 1) -> None:
        margin, betting = precision.margin, precision.betting
        self._targets = [None if betting is Betting.HEDGED else Target(margin) for _ in range(ways)]
        self.better = Bets(LEVEL, True, betting, ways)
        self.worse = Bets(LEVEL, False, betting, ways)
        self.above_least = Bets(LEVEL - margin, True, betting, ways)
        self.below_most = Bets(LEVEL + margin, False, betting, ways)

    def next_board(self, ways: Sequence[Scored]) -> tuple[Board, ...]:
        """The next board, if it has these scores."""
        return tuple(
            [
                Board(score, None if target is None else target.stake, reach)
                for (score, reach), target in zip(ways, self._targets, strict=True)
            ]
        )

    def see(self, ways: Sequence[Scored]) -> None:
        """Adds the scores of the next board."""
        board = self.next_board(ways)
        for bets in (self.better, self.worse, self.above_least, self.below_most):
            bets.see(*board)
        for target, way in zip(self._targets, ways, strict=True):
            if target is not None:
                target.see(way.score)


class Question:
    """One question, and the boards that count for it.

    Args:
        precision: the precision at which it is answered.
        stops: whether it may be answered before all boards are played; if
            not, the number of boards was fixed beforehand.
        less_luck: whether half of the money is bet on scores without luck.

    Attributes:
        scores: the scores of the boards, in their order.
        corrected: the scores without luck, as far as luck is known; None if not asked for.
        finding: the answer; None as long as the question is open.
        boards_needed: the number of boards until the answer; None as long as it is open.
    """

    def __init__(self, precision: Precision, *, stops: bool = True, less_luck: bool = False) -> None:
        self.precision = precision
        self.scores: list[float] = []
        self.corrected: list[Scored] | None = [] if less_luck else None
        self.finding: Finding | None = None
        self.boards_needed: int | None = None
        self._stops = stops
        self._expected: tuple[int, int | None] = (
            0,
            None,
        )  # the number of boards, and the result then
        self._kinds = Counter[tuple[Scored, ...]]()  # how many boards had which scores
        self._evidence = Evidence(precision, 2 if less_luck else 1)
        self._shown: list[Bets] = []  # the sides of "no difference" that stay shown
        self._held: list[Estimate] = []  # when a side was shown, and at the answer

    def add(self, score: float, corrected: Scored | None = None) -> None:
        """Adds the next board.

        `corrected`: its score without luck; None if its luck does not count.
        """
        self.scores.append(score)
        ways = [Scored(score, 0.0)]
        if self.corrected is not None:
            ways.append(corrected or ways[0])
            self.corrected.append(ways[1])
        self._kinds[tuple(ways)] += 1
        if not self._stops or self.finding is not None:
            return
        self._evidence.see(ways)
        shown = len(self._shown)
        self.finding = self._answer()
        if self.finding is not None:
            self.boards_needed = len(self.scores)
        if self.finding is not None or len(self._shown) > shown:
            self._held.append(self._estimate(len(self.scores)))

    def _answer(self) -> Finding | None:
        # "One is better" and "the other is better" are two tests, so each has half of the error. "No
        # difference" can be wrong on one side only, so there each side has the whole error. A side that
        # was shown may stay so: the chance that a wrong side is ever shown is the error.
        either, both = log(2 / self.precision.error), log(1 / self.precision.error)
        if self._evidence.better.log_wealth >= either:
            return Finding.BETTER
        if self._evidence.worse.log_wealth >= either:
            return Finding.WORSE
        sides = self._evidence.above_least, self._evidence.below_most
        if self.precision.betting is Betting.TARGETED:
            self._shown += [side for side in sides if side not in self._shown and side.log_wealth >= both]
        if all(side in self._shown or side.log_wealth >= both for side in sides):
            return Finding.NO_DIFFERENCE
        return None

    def estimate(self, boards: int | None = None) -> Estimate:
        """The mean score with its interval, over the first boards, or all.

        The interval is the intersection with those at the answer, and at the boards at which a side of "no
        difference" was shown for good. So it never contradicts the answer. All intervals hold
        together, with the same error.
        """
        known = self._estimate(len(self.scores) if boards is None else boards)
        held = [known, *(each for each in self._held if each.boards < known.boards)]
        low, high = max(each.low for each in held), min(each.high for each in held)
        return known._replace(low=low, high=high) if low <= high else known

    def _estimate(self, boards: int) -> Estimate:
        corrected = None if self.corrected is None else self.corrected[:boards]
        return estimate(self.scores[:boards], self.precision, anytime=self._stops, corrected=corrected)

    def settled_by(self, boards: int) -> Finding | None:
        """The finding if the number of boards was fixed beforehand: None if the interval is not clear."""
        return finding_of(self.estimate(boards), self.precision)

    def boards_expected(self) -> int | None:
        """The expected number of boards in all, if they go on as before; None if there is no estimate."""
        known, expected = self._expected
        if known != len(self.scores):
            expected = self._look_ahead()
            self._expected = len(self.scores), expected
        return expected

    def _look_ahead(self) -> int | None:
        if not self.scores or not self._stops:
            return None
        if self.boards_needed is not None:
            return self.boards_needed
        evidence, ways = self._evidence, 1 if self.corrected is None else 2
        # The lowest and the highest score, so that the first few boards do not look like all.
        kinds = Counter([(Scored(0.0, 0.0),) * ways, (Scored(1.0, 0.0),) * ways])
        kinds.update(self._kinds)
        counts = Counter({evidence.next_board(kind): count for kind, count in kinds.items()})
        either, both = log(2 / self.precision.error), log(1 / self.precision.error)
        level = [
            side.boards_to(both, counts)
            for side in (evidence.above_least, evidence.below_most)
            if side not in self._shown
        ]
        expected = min(
            evidence.better.boards_to(either, counts), evidence.worse.boards_to(either, counts), max(level)
        )
        return None if expected == inf else max(ceil(expected), len(self.scores) + 1)
