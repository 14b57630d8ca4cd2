"""Cycles: three entrants of whom each beats the next, by more than chance explains.

A rating is one number and cannot show them. Each of the three results is tested
by itself, with Student's t on the shares of whole duplicate groups (their
variance averaged with that of games at which either side is as likely to win,
as in `spread`); a cycle is told where all three are beyond chance at SURE, shared out
among all the cycles that there could be (Bonferroni). That all three must be is
more than is needed, so false alarms are rarer than SURE says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arena.standings.bradley_terry import Floats, Tables, tables_of
from arena.standings.spread import PRIOR_FREEDOM, PRIOR_SHARE
from arena.standings.tally import Group
from arena.standings.values import Cycle
from arena.student import quantile

SURE = 0.05


def cycles(groups: Mapping[Group, int]) -> tuple[Cycle, ...]:
    """The cycles in the results, the clearest first; of those through one result the clearest only."""
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


def _encounters(tables: Sequence[Tables], size: int) -> tuple[Floats, Floats]:
    """The row's share of its encounters with the column, and how far beyond chance it is: above 1 it is."""
    count, total, squares, by_chance = np.zeros((4, size * size))
    for each in tables:
        for column, (one, other) in enumerate(each.pairs):
            share = each.halves[:, column] / (2 * each.seats)
            for first, second, taken in ((one, other, share), (other, one, 1 - share)):
                cells = each.entrants[:, first] * size + each.entrants[:, second]
                count += np.bincount(cells, each.counts, size * size)
                total += np.bincount(cells, each.counts * taken, size * size)
                squares += np.bincount(cells, each.counts * taken**2, size * size)
                by_chance += np.bincount(cells, each.counts / (4 * each.seats), size * size)
    met = np.maximum(count, 1)
    scores = total / met
    freedom = PRIOR_FREEDOM + met - 1
    within = np.maximum(squares - met * scores**2, 0)
    variance = (PRIOR_FREEDOM * PRIOR_SHARE * by_chance / met + within) / freedom / met
    pairs = (count > 0).reshape(size, size).astype(np.float64)
    triples = float(np.einsum("ij,ij->", pairs @ pairs, pairs)) / 6
    if triples < 0.5:
        return scores.reshape(size, size), np.zeros((size, size))
    limits = {each: quantile(SURE / (2 * triples), each) for each in np.unique(freedom).tolist()}
    limit = np.vectorize(limits.__getitem__, otypes=[np.float64])(freedom)
    ahead = np.where(count > 0, scores - 0.5, 0.0)
    clear = np.maximum(ahead, 0) / (np.sqrt(np.maximum(variance, 1e-300)) * limit)
    return scores.reshape(size, size), clear.reshape(size, size)
