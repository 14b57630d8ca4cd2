"""The clock's arithmetic, and durations as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.table.clock import MILLISECOND, SECOND, Clock, TimeControl, parse_duration

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


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("20s", 20 * SECOND),
        ("100ms", 100 * MILLISECOND),
        ("1m30s", 90 * SECOND),
        ("1.5s", 1500 * MILLISECOND),
        ("2h", 7200 * SECOND),
        ("1h1m1s1ms", 3661 * SECOND + MILLISECOND),
        ("0.000001ms", 1),
        ("0s", 0),
        *((text, None) for text in ("", "20", "s", "20 s", "-1s", "1s1m", "1s1s", "1e3s", ".5s", "1,5s")),
        *((text, None) for text in ("0.0000001ms", "٣s", "20s\n", "10S")),
    ],
)
def test_durations(text, nanoseconds):
    assert parse_duration(text) == nanoseconds


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_parts(hours, minutes, seconds, milliseconds):
    total = ((hours * 60 + minutes) * 60 + seconds) * SECOND + milliseconds * MILLISECOND
    assert parse_duration(f"{hours}h{minutes}m{seconds}s{milliseconds}ms") == total
