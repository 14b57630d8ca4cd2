"""Direct encounters: tests how often one entrant comes out ahead of another.

The pair's encounters are compared with what all other games predict: the ratings are fitted again in one step
without them (D. Pregibon, "Logistic regression diagnostics", The Annals of Statistics 9, 1981). The
prediction is uncertain. So a pair counts as 1 - h times its games, with its leverage h in the fit. The exact
binomial tail of so many games becomes a normal deviate, which is divided by the square root of the scatter:
how much the two entrants' encounters with all others vary, relative to what ratings and independent games
explain. The quotient has Student's t distribution. The scatter is estimated as if _PRIOR_FREEDOM more degrees
of freedom had shown a scatter of 1. Bots whose other results the ratings explain badly therefore need a
clearer result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from arena.standings.bradley_terry import Fit
from arena.standings.elimination import Floats
from arena.standings.student import at_least, tail

_PRIOR_FREEDOM = 20.0
_LEAST_LEFT = 0.02  # the least share of a pair's games that the fit must leave
_LEAST_CHANCE = 1e-300


class Encounters(NamedTuple):
    """The games of one entrant at tables with another, as encounters of the two.

    Attributes:
        games: how many games they shared.
        share: the share in which the entrant came out ahead; a tie counts half.
        expected: the share that all other games predict.
        chance: the p-value: the probability of such a share or a larger one by chance (one-sided).
        corrected: the p-value with the correction for all tests.
    """

    games: int
    share: float
    expected: float
    chance: float
    corrected: float = 1.0


class _Part:
    """What the ratings of a game do not explain of its encounters: matrices over all entrants.

    Attributes:
        games: the games they shared.
        chances: the probability that the row comes out ahead.
        beyond: in how many games more than expected the row came out ahead.
        told: the variance of that number.
    """

    def __init__(self, fit: Fit, members: Sequence[int], size: int) -> None:
        wins, place = fit.wins, np.ix_(members, members)
        self.games, self.chances, self.beyond, self.told, self._weights, self._covariance = np.zeros(
            (6, size, size)
        )
        ahead, behind = fit.chances[wins.one, wins.other], fit.chances[wins.other, wins.one]
        share, told = wins.games / wins.met, wins.games * ahead * behind
        self.games[place] = wins.square(wins.games, wins.games)
        self.chances[place] = fit.chances
        self.beyond[place] = wins.square(
            (wins.taken - wins.met * ahead) * share, (wins.given - wins.met * behind) * share
        )
        self.told[place] = wins.square(told, told)
        self._weights[place] = wins.square(fit.weights, fit.weights)
        self._covariance[place] = fit.covariance

    def left(self, one: int, other: int) -> float:
        """The share of a pair's games that the fit does not use up; 0 if that is too little."""
        apart = self._covariance[one] - self._covariance[other]
        left = 1 - float(self._weights[one, other] * (apart[one] - apart[other]))
        return left if self.told[one, other] > 0 and left >= _LEAST_LEFT else 0.0

    def without(self, one: int, other: int, left: float) -> tuple[Floats, Floats]:
        """`beyond` and `told` of both entrants after a fit without this pair; it uses up a part of `told`."""
        both = [one, other]
        covariance, weights = self._covariance, self._weights
        own = np.diag(covariance)
        apart = covariance[one] - covariance[other]
        common = apart[both][:, None] - apart
        weight = float(weights[one, other])
        shift = float(self.beyond[one, other]) * weight / float(self.told[one, other]) / left
        beyond: Floats = self.beyond[both] + self.told[both] * common * shift
        distance = own[both][:, None] + own - 2 * covariance[both]
        used = weights[both] * (distance + common**2 * weight / left)
        return beyond, self.told[both] * np.maximum(1 - used, 0)


def encounters(fits: Iterable[tuple[Fit, Sequence[int]]], entrants: int) -> dict[tuple[int, int], Encounters]:
    """Tests each ordered pair that met, over all games together; the p-values are not corrected yet.

    Args:
        fits: the ratings of each game, and the entrants in them.
        entrants: a number above that of each entrant.
    """
    parts = [_Part(fit, members, entrants) for fit, members in fits]
    found = {}
    for one in range(entrants):
        for other in range(entrants):
            if one != other and (pair := _between(parts, one, other)) is not None:
                found[one, other] = pair
    return found


def _between(parts: Sequence[_Part], one: int, other: int) -> Encounters | None:
    games = ahead = predicted = trials = expected = over = 0.0
    beyond, told, free = np.zeros((3, 2, len(parts[0].games))) if parts else np.zeros((3, 2, 0))
    for part in parts:
        if left := part.left(one, other):
            met, chance = float(part.games[one, other]), float(part.chances[one, other])
            more = float(part.beyond[one, other])
            games += met
            ahead += met * chance + more
            predicted += met * chance + more - more / left
            trials += met * left
            expected += met * left * chance
            over += more
            excess, variance = part.without(one, other, left)
            beyond += excess
            told += part.told[[one, other]]
            free += variance
    if not trials:
        return None
    told[:, [one, other]] = 0
    with_others = told > 0
    scatter = float((beyond[with_others] ** 2 / told[with_others]).sum())
    freedom = _PRIOR_FREEDOM + float((free[with_others] / told[with_others]).sum())
    rare = at_least(expected + over, trials, expected / trials)
    normal = -NormalDist().inv_cdf(min(max(rare, _LEAST_CHANCE), 1 - 1e-16))
    chance = tail(normal / sqrt((_PRIOR_FREEDOM + scatter) / freedom), freedom)
    return Encounters(round(games), ahead / games, min(max(predicted / games, 0.0), 1.0), chance)
