"""Intervals and tests keep their promised probabilities in simulated leagues.

`docs/design-notes.md` has the figures of 500 leagues of each kind.
"""

from math import sqrt

import numpy as np
import pytest

from arena.standings.company import ALARM, company
from arena.standings.cycles import SURE, cycles, nash_averages
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
    of_ratings, of_scores = covered(kind, luck, tried(40, 2_000) if "16" in kind else tried(16, 800))
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


@pytest.mark.parametrize("luck", [0, LUCK])
@pytest.mark.parametrize(("entrants", "boards", "drawn"), [(3, 20, 60), (6, 20, 0), (6, 20, 60), (8, 5, 150)])
def test_fields_without_cycles_show_none(entrants, boards, drawn, luck):
    chance = np.random.default_rng(3)
    schedule = round_robin(entrants, cycles=boards)
    fields = (chance.normal(0, drawn, entrants) for _ in range(1000))
    assert sum(bool(cycles(play(schedule, field, luck, chance))) for field in fields) <= 10


CIRCLE = {(1, 0): 200.0, (2, 1): 200.0, (0, 2): 200.0}
"""Each of three is 200 points better than the next."""


def test_two_clear_results_of_three_are_a_cycle_as_rarely_as_promised():
    """The third result is level: chance alone may close the circle."""
    chance, schedule = np.random.default_rng(5), round_robin(3, cycles=20)
    two = {pair: 2 * more for pair, more in CIRCLE.items() if pair != (0, 2)}
    alarms = sum(bool(cycles(play(schedule, [0] * 3, LUCK, chance, two))) for _ in range(1000))
    assert alarms <= 1000 * SURE


def test_a_strong_cycle_is_named():
    chance, schedule = np.random.default_rng(6), round_robin(6, cycles=40)
    rated = [0, 0, 0, -60, -100, -140]
    named = [cycles(play(schedule, rated, LUCK, chance, CIRCLE)) for _ in range(200)]
    assert sum(any(cycle.entrants == (0, 1, 2) for cycle in found) for found in named) >= 180


def test_the_nash_average_is_near_the_true_one():
    chance, schedule = np.random.default_rng(7), round_robin(6, cycles=40)
    rated = [0, 0, 0, -60, -100, -140]
    true = (0.5, 0.5, 0.5, 0.415, 0.360, 0.309)
    scores = []
    for _ in range(100):
        groups = play(schedule, rated, LUCK, chance, CIRCLE)
        if found := cycles(groups):
            averages = nash_averages(groups, found)
            scores.append([averages[entrant].score for entrant in range(6)])
    assert np.sqrt(((np.array(scores) - true) ** 2).mean(axis=0)).max() < 0.04
    assert np.mean(scores, axis=0) == pytest.approx(true, abs=0.015)
