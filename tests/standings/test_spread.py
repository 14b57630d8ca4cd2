"""The precision of a fit: the variance of weighted residuals, against its formulas written out."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from arena.standings.bradley_terry import Spread
from arena.standings.rating import islands
from arena.standings.tally import DuplicateGroup

ENTRANTS = 5


@pytest.mark.parametrize("seats", [2, 3])
def test_the_variance_of_weighted_residuals_is_that_of_the_groups_one_by_one(seats):
    drawn = random.Random(seats)
    groups = Counter(
        DuplicateGroup(
            tuple(drawn.sample(range(ENTRANTS), seats)),
            tuple(drawn.choice((0, 1, 2, 4)) for _ in combinations(range(seats), 2)),
        )
        for _ in range(200)
    )
    ((fit, (tables,), _),) = islands(groups)
    weights = np.array([drawn.uniform(-1, 1) for _ in range(ENTRANTS)])
    told = fitted = squares = fourths = even = concentrated = 0.0
    for group, count in groups.items():
        residuals = dict.fromkeys(group.entrants, 0.0)
        information = np.zeros((ENTRANTS, ENTRANTS))
        for (one, other), halves in zip(combinations(group.entrants, 2), group.halves, strict=True):
            chance = fit.chances[one, other]
            over = (halves / 2 - seats * chance) / (seats - 1)
            residuals[one] += over
            residuals[other] -= over
            apart = np.zeros(ENTRANTS)
            apart[one], apart[other] = 1, -1
            information += seats * chance * (1 - chance) / (seats - 1) * np.outer(apart, apart)
        of_group = float(weights @ information @ weights)
        residual = sum(weights[entrant] * each for entrant, each in residuals.items())
        evenness = min(float(np.trace(information)) / (seats * seats / 4), 1)
        told += count * of_group
        fitted += count * float(weights @ information @ fit.covariance @ information @ weights)
        squares += count * residual**2
        fourths += count * residual**4
        even += count * of_group**2
        concentrated += count * of_group**2 * (1 + max((4 / evenness - 6) / seats, 0) / 2)
    kept = 1 - fitted / told
    freedom = min(told**2 / concentrated * kept, 1 / max(fourths / squares**2 - even / told**2, 1e-100))
    found = Spread(fit, [tables]).variance([weights[tables.entrants]], prior=0)
    assert found == pytest.approx((squares / kept, freedom, told))
