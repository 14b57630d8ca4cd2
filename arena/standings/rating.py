"""Ratings and scores: estimates of the strength of each bot, with intervals.

The strengths are those of `bradley_terry`; 400 points are odds of 10 to 1.

**1500 is the mean of the anchors**, the entrants about which the results tell most. They come from the
largest set in which each entrant came out ahead of each other one, by some chain of games. The anchors are
the members whose games tell at least ANCHOR as much as those of the set's median. (A game tells p(1-p):
almost nothing if one side always wins.) So an entrant that always wins or loses, or a newcomer, does not move
the others. A rating's interval is about its distance from that mean; in simulations of fixed schedules
it covers this distance in 94 to 100 of 100 leagues.

**The interval** is a likelihood interval: it ends where the log-likelihood has fallen by half of the square
of Student's t, times how much more or less the groups vary than the model says (`Spread`; A. Rotnitzky, N. P.
Jewell, Biometrika 77, 1990). The other strengths are adjusted along the way (the least favourable direction).
So the interval is wider on the side on which a strong, or weak, entrant might well be further off. It has no
randomness. A second one, at the level 1 - 0.05 / entrants, tells for all entrants together (see `certain`).

**A bound instead of a number** is given to an entrant that took points from the anchors, by any chain of
games, but lost none to them. Its rating is above the bound, at which so clean a result has a chance of 2.5 %.
A bot that lost points to the anchors but took none is below a bound in the same way. The games of
a board count as independent. They are not, but in measured games this assumption was on the safe side.

**In a Swiss** winners meet winners. So lucky entrants are measured against one another, and the ratings are
too far apart. Therefore everything is computed a second time, as if each entrant had also played three level
boards against one common opponent, whose strength is fitted too. That moves the ratings together. A rating is
the mean of both, and its interval includes both: the first is right if entrants are in fact far apart, the
second if they are nearly equal.

**Entrants that no chain of games connects** cannot be compared: each such island has its own anchors.

**A score as an estimate** is the score that an entrant would have in the long run against its opponents. In
each game (kind) the score is the mean over its boards. Overall it is the mean of the games' scores, with the
same weight for each game, for any number of boards. The interval is E. B. Wilson's (Journal of the American
Statistical Association 22, 1927), with Student's t, for the equivalent number of independent games: the
variance of the mean is that of whole duplicate groups about the scores that the game's ratings predict
(`Spread`). So the interval stays within 0 and 1, and has a width even if every game was won.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.standings.bradley_terry import (
    Fit,
    Groups,
    Spread,
    Tables,
    Wins,
    chances_at,
    connected,
    numbered,
    reached,
)
from arena.standings.elimination import Floats, Integers
from arena.standings.student import quantile
from arena.standings.values import Rating, Share

MEAN = 1500.0
SCALE = 400 / log(10)
OUTSIDE = 0.025
"""The probability on each side of an interval."""
ANCHOR = 0.5
_CLEAN = OUTSIDE  # the probability of a clean result at its bound
_EXACT = 1e-4  # of a logarithm
_FARTHEST = 60.0  # logarithms

Mask = NDArray[np.bool_]


Fitted = tuple[tuple[Fit, Sequence[Tables], list[int]], ...]


def ratings(
    groups: Groups | Fitted,
    entrants: Sequence[int],
    *,
    intervals: bool = True,
    paired_by_score: bool = False,
) -> tuple[Rating, ...]:
    """The rating of each entrant, in their order.

    Args:
        groups: the results. Or what `islands` has found in them.
        entrants: the entrants to rate; must include all that are in the groups. Entrants that are in none
            have no rating and do not count for the mean.
        intervals: whether to find the intervals, which takes a moment for 100 entrants.
        paired_by_score: whether some of the games belong to a Swiss.
    """
    found = rated(groups, intervals=intervals, paired_by_score=paired_by_score)
    return in_order(found, entrants)


def rated(
    groups: Groups | Fitted, *, intervals: bool = True, paired_by_score: bool = False
) -> dict[int, Rating]:
    """The rating of each entrant in the groups; see `ratings`."""
    found: dict[int, Rating] = {}
    fitted = islands(groups, intervals=intervals)
    entrants = sum(len(members) for _, _, members in fitted)
    for number, (fit, tables, members) in enumerate(fitted):
        island = _Island(fit, tables)
        lines = island.lines(entrants, intervals)
        if paired_by_score:
            lines = map(_hull, lines, island.evened().lines(entrants, intervals))
        for member, line in zip(members, lines, strict=True):
            found[member] = line._replace(entrant=member, island=number)
    return found


def in_order(found: Mapping[int, Rating], entrants: Sequence[int]) -> tuple[Rating, ...]:
    """The ratings in the order of the entrants, of which some may have no rating."""
    return tuple(found.get(entrant) or Rating(entrant, 0, None) for entrant in entrants)


def islands(groups: Groups | Fitted, *, intervals: bool = True) -> Fitted:
    """The fit for each set of entrants that games connect, the largest first.

    Args:
        groups: as for `ratings`. What was found before is returned as it is.
        intervals: whether intervals will be computed.

    Returns:
        Each fit with its tables, and with its entrants, ascending.
    """
    if isinstance(groups, tuple):
        return groups
    results = numbered(groups, in_order=intervals)
    whole = Wins(results)
    found = []
    for members in sorted(connected(whole.square(whole.met, whole.met) > 0), key=len, reverse=True):
        if len(members) == whole.size:
            return ((Fit(whole), results.tables, results.entrants),)
        inside = results.among(members)
        found.append((Fit(Wins(inside)), inside.tables, inside.entrants))
    return tuple(found)


def _groups(tables: Sequence[Tables], size: int) -> list[int]:
    groups = np.zeros(size)
    for each in tables:
        for entrants in each.entrants.T:
            groups += np.bincount(entrants, each.counts, size)
    return groups.astype(np.int64).tolist()


class _Island:
    """Entrants that games connect, numbered from 0."""

    def __init__(self, fit: Fit, tables: Sequence[Tables]) -> None:
        self._tables = tables
        self._beats: Mask = fit.wins.beats
        self._fit = fit
        self._anchors, mutual = self._find_anchors()
        center = np.zeros(len(fit.strengths))
        center[self._anchors] = 1 / len(self._anchors)
        self._measure(fit, center)
        # By chains of games: the entrants ahead of all anchors, and the entrants behind all anchors.
        asked = self._anchors[:1] if mutual else self._anchors
        self._above: Mask = np.all([reached(self._beats.T, int(anchor)) for anchor in asked], axis=0)
        self._below: Mask = np.all([reached(self._beats, int(anchor)) for anchor in asked], axis=0)

    def evened(self) -> _Island:
        """The same with the same anchors, as if all had played level boards against one more entrant."""
        island = copy(self)
        island._measure(Fit(self._fit.wins.evened()), np.append(self._center, 0))
        island._above = island._below = np.ones_like(self._above)
        return island

    def _measure(self, fit: Fit, center: Floats) -> None:
        self._fit, self._center = fit, center
        self._one, self._other = fit.wins.one, fit.wins.other
        self._apart = fit.strengths[self._one] - fit.strengths[self._other]

    def lines(self, together: int, intervals: bool) -> Iterator[Rating]:
        """The ratings, by the numbers of the entrants in the fit.

        Args:
            together: how many entrants' intervals have to be right together.
            intervals: whether to find the intervals.
        """
        groups = _groups(self._tables, len(self._beats))
        spread = Spread(self._fit, self._tables) if intervals else None
        values = self._fit.strengths - self._fit.strengths @ self._center
        asked = np.flatnonzero((self._above != self._below) | intervals)
        toward = dict(zip(asked.tolist(), self._toward(asked).T, strict=True))
        for entrant, value in enumerate(values[: len(groups)].tolist()):
            line = Rating(entrant, groups[entrant], None, anchor=bool(self._center[entrant]))
            low, high = -inf, inf  # of the interval for all together
            if self._above[entrant] and self._below[entrant]:
                line = line._replace(rating=_on_scale(value))
                if self._center[entrant] == 1:
                    low = high = value
                elif spread is not None and line.groups > 1:
                    (down, up), (low, high) = self._intervals(entrant, spread, toward[entrant], together)
                    line = line._replace(low=_on_scale(value - down), high=_on_scale(value + up))
                    low, high = value - low, value + high
            elif self._above[entrant]:
                down, low = (value - each for each in self._to_bounds(entrant, -1, toward[entrant], together))
                line = line._replace(low=_on_scale(down))
            elif self._below[entrant]:
                up, high = (value + each for each in self._to_bounds(entrant, 1, toward[entrant], together))
                line = line._replace(high=_on_scale(up))
            yield line._replace(together=(_on_scale(low), _on_scale(high)) if intervals else None)

    def _find_anchors(self) -> tuple[Integers, bool]:
        """The anchors, and whether each of them came out ahead of each.

        If no two entrants did, the anchors are in the middle of the order in which all came out.
        """
        informed = self._fit.wins.of_each(self._fit.weights, self._fit.weights)

        def weight(members: Integers) -> tuple[float, ...]:
            strength = float(self._fit.strengths[members].mean())
            return len(members), round(float(informed[members].sum()), 6), round(strength, 6)

        best = max(_mutual(self._beats), key=weight)
        if len(best) > 1:
            told = informed[best]
            return best[told >= ANCHOR * float(np.median(told))], True
        ahead = np.array([reached(self._beats, start) for start in range(len(self._beats))])
        compared = (ahead | ahead.T).sum(axis=1)
        uneven = np.abs(ahead.sum(axis=1) - ahead.sum(axis=0))
        middle = np.where(compared == compared.max(), uneven, len(ahead) + 1)
        return np.flatnonzero(middle == middle.min()), False

    def _intervals(
        self, entrant: int, spread: Spread, toward: Floats, together: int
    ) -> list[tuple[float, float]]:
        """How far the 95% interval of a rating goes down and up, and how far one of so many `together`."""
        weights = [toward[each.entrants] for each in self._tables]
        variance = spread.variance(weights)
        by_model = float(toward[entrant] - toward @ self._center)
        # In hundredths, because quantiles are cached.
        # The prior has the model's variance.
        value = variance.value + max(by_model - variance.known, 0)
        steps = (toward[self._one] - toward[self._other]) / by_model
        found = []
        for outside in (OUTSIDE, OUTSIDE / together):
            height = quantile(outside, round(variance.freedom, 2)) ** 2 * value / by_model
            start = sqrt(height * by_model)
            found.append((self._fall(-steps, height, start), self._fall(steps, height, start)))
        return found

    def _toward(self, entrants: Integers) -> Floats:
        """A column for each entrant: the direction in which all strengths move when its rating is moved."""
        differences = np.zeros((len(self._center), len(entrants)))
        differences[entrants, np.arange(len(entrants))] = 1
        return self._fit.toward(differences - self._center[:, None])

    def _fall(self, steps: Floats, height: float, start: float) -> float:
        """The number of steps from the top after which the likelihood has fallen by half of `height`.

        It falls faster and faster, so Newton's method converges from outside.
        """
        both, apart = self._fit.taken + self._fit.given, self._apart
        won, level = float(self._fit.taken @ steps), np.logaddexp(0, apart)

        def fallen(far: float) -> float:
            return 2 * (float(both @ (np.logaddexp(0, apart + far * steps) - level)) - far * won)

        far = start
        while (fall := fallen(far)) < height and far < _FARTHEST:
            far *= 2
        for _ in range(100):
            slope = 2 * (float(both @ (steps * chances_at(apart + far * steps))) - won)
            back = (fall - height) / slope
            far -= back
            if abs(back) < _EXACT:
                break
            fall = fallen(far)
        return far

    def _to_bounds(self, entrant: int, sign: int, toward: Floats, together: int) -> list[float]:
        """The distance of an entrant's bound below (-1) or above (1) its rating; negative on the other side.

        First of its bound alone, then of one of so many bounds `together`.

        The entrants that came out ahead of it, by a chain of games, and itself took everything from all
        others; for a bound above, the reverse.
        """
        side = reached(self._beats.T if sign < 0 else self._beats, entrant)
        wins = self._fit.wins
        cut = side[wins.one] != side[wins.other]
        one, other = np.where(side[wins.one], (wins.one, wins.other), (wins.other, wins.one))[:, cut]
        games = wins.games[cut]
        toward = toward / (toward[entrant] - toward @ self._center)
        apart = -sign * (self._fit.strengths[one] - self._fit.strengths[other])
        steps = toward[one] - toward[other]
        found = []
        for clean in (_CLEAN, _CLEAN / together):
            low, high = -_FARTHEST, _FARTHEST
            while high - low > _EXACT:
                far = (low + high) / 2
                surprise = float((games * np.logaddexp(0, -(apart - far * steps))).sum())
                low, high = (far, high) if surprise < -log(clean) else (low, far)
            found.append(far)
        return found


def _mutual(beats: Mask) -> Iterator[Integers]:
    """Sets of entrants in which each came out ahead of each other one by a chain of games.

    They are the strongly connected components, and end when no larger one can be left.
    """
    left = np.ones(len(beats), dtype=np.bool_)
    taken, given = beats.sum(axis=1), beats.sum(axis=0)
    largest = 0
    for start in np.argsort(np.abs(taken - given), kind="stable").tolist():
        if left[start]:
            members = reached(beats, start) & reached(beats.T, start)
            left &= ~members
            largest = max(largest, int(members.sum()))
            yield np.flatnonzero(members)
        if largest > left.sum():
            return


def _hull(line: Rating, evened: Rating) -> Rating:
    """The mean of two ratings, with an interval, or a bound, that includes both."""
    if line.rating is not None and evened.rating is not None:
        line = line._replace(rating=(line.rating + evened.rating) / 2)
    if line.low is not None and evened.low is not None:
        line = line._replace(low=min(line.low, evened.low))
    if line.high is not None and evened.high is not None:
        line = line._replace(high=max(line.high, evened.high))
    if line.together is not None and evened.together is not None:
        (low, high), (lower, higher) = line.together, evened.together
        line = line._replace(together=(min(low, lower), max(high, higher)))
    return line


def _on_scale(value: float) -> float:
    return MEAN + SCALE * value


class Mean(NamedTuple):
    """An entrant's mean score in a game.

    Attributes:
        score: the mean.
        expected: the score that its rating predicts, which is neither 0 nor 1.
        variance: the variance of the score; 0 if it was not asked for.
        freedom: the degrees of freedom of the variance.
    """

    score: float
    expected: float
    variance: float
    freedom: float


def means(
    groups: Groups | Fitted, *, intervals: bool = True, paired_by_score: bool = False
) -> dict[int, Mean]:
    """The mean score of each entrant in the groups of a game.

    Args:
        groups: as for `ratings`, of one game.
        intervals: whether to compute variances.
        paired_by_score: whether some of the games belong to a Swiss, in which the results alone give
            ratings that make the better side too sure to win.
    """
    found = {}
    for fit, tables, members in islands(groups, intervals=intervals):
        wins = fit.wins
        games = wins.of_each(wins.met, wins.met)
        scores = wins.of_each(wins.taken, wins.given) / games
        if paired_by_score:
            fit = Fit(wins.evened())
        chances = chances_at(fit.strengths[wins.one] - fit.strengths[wins.other])
        expected = wins.of_each(wins.met * chances, wins.met * (1 - chances)) / games
        spread = Spread(fit, tables) if intervals else None
        for at, member in enumerate(members):
            mean = Mean(float(scores[at]), float(expected[at]), 0.0, 0.0)
            if spread is not None:
                of_all = spread.variance([(each.entrants == at).astype(float) for each in tables])
                mean = mean._replace(variance=of_all.value / float(games[at]) ** 2, freedom=of_all.freedom)
            found[member] = mean
    return found


def of_mean(estimates: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The variance of the mean of independent estimates, and its degrees of freedom (Satterthwaite's).

    Args:
        estimates: the variance of each, and the degrees of freedom of that.
    """
    variances = [variance / len(estimates) ** 2 for variance, _ in estimates]
    whole = sum(variances)
    if not whole:
        return 0.0, 0.0
    return whole, whole**2 / sum(each**2 / free for each, (_, free) in zip(variances, estimates, strict=True))


def share(found: Sequence[Mean]) -> Share:
    """The mean of an entrant's scores in several games, with the same weight for each."""
    if not found:
        return Share(None)
    score = sum(mean.score for mean in found) / len(found)
    variance, freedom = of_mean([(mean.variance, mean.freedom) for mean in found])
    if not variance:
        return Share(score)
    expected = sum(mean.expected for mean in found) / len(found)
    t = quantile(OUTSIDE, round(freedom, 2))
    games = expected * (1 - expected) / variance
    middle = (score + t * t / (2 * games)) / (1 + t * t / games)
    reach = t / (1 + t * t / games) * sqrt(score * (1 - score) / games + t * t / (4 * games * games))
    return Share(score, max(middle - reach, 0.0), min(middle + reach, 1.0))
