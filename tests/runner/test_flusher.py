"""When a room is flushed: once for what came up together, again for what was held, never after the end."""

from __future__ import annotations

import trio
import trio.testing

from arena.runner.flusher import Flusher
from arena.runner.room import HOLD


def test_all_that_comes_up_together_is_flushed_once():
    flushed = []

    def flush() -> bool:
        flushed.append(trio.current_time())
        return False

    async def main() -> None:
        flusher = Flusher(flush)
        for _ in range(3):
            flusher.want()
        await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    assert len(flushed) == 1


def test_what_is_held_is_flushed_when_its_time_has_come():
    flushed = []

    def flush() -> bool:
        flushed.append(trio.current_time())
        return len(flushed) == 1

    async def main() -> None:
        flusher = Flusher(flush)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(flusher.run)
            flusher.want()
            await trio.sleep(HOLD / 1e9)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert flushed[1] - flushed[0] == HOLD / 1e9


def test_an_answer_that_comes_while_the_referee_ends_flushes_nothing():
    flushers = []

    async def main() -> None:
        flushers.append(Flusher(lambda: False))

    trio.run(main)
    flushers[0].want()
