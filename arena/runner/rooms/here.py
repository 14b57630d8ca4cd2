"""A room in this process: whichever thread reads a bot's answer plays on with it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import trio

from arena.link.messages import Decision
from arena.link.trio_thread import in_trio
from arena.runner.rooms.lag import TICK, LagMeter
from arena.runner.rooms.room import HOLD, Fault, Played, Room, Seating, Stream


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
        self._lock = threading.Lock()
        self._room = Room(bots, in_trio(on_played), in_trio(on_void), time.perf_counter_ns)
        self._flush_soon = in_trio(self._flush)
        self._flushing = False  # whether a flush is to come in trio's thread
        self._holding = False  # whether it waits there for what is held back
        self._held = trio.Event()
        self._mind_held = in_trio(lambda: self._held.set())

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._room.decisions

    def open(self, seating: Seating) -> None:
        """See `Room.open`; in trio's thread."""
        with self._entered() as room:
            room.open(seating)

    def connect(self, player: int, stream: Stream) -> None:
        """See `Room.connect`; in trio's thread."""
        with self._entered() as room:
            room.connect(player, stream)

    def lost(self, player: int, fault: Fault) -> None:
        """See `Room.lost`; in trio's thread."""
        with self._entered() as room:
            room.lost(player, fault)

    def give_up(self, player: int, fault: Fault) -> None:
        """See `Room.give_up`; in trio's thread."""
        with self._entered() as room:
            room.give_up(player, fault)

    def decided(self, player: int, decisions: Sequence[Decision], read: int) -> None:
        """See `Room.decided`; in any thread."""
        with self._lock:
            self._room.decided(player, decisions, read)
            self._flush_room()

    @property
    def worker_cpu(self) -> int:
        """No other process plays."""
        return 0

    def close(self) -> None:
        """Nothing is to be ended here."""

    def abandon(self) -> None:
        """See `Room.abandon`; in trio's thread."""
        with self._entered() as room:
            room.abandon()

    async def keep(self) -> None:
        """Keeps the room going, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._flush_held)
            nursery.start_soon(self._tick)

    @contextlib.contextmanager
    def _entered(self) -> Iterator[Room]:
        """The room for something in trio's thread; then it is flushed."""
        with self._lock:
            yield self._room
        if not self._flushing:
            # Behind what is already queued for this moment, so that it all travels together.
            self._flushing = True
            self._flush_soon()

    def _flush(self) -> None:
        self._flushing = False
        with self._lock:
            self._flush_room()

    def _flush_room(self) -> None:
        if self._room.flush() and not self._holding:
            self._holding = True
            self._mind_held()

    async def _flush_held(self) -> None:
        """Flushes what was held back when its time has come."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._holding = False
            self._flush()

    async def _tick(self) -> None:
        lag = LagMeter(TICK, time.perf_counter_ns())
        while True:
            await trio.sleep(TICK / 1e9)
            now = time.perf_counter_ns()
            lag.tick(now)
            with self._lock:
                self._room.expire(now, lag.total)
                self._flush_room()
