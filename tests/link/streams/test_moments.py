"""The referee's clock: its lag is never part of the time between two moments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.link.streams.moments import Moment, RefereeClock
from arena.table.clock import MILLISECOND, SECOND

TICK = 20 * MILLISECOND


class World:
    """A clock whose time stands still until it is moved."""

    def __init__(self):
        self.time = 0
        self.clock = RefereeClock(TICK, lambda: self.time)


def test_lag_between_two_moments_is_left_out():
    assert Moment(5, 2).since(Moment(1, 0)) == 2
    assert Moment(5, 9).since(Moment(1, 0)) == 0
    assert Moment(5, 1).after(3) == Moment(8, 1)


def test_what_is_read_after_a_standstill_and_before_the_next_tick_knows_of_it():
    world = World()
    asked = world.clock.tick()
    world.time += 20 * SECOND  # nothing ran
    read = world.clock.now()
    assert read.since(asked) == TICK
    assert world.clock.tick() == read
    world.time += TICK
    assert world.clock.now().since(asked) == 2 * TICK


def test_what_was_asked_after_a_standstill_gets_nothing_for_it():
    world = World()
    world.clock.tick()
    world.time += 20 * SECOND
    asked = world.clock.now()
    world.clock.tick()
    world.time += TICK
    assert world.clock.now().since(asked) == TICK


def test_nothing_counts_as_lag_before_the_first_tick_and_after_the_last():
    world = World()
    asked = world.clock.now()
    world.time += SECOND
    assert world.clock.now().since(asked) == SECOND
    world.clock.tick()
    world.clock.rest()
    world.time += SECOND
    assert world.clock.now().since(asked) == 2 * SECOND


@given(st.lists(st.tuples(st.integers(0, SECOND), st.booleans())))
def test_moments_never_run_backwards_and_never_count_more_than_the_time(steps):
    world = World()
    first = last = world.clock.tick()
    for passed, ticks in steps:
        world.time += passed
        now = world.clock.tick() if ticks else world.clock.now()
        assert now.lag >= last.lag
        assert now.since(first) <= now.time - first.time
        assert now.since(last) <= now.time - last.time
        last = now
    assert last.lag <= last.time
