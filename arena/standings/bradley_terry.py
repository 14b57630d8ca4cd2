"""Bradley and Terry's model of who comes out ahead of whom, fitted to duplicate groups.

Of two entrants with strengths a and b, the first comes out ahead with
probability a/(a+b) (R. A. Bradley, M. E. Terry, "Rank analysis of incomplete
block designs", Biometrika 39, 1952). A game of n seats counts as its
n(n-1)/2 pairs, each with weight 1/(n-1), so that every seat weighs one; a tie
is half a win for either. The strengths are those of greatest likelihood after
D. Firth's correction ("Bias reduction of maximum likelihood estimates",
Biometrika 80, 1993): without it a strong entrant is rated too high and a weak
one too low, without end where it won or lost every game. Here the correction
is: to each pair's wins, both ways, half of what the pair weighs in the fit.

The games of a pair at a table of n are not independent of its other pairs: a
seat's score varies only (n+1)/3(n-1) times as much as if they were. The
correction and the variance allow for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, combinations
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from arena.standings.tally import Group

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXACT = 1e-5  # of a logarithm
_LEAST_GAIN = 1e-4  # of what a step promised
_ROUNDING = 1e-14
_FARTHEST = 700.0  # logarithms
_ENTRANTS, _HALVES = itemgetter(0), itemgetter(1)  # of a Group
_TINY = 1e-300


def dependence(seats: int) -> float:
    """How much a score varies at a table, against what it would if its pairs were independent."""
    return (seats + 1) / (3 * (seats - 1))


class Tables:
    """The kinds of duplicate groups at tables of one size, among entrants numbered from 0.

    Attributes:
        seats: the size of a table.
        counts: how many groups there are of each kind.
        entrants: a row for each kind: who sat there.
        halves: a row for each kind: its halves, as in a `Group`.
        pairs: the two columns of `entrants` that each column of `halves` is about.
    """

    def __init__(self, seats: int, counts: Integers, entrants: Integers, halves: Integers) -> None:
        self.seats = seats
        self.counts = counts
        self.entrants = entrants
        self.halves = halves
        self.pairs = [*combinations(range(seats), 2)]

    def among(self, entrants: Integers) -> Tables:
        """Those of some entrants, ascending, who are numbered anew; others play at no table with them."""
        rows = np.isin(self.entrants[:, 0], entrants)
        return Tables(
            self.seats,
            self.counts[rows],
            np.searchsorted(entrants, self.entrants[rows]),
            self.halves[rows],
        )


def tables_of(groups: Mapping[Group, int], *, in_order: bool = True) -> tuple[list[int], list[Tables]]:
    """Who is in the groups, ascending, and the groups by the size of their tables.

    Args:
        groups: how many there are of each kind.
        in_order: whether the kinds shall be in an order of their own, not in that in which
            they were first played. Sums of whole numbers do not need it.
    """
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
    rated = np.array(sorted({each for table in tables for each in np.unique(table.entrants).tolist()}))
    for table in tables:
        table.entrants = np.searchsorted(rated, table.entrants)
    return rated.tolist(), tables


def _rows(rows: Sequence[tuple[int, ...]]) -> Integers:
    """Tuples of one length as an array, sooner than NumPy makes it of them."""
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(len(rows), -1)


class Wins:
    """Who took how much from whom.

    Attributes:
        taken: what the row took from the column, in games of weight 1/(n-1).
        met: what they played for.
        games: in how many games both sat.
        dependence: how much scores vary against those of independent pairs: the mean of all games.
    """

    def __init__(self, tables: Sequence[Tables], size: int) -> None:
        self.taken: Floats = np.zeros((size, size))
        self.met: Floats = np.zeros((size, size))
        self.games: Floats = np.zeros((size, size))
        dependent = 0.0
        for each in tables:
            halves = np.zeros(size * size)
            games = np.zeros(size * size)
            for column, (one, other) in enumerate(each.pairs):
                cells = each.entrants[:, one] * size + each.entrants[:, other]
                halves += np.bincount(cells, each.counts * each.halves[:, column], size * size)
                games += np.bincount(cells, each.counts * each.seats, size * size)
            # Whole numbers so far, which add up the same in any order.
            by_row, played = halves.reshape(size, size), games.reshape(size, size)
            others = each.seats - 1
            self.taken += (by_row + (2 * played - by_row).T) / (2 * others)
            played += played.T
            self.games += played
            self.met += played / others
            dependent += float(played.sum()) / others * dependence(each.seats)
        self.dependence = dependent / max(float(self.met.sum()), _TINY)

    def evened(self) -> Wins:
        """The same with one entrant more, the last, with whom each played three level boards of two games."""
        more = copy(self)
        for name, each in (("taken", 3), ("met", 6), ("games", 6)):
            cells = np.pad(getattr(self, name), (0, 1), constant_values=each)
            cells[-1, -1] = 0
            setattr(more, name, cells)
        return more


class Fit:
    """The strengths that fit the results of entrants whom games connect, all with all.

    They maximise log L + c/2 log det I: the likelihood L with a power of Jeffreys' prior; I is the
    information. As log det I is convex in the logarithms of the pairs' weights, its tangent there lies
    below it. That tangent is the log-likelihood of some more wins, as many both ways: `corrected`. So each
    iteration has a concave function to climb, and what it gains there it gains at least in the other
    (D. R. Hunter, K. Lange, "A tutorial on MM algorithms", The American Statistician 58, 2004): one step of
    Newton's method, halved until it gains. As log det I falls without end where strengths part, the
    iterations converge whatever the results are.

    Attributes:
        strengths: the logarithms of the strengths, about a mean of 0.
        wins: the results as they are.
        corrected: what each took from each, with Firth's correction.
        chances: how likely the row comes out ahead of the column.
        information: the second derivative of the likelihood, with its sign turned: a graph's Laplacian.
        covariance: its pseudo-inverse.
    """

    def __init__(self, wins: Wins) -> None:
        self.wins = wins
        self.strengths: Floats = np.zeros(len(wins.met))
        self._look()
        while self._climb():
            self._look()

    def _look(self) -> None:
        """What follows from the strengths as they are."""
        wins = self.wins
        self.chances = _chances(self.strengths)
        weights = wins.met * self.chances * self.chances.T
        self.information: Floats = _laplacian(weights)
        # On the constants, of which differences know nothing, a Laplacian is made as large as elsewhere.
        level = _level(self.information)
        inverse = np.linalg.inv(self.information + level).astype(np.float64)
        self.covariance: Floats = inverse - 1 / (level * len(inverse) ** 2)
        diagonal = np.diag(self.covariance)
        apart = diagonal[:, None] + diagonal - 2 * self.covariance
        self.corrected: Floats = wins.taken + wins.dependence * weights * apart / 2

    def _climb(self) -> bool:
        """A step upwards; False where the top is as near as it need be."""
        corrected = self.corrected
        both = (corrected + corrected.T) * self.chances
        slope = corrected.sum(axis=1) - both.sum(axis=1)
        curvature = _laplacian(both * self.chances.T)
        step: Floats = np.linalg.solve(curvature + _level(curvature), slope)
        if np.abs(step).max() < _EXACT:
            return False
        before, gain = _log_likelihood(corrected, self.strengths), float(slope @ step)
        while gain > _ROUNDING * abs(before):
            strengths = self.strengths + step
            if _log_likelihood(corrected, strengths) - before >= _LEAST_GAIN * gain:
                self.strengths = strengths - strengths.mean()
                return True
            step, gain = step / 2, gain / 2
        return False


def _chances(strengths: Floats) -> Floats:
    apart = strengths - strengths[:, None]
    chances: Floats = 1 / (1 + np.exp(np.clip(apart, -_FARTHEST, _FARTHEST)))
    return chances


def _log_likelihood(taken: Floats, strengths: Floats) -> float:
    lost = np.logaddexp(0, strengths - strengths[:, None])
    return -float((taken * lost).sum())


def _laplacian(weights: Floats) -> Floats:
    laplacian: Floats = np.diag(weights.sum(axis=1)) - weights
    return laplacian


def _level(laplacian: Floats) -> float:
    """What each cell of a Laplacian is raised by to have an inverse."""
    return max(float(np.trace(laplacian)), _TINY) / len(laplacian) ** 2


def connected(linked: NDArray[np.bool_]) -> Iterator[Integers]:
    """The sets of those whom any chain of links connects, in the order of their first members."""
    left = np.ones(len(linked), dtype=np.bool_)
    while left.any():
        found = reached(linked, int(np.flatnonzero(left)[0]))
        left &= ~found
        yield np.flatnonzero(found)


def reached(linked: NDArray[np.bool_], start: int) -> NDArray[np.bool_]:
    """Whom a chain of links leads to from `start`, itself included."""
    found = np.zeros(len(linked), dtype=np.bool_)
    found[start] = True
    last = found
    while last.any():
        last = linked[last].any(axis=0) & ~found
        found = found | last
    return found
