"""The clock's arithmetic."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.table.clock import Clock, TimeControl

TIMES = st.integers(0, 10**12)


def test_a_decision_leaves_the_bank_and_the_increment_enters_it():
    clock = Clock(TimeControl(bank=100, increment=7, move=50))
    assert clock.time_left == 50
    assert clock.charge(30)
    assert clock.bank == 77


def test_the_move_limit_counts_before_the_bank():
    clock = Clock(TimeControl(bank=100, increment=7, move=50))
    assert clock.charge(50)
    assert not clock.charge(51)
    assert clock.bank == 6  # 100 - 50 + 7 - 51, and nothing for a late answer


def test_an_empty_bank_leaves_no_time():
    clock = Clock(TimeControl(bank=10, increment=0, move=50))
    assert not clock.charge(11)
    assert clock.time_left == 0
    assert not clock.charge(1)


@given(TIMES, TIMES, TIMES, st.lists(TIMES, max_size=30))
def test_the_bank_is_what_was_not_used(bank, increment, move, decisions):
    clock = Clock(TimeControl(bank, increment, move))
    expected = bank
    for elapsed in decisions:
        limit = min(expected, move)
        assert clock.time_left == limit
        in_time = clock.charge(elapsed)
        assert in_time == (elapsed <= limit)
        expected = max(0, expected - elapsed) + (increment if in_time else 0)
        assert clock.bank == expected
