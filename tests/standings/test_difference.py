"""The difference of two ratings: it is that of the ratings, and its interval covers."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arena.standings.difference import difference
from arena.standings.rating import ratings
from arena.standings.tally import DuplicateGroup

LEAGUES = 300


def two(one, other, halves, count=1):
    return Counter({DuplicateGroup((one, other), (halves,)): count})


def test_it_is_the_difference_of_the_ratings_whichever_way():
    groups = two(0, 2, 3, 40) + two(0, 2, 1, 20) + two(1, 2, 2, 30) + two(1, 2, 0, 9) + two(1, 2, 4, 4)
    one, other, _ = ratings(groups, range(3))
    known, reverse = difference(groups, 0, 1), difference(groups, 1, 0)
    assert known
    assert reverse
    assert one.rating is not None
    assert other.rating is not None
    assert known.value == pytest.approx(one.rating - other.rating)
    assert known.low < known.value < known.high
    assert reverse == pytest.approx((-known.value, -known.high, -known.low))


def test_what_the_results_do_not_bound_has_no_difference():
    apart = two(0, 1, 2, 10) + two(2, 3, 2, 10)
    assert difference(apart, 0, 2) is None  # no game connects them
    assert difference(apart, 0, 9) is None  # it has not played
    assert difference(two(0, 1, 4, 10) + two(1, 2, 2, 10), 0, 1) is None  # it won everything


@pytest.mark.parametrize("true", [0.0, 80.0])
def test_the_interval_covers(true):
    """Two versions, each against ten opponents of its own strength and weaker: 95 of 100 intervals hold."""
    random = Random(f"{true}")
    inside = 0
    for _ in range(LEAGUES):
        strengths = [true, 0.0, *(random.gauss(0, 100) for _ in range(10))]
        groups = Counter[DuplicateGroup]()
        for version in (0, 1):
            for opponent in range(2, 12):
                chance = 1 / (1 + 10 ** ((strengths[opponent] - strengths[version]) / 400))
                for _ in range(10):
                    halves = 2 * sum(random.random() < chance for _ in range(2))
                    groups[DuplicateGroup((version, opponent), (halves,))] += 1
        known = difference(groups, 0, 1)
        assert known
        inside += known.low <= true <= known.high
    # 95 %, but for four standard deviations.
    assert abs(inside / LEAGUES - 0.95) < 4 * (0.95 * 0.05 / LEAGUES) ** 0.5, inside
