"""A room in this process: the thread that brings a message has the room hear it and plays on."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.link.streams.trio_thread import CombiningQueue, in_trio
from arena.runner.rooms.messages import Flush, Message
from arena.runner.rooms.room import HOLD, Played, Room, Seating
from arena.runner.rooms.rooms import Rooms


class RoomInProcess(Rooms):
    """A room for all threads of this process. To be made in trio's thread.

    An answer need not wait for another thread to be played on with: at one table
    that is half of the referee's time.

    Args:
        on_played, on_void: see `Rooms`.
    """

    def __init__(self, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]) -> None:
        super().__init__(on_played, on_void)
        self._room = Room(self._played_in_trio, self._void_in_trio, self.now, on_deltas=self._deltas_in_trio)
        self._messages: CombiningQueue[Message] = CombiningQueue(self._hear, self._failure)
        self._holds = False  # whether what is held back waits for its time
        self._held = trio.Event()
        self._mind_held = in_trio(lambda: self._held.set())

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._room.decisions

    @property
    def worker_cpu(self) -> int:
        """No other process plays."""
        return 0

    def close(self) -> None:
        """Nothing is to be ended here."""

    async def keep(self) -> None:
        """See `Rooms.keep`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().keep)
            nursery.start_soon(self._flush_held)

    def _tell(self, message: Message) -> None:
        self._messages.put(message)

    def _hear(self, messages: list[Message]) -> None:
        if self._failure.happened:
            return  # what went wrong may have left the room in any state
        if self._room.hear(messages) and not self._holds:
            self._holds = True
            self._mind_held()

    async def _flush_held(self) -> None:
        """Has what was held back flushed when its time has come."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._holds = False
            self._tell(Flush())
