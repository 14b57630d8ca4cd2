"""Places that are certain: by intervals, by ratings, and in simulated tournaments."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.certain import places, places_by_rating
from arena.standings.rating import ratings
from arena.standings.tally import DuplicateGroup
from tests.examples import tried
from tests.standings.simulated import TOURNAMENTS, certain_places, tournaments


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), min_size=1, max_size=8), st.data())
def test_places_hold_whatever_the_scores_in_the_intervals_are(ends, data):
    scores = [data.draw(st.floats(low, high)) for low, high in ends]
    for score, (best, last) in zip(scores, places([(low, high) for low, high in ends]), strict=True):
        above, level = sum(each > score for each in scores), scores.count(score)
        assert best <= above + level
        assert above + 1 <= last


def test_bots_that_no_games_connect_may_be_above_each_other_or_below():
    groups = {DuplicateGroup((0, 1), (4,)): 20, DuplicateGroup((2, 3), (2,)): 20}
    assert places_by_rating(ratings(groups, range(5))) == {0: (1, 3), 1: (2, 4), 2: (1, 4), 3: (1, 4)}
    assert places_by_rating(ratings(groups, range(5), intervals=False)) == {}


def test_the_intervals_for_all_together_hold_those_for_each():
    for _, groups in tournaments("round robin, 8 bots, 5 boards a pair", 3, 0.5):
        for line in ratings(groups, range(8)):
            assert line.together is not None
            low, high = line.together
            assert (low == -inf) if line.low is None else low < line.low
            assert (high == inf) if line.high is None else high > line.high


@pytest.mark.parametrize("kind", TOURNAMENTS)
def test_no_certain_place_is_wrong_in_95_of_100_tournaments(kind):
    count = tried(4, 200)
    known = [certain_places(kind, true, groups) for true, groups in tournaments(kind, count, 0.3)]
    assert sum(each.wrong for each in known) <= max(1, 0.05 * count)
