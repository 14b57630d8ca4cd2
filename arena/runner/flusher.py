"""When a room is flushed: soon after something came up, and again where it held something back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import trio

from arena.runner.room import HOLD


class Flusher:
    """Flushes a room. To be made and used in trio's thread.

    Args:
        flush: flushes the room; returns whether it held something back.
    """

    def __init__(self, flush: Callable[[], bool]) -> None:
        self._room_flush = flush
        self._token = trio.lowlevel.current_trio_token()
        self._wanted = False
        self._held = trio.Event()

    def want(self) -> None:
        """There is something to flush."""
        if not self._wanted:
            # Behind what is already queued for this moment, so that it all travels together.
            self._wanted = True
            with contextlib.suppress(trio.RunFinishedError):  # answers that come in while all is ended
                self._token.run_sync_soon(self._flush)

    async def run(self) -> None:
        """Flushes what was held back when its time has come, for ever."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._flush()

    def _flush(self) -> None:
        self._wanted = False
        if self._room_flush():
            self._held.set()
