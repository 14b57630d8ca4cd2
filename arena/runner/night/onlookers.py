"""Running tables are shown to other processes: what was played there is sent to those who subscribe to it.

Twice a second the rooms are asked which actions were played; while nobody subscribes nothing is done. A
subscriber plays along (`arena.page.feeder`) and lets nothing out but what an onlooker may see, for it is told
the boards as well.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import trio

from arena.runner.rooms.glimpses import Glimpse
from arena.runner.rooms.reception import Rooms

_GLANCE = 0.5  # seconds between two glances
_MOST = 10_000  # lines that wait for a subscriber


class Onlookers:
    """Those who look at running tables."""

    def __init__(self) -> None:
        self._subscribers: set[trio.MemorySendChannel[bytes]] = set()
        self._came = trio.Event()
        self._told: dict[int, bytes] = {}  # of each table that runs, all lines

    async def serve(self, stream: trio.SocketStream) -> None:
        """Sends a subscriber what was played at the tables that run, and then what is played, for ever.

        Each is a line of JSON. A subscriber that does not read for long is sent no more. Raises
        trio.BrokenResourceError where the subscriber is gone.
        """
        sending, lines = trio.open_memory_channel[bytes](_MOST)
        with sending:
            sending.send_nowait(b"".join(self._told.values()))
            self._subscribers.add(sending)
            self._came.set()
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_cancel_when_closed, stream, nursery.cancel_scope)
                    with suppress(OSError, trio.BrokenResourceError):
                        async for line in lines:
                            await stream.send_all(line)
                    nursery.cancel_scope.cancel()
            finally:
                self._subscribers.discard(sending)

    async def run(self, rooms: Rooms, names: Callable[[], Sequence[str]], delay: float) -> None:
        """Lets them see what is played, for ever.

        Args:
            rooms: where it is played.
            names: gives the names of the entrants.
            delay: how many seconds late they are to show it.
        """

        def tell(glimpses: Sequence[Glimpse]) -> None:
            for glimpse in glimpses:
                self._tell(glimpse, names(), delay)

        rooms.on_glimpses = tell
        while True:
            self._told.clear()
            self._came = trio.Event()
            if not self._subscribers:
                await self._came.wait()
            rooms.glance(anew=True)
            while self._subscribers:
                await trio.sleep(_GLANCE)
                rooms.glance(anew=False)

    def _tell(self, glimpse: Glimpse, names: Sequence[str], delay: float) -> None:
        line, table = _line(glimpse, names, delay), glimpse.table
        if glimpse.seating is not None:
            self._told[table] = line
        elif table in self._told:
            self._told[table] += line
        else:  # of which those were told who look no more
            return
        if glimpse.end:
            del self._told[table]
        for subscriber in [*self._subscribers]:
            try:
                subscriber.send_nowait(line)
            except trio.WouldBlock:
                self._subscribers.discard(subscriber)
                subscriber.close()  # which ends what serves it


async def until_closed(stream: trio.SocketStream) -> None:
    """Returns when the other end has shut down its sending side, or is gone."""
    with suppress(OSError, trio.BrokenResourceError):
        await stream.receive_some(1)  # who has sent a request sends no more


async def _cancel_when_closed(stream: trio.SocketStream, scope: trio.CancelScope) -> None:
    await until_closed(stream)
    scope.cancel()


def _line(glimpse: Glimpse, names: Sequence[str], delay: float) -> bytes:
    told = {
        "t": round(time.monotonic(), 1),
        "table": glimpse.table,
        "actions": glimpse.actions,
        "end": glimpse.end,
    }
    seating = glimpse.seating
    if seating is not None:
        rules = seating.rules
        told |= {
            "key": str(seating.key),
            "game": rules.game.id,
            "options": dataclasses.asdict(rules.options),
            "seats": rules.seats,
            "starter": rules.starter,
            "board": seating.board_key.hex(),
            "players": seating.players,
            "names": [names[player] for player in seating.players],
            "delay": delay,
        }
    return json.dumps(told).encode() + b"\n"
