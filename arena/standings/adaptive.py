"""Ratings and scores where results decide who meets whom: a ladder.

A ladder pairs a bot that won with a bot that won. The strengths of greatest likelihood (`rating`) then move
apart: lucky bots are measured against lucky bots. And people look at a ladder again and again, at all bots at
once, so one interval in twenty that is wrong is wrong in front of somebody. So a ladder has estimates of its
own.

**The model** is Bradley and Terry's (see `bradley_terry`) with random strengths: those of all bots are drawn
from one normal distribution, whose width is estimated too. What the results tell about the strengths is then
the posterior distribution, and this does not depend on why two bots met: the choice of a pair follows from
earlier results, so its probability is a factor that no strength changes (D. B. Rubin, "Inference and missing
data", Biometrika 63, 1976). So the mean of the posterior is not too far out, whatever the pairing.

The games of a board are not independent. A board counts as `worth` games: as many as have the variance that
boards have about the scores that the model predicts. Width and worth are those of greatest likelihood, by the
EM algorithm (A. P. Dempster, N. M. Laird, D. B. Rubin, Journal of the Royal Statistical Society B 39, 1977),
each with a prior: `WIDTH` with the weight of `WIDTH_BOTS` bots, two games with that of `WORTH_BOARDS` boards.
The posterior is taken as normal around its top.

**The interval** of a bot ends where the density of the posterior is small against that of the prior: it has
the values v with

    prior(v) / posterior(v) < 2 * bots / ERROR

The ratio at the true value, as results come in, is a martingale with the mean 1: it is above x at any time
with a probability of at most 1 / x (J. Ville, 1939; I. Waudby-Smith, A. Ramdas, "Confidence sequences for
sampling without replacement", NeurIPS 2020, section 2.3). So with a probability of 95 % all intervals of all
bots are right **at every moment of the season**, however often and at whichever bots anybody looks. The bots
share half of the error. The other half is for bots that come later, which get ever smaller shares: the sum
stays below ERROR until there are 2.7 times as many bots. The proof takes the model as exact: it holds for
each strength of the bot, if those of the others are drawn from the prior. `tests/standings/test_adaptive.py`
and docs/design-notes.md measure where it is not exact.

Where two intervals do not overlap, the order of the two bots is as certain. So certain places follow from the
intervals, with the same 95 % for all of them together (`places`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import cached_property
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np

from arena.standings.bradley_terry import Groups, chances_at, numbered, of_each
from arena.standings.elimination import Elimination, Floats, Integers
from arena.standings.rating import ANCHOR, MEAN, SCALE
from arena.standings.values import Rating, Share

ERROR = 0.05
"""The probability that any interval of a kind is wrong at any time."""
WIDTH, WIDTH_BOTS = 200 / SCALE, 4.0
WORTH, WORTH_BOARDS = 2.0, 4.0
_EXACT = 1e-6
_LEAST = 1e-9
_STEPS = 200
_FARTHEST_STEP = 2.0


class AdaptiveFit:
    """What the results of a game, at tables of two, tell about strengths when they also decided who met.

    Args:
        groups: the number of duplicate groups of each kind.

    Attributes:
        entrants: the entrants in the results, ascending. All arrays have their order.
        strengths: the mean of the posterior, in logarithms of odds; the prior has the mean 0.
        boards: the number of boards of each.
        width: the standard deviation of the prior.
        worth: how many independent games a board counts as.
    """

    def __init__(self, groups: Groups) -> None:
        results = numbered(groups)
        assert all(each.seats == 2 for each in results.tables)
        self.entrants = results.entrants
        size = len(self.entrants)
        one, other, sums = results.pairs
        boards, halves, squares = sums[0] if sums else np.zeros((3, 0))
        self.boards: Integers = of_each(one, other, boards, boards, size).astype(np.int64)
        self.strengths: Floats = np.zeros(size)
        self.width, self.worth = WIDTH, WORTH
        # The prior is a link from each entrant to a node of strength 0, the last one.
        self._one, self._other = np.append(one, np.arange(size)), np.append(other, np.full(size, size))
        self._links = Elimination(self._one, self._other, size + 1)
        self._pairs, self._boards = (one, other), boards
        for _ in range(_STEPS if size else 0):
            chances = chances_at(self.strengths[one] - self.strengths[other])
            told = chances * (1 - chances)
            weights = self._weights(boards * told)
            beyond = self.worth * (halves / 4 - boards * chances)
            slope = of_each(one, other, beyond, -beyond, size) - self.strengths / self.width**2
            step = self._solve(weights, slope)
            self.strengths = self.strengths + np.clip(step, -_FARTHEST_STEP, _FARTHEST_STEP)
            # The EM steps: squares about the posterior's mean, and the posterior's own variance.
            apart = self._links.resistances(weights)
            between, alone = apart[: len(one)], apart[len(one) :]
            width = sqrt(
                (WIDTH_BOTS * WIDTH**2 + float((self.strengths**2 + alone).sum())) / (WIDTH_BOTS + size)
            )
            unsure = float((boards * told**2 * between).sum())
            missed = float((squares / 16 - chances * halves / 2 + boards * chances**2).sum()) + unsure
            chance = float((boards * told).sum()) - unsure
            worth = (WORTH_BOARDS / 4 + chance) / (WORTH_BOARDS / 4 / WORTH + missed)
            change = max(np.abs(step).max(), abs(log(width / self.width)), abs(log(worth / self.worth)))
            self.width, self.worth = width, worth
            if change < _EXACT:
                break

    def _weights(self, information: Floats) -> Floats:
        """The weight of each link: of the pairs, and of the prior."""
        return np.append(self.worth * information, np.full(len(self.strengths), self.width**-2))

    def _solve(self, weights: Floats, right: Floats) -> Floats:
        """The product of the posterior's covariance and columns of numbers."""
        found = self._links.solve(weights, np.concatenate((right, -right.sum(axis=0, keepdims=True))))
        return np.asarray(found[:-1] - found[-1], np.float64)

    @cached_property
    def _told(self) -> Floats:
        one, other = self._pairs
        chances = chances_at(self.strengths[one] - self.strengths[other])
        return np.asarray(self._boards * chances * (1 - chances), np.float64)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the posterior."""
        return self._solve(self._weights(self._told), np.eye(len(self.strengths)))

    @cached_property
    def anchors(self) -> Integers:
        """The entrants whose mean is 1500: those about which results tell at least half as much as usual."""
        one, other = self._pairs
        size = len(self.strengths)
        told = of_each(one, other, self._told, self._told, size)
        return np.flatnonzero(told >= ANCHOR * np.median(told))

    def ratings(self, *, intervals: bool = True) -> dict[int, Rating]:
        """The rating of each entrant, with an interval that is right all season (see the module)."""
        size = len(self.entrants)
        if not size:
            return {}
        center = np.zeros(size)
        center[self.anchors] = 1 / len(self.anchors)
        values = self.strengths - center @ self.strengths
        found = {
            entrant: Rating(entrant, boards, MEAN + SCALE * value, anchor=bool(anchor))
            for entrant, boards, value, anchor in zip(
                self.entrants, self.boards.tolist(), values.tolist(), center, strict=True
            )
        }
        if not intervals:
            return found
        moved = self.covariance @ center
        spread = np.diag(self.covariance) - 2 * moved + center @ moved
        before = self.width**2 * (1 - 2 * center + center @ center)
        for entrant, value, now, prior in zip(self.entrants, values, spread, before, strict=True):
            low, high = season_interval(float(value), float(now), float(prior), size)
            found[entrant] = found[entrant]._replace(low=MEAN + SCALE * low, high=MEAN + SCALE * high)
        return found

    def against_field(self, field: Collection[int], *, intervals: bool = True) -> dict[int, FieldScore]:
        """The score of each entrant in a game against the whole field, as the strengths predict it.

        Where opponents are chosen, the scores themselves say little: a bot that meets strong bots has a low
        one. Variances are by the delta method.

        Args:
            field: the opponents, of which those count that are in the results.
            intervals: whether to compute variances; else they are 0.
        """
        inside = np.flatnonzero(np.isin(self.entrants, [*field]))
        size = len(self.entrants)
        chances = chances_at(self.strengths[:, None] - self.strengths[inside])
        others = inside != np.arange(size)[:, None]
        counts = np.maximum(others.sum(axis=1), 1)
        scores = np.where(others, chances, 0.0).sum(axis=1) / counts
        values, now, before = np.zeros((3, size))
        if intervals:
            slopes = np.zeros((size, size))
            slopes[:, inside] = np.where(others, -chances * (1 - chances), 0.0) / counts[:, None]
            slopes[np.arange(size), np.arange(size)] -= slopes.sum(axis=1)
            values = slopes @ self.strengths
            now = ((slopes @ self.covariance) * slopes).sum(axis=1)
            before = self.width**2 * (slopes**2).sum(axis=1)
        numbers = np.stack((scores, values, now, before), axis=1).tolist()
        return {
            entrant: FieldScore(*row)
            for entrant, row, met in zip(self.entrants, numbers, others.any(axis=1).tolist(), strict=True)
            if met
        }


class FieldScore(NamedTuple):
    """The score of an entrant against the field.

    Attributes:
        score: the score, from 0 to 1.
        value: the same as a linear function of all strengths, at the strengths.
        variance: the variance of `value` in the posterior.
        prior: its variance in the prior, in which it has the mean 0.
    """

    score: float
    value: float
    variance: float
    prior: float


def field_share(found: Sequence[FieldScore], bots: int) -> Share:
    """The mean of an entrant's scores against the field in several games, with equal weights.

    Args:
        found: the score in each game.
        bots: as for `season_interval`.
    """
    if not found:
        return Share(None)
    games = len(found)
    score = sum(each.score for each in found) / games
    value = sum(each.value for each in found) / games
    variance = sum(each.variance for each in found) / games**2
    if not variance:
        return Share(score)
    low, high = season_interval(value, variance, sum(each.prior for each in found) / games**2, bots)
    # On the scale of logits, so that the interval stays within 0 and 1.
    inside = min(max(score, _LEAST), 1 - _LEAST)
    logit, slope = log(inside / (1 - inside)), inside * (1 - inside)
    ends = chances_at(np.array([logit + (low - value) / slope, logit + (high - value) / slope])).tolist()
    return Share(score, *ends)


def season_interval(value: float, variance: float, prior: float, bots: int) -> tuple[float, float]:
    """The values at which the prior's density is less than 2 `bots` / ERROR times that of the posterior.

    Args:
        value: the mean of the posterior, which is normal.
        variance: its variance.
        prior: the larger variance of the prior, which is normal with the mean 0.
        bots: how many intervals of this kind have to be right together.
    """
    # (v - value)² / variance - v² / prior = limit
    limit = 2 * log(2 * bots / ERROR) + log(prior / variance)
    told = 1 / variance - 1 / prior
    if told * prior < _EXACT:  # the results tell nothing
        return -inf, inf
    middle = value / variance / told
    reach = sqrt(max(limit / told + middle**2 - value**2 / variance / told, 0.0))
    return middle - reach, middle + reach


def places(found: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """The best and the last place that each may have, if all intervals are right.

    Args:
        found: the ends of the interval of each.
    """
    lows, highs = sorted(low for low, _ in found), sorted(high for _, high in found)
    return [
        (1 + len(found) - bisect_right(lows, high), len(found) - bisect_left(highs, low))
        for low, high in found
    ]
