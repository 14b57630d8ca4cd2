"""Ratings and scores of ladders: the mean and the intervals of random strengths."""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.adaptive import (
    ABILITY,
    ERROR,
    STRENGTH,
    WIDTH_BOTS,
    WORTH,
    WORTH_BOARDS,
    AdaptiveFit,
    season_interval,
)
from arena.standings.rating import MEAN, SCALE
from arena.standings.tally import DuplicateGroup
from tests.examples import examples, tried
from tests.standings.ladder_season import Kind, groups_of, look, season

pairs = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1])
boards = st.dictionaries(
    st.builds(lambda pair, halves: DuplicateGroup(pair, (halves,)), pairs, st.integers(0, 4)),
    st.integers(1, 20),
    min_size=1,
    max_size=12,
)
results = st.lists(boards, min_size=1, max_size=3).map(lambda each: dict(zip("abc", each, strict=False)))


class Whole:
    """The posterior of a fit, by whole matrices: abilities first, and then the strengths in each game."""

    def __init__(self, fit, groups):
        self.size, self.kinds = len(fit.entrants), len(groups)
        several = self.kinds > 1
        count = self.size * (self.kinds + several)
        at = {entrant: number for number, entrant in enumerate(fit.entrants)}
        self.strengths = {game: (row + several) * self.size for row, game in enumerate(groups)}
        values = np.zeros(count)
        for row, start in enumerate(self.strengths.values()):
            values[start : start + self.size] = fit.strengths[row]
        told, slope = np.zeros((count, count)), np.zeros(count)
        prior = np.zeros((count, count))
        for number in range(self.size):
            prior[number, number] += fit.ability**-2
            for start in self.strengths.values() if several else ():
                apart = np.zeros(count)
                apart[number], apart[start + number] = 1, -1
                prior += np.outer(apart, apart) / fit.strength**2
        if several:  # the abilities at the top, given the strengths
            rest = np.arange(self.size, count)
            values[: self.size] = -np.linalg.solve(
                prior[: self.size, : self.size], prior[: self.size, rest] @ values[rest]
            )
        self.blurred = []
        self.boards = []
        for worth, (game, each) in zip(fit.worth, groups.items(), strict=True):
            for (table, (halves,)), number in each.items():
                apart = np.zeros(count)
                apart[self.strengths[game] + at[table[0]]], apart[self.strengths[game] + at[table[1]]] = 1, -1
                chance = 1 / (1 + exp(-apart @ values))
                slope += worth * number * (halves / 4 - chance) * apart
                told += worth * number * chance * (1 - chance) * np.outer(apart, apart)
                self.boards.append((game, apart, chance, halves / 4, number))
        self.slope = slope - prior @ values
        self.values, self.prior, self.covariance = values, np.linalg.inv(prior), np.linalg.inv(told + prior)


@examples(40)
@given(results)
def test_a_fit_is_at_the_top_of_the_posterior_with_the_widths_and_worths_of_greatest_likelihood(groups):
    fit = AdaptiveFit(groups)
    whole = Whole(fit, groups)
    assert whole.slope == pytest.approx(np.zeros(len(whole.slope)), abs=1e-3)
    size, unsure = whole.size, np.diag(whole.covariance)
    squares = (whole.values**2 + unsure)[:size].sum()
    assert fit.ability**2 == pytest.approx(
        (WIDTH_BOTS * ABILITY**2 + squares) / (WIDTH_BOTS + size), rel=1e-3
    )
    if whole.kinds > 1:
        squares = 0.0
        for start in whole.strengths.values():
            for number in range(size):
                apart = np.zeros(len(unsure))
                apart[number], apart[start + number] = 1, -1
                squares += (apart @ whole.values) ** 2 + apart @ whole.covariance @ apart
        assert fit.strength**2 == pytest.approx(
            (WIDTH_BOTS * STRENGTH**2 + squares) / (WIDTH_BOTS + whole.kinds * size), rel=1e-3
        )
    for game, worth in zip(fit.games, fit.worth, strict=True):
        by_chance, missed = WORTH_BOARDS / 4, WORTH_BOARDS / 4 / WORTH
        for _, apart, chance, score, count in (each for each in whole.boards if each[0] == game):
            blurred = (chance * (1 - chance)) ** 2 * (apart @ whole.covariance @ apart)
            by_chance += count * (chance * (1 - chance) - blurred)
            missed += count * ((score - chance) ** 2 + blurred)
        assert worth == pytest.approx(by_chance / missed, rel=1e-3)


@examples(40)
@given(results, st.sets(st.integers(0, 5), min_size=1))
def test_ratings_and_scores_have_the_intervals_of_their_densities(groups, field):
    fit = AdaptiveFit(groups)
    whole = Whole(fit, groups)
    size, inside = whole.size, [number for number, each in enumerate(fit.entrants) if each in field]
    for game in (None, *groups):
        starts = [*whole.strengths.values()] if game is None else [whole.strengths[game]]
        ratings, shares, anchors = fit.ratings(game), fit.shares(field, game), fit.anchors(game)
        for number, entrant in enumerate(fit.entrants):
            slopes = np.zeros(len(whole.values))
            scores, of_score = [], np.zeros(len(whole.values))
            others = [other for other in inside if other != number]
            for start in starts:
                slopes[start + number] += 1 / len(starts)
                slopes[start + anchors] -= 1 / len(starts) / len(anchors)
                own = whole.values[start : start + size]
                chances = 1 / (1 + np.exp(own[others] - own[number]))
                scores.append(chances.mean() if others else 0)
                steps = chances * (1 - chances) / max(len(others), 1) / len(starts)
                of_score[[start + other for other in others]] -= steps
                of_score[start + number] += steps.sum()
            if entrant in ratings:
                low, high = ends(whole, slopes, size)
                line = ratings[entrant]
                assert (line.rating, line.low, line.high) == pytest.approx(
                    (MEAN + SCALE * slopes @ whole.values, MEAN + SCALE * low, MEAN + SCALE * high), rel=1e-3
                )
            assert (entrant in shares) == bool(others)
            if others:
                score, value = np.mean(scores), of_score @ whole.values
                logits = log(score / (1 - score)) + (np.array(ends(whole, of_score, size)) - value) / (
                    score * (1 - score)
                )
                assert shares[entrant] == pytest.approx((score, *1 / (1 + np.exp(-logits))), abs=1e-3)


def ends(whole, slopes, bots):
    variance, prior = slopes @ whole.covariance @ slopes, slopes @ whole.prior @ slopes
    return season_interval(slopes @ whole.values, variance, prior, bots) if prior else (0.0, 0.0)


@examples(30)
@given(boards, st.permutations(range(6)))
def test_names_and_order_have_no_influence(groups, names):
    lines = AdaptiveFit({"": groups}).ratings()
    renamed = {}
    for (table, halves), count in reversed(groups.items()):
        one, other = (names[each] for each in table)
        renamed[
            DuplicateGroup((one, other), halves)
            if one < other
            else DuplicateGroup((other, one), (4 - halves[0],))
        ] = count
    other = AdaptiveFit({"": renamed}).ratings()
    for entrant, line in lines.items():
        same = other[names[entrant]]
        assert (same.rating, same.low, same.high) == pytest.approx(
            (line.rating, line.low, line.high), abs=0.1
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
    nothing = AdaptiveFit({"a": {}, "b": {}})
    assert not nothing.ratings()
    assert not nothing.shares([0, 1])


@pytest.mark.parametrize(("same", "games"), [(0.0, 1), (0.5, 1), (0.0, 3)])
def test_nothing_that_a_ladder_says_is_wrong_at_any_moment_of_a_season(same, games):
    """Of the intervals for fixed schedules 22 and 30 of 100 miss after 50 and 200 rounds (40 bots)."""
    chance = np.random.default_rng([46, int(same * 10), games])
    seasons, wrong, slopes = tried(8, 200), 0, []
    for _ in range(seasons):
        true, boards = season(Kind(bots=12, same=same, games=games, rounds=100 // games), chance)
        looks = [
            look(true, [each for each in boards if each.round < until])
            for until in range(20 // games, 100 // games + 1, 20 // games)
        ]
        wrong += bool(np.any(looks))
        fit = AdaptiveFit({"": groups_of(boards)})
        slopes.append(np.polyfit(fit.strengths[0], true[0, fit.entrants], 1)[0])
    assert wrong <= max(1, 0.05 * seasons)
    assert abs(np.mean(slopes) - 1) < 0.05 + 0.8 / sqrt(seasons)
