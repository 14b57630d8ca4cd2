"""When a room is flushed: once for what came up together, again for what was held, never after the end."""

from __future__ import annotations

import trio
import trio.testing

from arena.runner.pulse import Pulse
from arena.runner.rooms.room import HOLD, Room


class FlushedRoom(Room):
    """Notes when it is flushed; holds something back the first time if it is to."""

    def __init__(self, holds: bool) -> None:
        super().__init__(0, lambda played: None, lambda seating: None, lambda: 0, lambda: None)
        self.flushed: list[float] = []
        self.holds = holds

    def flush(self) -> bool:
        self.flushed.append(trio.current_time())
        return self.holds and len(self.flushed) == 1

    def expire(self, lag: int) -> None:
        assert lag >= 0


def test_all_that_comes_up_together_is_flushed_once():
    room = FlushedRoom(holds=False)

    async def main() -> None:
        pulse = Pulse(lambda: room)
        for _ in range(3):
            pulse.want_flush()
        await trio.testing.wait_all_tasks_blocked()

    trio.run(main)
    assert len(room.flushed) == 1


def test_what_is_held_is_flushed_when_its_time_has_come():
    room = FlushedRoom(holds=True)

    async def main() -> None:
        pulse = Pulse(lambda: room)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pulse.keep)
            pulse.want_flush()
            await trio.sleep(HOLD / 1e9)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    first, second = room.flushed
    assert second - first == HOLD / 1e9


def test_an_answer_that_comes_while_the_referee_ends_flushes_nothing():
    pulses = []

    async def main() -> None:
        pulses.append(Pulse(lambda: FlushedRoom(holds=False)))

    trio.run(main)
    pulses[0].want_flush()
