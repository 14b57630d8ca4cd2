"""The time of a bot: a limit comes at the same moment of its work, however busy the machine is."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import pytest
import trio
import trio.testing

from arena.checkup.bot_time import BotTime, Used, used_below
from tests.patience import PATIENCE

SECOND = 1_000_000_000


class Machine:
    """A bot with some threads that run as long as `works` says, on a machine that lets others run before it.

    In each second a thread that has something to do runs for 1 / `load` of it, and waits for the rest.
    """

    def __init__(self, load: float, works: Mapping[str, float]) -> None:
        self.load, self.works = load, works

    def used(self) -> Mapping[str, Used]:
        used = {}
        for thread, work in self.works.items():
            ran = min(work, trio.current_time() / self.load)
            used[thread] = Used(ran, ran * (self.load - 1))
        return used

    def time(self) -> BotTime:
        return BotTime(self.used, lambda: int(trio.current_time() * SECOND), processors=2)

    async def done(self) -> None:
        await trio.sleep(max(self.works.values()) * self.load)


def in_time(load: float, works: Mapping[str, float], seconds: float) -> bool:
    """Whether a bot does its work within so many seconds of its time, at a load."""

    async def main() -> bool:
        machine = Machine(load, works)
        time = machine.time()

        async def done() -> bool:
            await machine.done()
            return True

        return await time.within(seconds, done) or False

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize("load", [1, 2, 20, 40])
def test_a_busy_machine_changes_no_verdict(load):
    assert in_time(load, {"a": 4.0}, 5.0)
    assert not in_time(load, {"a": 6.0}, 5.0)
    assert in_time(load, {"a": 4.0, "b": 1.0}, 5.0)


def test_a_bot_that_keeps_itself_waiting_gains_nothing():
    many = {str(number): 0.5 for number in range(40)}  # 20 s of two processors, which they share among them
    assert not in_time(20, many, 5.0)
    assert in_time(20, many, 11.0)


def test_a_bot_that_sleeps_is_not_waited_for_longer_on_a_busy_machine():
    async def main() -> None:
        time = Machine(40, {"a": 0.0}).time()
        await time.passes(5.0)
        assert trio.current_time() == pytest.approx(5.0, abs=0.3)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_every_wait_ends_even_if_the_bot_never_gets_a_processor():
    async def main() -> None:
        time = BotTime(lambda: {"a": Used(0.0, trio.current_time())}, lambda: 0, processors=2)
        await time.passes(5.0)
        assert trio.current_time() == pytest.approx(250, abs=10)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_wait_that_is_told_late_is_made_good():
    async def main() -> None:
        told = [0.0, 0.0, 0.0, 1.0]  # after each stretch
        time = BotTime(lambda: {"a": Used(0.0, told[min(int(trio.current_time() / 0.25), 3)])}, processors=2)
        passed = []
        for _ in range(8):
            await trio.sleep(0.25)
            passed.append(time.look())
        assert passed[1] == 0.5, "nothing is known of the wait yet"
        assert passed[-1] == pytest.approx(2.0 - 1.0, abs=0.05)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_clocks_at_the_tables_leave_out_the_waits_and_a_standstill_of_the_referee():
    async def main() -> None:
        machine = Machine(20, {"a": 100.0})
        time = machine.time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(time.keep)
            await trio.sleep(40)
            assert time.now() / SECOND == pytest.approx(2.0, abs=0.3)
            nursery.cancel_scope.cancel()
        before = time.now()
        await trio.sleep(1000)  # nobody counts
        assert time.now() - before <= 0.5 * SECOND

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
def test_the_threads_of_this_process_and_those_below_it_are_found():
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            command = [sys.executable, "-c", "while True: pass"]
            child = await nursery.start(trio.run_process, command)
            with trio.fail_after(PATIENCE):
                while used_below(os.getpid())[str(child.pid)].ran < 0.05:
                    await trio.sleep(0.01)
            used = used_below(os.getpid())
            assert used[str(os.getpid())].ran == 0.0, "this process works for nobody"
            nursery.cancel_scope.cancel()

    trio.run(main)
