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

from collections.abc import Mapping, Sequence

import numpy as np

from arena.standings.bradley_terry import PRIOR_FREEDOM, PRIOR_SHARE, Fit, Tables, tables_of
from arena.standings.elimination import Floats
from arena.standings.nash import equilibrium
from arena.standings.rating import islands
from arena.standings.student import quantile
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Cycle, NashAverage

SURE = 0.05
"""The largest probability that a league without cycles shows one."""


def cycles(groups: Mapping[DuplicateGroup, int]) -> tuple[Cycle, ...]:
    """The cycles in the results, the clearest first; for each result only its clearest cycle."""
    rated, tables = tables_of(groups)
    if len(rated) < 3:
        return ()
    scores, clear = _encounters(tables, len(rated))
    if not (clear > 1).any():
        return ()
    found: dict[tuple[int, int, int], float] = {}
    for first, second in zip(*np.nonzero(clear > 1), strict=True):
        through = np.minimum(clear[second], clear[:, first])
        third = int(np.argmax(through))
        if through[third] > 1:
            a, b, c = int(first), int(second), third
            cycle = min((a, b, c), (b, c, a), (c, a, b))
            found[cycle] = float(min(through[third], clear[a, b]))
    return tuple(
        Cycle(
            (rated[a], rated[b], rated[c]),
            (float(scores[a, b]), float(scores[b, c]), float(scores[c, a])),
        )
        for a, b, c in sorted(found, key=lambda cycle: (-found[cycle], cycle))
    )


def nash_averages(
    groups: Mapping[DuplicateGroup, int], found: Sequence[Cycle], *, paired_by_score: bool = False
) -> dict[int, NashAverage]:
    """The Nash average of each entrant that chains of games connect with one of the cycles.

    Args:
        groups: the number of duplicate groups of each kind.
        found: the cycles in them.
        paired_by_score: whether some of the games belong to a Swiss (see `means`).
    """
    averages: dict[int, NashAverage] = {}
    for fit, tables, members in islands(groups, intervals=False) if found else ():
        if not any(cycle.entrants[0] in members for cycle in found):
            continue
        size = len(members)
        count, total, _, _ = _sums(tables, size)
        chances = Fit(fit.wins.evened()).chances[:size, :size] if paired_by_score else fit.chances
        margins = np.where(count > 0, total / np.maximum(count, 1), chances) - 0.5
        np.fill_diagonal(margins, 0)
        mix = equilibrium(margins)
        for member, weight, margin in zip(members, mix.tolist(), (margins @ mix).tolist(), strict=True):
            averages[member] = NashAverage(0.5 + margin, weight)
    return averages


def _sums(tables: Sequence[Tables], size: int) -> Floats:
    """Of the row's boards with the column: their number, the sums of its shares and of their squares, and
    the sum of the variances of the shares if all games had even chances."""
    sums = np.zeros((4, size * size))
    count, total, squares, by_chance = sums
    for each in tables:
        for column, (one, other) in enumerate(each.pairs):
            share = each.halves[:, column] / (2 * each.seats)
            for first, second, taken in ((one, other, share), (other, one, 1 - share)):
                cells = each.entrants[:, first] * size + each.entrants[:, second]
                count += np.bincount(cells, each.counts, size * size)
                total += np.bincount(cells, each.counts * taken, size * size)
                squares += np.bincount(cells, each.counts * taken**2, size * size)
                by_chance += np.bincount(cells, each.counts / (4 * each.seats), size * size)
    return sums.reshape(4, size, size)


def _encounters(tables: Sequence[Tables], size: int) -> tuple[Floats, Floats]:
    """The row's share of its encounters with the column, and its significance: beyond chance if above 1."""
    count, total, squares, by_chance = _sums(tables, size)
    met = np.maximum(count, 1)
    scores = total / met
    freedom = PRIOR_FREEDOM + met - 1
    within = np.maximum(squares - met * scores**2, 0)
    variance = (PRIOR_FREEDOM * PRIOR_SHARE * by_chance / met + within) / freedom / met
    pairs = (count > 0).astype(np.float64)
    triples = float(np.einsum("ij,ij->", pairs @ pairs, pairs)) / 6
    if triples < 0.5:
        return scores, np.zeros_like(scores)
    limit, known = np.ones((size, size)), count > 0
    free, where = np.unique(freedom[known], return_inverse=True)
    limit[known] = np.array([quantile(SURE / (2 * triples), each) for each in free.tolist()])[where]
    ahead = np.where(count > 0, scores - 0.5, 0.0)
    clear = np.maximum(ahead, 0) / (np.sqrt(np.maximum(variance, 1e-300)) * limit)
    return scores, clear
