"""Ratings and scores of ladders: the mean and the intervals of random strengths."""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from arena.standings.tally import DuplicateGroup
from tests.examples import examples, tried
from tests.standings.ladder_season import Kind, groups_of, look, season

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
    if abs(ratio - log(2 * bots / ERROR)) > 1e-6:
        assert (low < asked < high) == (ratio < log(2 * bots / ERROR))
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


@pytest.mark.parametrize("same", [0.0, 0.5])
def test_nothing_that_a_ladder_says_is_wrong_at_any_moment_of_a_season(same):
    """Of the intervals for fixed schedules 21 and 30 of 100 miss after 50 and 200 rounds (40 bots)."""
    chance = np.random.default_rng([46, int(same * 10)])
    seasons, wrong, slopes = tried(8, 200), 0, []
    for _ in range(seasons):
        true, boards = season(Kind(bots=12, same=same, rounds=100), chance)
        looks = [look(true, [each for each in boards if each.round < until]) for until in range(20, 101, 20)]
        wrong += bool(np.any(looks))
        fit = AdaptiveFit(groups_of(boards))
        slopes.append(np.polyfit(fit.strengths, true[0, fit.entrants], 1)[0])
    assert wrong <= max(1, 0.05 * seasons)
    assert abs(np.mean(slopes) - 1) < 0.05 + 0.8 / sqrt(seasons)
