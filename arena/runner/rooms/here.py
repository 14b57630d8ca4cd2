"""A room in this process: whichever thread reads a bot's answer plays on with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import trio

from arena.link.messages import Decision
from arena.link.moments import Moment, RefereeClock
from arena.link.trio_thread import Failure, in_trio
from arena.runner.rooms.room import HOLD, TICK, Fault, Played, Room, Seating, Stream
from arena.runner.rooms.turnstile import Turnstile


class RoomHere:
    """A room for all threads of this process. To be made in trio's thread.

    An answer need not wait for trio's thread to be played on with: at one table
    that is half of the referee's time.

    Args:
        bots: how many bots there are; they are numbered from 0.
        on_played: called in trio's thread with every finished game.
        on_void: called there with the seating of every game that was void.
    """

    def __init__(
        self, bots: int, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> None:
        self._failure = Failure()
        self._clock = RefereeClock(TICK)
        self.now = self._clock.now
        """The present moment; in any thread."""
        played, void = self._failure.guarded(on_played), self._failure.guarded(on_void)
        self._room = Room(bots, in_trio(played), in_trio(void), self.now)
        self._calls = Turnstile(self._failure.guarded(self._make))
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

    def open(self, seating: Seating) -> None:
        """See `Room.open`."""
        self._calls.put(lambda room: room.open(seating))

    def connect(self, player: int, stream: Stream) -> None:
        """See `Room.connect`."""
        self._calls.put(lambda room: room.connect(player, stream))

    def lost(self, player: int, fault: Fault) -> None:
        """See `Room.lost`."""
        self._calls.put(lambda room: room.lost(player, fault))

    def give_up(self, player: int, fault: Fault) -> None:
        """See `Room.give_up`."""
        self._calls.put(lambda room: room.give_up(player, fault))

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `Room.decided`; in any thread."""
        self._calls.put(lambda room: room.decided(player, decisions, read))

    def abandon(self) -> None:
        """See `Room.abandon`."""
        self._calls.put(lambda room: room.abandon())

    def close(self) -> None:
        """Nothing is to be ended here."""

    async def keep(self) -> None:
        """Keeps the room going, for ever. Raises RefereeBug."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._flush_held)
            nursery.start_soon(self._tick)
            nursery.start_soon(self._failure.wait)

    def _make(self, calls: list[Callable[[Room], object]]) -> None:
        if self._failure.happened:
            return  # what went wrong may have left the room in any state
        for call in calls:
            call(self._room)
        if self._room.flush() and not self._holds:
            self._holds = True
            self._mind_held()

    async def _flush_held(self) -> None:
        """Flushes what was held back when its time has come."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._holds = False
            self._calls.put(lambda room: None)  # after which it is flushed

    async def _tick(self) -> None:
        self._clock.tick()
        try:
            while True:
                await trio.sleep(TICK / 1e9)
                now = self._clock.tick()
                self._calls.put(partial(Room.expire, now=now))
        finally:
            self._clock.rest()
