"""How sure a fit is: the variance of weighted sums of what the model does not explain.

The duplicate group is the unit: what the games of a board have in common - the
luck of the deal, which the exchange of seats turns into its opposite - makes
its score vary less, or more, than the model says. So variances come from the
residuals of whole groups (K.-Y. Liang, S. L. Zeger, "Longitudinal data
analysis using generalized linear models", Biometrika 73, 1986). A few groups
tell little about a variance, and this is allowed for in three ways:

* Residuals are smaller than the errors, since the fit went after them. The sum
  of squares is divided by what is left of it by the model.
* It counts as many degrees of freedom as Satterthwaite's approximation gives
  (F. E. Satterthwaite, Biometrics Bulletin 2, 1946; for residuals of groups R. M.
  Bell, D. F. McCaffrey, Survey Methodology 28, 2002), and intervals use Student's t.
  Where most groups come out level and few are decided, those few tell the
  variance: the freedom is at most what the kurtosis of the residuals leaves, and
  half of that, since few decided groups show too small a kurtosis. Forty level
  groups have no freedom at all.
* It is averaged with the model's own variance, which counts PRIOR_FREEDOM more.
  That one is the variance of independent games, less what boards save, which is
  estimated from all groups together, one number for all, and as if PRIOR_GROUPS
  had been seen before at which a board varied PRIOR_SHARE as much as its games
  by themselves. Even where every group came out alike, the width is not zero.

What a board saves there is in proportion to 4p(1-p) of its pairs: luck decides
between equals, and does not between those of whom one always wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from arena.standings.bradley_terry import Fit, Floats, Tables, dependence

PRIOR_FREEDOM = 4.0
PRIOR_GROUPS = 3.5
PRIOR_SHARE = 0.65
_LEAST_LEFT = 1e-3
_TINY = 1e-100
_ROUNDING = 1e-20


class Variance(NamedTuple):
    """An estimated variance.

    Attributes:
        value: the variance.
        freedom: its degrees of freedom.
        known: what it would be if the games of a group, and the pairs at a table, were independent.
    """

    value: float
    freedom: float
    known: float


class Spread:
    """The residuals of the groups that a fit was made from.

    Args:
        fit: the fit.
        tables: what it was made from.

    Attributes:
        share: how much a board between equals varies against its games by themselves.
    """

    def __init__(self, fit: Fit, tables: Sequence[Tables]) -> None:
        self._parts = [_Part(fit, each) for each in tables]
        told = sum(float(part.counts.sum()) * (part.seats - 1) for part in self._parts)
        left = max(told - len(fit.strengths) + 1, 0) / told
        over, under = 0.0, PRIOR_GROUPS
        for part in self._parts:
            even, counts = part.evenness, part.counts * left
            over += float((counts * even * (part.squares() - (1 - even))).sum())
            under += float((counts * even * even).sum())
        self.share = (PRIOR_GROUPS * PRIOR_SHARE + max(over, 0.0)) / under

    def variance(self, weights: Sequence[Floats], prior: float = PRIOR_FREEDOM) -> Variance:
        """The variance of what chance adds to the sum of all scores, each times its weight.

        Args:
            weights: for each size of table, for each kind of group and each of its entrants.
            prior: how many degrees of freedom the model's own variance counts.
        """
        model = known = left = squares = fourths = even = concentrated = 0.0
        for part, weight in zip(self._parts, weights, strict=True):
            by_group = np.einsum("ki,kij,kj->k", weight, part.information, weight)
            lost = np.einsum("ki,kij,kj->k", weight, part.fitted, weight)
            share = 1 - (1 - self.share) * part.evenness
            residual = (part.residuals * weight).sum(axis=1)
            model += float((part.counts * share * dependence(part.seats) * by_group).sum())
            known += float((part.counts * by_group).sum())
            left += float((part.counts * (by_group - lost)).sum())
            squares += float((part.counts * residual**2).sum())
            fourths += float((part.counts * residual**4).sum())
            even += float((part.counts * by_group**2).sum())
            concentrated += float((part.counts * part.tails * by_group**2).sum())
        if known <= _TINY:
            return Variance(0.0, prior, 0.0)
        kept = max(left / known, _LEAST_LEFT)
        freedom = known**2 / concentrated * kept
        # How much more the squares of the residuals scatter than those of groups with as many outcomes again.
        excess = fourths / squares**2 - even / known**2 if squares > _ROUNDING * known else inf
        freedom = min(freedom, 1 / max(excess, _TINY))
        total = prior + freedom
        return Variance((prior * model + freedom * squares / kept) / total, total, known)

    def sum(self, weights: Sequence[Floats]) -> float:
        """The sum of all scores less what was expected, each times its weight."""
        return sum(
            float((part.counts * (part.residuals * weight).sum(axis=1)).sum())
            for part, weight in zip(self._parts, weights, strict=True)
        )

    def scored(self, weights: Sequence[Floats]) -> float:
        """The sum of all scores, each times its weight."""
        return sum(
            float((part.counts * (part.scores * weight).sum(axis=1)).sum())
            for part, weight in zip(self._parts, weights, strict=True)
        )

    def told(self, weights: Sequence[Floats], size: int) -> Floats:
        """How the sum that is expected, with these weights, changes with each of so many strengths."""
        told = np.zeros(size)
        for part, weight in zip(self._parts, weights, strict=True):
            change = part.counts[:, None] * np.einsum("kij,kj->ki", part.information, weight)
            told += np.bincount(part.entrants.ravel(), change.ravel(), size)
        return told


class _Part:
    """What the groups at tables of one size know.

    Attributes:
        scores: for each kind and seat, the score in all games of the group.
        residuals: the same less what was expected.
        information: for each kind, what a group adds to the fit's information.
        fitted: how much of that the fit takes up itself.
        evenness: for each kind the mean of 4p(1-p), weighted by pairs.
        tails: for each kind, how much less a squared residual tells of the variance than that of an
            even chance, as what is rare is seen now and then: from the kurtosis of so many games.
    """

    def __init__(self, fit: Fit, tables: Tables) -> None:
        self.seats, self.counts, self.entrants = tables.seats, tables.counts, tables.entrants
        kinds, seats, others = len(tables.counts), tables.seats, tables.seats - 1
        self.residuals: Floats = np.zeros((kinds, seats))
        self.scores: Floats = np.zeros((kinds, seats))
        self.information: Floats = np.zeros((kinds, seats, seats))
        for column, (one, other) in enumerate(tables.pairs):
            chance = fit.chances[tables.entrants[:, one], tables.entrants[:, other]]
            over = (tables.halves[:, column] / 2 - seats * chance) / others
            self.residuals[:, one] += over
            self.residuals[:, other] -= over
            taken = tables.halves[:, column] / 2 / others
            self.scores[:, one] += taken
            self.scores[:, other] += seats / others - taken
            weight = seats * chance * (1 - chance) / others
            for row, col, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
                self.information[:, row, col] += sign * weight
        self.evenness: Floats = np.minimum(
            np.trace(self.information, axis1=1, axis2=2) / (seats * seats / 4), 1
        )
        excess = (4 / np.maximum(self.evenness, _TINY) - 6) / seats
        self.tails: Floats = 1 + np.maximum(excess, 0) / 2
        local = fit.covariance[tables.entrants[:, :, None], tables.entrants[:, None, :]]
        self.fitted: Floats = self.information @ local @ self.information

    def squares(self) -> Floats:
        """For each kind the squared residuals against what they would be if games were independent."""
        expected = np.trace(self.information, axis1=1, axis2=2) * dependence(self.seats)
        squares: Floats = (self.residuals**2).sum(axis=1) / np.maximum(expected, _TINY)
        return squares
