"""Intervals and tests keep their promised probabilities in simulated leagues.

`docs/ratings.md` has the figures of 500 leagues of each kind.
"""

from math import sqrt

import numpy as np
import pytest

from arena.standings.company import ALARM, company
from arena.standings.rating import cycles
from tests.examples import tried
from tests.standings.measure import FIELDS, covered, covered_at_level_boards, honest
from tests.standings.simulated import KINDS, play, round_robin, swaps

LUCK = 0.3
OFF = 0.015  # from 95 %
LEAST = 0.93


def near(held):
    """Whether leagues are covered to 95 % on average, within OFF and three standard errors of so many."""
    shares = held.mean(axis=1)
    error = float(np.std(shares)) / sqrt(len(shares))
    return abs(float(np.mean(shares)) - 0.95) < OFF + 3 * error


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.startswith("Swiss")])
def test_intervals_cover(kind):
    of_ratings, of_scores = covered(kind, LUCK, 400 if kind.startswith("2") else 150)
    assert near(of_ratings)
    assert near(of_scores)


@pytest.mark.parametrize("luck", [0, LUCK])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("Swiss")])
def test_intervals_of_a_swiss_cover(kind, luck):
    """They include those of two fits. Pairing takes long, so there are few leagues; `measure` has more."""
    of_ratings, of_scores = covered(kind, luck, tried(100 if "16" in kind else 40))
    assert np.mean(of_ratings) > LEAST
    assert np.mean(of_scores) > LEAST


@pytest.mark.parametrize("boards", [10, 20, 40])
@pytest.mark.parametrize("halves", [3, 4])
def test_intervals_cover_where_most_boards_are_level(boards, halves):
    for chances, of_both in covered_at_level_boards(boards, halves):
        assert min(of_both) > LEAST, (chances, of_both)


@pytest.mark.parametrize("field", [*FIELDS])
def test_honest_bots_raise_few_alarms(field):
    count = tried(100)
    alarms = sum(bool(company({"a": groups}).suspicious) for groups in honest(field, count))
    assert alarms <= count * ALARM + 3 * sqrt(count * ALARM)


@pytest.mark.parametrize(("cycles", "least"), [(4, 0.85), (10, 0.95)])
def test_who_swaps_places_is_found(cycles, least):
    schedule, count = round_robin(8, 4, cycles), tried(60)
    chance = np.random.default_rng(5)
    shown = [
        [(pair.entrant, pair.other) for pair in company({"a": groups}).suspicious]
        for groups in (play(schedule, [0] * 8, LUCK, chance, change=swaps(0, 1, 1)) for _ in range(count))
    ]
    assert sum((1, 0) in pairs for pairs in shown) >= least * count - 3 * sqrt(least * (1 - least) * count)


def test_who_is_helped_is_found_as_often_as_the_report_says():
    """At equal strengths 130 points more are about the gap that would be found in four of five leagues."""
    schedule, count = round_robin(8, 4, 10), 60
    chance = np.random.default_rng(2)
    found, gaps, detectable = 0, [], []
    for _ in range(count):
        report = company({"a": play(schedule, [0] * 8, LUCK, chance, {(3, 5): 130})})
        pair = next(each for each in report.pairs if (each.entrant, each.other) == (5, 3))
        found += pair.suspicious
        gaps.append(pair.score - pair.expected)
        detectable.append(pair.detectable)
    assert np.mean(gaps) == pytest.approx(np.mean(detectable), abs=0.02)
    assert 0.6 < found / count < 0.95


def test_fields_without_cycles_show_none():
    chance = np.random.default_rng(3)
    schedule = round_robin(6, cycles=20)
    alarms = sum(bool(cycles(play(schedule, chance.normal(0, 60, 6), LUCK, chance))) for _ in range(150))
    assert alarms <= 7
