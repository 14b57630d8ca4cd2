import pytest

from arena.standings.rating import cycles
from arena.standings.tally import Group
from tests.standings.beating import beats


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
    rows = {Group((0, 1, 2), (5, 1, 5)): 30, Group((0, 1, 2), (4, 2, 4)): 30}
    (cycle,) = cycles(rows)
    assert cycle.entrants == (0, 1, 2)
    assert cycle.scores == pytest.approx((0.75, 0.75, 0.75))
