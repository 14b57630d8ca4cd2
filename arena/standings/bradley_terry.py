"""The Bradley-Terry model of which entrant comes out ahead, fitted to duplicate groups.

Of two entrants with strengths a and b, the first comes out ahead with probability a/(a+b) (R. A. Bradley, M.
E. Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952). A game of n seats counts as its
n(n-1)/2 pairs, each with weight 1/(n-1), so that every seat has the weight 1; a tie is half a win for both.
The strengths maximise the likelihood with D. Firth's correction ("Bias reduction of maximum likelihood
estimates", Biometrika 80, 1993). Without it a strong entrant is rated too high and a weak one too low,
without limit if it won or lost every game. Here the correction adds to each pair's wins, for both entrants,
half of the pair's leverage in the fit.

The games of a pair at a table of n are not independent of its other pairs: a seat's score varies only
(n+1)/3(n-1) times as much as if they were. The correction and the variance allow for that.

**Precision of a fit** (`Spread`): the variance of weighted sums of residuals. The unit is the duplicate
group. The games of a board share the luck of the deal, which the exchange of seats turns into its opposite.
So a group's score varies less, or more, than the model says, and variances come from the residuals of whole
groups (K.-Y. Liang, S. L. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73,
1986). A few groups tell little about a variance. Three corrections allow for this:

* Residuals are smaller than the errors, because the fit follows the results. The sum of squares is divided by
  the share that the model expects to be left of it.
* The degrees of freedom come from Satterthwaite's approximation (F. E. Satterthwaite, Biometrics Bulletin 2,
  1946; for residuals of groups R. M. Bell, D. F. McCaffrey, Survey Methodology 28, 2002), and intervals use
  Student's t. If most groups come out level and few are decided, those few determine the variance: the
  freedom is limited by the kurtosis of the residuals, and halved, because few decided groups show too small a
  kurtosis. Forty level groups have no freedom at all.
* The estimate is averaged with the model's own variance, which counts as PRIOR_FREEDOM more degrees of
  freedom. That is the variance of independent games, less the part that boards save. This part is estimated
  from all groups together, as one number, with a prior of PRIOR_GROUPS groups at which a board varied
  PRIOR_SHARE as much as its games alone. So the interval has a width even if all groups came out alike.

The part that boards save is proportional to 4p(1-p) of the group's pairs: luck decides between equals, but
not if one of the two always wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, combinations
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.standings.elimination import Elimination, Floats, Integers, inverse_of
from arena.standings.tally import DuplicateGroup

_EXACT = 1e-5  # of a logarithm
_LEAST_GAIN = 1e-4  # the least share of the promised gain for which a step is kept
_ROUNDING = 1e-14
_FARTHEST = 700.0  # logarithms
_ENTRANTS, _HALVES = itemgetter(0), itemgetter(1)  # of a DuplicateGroup
_TINY = 1e-300

PRIOR_FREEDOM = 4.0
PRIOR_GROUPS = 3.5
PRIOR_SHARE = 0.65
_LEAST_LEFT = 1e-3
_LEAST_VARIANCE = 1e-100
_ROUNDING_OF_SQUARES = 1e-20


def dependence(seats: int) -> float:
    """The variance of a score at a table, relative to independent pairs."""
    return (seats + 1) / (3 * (seats - 1))


class Tables:
    """The kinds of duplicate groups at tables of one size.

    Attributes:
        seats: the size of a table.
        counts: the number of groups of each kind.
        entrants: a row for each kind: its entrants.
        halves: a row for each kind: its halves, as in a `DuplicateGroup`.
        pairs: for each column of `halves`, the two columns of `entrants` to which it belongs.
    """

    def __init__(self, seats: int, counts: Integers, entrants: Integers, halves: Integers) -> None:
        self.seats = seats
        self.counts = counts
        self.entrants = entrants
        self.halves = halves
        self.pairs = [*combinations(range(seats), 2)]

    def among(self, entrants: Integers) -> Tables:
        """The tables of some entrants, ascending, numbered from 0; others play at no table with them."""
        rows = np.isin(self.entrants[:, 0], entrants)
        return Tables(
            self.seats,
            self.counts[rows],
            np.searchsorted(entrants, self.entrants[rows]),
            self.halves[rows],
        )


class Numbered:
    """Duplicate groups whose entrants are numbered from 0.

    Attributes:
        entrants: the entrants, ascending; their places are their numbers in the tables.
        tables: the groups by the size of their tables.
    """

    def __init__(self, entrants: list[int], tables: Sequence[Tables]) -> None:
        self.entrants = entrants
        self.tables = tables

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs that met."""
        return _pairs_of(self.tables, len(self.entrants))

    def among(self, members: Integers) -> Numbered:
        """The groups of some entrants, given by their numbers; others play at no table with them."""
        inside = [each.among(members) for each in self.tables]
        return Numbered(
            [self.entrants[member] for member in members], [each for each in inside if len(each.counts)]
        )


Groups = Mapping[DuplicateGroup, int] | Numbered
"""The number of duplicate groups of each kind: `Tally.groups` of a game, or `Tally.all_groups()` for all
games pooled. Or what `numbered` has made of them."""


def numbered(groups: Groups, *, in_order: bool = True) -> Numbered:
    """The groups with their entrants numbered.

    Args:
        groups: the groups. They are returned as they are if their entrants are numbered.
        in_order: whether the kinds are sorted, not in the order of play. Sums of whole numbers do not need
            it.
    """
    if isinstance(groups, Numbered):
        return groups
    tables = []
    sizes = [*map(len, map(_ENTRANTS, groups))]
    for seats in sorted(set(sizes)):
        of_size = [group for group, size in zip(groups, sizes, strict=True) if size == seats]
        entrants, halves = _rows([*map(_ENTRANTS, of_size)]), _rows([*map(_HALVES, of_size)])
        counts = np.fromiter(map(groups.__getitem__, of_size), np.int64)
        if in_order:
            order = np.lexsort((*halves.T, *entrants.T))
            entrants, halves, counts = entrants[order], halves[order], counts[order]
        tables.append(Tables(seats, counts, entrants, halves))
    return _numbered(tables)


def pooled(games: Iterable[Numbered]) -> Numbered:
    """The groups of several games as those of one."""
    every = [
        Tables(each.seats, each.counts, np.array(game.entrants)[each.entrants], each.halves)
        for game in games
        for each in game.tables
    ]
    return _numbered(
        [
            Tables(
                seats,
                np.concatenate([each.counts for each in every if each.seats == seats]),
                np.concatenate([each.entrants for each in every if each.seats == seats]),
                np.concatenate([each.halves for each in every if each.seats == seats]),
            )
            for seats in sorted({each.seats for each in every})
        ]
    )


def _numbered(tables: Sequence[Tables]) -> Numbered:
    present = np.zeros(max((int(each.entrants.max()) + 1 for each in tables), default=0), np.bool_)
    for each in tables:
        present[each.entrants] = True
    numbers = np.cumsum(present) - 1
    return Numbered(
        np.flatnonzero(present).tolist(),
        [Tables(each.seats, each.counts, numbers[each.entrants], each.halves) for each in tables],
    )


def _rows(rows: Sequence[tuple[int, ...]]) -> Integers:
    """Tuples of one length as an array; faster than `np.array`."""
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(len(rows), -1)


class Pairs(NamedTuple):
    """The pairs of entrants that met. Most entrants of a ladder never meet.

    Attributes:
        one, other: the entrants of each pair, the smaller number first.
        sums: for each size of table, three numbers for each pair: the groups with both, the halves that `one`
            took from `other`, and the sum of the squares of these halves. They are whole, so they do not
            depend on the order of the groups.
    """

    one: Integers
    other: Integers
    sums: list[Floats]


def _pairs_of(tables: Sequence[Tables], size: int) -> Pairs:
    """The pairs that met at tables of entrants numbered from 0 to `size`."""
    cells, taken = [], []
    for each in tables:
        for column, (first, second) in enumerate(each.pairs):
            one, other = each.entrants[:, first], each.entrants[:, second]
            halves = each.halves[:, column]
            cells.append(np.minimum(one, other) * size + np.maximum(one, other))
            taken.append(np.where(one < other, halves, 2 * each.seats - halves))
    found, places = np.unique(np.concatenate(cells or [np.zeros(0, np.int64)]), return_inverse=True)
    sums, begin = [], 0
    for each in tables:
        end = begin + len(each.pairs)
        counts, halves = np.tile(each.counts, len(each.pairs)), np.concatenate(taken[begin:end])
        rows = sum(map(len, cells[:begin]))
        at = places[rows : rows + len(halves)]
        sums.append(
            np.stack([np.bincount(at, counts * halves**power, len(found)) for power in range(3)]).astype(
                float
            )
        )
        begin = end
    return Pairs(found // max(size, 1), found % max(size, 1), sums)


class Wins:
    """The wins of the pairs that met.

    Attributes:
        size: the number of entrants, which are numbered from 0.
        one, other: the entrants of each pair.
        taken, given: the wins of `one` and of `other`, in games of weight 1/(n-1).
        met: the sum of both.
        games: the number of games in which both sat at the table.
        dependence: the variance of scores relative to independent pairs: the mean of all games.
    """

    def __init__(self, results: Numbered) -> None:
        self.size = len(results.entrants)
        self.one, self.other, sums = results.pairs
        self.taken, self.given, self.met, self.games = np.zeros((4, len(self.one)))
        dependent = 0.0
        for each, (groups, halves, _) in zip(results.tables, sums, strict=True):
            others, games = each.seats - 1, each.seats * groups
            self.taken += halves / (2 * others)
            self.given += (2 * games - halves) / (2 * others)
            self.met += games / others
            self.games += games
            dependent += float(games.sum()) / others * dependence(each.seats)
        self.dependence = dependent / max(float(self.met.sum()), _TINY)

    def evened(self) -> Wins:
        """The same with one more entrant, the last: each played three level boards of two games with it."""
        more = copy(self)
        more.size += 1
        more.one = np.append(self.one, np.arange(self.size))
        more.other = np.append(self.other, np.full(self.size, self.size))
        for name, each in (("taken", 3.0), ("given", 3.0), ("met", 6.0), ("games", 6.0)):
            setattr(more, name, np.append(getattr(self, name), np.full(self.size, each)))
        return more

    def of_each(self, ones: Floats, others: Floats) -> Floats:
        """For each entrant the sum over its pairs: of `ones` where it is `one`, else of `others`."""
        return of_each(self.one, self.other, ones, others, self.size)

    def square(self, ones: Floats, others: Floats) -> Floats:
        """The matrix of the numbers of the pairs: `ones` in the rows of `one`, else `others`."""
        cells = np.zeros((self.size, self.size))
        cells[self.one, self.other] = ones
        cells[self.other, self.one] = others
        return cells

    @property
    def beats(self) -> NDArray[np.bool_]:
        """A matrix: whether the row has any win against the column."""
        return self.square(self.taken, self.given) > 0


class Fit:
    """The strengths that fit the results of entrants that games connect.

    They maximise log L + c/2 log det I: the likelihood L with a power of Jeffreys' prior; I is the
    information. log det I is convex in the logarithms of the pairs' weights, so its tangent there lies below
    it. That tangent is the log-likelihood of some more wins, equally many for both: the correction. So each
    iteration climbs a concave function, and gains at least as much in the original function (D. R. Hunter,
    K. Lange, "A tutorial on MM algorithms", The American Statistician 58, 2004). An iteration is one step of
    Newton's method, halved until it gains. log det I falls without limit if strengths move apart, so the
    iterations converge for all results. Few results may have two tops: a bot that beat all weak bots and lost
    to all strong ones is near the former or the latter. So each fit begins with equal strengths, not with
    those of an earlier fit, which may lead to the other top.

    Attributes:
        wins: the results.
        strengths: the logarithms of the strengths, with a mean of 0.
        taken, given: the wins of `one` and of `other` of each pair (see `Wins`) with Firth's correction.
    """

    def __init__(self, wins: Wins) -> None:
        self.wins = wins
        self.strengths: Floats = np.zeros(wins.size)
        self._links = Elimination(wins.one, wins.other, wins.size)
        while self._climb():
            pass

    def _climb(self) -> bool:
        """Takes a step upwards; False if the top is near enough."""
        one, other, weights = self.wins.one, self.wins.other, self.weights
        more = self.wins.dependence * weights * self._links.resistances(weights) / 2
        taken, given = self.taken, self.given = self.wins.taken + more, self.wins.given + more
        both = taken + given
        beyond = taken - both * self.pair_chances
        slope = self.wins.of_each(beyond, -beyond)
        step = self._links.solve(both * weights / self.wins.met, slope)
        if np.abs(step).max() < _EXACT:
            return False

        def log_likelihood(strengths: Floats) -> float:
            apart = strengths[one] - strengths[other]
            lost = taken * np.logaddexp(0, -apart) + given * np.logaddexp(0, apart)
            return -float(lost.sum())

        before, gain = log_likelihood(self.strengths), float(slope @ step)
        while gain > _ROUNDING * abs(before):
            strengths = self.strengths + step
            if log_likelihood(strengths) - before >= _LEAST_GAIN * gain:
                self.strengths = strengths - strengths.mean()
                return True
            step, gain = step / 2, gain / 2
        return False

    @property
    def pair_chances(self) -> Floats:
        """For each pair that met, the probability that `one` comes out ahead."""
        return chances_at(self.strengths[self.wins.one] - self.strengths[self.wins.other])

    @property
    def weights(self) -> Floats:
        """For each pair that met, the information of its games about its difference."""
        apart = self.strengths[self.wins.one] - self.strengths[self.wins.other]
        return self.wins.met * chances_at(apart) * chances_at(-apart)

    @cached_property
    def chances(self) -> Floats:
        """The probability that the row comes out ahead of the column."""
        return chances_at(self.strengths[:, None] - self.strengths)

    @cached_property
    def covariance(self) -> Floats:
        """The pseudo-inverse of the information: the negative second derivative of the likelihood."""
        linked = self.wins.square(self.weights, self.weights)
        return inverse_of(np.diag(linked.sum(axis=1)) - linked)

    def toward(self, differences: Floats) -> Floats:
        """The product of the covariance and columns with the sum 0; faster for a few of them."""
        return self._links.solve(self.weights, differences)


def chances_at(apart: Floats) -> Floats:
    """The probability of coming out ahead of entrants that are so much weaker."""
    chances: Floats = 1 / (1 + np.exp(np.clip(-apart, -_FARTHEST, _FARTHEST)))
    return chances


def of_each(one: Integers, other: Integers, ones: Floats, others: Floats, size: int) -> Floats:
    """For each of `size` entrants the sum over the pairs: of `ones` where it is `one`, else of `others`."""
    found: Floats = np.bincount(one, ones, size).astype(np.float64)
    return found + np.bincount(other, others, size)


def connected(linked: NDArray[np.bool_]) -> Iterator[Integers]:
    """The connected components of a graph, in the order of their first members."""
    left = np.ones(len(linked), dtype=np.bool_)
    while left.any():
        found = reached(linked, int(np.flatnonzero(left)[0]))
        left &= ~found
        yield np.flatnonzero(found)


def reached(linked: NDArray[np.bool_], start: int) -> NDArray[np.bool_]:
    """The nodes that links reach from `start`, itself included."""
    found = np.zeros(len(linked), dtype=np.bool_)
    found[start] = True
    last = found
    while last.any():
        last = linked[last].any(axis=0) & ~found
        found = found | last
    return found


class Variance(NamedTuple):
    """An estimated variance.

    Attributes:
        value: the variance.
        freedom: its degrees of freedom.
        known: the variance if the games of a group, and the pairs at a table, were independent.
    """

    value: float
    freedom: float
    known: float


class Spread:
    """The residuals of the groups of a fit.

    Args:
        fit: the fit.
        tables: the groups of the fit.

    Attributes:
        share: the variance of a board between equals, relative to its games as independent games.
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
        """The variance of the sum of all scores, each times its weight.

        Args:
            weights: for each size of table, for each kind of group and each of its entrants.
            prior: the degrees of freedom for which the model's own variance counts.
        """
        model = known = left = squares = fourths = even = concentrated = 0.0
        for part, weight in zip(self._parts, weights, strict=True):
            sums = part.sums(weight)
            model += dependence(part.seats) * (sums.told - (1 - self.share) * sums.told_evenly)
            known += sums.told
            left += sums.told - sums.fitted
            squares += sums.squares
            fourths += sums.fourths
            even += sums.even
            concentrated += sums.concentrated
        if known <= _LEAST_VARIANCE:
            return Variance(0.0, prior, 0.0)
        kept = max(left / known, _LEAST_LEFT)
        freedom = known**2 / concentrated * kept
        # How much more the squared residuals scatter than those of groups with twice as many outcomes.
        excess = fourths / squares**2 - even / known**2 if squares > _ROUNDING_OF_SQUARES * known else inf
        freedom = min(freedom, 1 / max(excess, _LEAST_VARIANCE))
        total = prior + freedom
        return Variance((prior * model + freedom * squares / kept) / total, total, known)

    def sum(self, weights: Sequence[Floats]) -> float:
        """The sum of all scores less the expected ones, each times its weight."""
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
        """The derivative of the expected sum, with these weights, by each of the strengths."""
        told = np.zeros(size)
        for part, weight in zip(self._parts, weights, strict=True):
            change = part.counts[:, None] * np.einsum("kij,kj->ki", part.information, weight)
            told += np.bincount(part.entrants.ravel(), change.ravel(), size)
        return told


class _Sums(NamedTuple):
    """Sums over groups, with a weight for each entrant of each.

    Attributes:
        told: the variance of the weighted scores if games, and the pairs at a table, were independent.
        told_evenly: the same times the evenness.
        fitted: the part of `told` that the fit uses up.
        squares, fourths: of the weighted residuals.
        even: the squares of what `told` is the sum of.
        concentrated: the same times the tails.
    """

    told: float
    told_evenly: float
    fitted: float
    squares: float
    fourths: float
    even: float
    concentrated: float


class _Part:
    """The groups at tables of one size.

    Attributes:
        scores: for each kind and seat, the score in all games of the group.
        residuals: the scores less the expected ones.
        information: for each kind, the information of a group.
        fitted: the part of it that the fit uses up.
        evenness: for each kind the mean of 4p(1-p), weighted by pairs.
        tails: for each kind, how much less a squared residual tells about the variance than at even chances,
            because rare results are seldom seen: from the kurtosis of the group's games.
    """

    def __init__(self, fit: Fit, tables: Tables) -> None:
        self.seats, self.counts, self.entrants = tables.seats, tables.counts, tables.entrants
        kinds, seats, others = len(tables.counts), tables.seats, tables.seats - 1
        self.residuals: Floats = np.zeros((kinds, seats))
        self.scores: Floats = np.zeros((kinds, seats))
        self.information: Floats = np.zeros((kinds, seats, seats))
        for column, (one, other) in enumerate(tables.pairs):
            apart = fit.strengths[tables.entrants[:, one]] - fit.strengths[tables.entrants[:, other]]
            chance = chances_at(apart)
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
        excess = (4 / np.maximum(self.evenness, _LEAST_VARIANCE) - 6) / seats
        self.tails: Floats = 1 + np.maximum(excess, 0) / 2
        local = fit.covariance[tables.entrants[:, :, None], tables.entrants[:, None, :]]
        self.fitted: Floats = self.information @ local @ self.information

    def sums(self, weight: Floats) -> _Sums:
        """The sums with a row of weights for each kind."""
        if self.seats == 2:
            seconds, fourths = self._of_pairs
            squares = (weight[:, 0] - weight[:, 1]) ** 2
            return _Sums(*(seconds @ squares).tolist(), *(fourths @ squares**2).tolist())
        told = np.einsum("ki,kij,kj->k", weight, self.information, weight)
        fitted = np.einsum("ki,kij,kj->k", weight, self.fitted, weight)
        residual = (self.residuals * weight).sum(axis=1)
        of_groups = (
            told,
            told * self.evenness,
            fitted,
            residual**2,
            residual**4,
            told**2,
            told**2 * self.tails,
        )
        return _Sums(*(float((self.counts * each).sum()) for each in of_groups))

    @cached_property
    def _of_pairs(self) -> tuple[Floats, Floats]:
        """For tables of two: what `sums` multiplies with the second and fourth powers of differences.

        What one entrant takes the other does not, so only the difference of their weights matters.
        """
        told, fitted, residual = self.information[:, 0, 0], self.fitted[:, 0, 0], self.residuals[:, 0]
        counts = self.counts.astype(np.float64)
        seconds = counts * np.stack((told, told * self.evenness, fitted, residual**2))
        return seconds, counts * np.stack((residual**4, told**2, told**2 * self.tails))

    def squares(self) -> Floats:
        """For each kind the squared residuals, relative to independent games."""
        expected = np.trace(self.information, axis1=1, axis2=2) * dependence(self.seats)
        squares: Floats = (self.residuals**2).sum(axis=1) / np.maximum(expected, _LEAST_VARIANCE)
        return squares
