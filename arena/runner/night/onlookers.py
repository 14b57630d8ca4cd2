"""Running tables are shown to other processes: what was played there is sent to those who subscribe to it.

Twice a second the rooms are asked which actions were played; while nobody subscribes nothing is done. A
subscriber plays along (`arena.page.pictures.running`) and lets nothing out but what an onlooker may see, for
it is told the boards as well.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import trio

from arena.runner.rooms.deltas import Delta
from arena.runner.rooms.rooms import Rooms

_GLANCE = 0.5  # seconds between two glances
_PATIENCE = 2.0  # seconds in which a subscriber reads
GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
"""What is raised where the other end of a connection is gone, or this one is closed."""


class Onlookers:
    """Those who look at running tables."""

    def __init__(self) -> None:
        self._came = trio.Event()
        self._subscribers: dict[trio.SocketStream, bool] = {}  # and whether they were told anything
        self._told: dict[int, bytes] = {}  # of each table that runs, all lines
        self._gathered = b""  # the lines since the last look

    async def serve(self, stream: trio.SocketStream) -> None:
        """Lets a subscriber see what was played at the tables that run, and what is played; until it ends."""
        self._subscribers[stream] = False
        self._came.set()
        await until_closed(stream)
        del self._subscribers[stream]

    async def run(self, rooms: Rooms, names: Callable[[], Sequence[str]], delay: float) -> None:
        """Lets them see what is played, for ever: in lines of JSON.

        Args:
            rooms: where it is played.
            names: gives the names of the entrants.
            delay: how many seconds late they are to show it.
        """

        def gather(deltas: Sequence[Delta]) -> None:
            for delta in deltas:
                self._gather(delta, _line(delta, names(), delay))

        rooms.on_deltas = gather
        try:
            while True:
                if not self._subscribers:
                    self._told.clear()
                    self._came = trio.Event()
                    await self._came.wait()
                    rooms.collect_deltas(anew=True)
                await trio.sleep(_GLANCE)
                await self._tell()
                rooms.collect_deltas(anew=False)
        finally:  # how the last tables ended
            with trio.CancelScope(shield=True):
                await self._tell()

    def _gather(self, delta: Delta, line: bytes) -> None:
        if delta.seating is None and delta.table not in self._told:
            return  # those who were told of the table look no more
        self._gathered += line
        self._told[delta.table] = self._told.get(delta.table, b"") + line
        if delta.end:
            del self._told[delta.table]

    async def _tell(self) -> None:
        new, whole = self._gathered, b"".join(self._told.values())
        self._gathered = b""
        for stream, was_told in [*self._subscribers.items()]:
            try:
                self._subscribers[stream] = True
                with trio.fail_after(_PATIENCE):
                    await stream.send_all(new if was_told else whole)
            except (*GONE, trio.TooSlowError):
                await trio.aclose_forcefully(stream)  # if it is there, it subscribes again, and is told all


async def until_closed(stream: trio.SocketStream) -> None:
    """Returns when the other end has shut down its sending side, or is gone."""
    with suppress(*GONE):
        await stream.receive_some(1)  # who has sent a request sends no more


def _line(delta: Delta, names: Sequence[str], delay: float) -> bytes:
    told = {
        "t": round(time.monotonic(), 1),
        "table": delta.table,
        "actions": delta.actions,
        "end": delta.end,
    }
    seating = delta.seating
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
