import pytest

from arena.standings.rating import Mean, means, share
from arena.standings.tally import Group


def test_overall_every_game_weighs_the_same():
    few, many = Mean(0.8, 0.8, 0.01, 10), Mean(0.4, 0.4, 0.0001, 1000)
    both = share([few, many])
    assert both.score == pytest.approx(0.6)
    assert both.low is not None
    assert both.high is not None
    assert both.low < 0.51
    assert both.high > 0.68


def test_an_interval_stays_within_bounds_and_has_a_width():
    found = means({Group((0, 1), (4,)): 10})
    best, worst = share([found[0]]), share([found[1]])
    assert (best.score, best.high) == (1, 1)
    assert best.low is not None
    assert worst.high is not None
    assert 0.6 < best.low < 0.95
    assert worst.high == pytest.approx(1 - best.low)


def test_without_intervals_and_without_games():
    found = means({Group((0, 1), (3,)): 2}, intervals=False)
    assert share([found[0]]) == (0.75, None, None)
    assert share([]) == (None, None, None)
