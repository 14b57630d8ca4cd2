from collections import Counter
from itertools import combinations, permutations
from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.bradley_terry import numbered, pooled
from arena.standings.cycles import cycles
from arena.standings.rating import Mean, islands, means, ratings, share
from arena.standings.tally import DuplicateGroup
from tests.examples import examples
from tests.standings.games import beats


def two(one, other, halves, count=1):
    """Two-seat groups, of two games, in which `one` took so many halves."""
    return {DuplicateGroup((one, other), (halves,)): count}


def test_the_scale():
    # Three wins of four: odds of 3 to 1, but for a correction that so many games make small.
    one, other = ratings(two(8, 9, 3, 10_000), (8, 9), intervals=False)
    assert one.rating is not None
    assert other.rating is not None
    assert one.rating - other.rating == pytest.approx(400 * log10(3), abs=0.1)
    assert one.rating + other.rating == pytest.approx(3000)
    assert (one.groups, one.low, one.high) == (10_000, None, None)


def test_a_table_of_four_weighs_a_seat_as_much_as_a_table_of_two():
    # Everybody took three of four halves from all below: six pairs, each with a third of the weight.
    four = {DuplicateGroup((0, 1, 2, 3), (6, 6, 6, 6, 6, 6)): 10_000 * 2 * 3}
    pairs = Counter({DuplicateGroup((a, b), (3,)): 10_000 * 4 for a in range(4) for b in range(a + 1, 4)})
    for one, other in zip(
        ratings(four, range(4), intervals=False), ratings(pairs, range(4), intervals=False), strict=True
    ):
        assert one.rating == pytest.approx(other.rating, abs=0.1)


@examples(50)
@given(st.lists(st.integers(1, 9), min_size=12, max_size=12))
def test_who_is_rated_so_had_to_expect_what_came(wins):
    """As many wins as the strengths say, for each: so it is at those of greatest likelihood."""
    pairs = list(permutations(range(4), 2))
    groups = Counter(
        {DuplicateGroup(pair, (4,)): 10_000 * count for pair, count in zip(pairs, wins, strict=True)}
    )
    rating = [line.rating or 0 for line in ratings(groups, range(4), intervals=False)]
    for entrant in range(4):
        won = expected = 0.0
        for (one, other), count in zip(pairs, wins, strict=True):
            if entrant in (one, other):
                won += count * (entrant == one)
                expected += count / (1 + 10 ** ((rating[one + other - entrant] - rating[entrant]) / 400))
        assert won == pytest.approx(expected, rel=1e-3)


def test_intervals_hold_the_rating_and_shrink():
    def spread(times):
        groups = {**two(0, 1, 4, 3 * times), **two(0, 1, 2, 3 * times), **two(0, 1, 0, 2 * times)}
        rating, _ = ratings(groups, (0, 1))
        assert rating.low is not None
        assert rating.high is not None
        assert rating.rating is not None
        assert rating.low < rating.rating < rating.high
        return rating.high - rating.low

    assert spread(100) < spread(4) / 3


def test_the_same_results_have_the_same_intervals():
    groups = {**two(0, 1, 3, 5), **two(1, 2, 1, 5), **two(0, 2, 4, 5)}
    assert ratings(groups, range(3)) == ratings(dict(groups), range(3))


def test_who_lost_nothing_has_a_bound_instead_of_a_rating():
    groups = {**two(0, 1, 4, 9), **two(1, 2, 4, 9), **two(0, 2, 4, 9), **two(3, 4, 2)}
    best, middle, worst, single, _, idle = ratings(groups, (0, 1, 2, 3, 4, 77))
    assert (best.bound, best.rating, best.high) == ("above", None, None)
    assert (worst.bound, worst.rating, worst.low) == ("below", None, None)
    assert best.low is not None
    assert worst.high is not None
    assert worst.high < 1500 < best.low
    assert (middle.rating, middle.low, middle.anchor) == (
        1500,
        None,
        True,
    )  # nobody else is there to measure by
    assert (single.groups, single.rating, single.low) == (1, 1500, None)
    assert idle == (77, 0, None, None, None, False, 0, None)


@pytest.mark.parametrize("groups", [5, 40])
def test_at_its_bound_a_clean_result_has_a_chance_of_two_and_a_half_percent(groups):
    one, other = ratings(two(0, 1, 4, groups), (0, 1))
    assert one.low is not None
    assert other.high is not None
    assert one.low + other.high == pytest.approx(3000)
    chance = 1 / (1 + 10 ** ((other.high - one.low) / 400))
    assert chance ** (2 * groups) == pytest.approx(0.025, rel=0.01)


def test_a_table_of_four_bounds_by_whole_games():
    table = 0, 1, 2, 3
    groups = Counter(
        {DuplicateGroup(table, (4, 4, 8, 4, 8, 8)): 10, DuplicateGroup(table, (3, 5, 8, 4, 8, 8)): 2}
    )
    lines = ratings(groups, range(4))
    assert [line.bound for line in lines] == [None, None, None, "below"]
    assert [line.anchor for line in lines] == [True, True, True, False]
    assert sum(line.rating or 0 for line in lines[:3]) == pytest.approx(4500)


def test_who_wins_nearly_always_does_not_move_the_mean():
    middle = {**two(0, 1, 2, 20), **two(1, 2, 2, 20), **two(0, 2, 2, 20)}
    alone = ratings(middle, range(3))
    strong = {**two(3, 0, 4, 20), **two(3, 1, 4, 20), **two(3, 2, 4, 19), **two(3, 2, 3)}
    lines = ratings(middle | strong, range(4))
    assert [line.anchor for line in lines] == [True, True, True, False]
    for line, before in zip(lines, alone, strict=False):
        assert line.rating == pytest.approx(before.rating, abs=15)
    high = lines[3]
    assert high.low is not None
    assert high.high is not None
    assert high.rating is not None
    assert high.high - high.rating > high.rating - high.low  # it might well be far better


@pytest.mark.parametrize("halves", [2, 3])
def test_ten_groups_alike_have_an_interval_of_some_width(halves):
    one, _ = ratings(two(0, 1, halves, 10), (0, 1))
    many, _ = ratings(two(0, 1, halves, 100), (0, 1))
    assert one.low is not None
    assert one.high is not None
    assert many.low is not None
    assert many.high is not None
    assert one.high - one.low > 10
    assert 0 < many.high - many.low < (one.high - one.low) / 3


def test_in_a_swiss_ratings_are_nearer_and_intervals_hold_those_of_the_results_alone():
    groups = {**two(0, 1, 3, 3), **two(2, 3, 3, 3), **two(0, 2, 3, 3), **two(1, 3, 3, 2), **two(3, 1, 4)}
    alone, swiss = (ratings(groups, range(4), paired_by_score=each) for each in (False, True))
    for before, line in zip(alone, swiss, strict=True):
        (low, rating, high), (inner_low, alone_rating, inner_high) = (
            [value or 0 for value in (each.low, each.rating, each.high)] for each in (line, before)
        )
        assert abs(rating - 1500) < abs(alone_rating - 1500)
        assert low <= inner_low < rating < inner_high <= high


def test_who_never_met_stand_on_islands_of_their_own():
    groups = {**two(0, 1, 3, 5), **two(0, 1, 1, 2), **two(2, 3, 3, 5), **two(2, 3, 1, 2)}
    lines = ratings(groups, range(4))
    assert [line.island for line in lines] == [0, 0, 1, 1]
    assert lines[0].rating == pytest.approx(lines[2].rating)
    assert lines[0].anchor


@examples(30)
@given(st.lists(st.integers(0, 4), min_size=21, max_size=21), st.permutations(range(7)))
def test_the_order_of_the_entrants_does_not_matter(played, order):
    pairs = combinations(range(7), 2)
    results = [(one, other, halves) for (one, other), halves in zip(pairs, played, strict=True)]
    before = ratings(
        Counter(DuplicateGroup((one, other), (halves,)) for one, other, halves in results), range(7)
    )
    renamed = Counter(DuplicateGroup((order[one], order[other]), (halves,)) for one, other, halves in results)
    after = ratings(renamed, range(7))
    for line in before:
        again = after[order[line.entrant]]
        assert (again.bound, again.anchor, again.groups) == (line.bound, line.anchor, line.groups)
        for value, other in zip(line[2:5], again[2:5], strict=True):
            assert (value is None) == (other is None)
            assert value == pytest.approx(other, abs=1)


def test_no_games():
    assert ratings({}, (1, 2)) == (
        (1, 0, None, None, None, False, 0, None),
        (2, 0, None, None, None, False, 0, None),
    )


@examples(30)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 4)), min_size=1, max_size=30))
def test_any_results_can_be_rated_about_a_mean_of_1500(played):
    groups = Counter(DuplicateGroup((one, other), (halves,)) for one, other, halves in played if one != other)
    lines = ratings(groups, range(8))
    assert {line.entrant for line in lines if line.groups} == {
        each for group in groups for each in group.entrants
    }
    for island in {line.island for line in lines if line.groups}:
        anchors = [line for line in lines if line.groups and line.island == island and line.anchor]
        assert anchors
        if all(line.rating is not None for line in anchors):
            assert sum(line.rating or 0 for line in anchors) / len(anchors) == pytest.approx(1500)
    for line in lines:
        if line.rating is not None and line.low is not None:
            assert line.high is not None
            assert line.low < line.rating < line.high


def test_a_clear_cycle_is_told_once():
    groups = beats(7, 3, 20) + beats(3, 5, 20) + beats(5, 7, 30) + beats(7, 9, 20) + beats(5, 9, 20)
    (cycle,) = cycles(groups)
    assert cycle.entrants == (3, 5, 7)
    assert cycle.scores == (0.75, 0.75, 0.75)


def test_a_cycle_that_may_be_chance_is_none():
    assert cycles(beats(0, 1, 2) + beats(1, 2, 2) + beats(2, 0, 2)) == ()
    assert cycles(beats(0, 1, 30) + beats(1, 2, 30) + beats(2, 0, 2)) == ()


def test_an_order_is_no_cycle():
    assert cycles(beats(0, 1, 50) + beats(1, 2, 50) + beats(0, 2, 50)) == ()
    assert cycles(beats(0, 1, 50) + beats(1, 2, 50)) == ()
    assert cycles({}) == ()


def test_at_larger_tables_pairs_count():
    rows = {DuplicateGroup((0, 1, 2), (5, 1, 5)): 30, DuplicateGroup((0, 1, 2), (4, 2, 4)): 30}
    (cycle,) = cycles(rows)
    assert cycle.entrants == (0, 1, 2)
    assert cycle.scores == pytest.approx((0.75, 0.75, 0.75))


def test_overall_every_game_weighs_the_same():
    few, many = Mean(0.8, 0.8, 0.01, 10), Mean(0.4, 0.4, 0.0001, 1000)
    both = share([few, many])
    assert both.score == pytest.approx(0.6)
    assert both.low is not None
    assert both.high is not None
    assert both.low < 0.51
    assert both.high > 0.68


def test_an_interval_stays_within_bounds_and_has_a_width():
    found = means({DuplicateGroup((0, 1), (4,)): 10})
    best, worst = share([found[0]]), share([found[1]])
    assert (best.score, best.high) == (1, 1)
    assert best.low is not None
    assert worst.high is not None
    assert 0.6 < best.low < 0.95
    assert worst.high == pytest.approx(1 - best.low)


def test_without_intervals_and_without_games():
    found = means({DuplicateGroup((0, 1), (3,)): 2}, intervals=False)
    assert share([found[0]]) == (0.75, None, None)
    assert share([]) == (None, None, None)


def parted(played):
    """The groups of two-seat and three-seat tables in two parts, and all together."""
    parts = Counter[DuplicateGroup](), Counter[DuplicateGroup]()
    for part, one, other, halves in played:
        if one != other:
            parts[part][DuplicateGroup((one, other), (halves,))] += 1
        else:
            parts[part][DuplicateGroup(((one + 1) % 8, 8, one), (halves, 6 - halves, halves))] += 1
    return parts, parts[0] + parts[1]


games = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 7), st.integers(0, 7), st.integers(0, 4)),
    min_size=1,
    max_size=60,
)


@examples(30)
@given(games)
def test_games_pooled_as_tables_are_rated_as_games_pooled_as_groups(played):
    parts, whole = parted(played)
    together = pooled(numbered(part) for part in parts)
    for line, again in zip(ratings(whole, range(9)), ratings(together, range(9)), strict=True):
        assert (again.bound, again.anchor, again.groups, again.island) == (
            line.bound,
            line.anchor,
            line.groups,
            line.island,
        )
        for value, other in zip(line[2:5], again[2:5], strict=True):
            assert (value is None) == (other is None)
            assert value is None or value == pytest.approx(other, abs=1e-6)
    assert cycles(together) == cycles(whole)


@examples(30)
@given(games)
def test_without_intervals_ratings_and_bounds_are_the_same(played):
    _, whole = parted(played)
    for line, quick in zip(ratings(whole, range(9)), ratings(whole, range(9), intervals=False), strict=True):
        if line.rating is None:
            assert quick[:7] == pytest.approx(line[:7], abs=1e-6)
        else:
            assert quick.rating == pytest.approx(line.rating, abs=1e-6)


@examples(30)
@given(games)
def test_a_fit_is_that_of_the_whole_matrix(played):
    """Each entrant won as much as it was to expect, by results corrected by half of each pair's leverage."""
    _, whole = parted(played)
    for fit, _, _ in islands(whole):
        wins, weights = fit.wins, fit.weights
        own = np.diag(fit.covariance)
        apart = own[wins.one] + own[wins.other] - 2 * fit.covariance[wins.one, wins.other]
        more = wins.dependence * weights * apart / 2
        both = wins.met + 2 * more
        over = wins.taken + more - both * fit.pair_chances
        slope = wins.of_each(over, -over)
        linked = wins.square(both * weights / wins.met, both * weights / wins.met)
        step = np.linalg.pinv(np.diag(linked.sum(axis=1)) - linked, hermitian=True) @ slope
        assert np.abs(step).max() < 1e-4
