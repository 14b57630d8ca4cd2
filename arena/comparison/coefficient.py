"""Whose luck is subtracted from the score of a board, and how many times: learnt from earlier boards.

There are several baselines (`arena.comparison.luck`), of which each has a luck of its own. Which one does
most depends on the bots: the one that plays most like them. The best multiple of its luck is the slope of the
regression of scores on luck. It is near 1 if the luck of a pair of bots is known well, and near 0 if it is
hardly known.

**The mean stays the same, though the best baseline is kept.** The baseline and the multiple for a board
follow from the scores and lucks of the boards before it, and from nothing else. Given those boards, they are
constants, and on the next board the luck of every baseline has the mean zero. So, given the boards before,
the expectation of the score without luck is that of the score itself, which is all that a bet or a mean of
boards relies on. A board on which the baselines were compared is not corrected again by the one that was best
on it: that would choose the luck that fits the scores, and have a bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from arena.games import GAMES

FIRST: Final = 0.4
"""The multiple for the first board."""
BELIEF: Final = 1.0
"""The weight of `FIRST`: that of boards whose squared lucks have this sum, about 15 boards."""
TRIAL: Final = 40
"""After so many boards it is decided which baseline is kept, and whether luck is subtracted at all."""
WORTH: Final = 1.15
"""It is, if that has divided the variance of the scores by at least so much."""
MOST_IN_BETS: Final = 0.5
"""The largest multiple of bounded luck: larger ones widen the bounds of the bets too much."""


@cache
def paying() -> Mapping[str, Sequence[str]]:
    """By game: the baselines with which luck divided the variance of a comparison by 1.2 or more.

    They are those of docs/fewer-games.md, and those that the games of packages name.
    """
    return {id: game.luck_baselines for id, game in GAMES.items() if game.luck_baselines}


class _Scatter:
    """Some numbers: how far they are from their mean."""

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, number: float) -> None:
        self._count += 1
        self._sum += number
        self._squares += number * number

    @property
    def value(self) -> float:
        """The sum of the squared distances from the mean."""
        return self._squares - self._sum**2 / max(1, self._count)


class Coefficient:
    """The multiple of one baseline's luck for the next board.

    Args:
        most: the largest multiple.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._boards = 0
        self._scores = self._lucks = self._lucks_squared = self._products = 0.0
        self._before, self._after = _Scatter(), _Scatter()

    @property
    def value(self) -> float:
        """The multiple of its luck to subtract from the score of the next board.

        It is rounded, so that few different scores occur.
        """
        together = self._products - self._scores * self._lucks / max(1, self._boards)
        slope = (BELIEF * FIRST + together) / (BELIEF + self._lucks_squared)
        return round(min(self._most, max(0.0, slope)), 2)

    def take(self, score: float, luck: float) -> float:
        """The score of the next board without its luck, from which the multiple is learnt."""
        corrected = score - self.value * luck
        self._boards += 1
        self._scores += score
        self._lucks += luck
        self._lucks_squared += luck * luck
        self._products += score * luck
        self._before.add(score)
        self._after.add(corrected)
        return corrected

    @property
    def factor(self) -> float:
        """The factor by which the variance of the scores was divided."""
        return _factor(self._before, self._after)


class Baselines:
    """The baseline whose luck is subtracted from the score of the next board, and the multiple.

    All baselines are tried on the first `TRIAL` boards. On each of these the luck of the baseline is
    subtracted that has divided the variance by most so far, of equal ones the first. Then that baseline is
    kept if its factor is at least `WORTH`; else luck is no longer subtracted.

    Args:
        names: the baselines.
        most: the largest multiple.

    Attributes:
        wanted: the baselines whose luck of the next board is needed; none if luck is no longer subtracted.
    """

    def __init__(self, names: Sequence[str], most: float = 1.0) -> None:
        self.wanted = tuple(names)
        self._coefficients = {name: Coefficient(most) for name in names}
        self._boards = 0
        self._before, self._after = _Scatter(), _Scatter()

    @property
    def best(self) -> str | None:
        """The baseline for the next board; None if luck is no longer subtracted."""
        return max(self.wanted, key=lambda name: self._coefficients[name].factor, default=None)

    @property
    def value(self) -> float:
        """The multiple of its luck to subtract from the score of the next board."""
        return 0.0 if (best := self.best) is None else self._coefficients[best].value

    def take(self, score: float, lucks: Mapping[str, float]) -> float:
        """Subtracts the luck of the next board from its score, and learns from it.

        Args:
            score: the mean score of the board, from 0 to 1.
            lucks: its mean luck by each of the `wanted` baselines.

        Returns:
            the score without the luck.
        """
        best = self.best
        if best is None:
            return score
        without = {name: self._coefficients[name].take(score, lucks[name]) for name in self.wanted}
        self._before.add(score)
        self._after.add(without[best])
        self._boards += 1
        if self._boards == TRIAL:
            best = self.best
            assert best is not None
            self.wanted = (best,) if self._coefficients[best].factor >= WORTH else ()
        return without[best]

    @property
    def factor(self) -> float:
        """The factor by which the variance of the scores was divided, over the boards with known luck."""
        return _factor(self._before, self._after)


def _factor(before: _Scatter, after: _Scatter) -> float:
    return before.value / after.value if after.value > 0 else 1.0
