"""Who is charged with a flood, and who never is."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.link import GRPC_SETTINGS
from arena.link.streams import flood
from arena.link.streams.account import Account
from arena.link.streams.dial import Flood
from arena.link.streams.flood import MOST, PER_MESSAGE, RATE, Meter
from tests.examples import examples

ONE_TAKES = PER_MESSAGE / 2


@examples(100)
@given(st.lists(st.tuples(st.floats(0.01, 3600), st.integers(0, 5000)), max_size=20))
def test_who_answers_is_never_charged_however_rarely_it_is_looked_at(looks):
    """A look may be late, as when the referee was stopped, or makes its course anew."""
    account, now = Account(MOST, RATE, 0.0), 0.0
    for later, a_second in looks:
        now += later
        messages = later * a_second
        assert account.spend(messages * ONE_TAKES, messages * PER_MESSAGE, now)


@examples(100)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=20))
def test_who_uses_more_than_comes_in_is_charged_within_a_second_of_that(looks):
    account, now, charged = Account(MOST, RATE, 0.0), 0.0, False
    for later in looks:
        now += later
        charged = charged or not account.spend(0.5 * later, 0.0, now)
    assert charged == (now * (0.5 - RATE) > MOST + 1e-9)


def use(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.fixture
def meter(monkeypatch):
    for name, value in GRPC_SETTINGS.items():
        monkeypatch.setenv(name, value)
    meter = Meter()
    meter.follow(threading.get_native_id())
    return meter


@pytest.mark.skipif(not flood._CAN_TELL, reason="no system call tells what a thread uses")
def test_what_a_thread_uses_is_charged_where_nothing_was_answered(meter):
    use(2 * MOST)
    with pytest.raises(Flood, match="PING or SETTINGS"):
        meter.check(0)


@pytest.mark.skipif(not flood._CAN_TELL, reason="no system call tells what a thread uses")
def test_a_slow_machine_may_take_longer_for_a_message(meter, monkeypatch):
    messages = int(2 * MOST / PER_MESSAGE / 4)  # each of which takes four times what it may
    monkeypatch.setattr(flood, "slowness", lambda: 5.0)
    use(2 * MOST)
    meter.check(messages)


def test_how_slow_a_machine_is_is_at_least_1(monkeypatch):
    assert flood.slowness.__wrapped__() >= 1
    monkeypatch.setattr(flood, "_LOOPS_TOOK", 1e-6)
    assert flood.slowness.__wrapped__() > 10
