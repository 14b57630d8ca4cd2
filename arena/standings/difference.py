"""The difference of two entrants' ratings, from the fit that gives all ratings.

Its interval is narrower than the intervals of both ratings suggest: what moves both ratings together does not
move their difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from arena.standings.bradley_terry import Spread, reached
from arena.standings.rating import OUTSIDE, SCALE, islands
from arena.standings.student import quantile
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Difference


def difference(groups: Mapping[DuplicateGroup, int], one: int, other: int) -> Difference | None:
    """How much higher the rating of `one` is than that of `other`.

    None if the results do not bound it: games do not connect the two, or one of them only won or only lost.

    Args:
        groups: the number of duplicate groups of each kind, as for `ratings`.
        one, other: two different entrants.
    """
    for fit, tables, members in islands(groups):
        if one not in members or other not in members:
            continue
        first, second = members.index(one), members.index(other)
        beats = fit.wins.beats
        if not (reached(beats, first)[second] and reached(beats, second)[first]):
            return None
        apart = np.zeros(len(fit.strengths))
        apart[first], apart[second] = 1, -1
        toward = fit.covariance @ apart
        variance = Spread(fit, tables).variance([toward[each.entrants] for each in tables])
        # As for a rating's interval: the prior has the model's variance.
        value = variance.value + max(float(apart @ toward) - variance.known, 0.0)
        reach = SCALE * quantile(OUTSIDE, round(variance.freedom, 2)) * sqrt(value)
        middle = SCALE * float(fit.strengths[first] - fit.strengths[second])
        return Difference(middle, middle - reach, middle + reach)
    return None
