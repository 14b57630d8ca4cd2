from collections import Counter
from itertools import permutations
from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.rating import ratings
from arena.standings.tally import Group
from tests.examples import examples


def two(one, other, halves, count=1):
    """Two-seat groups, of two games, in which `one` took so many halves."""
    return {Group((one, other), (halves,)): count}


def test_the_scale():
    # Three wins of four: odds of 3 to 1.
    one, other = ratings(two(8, 9, 3, 10_000), (8, 9), bootstrap=False)
    assert one.rating is not None
    assert other.rating is not None
    assert one.rating - other.rating == pytest.approx(400 * log10(3), abs=0.1)
    assert one.rating + other.rating == pytest.approx(3000)
    assert (one.groups, one.low, one.high) == (10_000, None, None)


def test_a_table_of_four_weighs_a_seat_as_much_as_a_table_of_two():
    # Everybody took three of four halves from all below: six pairs, each with a third of the weight.
    four = {Group((0, 1, 2, 3), (6, 6, 6, 6, 6, 6)): 2 * 3}
    pairs = Counter({Group((a, b), (3,)): 4 for a in range(4) for b in range(a + 1, 4)})
    for one, other in zip(
        ratings(four, range(4), bootstrap=False), ratings(pairs, range(4), bootstrap=False), strict=True
    ):
        assert one.rating == pytest.approx(other.rating)


@examples(50)
@given(st.lists(st.integers(1, 9), min_size=12, max_size=12))
def test_who_is_rated_so_had_to_expect_what_came(wins):
    """As many wins as the strengths say, for each: so it is at those of greatest likelihood."""
    pairs = list(permutations(range(4), 2))
    groups = Counter({Group(pair, (4,)): 10_000 * count for pair, count in zip(pairs, wins, strict=True)})
    rating = [line.rating or 0 for line in ratings(groups, range(4), bootstrap=False)]
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


def test_without_bounds_there_is_no_interval():
    groups = {**two(0, 1, 4, 9), **two(1, 2, 4, 9), **two(0, 2, 4, 9), **two(3, 4, 2)}
    best, middle, worst, single, _, idle = ratings(groups, (0, 1, 2, 3, 4, 77))
    assert best.rating is not None
    assert middle.rating is not None
    assert worst.rating is not None
    assert best.rating > middle.rating > worst.rating
    assert (best.high, worst.low) == (None, None)
    assert middle.low is not None
    assert (single.groups, single.low) == (1, None)
    assert idle == (77, 0, None, None, None)


def test_no_games():
    assert ratings({}, (1, 2)) == ((1, 0, None, None, None), (2, 0, None, None, None))


@examples(30)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 4)), min_size=1, max_size=30))
def test_any_results_can_be_rated_about_a_mean_of_1500(played):
    groups = Counter(Group((one, other), (halves,)) for one, other, halves in played if one != other)
    rated = [line for line in ratings(groups, range(8), resamples=5) if line.rating is not None]
    assert {line.entrant for line in rated} == {entrant for group in groups for entrant in group.entrants}
    if rated:
        assert sum(line.rating or 0 for line in rated) / len(rated) == pytest.approx(1500)
    for line in rated:
        assert line.low is None or (line.high is not None and line.low <= line.high)
