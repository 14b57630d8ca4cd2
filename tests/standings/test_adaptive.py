"""Ratings and scores of ladders: the mean and the intervals of random strengths."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.ladder_pairing import WINDOW, Bot, Pair, Planner
from arena.results import MatchResult
from arena.standings.adaptive import (
    ERROR,
    WIDTH,
    WIDTH_BOTS,
    WORTH,
    WORTH_BOARDS,
    AdaptiveFit,
    FieldScore,
    field_share,
    places,
    season_interval,
)
from arena.standings.rating import MEAN, SCALE
from arena.standings.tally import DuplicateGroup
from tests.examples import examples, tried

pairs = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1])
games = st.dictionaries(
    st.builds(lambda pair, halves: DuplicateGroup(pair, (halves,)), pairs, st.integers(0, 4)),
    st.integers(1, 20),
    min_size=1,
    max_size=12,
)


@examples(40)
@given(games)
def test_strengths_are_at_the_top_of_the_posterior_and_the_covariance_is_its_curvature(groups):
    fit = AdaptiveFit(groups)
    at = {entrant: number for number, entrant in enumerate(fit.entrants)}
    told = np.eye(len(at)) / fit.width**2
    slope = -fit.strengths / fit.width**2
    for (table, (halves,)), count in groups.items():
        one, other = at[table[0]], at[table[1]]
        chance = 1 / (1 + exp(fit.strengths[other] - fit.strengths[one]))
        apart = np.zeros(len(at))
        apart[one], apart[other] = 1, -1
        slope += fit.worth * count * (halves / 4 - chance) * apart
        told += fit.worth * count * chance * (1 - chance) * np.outer(apart, apart)
    assert slope == pytest.approx(np.zeros(len(at)), abs=1e-3)
    assert fit.covariance == pytest.approx(np.linalg.inv(told), abs=1e-4)
    own = np.diag(fit.covariance)
    assert fit.width**2 == pytest.approx(
        (WIDTH_BOTS * WIDTH**2 + (fit.strengths**2 + own).sum()) / (WIDTH_BOTS + len(at)), rel=1e-3
    )
    by_chance, missed = WORTH_BOARDS / 4, WORTH_BOARDS / 4 / WORTH
    for (table, (halves,)), count in groups.items():
        one, other = at[table[0]], at[table[1]]
        chance = 1 / (1 + exp(fit.strengths[other] - fit.strengths[one]))
        unsure = (chance * (1 - chance)) ** 2 * (own[one] + own[other] - 2 * fit.covariance[one, other])
        by_chance += count * (chance * (1 - chance) - unsure)
        missed += count * ((halves / 4 - chance) ** 2 + unsure)
    assert fit.worth == pytest.approx(by_chance / missed, rel=1e-3)


@examples(30)
@given(games, st.permutations(range(6)))
def test_names_and_order_have_no_influence(groups, names):
    fit = AdaptiveFit(groups)
    renamed = {
        DuplicateGroup(
            tuple(names[each] for each in table)
            if names[table[0]] < names[table[1]]
            else (names[table[1]], names[table[0]]),
            halves if names[table[0]] < names[table[1]] else (4 - halves[0],),
        ): count
        for (table, halves), count in reversed(groups.items())
    }
    other = AdaptiveFit(renamed).ratings()
    for entrant, line in fit.ratings().items():
        same = other[names[entrant]]
        assert (same.rating, same.low, same.high) == pytest.approx(
            (line.rating, line.low, line.high), abs=0.1
        )


@examples(30)
@given(games)
def test_the_score_against_the_field_is_the_mean_of_the_chances_with_the_variance_of_the_delta_method(groups):
    fit = AdaptiveFit(groups)
    field = {0, 2, 3, 5}
    found = fit.against_field(field)
    for at, entrant in enumerate(fit.entrants):
        others = [number for number, other in enumerate(fit.entrants) if other in field and other != entrant]
        assert (entrant in found) == bool(others)
        if not others:
            continue
        chances = 1 / (1 + np.exp(fit.strengths[others] - fit.strengths[at]))
        slopes = np.zeros(len(fit.entrants))
        slopes[others] = -chances * (1 - chances) / len(others)
        slopes[at] = -slopes.sum()
        assert found[entrant] == pytest.approx(
            (
                chances.mean(),
                slopes @ fit.strengths,
                slopes @ fit.covariance @ slopes,
                fit.width**2 * slopes @ slopes,
            )
        )


@given(st.floats(-3, 3), st.floats(0.001, 0.5), st.floats(0.6, 4), st.integers(1, 1000), st.floats(-6, 6))
def test_an_interval_has_the_values_at_which_the_ratio_of_the_densities_is_small(
    value, variance, prior, bots, asked
):
    low, high = season_interval(value, variance, prior, bots)
    ratio = log(sqrt(variance / prior)) + (asked - value) ** 2 / variance / 2 - asked**2 / prior / 2
    if abs(ratio - log(bots / ERROR)) > 1e-6:
        assert (low < asked < high) == (ratio < log(bots / ERROR))
    assert low < value < high


def test_without_results_anything_is_possible():
    assert season_interval(0.0, 1.0, 1.0, 4) == (-inf, inf)
    assert field_share([FieldScore(0.5, 0.0, 1.0, 1.0)], 4) == pytest.approx((0.5, 0.0, 1.0))
    assert AdaptiveFit({}).ratings() == {}


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), min_size=1, max_size=8), st.data())
def test_places_hold_whatever_the_scores_in_the_intervals_are(ends, data):
    scores = [data.draw(st.floats(low, high)) for low, high in ends]
    for score, (best, last) in zip(scores, places([(low, high) for low, high in ends]), strict=True):
        above, level = sum(each > score for each in scores), scores.count(score)
        assert best <= above + level
        assert above + 1 <= last


def season(chance, bots: int, rounds: int, spread: float, same: float):
    """The true strengths of a ladder's bots, and its boards: the round, both bots, and the halves.

    Both games of a board have the same winner with a probability of `same`, beyond chance.
    """
    true = chance.normal(0, spread, bots)
    planner = Planner([Bot(number, "", None, 0, None) for number in range(bots)])
    to_use: dict[int, list[tuple[Pair, MatchResult]]] = {}
    boards = []
    for number in range(rounds):
        for pair, result in to_use.pop(number, []):
            planner.use(pair, result)
        for pair in planner.plan(number):
            drawn = chance.random(2)
            if chance.random() < same:
                drawn[1] = drawn[0]
            won = int((drawn < 1 / (1 + exp(true[pair.other] - true[pair.one]))).sum())
            scores = Fraction(won, 2), 1 - Fraction(won, 2)
            to_use.setdefault(number + WINDOW, []).append((pair, MatchResult((pair.one, pair.other), scores)))
            boards.append((number, pair.one, pair.other, 2 * won))
    return true, boards


def groups_of(boards, until: int) -> Counter[DuplicateGroup]:
    return Counter(
        DuplicateGroup((one, other), (halves,)) for number, one, other, halves in boards if number < until
    )


@pytest.mark.parametrize("same", [0.0, 0.5])
def test_no_interval_and_no_place_of_a_season_is_wrong_whenever_one_looks(same):
    """Of the intervals for fixed schedules 21 and 30 of 100 miss after 50 and 200 rounds (40 bots)."""
    chance = np.random.default_rng([46, int(same * 10)])
    seasons, wrong, slopes = tried(8, 200), 0, []
    for _ in range(seasons):
        true, boards = season(chance, 12, 100, 0.8, same)
        missed = False
        for until in range(20, 101, 20):
            fit = AdaptiveFit(groups_of(boards, until))
            lines = fit.ratings()
            level = true[[fit.entrants[each] for each in fit.anchors]].mean()
            for entrant, line in lines.items():
                assert line.low is not None
                assert line.high is not None
                missed |= not line.low <= MEAN + SCALE * (true[entrant] - level) <= line.high
            chances = 1 / (1 + np.exp(true[fit.entrants] - true[:, None]))
            order = sorted(fit.entrants, key=lambda each: -true[each])
            ends = []
            for entrant, score in fit.against_field(range(12)).items():
                _, low, high = field_share([score], 12)
                assert low is not None
                assert high is not None
                ends.append((low, high))
                held = low <= (chances[entrant].sum() - 0.5) / (len(order) - 1) <= high
                missed |= not held
            for entrant, (best, last) in zip(fit.entrants, places(ends), strict=True):
                missed |= not best <= order.index(entrant) + 1 <= last
        wrong += missed
        slopes.append(np.polyfit(fit.strengths, true, 1)[0])
    assert wrong <= max(1, 0.05 * seasons)
    assert abs(np.mean(slopes) - 1) < 0.05 + 0.8 / sqrt(seasons)
