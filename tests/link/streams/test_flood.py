"""Floods are charged to the bots that send them, and never to others."""

from __future__ import annotations

import gc
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.link.lobby.door import Count
from arena.link.streams import collecting
from arena.link.streams.dial import Flood
from arena.link.streams.flood import (
    MOST,
    MOST_WAKES,
    PER_MESSAGE,
    PILE,
    PILES,
    POLL,
    RATE,
    STUCK,
    WAKES_PER_MESSAGE,
    WAKES_RATE,
    Line,
    Meter,
    slowness,
)
from arena.token_bucket import TokenBucket
from tests.examples import examples

ONE_TAKES = PER_MESSAGE / 2


@examples(100)
@given(st.lists(st.tuples(st.floats(0.01, 3600), st.integers(0, 5000)), max_size=20))
def test_who_answers_is_never_charged_however_rarely_it_is_looked_at(looks):
    """A look may be late, as when the referee was stopped, or makes its course anew."""
    account, now = TokenBucket(MOST, RATE, 0.0), 0.0
    for later, a_second in looks:
        now += later
        messages = later * a_second
        assert account.spend(messages * ONE_TAKES, messages * PER_MESSAGE, now)


@examples(100)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=20))
def test_who_uses_more_than_comes_in_is_charged_within_a_second_of_that(looks):
    account, now, charged = TokenBucket(MOST, RATE, 0.0), 0.0, False
    for later in looks:
        now += later
        charged = charged or not account.spend(0.5 * later, 0.0, now)
    assert charged == (now * (0.5 - RATE) > MOST + 1e-9)


def use(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def following(slowness: float) -> Meter:
    """A meter that follows this thread, for which no time passes while others have the processor."""
    meter = Meter(slowness=lambda: slowness, now=time.thread_time)
    meter.follow(threading.get_native_id())
    return meter


@pytest.fixture
def meter():
    return following(1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="no system call tells what a thread uses")
def test_what_a_thread_uses_is_charged_where_nothing_was_answered(meter):
    use(1.5 * MOST)
    with pytest.raises(Flood, match="PING or SETTINGS"):
        meter.check(0)


@pytest.mark.skipif(sys.platform != "linux", reason="no system call tells what a thread uses")
def test_a_garbage_collection_is_charged_to_nobody(meter):
    """Python collects in any thread, and takes a second for that in a large process."""
    kept = [[number] for number in range(300_000)]  # so that there is much to look through
    before = time.thread_time()
    while time.thread_time() - before < 2 * MOST:
        gc.collect()
    meter.check(0)
    use(1.5 * MOST)
    with pytest.raises(Flood, match="PING or SETTINGS"):
        meter.check(0)
    meter.follow(None)
    del kept
    assert threading.get_native_id() not in collecting._spent, "nothing is kept of a thread that ended"


@pytest.mark.skipif(sys.platform != "linux", reason="no system call tells what a thread uses")
def test_the_start_of_a_connection_may_take_longer_on_a_slow_machine():
    meter = following(2.0)
    use(1.5 * MOST)
    meter.check(0)
    use(MOST)
    with pytest.raises(Flood, match="PING or SETTINGS"):
        meter.check(0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how often a thread was woken")
def test_how_often_a_thread_is_woken_is_charged_and_so_many_messages_may_wake_it(meter):
    def be_woken(times: int) -> None:
        for _ in range(times):
            time.sleep(1e-6)

    be_woken(3 * MOST_WAKES)
    meter.check(0, wakes=False)  # while the bot describes itself
    meter.follow(threading.get_native_id())
    be_woken(2 * MOST_WAKES)
    meter.check(MOST_WAKES)  # each of which may wake it several times
    be_woken(3 * MOST_WAKES)
    with pytest.raises(Flood, match="it wakes the referee"):
        meter.check(MOST_WAKES)


@examples(100)
@given(st.lists(st.tuples(st.floats(0.01, 3600), st.integers(0, 5000)), max_size=20))
def test_who_answers_is_never_charged_for_waking_however_rarely_it_is_looked_at(looks):
    account, now = TokenBucket(MOST_WAKES, WAKES_RATE, 0.0), 0.0
    for later, a_second in looks:
        now += later
        messages = later * a_second
        assert account.spend(messages * 2.5, messages * WAKES_PER_MESSAGE, now)


TURN = st.integers(100, 60_000)
"""The bytes of a batch of turns as it goes to a guest."""


@examples(100)
@given(st.lists(st.tuples(TURN, st.floats(0.05, 0.45), st.booleans()), max_size=50))
def test_a_guest_that_answers_is_never_charged_however_often(turns):
    """An answer is at most half as long, and comes at once or in two portions."""
    floods: list[int] = []
    count = Count(floods.append)
    for turn, share, in_two in turns * 20:
        count.is_sent(turn)
        answer = max(1, int(turn * share))
        if in_two:
            assert count.may_send(answer // 2)
            answer -= answer // 2
        assert count.may_send(answer)
    assert not floods


@pytest.mark.parametrize(
    ("flood", "answer", "most"), [(17, 17, 5000), (39, 39, 5000), (1 << 16, 1 << 16, 20)]
)
def test_a_guest_that_floods_is_charged_though_it_is_answered(flood, answer, most):
    """Single PINGs, those over TLS, and many at a time; all of them are acknowledged."""
    floods: list[int] = []
    count = Count(floods.append)
    while count.may_send(flood) and most:
        count.is_sent(answer)
        most -= 1
    assert most
    assert len(floods) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="no system call tells what a thread uses")
def test_a_slow_machine_may_take_longer_for_a_message():
    messages = int(3 * MOST / PER_MESSAGE / 4)  # each of which takes four times what it may
    meter, quick = following(5.0), following(1.0)
    use(3 * MOST)
    meter.check(messages)
    with pytest.raises(Flood, match="PING or SETTINGS"):
        quick.check(messages)


class Unread(Line):
    """A connection with some unread bytes."""

    def __init__(self, count: int) -> None:
        self.count = count

    def unread(self) -> int:
        return self.count


@pytest.mark.parametrize(("unread", "checks"), [(46, STUCK), (PILE + 1, PILES)])
def test_unread_bytes_are_charged_unless_the_machine_is_too_busy_to_read_them(unread, checks):
    now = 0.0
    is_busy = False
    meter = Meter(Unread(unread), now=lambda: now, is_busy=lambda: is_busy)
    for _ in range(10 * checks):
        now += 3 * POLL
        meter.check(0)
    is_busy = True
    for _ in range(10 * checks):
        now += POLL
        meter.check(0)
    is_busy = False
    for _ in range(checks - 1):
        now += POLL
        meter.check(0)
    now += POLL
    with pytest.raises(Flood, match="wait to be read"):
        meter.check(0)


def test_how_slow_a_machine_is_is_at_least_1():
    assert slowness() >= 1
    assert slowness(took=1e-6) > 10
