"""Ratings: one number a bot for how strong it is, with how sure that is.

The model is Bradley and Terry's: of two entrants with strengths a and b, the
first comes out ahead with probability a/(a+b) (R. A. Bradley, M. E. Terry,
"Rank analysis of incomplete block designs", Biometrika 39, 1952). A game of n
seats counts as its n(n-1)/2 ordered pairs, each with weight 1/(n-1), so that
every seat weighs one; a tie is half a win for either. All games are fitted at
once, so their order does not matter, by iterative spectral ranking (L.
Maystre, M. Grossglauser, "Fast and accurate inference of Plackett-Luce
models", Advances in Neural Information Processing Systems 28, 2015), which
finds the strengths of greatest likelihood (D. R. Hunter, "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32, 2004, says when
they exist). ALPHA, a very small chance of every result, draws strengths
together where they would not be finite: for an entrant that won all its games,
and between entrants that no chain of games connects.

The interval is a bootstrap (B. Efron, "Bootstrap methods: another look at the
jackknife", Annals of Statistics 7, 1979): duplicate groups are drawn anew
with replacement, always whole since the games on one board depend on each
other, and the ratings fitted again. Its ends are the 2.5% and 97.5% points of
those. The draws are seeded: the same results have the same intervals. A few
groups, or groups that all came out alike, say little about chance: intervals
from them are too narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from arena.standings.tally import Group
from arena.standings.values import Rating

ALPHA = 0.05
MEAN = 1500.0
SCALE = 400 / log(10)
RESAMPLES = 200
SEED = 1952
_TAILS = (2.5, 97.5)
_MAX_ITERATIONS = 10_000
_TOLERANCE = 1e-6  # of a logarithm

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def ratings(
    groups: Mapping[Group, int],
    entrants: Sequence[int],
    *,
    bootstrap: bool = True,
    resamples: int = RESAMPLES,
) -> tuple[Rating, ...]:
    """The rating of each entrant, in their order.

    Args:
        groups: how many duplicate groups there are of each kind: `Tally.groups`
            of a game, or `Tally.all_groups()` for all games pooled.
        entrants: whom to rate; must include all who are in the groups. Those
            who are in none have no rating and do not count for the mean.
        bootstrap: whether to find the intervals. That takes a fit, cubic in the
            entrants, for each resample: a moment for 100 of them, minutes for 300.
        resamples: how often the groups are drawn anew for that.
    """
    played: Counter[int] = Counter()
    for group, count in groups.items():
        for entrant in group.entrants:
            played[entrant] += count
    rated = sorted(played)
    if not rated:
        return tuple(Rating(entrant, 0, None) for entrant in entrants)
    data = _Data(groups, rated)
    wins = data.wins(data.counts)
    strengths = _fit(wins)
    values = dict(zip(rated, _on_scale(strengths).tolist(), strict=True))
    bounded = dict(zip(rated, (wins.sum(axis=0) > 0) & (wins.sum(axis=1) > 0), strict=True))
    low: dict[int, float] = {}
    high: dict[int, float] = {}
    if bootstrap:
        random = np.random.Generator(np.random.PCG64(SEED))
        total = int(data.counts.sum())
        share = data.counts / total
        drawn = [
            _on_scale(_fit(data.wins(random.multinomial(total, share)), strengths)) for _ in range(resamples)
        ]
        ordered = np.sort(drawn, axis=0)
        low, high = (dict(zip(rated, _percentile(ordered, tail).tolist(), strict=True)) for tail in _TAILS)
    lines = []
    for entrant in entrants:
        line = Rating(entrant, played[entrant], values.get(entrant))
        if bootstrap and played[entrant] > 1 and bounded[entrant]:
            line = line._replace(low=low[entrant], high=high[entrant])
        lines.append(line)
    return tuple(lines)


class _Data:
    """The groups as flat arrays: for each kind and ordered pair, the weight of its wins.

    Attributes:
        counts: how many groups there are of each kind.
    """

    def __init__(self, groups: Mapping[Group, int], rated: Sequence[int]) -> None:
        number = {entrant: i for i, entrant in enumerate(rated)}
        kinds: list[int] = []
        cells: list[int] = []
        weights: list[float] = []
        # Sorted, so that the draws do not depend on the order in which the games ended.
        for kind, (entrants, halves) in enumerate(sorted(groups)):
            seats = len(entrants)
            rows = [number[entrant] for entrant in entrants]
            for (one, other), taken in zip(combinations(rows, 2), halves, strict=True):
                kinds += (kind, kind)
                cells += (one * len(rated) + other, other * len(rated) + one)
                weights += (taken / 2 / (seats - 1), (2 * seats - taken) / 2 / (seats - 1))
        self.counts: Integers = np.array([groups[kind] for kind in sorted(groups)], dtype=np.int64)
        self._size = len(rated)
        self._kinds = np.array(kinds)
        self._cells = np.array(cells)
        self._weights = np.array(weights)

    def wins(self, counts: Integers) -> Floats:
        """The matrix of wins of the row over the column, of so many groups of each kind."""
        weights = counts[self._kinds] * self._weights
        wins: Floats = np.bincount(self._cells, weights, self._size**2).astype(np.float64)
        return wins.reshape(self._size, self._size)


def _fit(wins: Floats, start: Floats | None = None) -> Floats:
    """The logarithms of the strengths, about a mean of 0; from `start`, if it is known, it is less far."""
    size = len(wins)
    strengths: Floats = np.zeros(size) if start is None else start
    for _ in range(_MAX_ITERATIONS):
        last = strengths
        strengths = np.log(_stationary(wins, np.exp(last)))
        strengths -= strengths.mean()
        if np.abs(strengths - last).sum() <= _TOLERANCE * size:
            return strengths
    raise ArithmeticError(f"no ratings after {_MAX_ITERATIONS} iterations")


def _stationary(wins: Floats, strengths: Floats) -> Floats:
    """How much of its time someone spends with each entrant who goes on from each to those who beat it.

    At the strengths of greatest likelihood it is in proportion to them.
    """
    strengths = strengths / strengths.mean()
    rates = ALPHA + wins.T / (strengths[:, None] + strengths)
    np.fill_diagonal(rates, 0)
    # Every entrant is left as often as come to. One of these equations follows from the others,
    # and makes room for: the shares are one together.
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[-1] = 1
    together = np.zeros(len(wins))
    together[-1] = 1
    return np.asarray(np.linalg.solve(balance, together), dtype=np.float64)


def _percentile(ordered: Floats, percent: float) -> Floats:
    """What so many of a hundred rows are below, between two rows in proportion.

    (NumPy's own loads a part of it that takes long and is not needed.)
    """
    row, rest = divmod(percent / 100 * (len(ordered) - 1), 1)
    below, above = ordered[int(row)], ordered[min(int(row) + 1, len(ordered) - 1)]
    between: Floats = below + rest * (above - below)
    return between


def _on_scale(strengths: Floats) -> Floats:
    rated: Floats = MEAN + SCALE * (strengths - strengths.mean())
    return rated
