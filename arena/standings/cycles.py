"""Cycles of three bots, and the Nash average, which tells more about them than a rating.

**Cycles** are three entrants of which each beats the next by more than chance explains. A rating is one
number and cannot show them. Each of the three results is tested by itself, with Student's t on the shares of
whole duplicate groups (their variance averaged with that of games with even chances, as in `Spread`). A cycle
is reported if all three are beyond chance at SURE, divided by the number of possible cycles (Bonferroni).
This is stricter than needed, so false alarms are rarer than SURE says.

**The Nash average** (`nash`) is of the entrants that chains of games connect with a cycle. What an entrant
scores against another is the mean over their boards. Of two that never met it is what their ratings predict.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.standings.bradley_terry import (
    PRIOR_FREEDOM,
    PRIOR_SHARE,
    Fit,
    Groups,
    Numbered,
    numbered,
)
from arena.standings.elimination import Floats
from arena.standings.nash import equilibrium
from arena.standings.rating import Fitted, islands
from arena.standings.student import quantile
from arena.standings.values import Cycle, NashAverage

SURE = 0.05
"""The largest probability that a league without cycles shows one."""


def cycles(groups: Groups) -> tuple[Cycle, ...]:
    """The cycles in the results, the clearest first; for each result only its clearest cycle."""
    results = numbered(groups, in_order=False)
    rated, size = results.entrants, len(results.entrants)
    met = _Met(results)
    beyond = met.beyond_chance(size)
    sure = beyond > 1
    if not sure.any():
        return ()
    first, second = (np.where(met.shares > 0.5, *ends)[sure] for ends in (met.ends, met.ends[::-1]))
    clear = np.zeros((size, size))
    clear[first, second] = beyond[sure]
    beats, beaten = np.packbits(clear > 0, axis=1), np.packbits(clear.T > 0, axis=1)
    found: dict[tuple[int, int, int], float] = {}
    for at in np.flatnonzero((beats[second] & beaten[first]).any(axis=1)).tolist():
        a, b = int(first[at]), int(second[at])
        through = np.minimum(clear[b], clear[:, a])
        c = int(np.argmax(through))
        found[min((a, b, c), (b, c, a), (c, a, b))] = float(min(through[c], clear[a, b]))
    scores = met.square(np.zeros((size, size)))
    return tuple(
        Cycle(
            (rated[a], rated[b], rated[c]),
            (float(scores[a, b]), float(scores[b, c]), float(scores[c, a])),
        )
        for a, b, c in sorted(found, key=lambda cycle: (-found[cycle], cycle))
    )


def nash_averages(
    groups: Groups | Fitted, found: Sequence[Cycle], *, paired_by_score: bool = False
) -> dict[int, NashAverage]:
    """The Nash average of each entrant that chains of games connect with one of the cycles.

    Args:
        groups: the results, or what `islands` has found in them.
        found: the cycles in them.
        paired_by_score: whether some of the games belong to a Swiss (see `means`).
    """
    averages: dict[int, NashAverage] = {}
    for fit, tables, members in islands(groups, intervals=False) if found else ():
        if not any(cycle.entrants[0] in members for cycle in found):
            continue
        size = len(members)
        chances = Fit(fit.wins.evened()).chances[:size, :size] if paired_by_score else fit.chances
        margins = _Met(Numbered(members, tables)).square(chances) - 0.5
        np.fill_diagonal(margins, 0)
        mix = equilibrium(margins)
        for member, weight, margin in zip(members, mix.tolist(), (margins @ mix).tolist(), strict=True):
            averages[member] = NashAverage(0.5 + margin, weight)
    return averages


class _Met:
    """The boards of the pairs that met.

    Attributes:
        ends: the two entrants of each pair.
        boards: how many boards the pair has.
        shares: the share of its encounters that the first took.
    """

    def __init__(self, results: Numbered) -> None:
        one, other, sums = results.pairs
        self.ends = one, other
        # The sums of the first's shares, of their squares, and of the variances of the shares if all games
        # had even chances.
        self.boards, total, self._squares, self._by_chance = np.zeros((4, len(one)))
        for each, (boards, halves, squares) in zip(results.tables, sums, strict=True):
            self.boards += boards
            total += halves / (2 * each.seats)
            self._squares += squares / (2 * each.seats) ** 2
            self._by_chance += boards / (4 * each.seats)
        self.shares: Floats = total / self.boards

    def square(self, chances: Floats) -> Floats:
        """The matrix of the shares; where two never met, it has the given `chances`."""
        shares = chances.copy()
        one, other = self.ends
        shares[one, other], shares[other, one] = self.shares, 1 - self.shares
        return shares

    def beyond_chance(self, size: int) -> Floats:
        """The significance of each pair's share: beyond chance if above 1."""
        one, other = self.ends
        linked = np.zeros((size, size), np.bool_)
        linked[one, other] = linked[other, one] = True
        near = np.packbits(linked, axis=1)
        triples = int(np.bitwise_count(near[one] & near[other]).sum(dtype=np.int64)) // 3
        if not triples:
            return np.zeros(len(one))
        freedom = PRIOR_FREEDOM + self.boards - 1
        within = np.maximum(self._squares - self.boards * self.shares**2, 0)
        variance = (
            (PRIOR_FREEDOM * PRIOR_SHARE * self._by_chance / self.boards + within) / freedom / self.boards
        )
        free, where = np.unique(freedom, return_inverse=True)
        limit = np.array([quantile(SURE / (2 * triples), each) for each in free.tolist()])[where]
        beyond: Floats = np.abs(self.shares - 0.5) / (np.sqrt(np.maximum(variance, 1e-300)) * limit)
        return beyond
