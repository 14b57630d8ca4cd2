"""What keeps a room going: it is flushed when something came up, and looks at its clocks at every tick."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import trio

from arena.runner.lag import LagMeter
from arena.runner.room import HOLD, Room
from arena.table.clock import MILLISECOND

TICK = 20 * MILLISECOND


class Pulse:
    """The pulse of a room. To be made and used in trio's thread.

    Args:
        room: gives the room; it may be made after its pulse.
    """

    def __init__(self, room: Callable[[], Room]) -> None:
        self._room = room
        self._token = trio.lowlevel.current_trio_token()
        self._wanted = False
        self._held = trio.Event()

    def want_flush(self) -> None:
        """There is something to flush."""
        if not self._wanted:
            # Behind what is already queued for this moment, so that it all travels together.
            self._wanted = True
            with contextlib.suppress(trio.RunFinishedError):  # answers that come in while all is ended
                self._token.run_sync_soon(self._flush)

    async def keep(self) -> None:
        """Keeps the room going, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._flush_held)
            nursery.start_soon(self._tick)

    def _flush(self) -> None:
        self._wanted = False
        if self._room().flush():
            self._held.set()

    async def _flush_held(self) -> None:
        """Flushes what was held back when its time has come."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._flush()

    async def _tick(self) -> None:
        lag = LagMeter(TICK, time.perf_counter_ns())
        while True:
            await trio.sleep(TICK / 1e9)
            lag.tick(time.perf_counter_ns())
            self._room().expire(lag.total)
