"""The subscribers that follow running tables: twice a second they get what was played there.

While nobody subscribes, nothing is collected. A subscriber gets lines of JSON, with the board keys: it plays
the games along, and has to show only what an onlooker may see (`arena.view.pictures.running`).
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

import trio

from arena.referee.night.control import GONE, line_of, until_closed
from arena.referee.rooms.room_state import Delta
from arena.referee.rooms.rooms import Rooms
from arena.results import MatchKey

_COLLECT_EVERY = 0.5  # seconds between two reports on the tables
_PATIENCE = 2.0  # seconds in which a subscriber has to read


class Onlookers:
    """Sends subscribers what is played at running tables."""

    def __init__(self) -> None:
        self._came = trio.Event()
        self._subscribers: dict[trio.SocketStream, bool] = {}  # and whether they got anything yet
        self._told: dict[int, bytes] = {}  # all lines of each running table
        self._gathered = b""  # the lines since the last report

    async def serve(self, stream: trio.SocketStream) -> None:
        """Sends a subscriber what was and is played at the running tables, until it ends."""
        self._subscribers[stream] = False
        self._came.set()
        await until_closed(stream)
        del self._subscribers[stream]

    async def run(
        self,
        rooms: Rooms,
        names: Callable[[], Sequence[str]],
        delay: float,
        hides: Callable[[MatchKey], bool] = lambda match: False,
    ) -> None:
        """Sends all subscribers what is played, in lines of JSON, until cancelled.

        Args:
            rooms: the rooms of the tables.
            names: returns the names of the entrants.
            delay: how many seconds late onlookers may see it.
            hides: whether nobody may see a match at all.
        """

        async def tell() -> None:
            for delta in rooms.take_deltas():
                if delta.seating is None or not hides(delta.seating.key.match_key):
                    self._gather(delta, _told(delta, names(), delay))
            await self._tell()

        try:
            while True:
                if not self._subscribers:
                    self._told.clear()
                    self._came = trio.Event()
                    await self._came.wait()
                    rooms.take_deltas()  # which came while nobody subscribed
                    rooms.collect_deltas(anew=True)
                await trio.sleep(_COLLECT_EVERY)
                await tell()
                rooms.collect_deltas(anew=False)
        finally:  # how the last tables ended
            with trio.CancelScope(shield=True):
                await tell()

    def _gather(self, delta: Delta, line: bytes) -> None:
        if delta.seating is None and delta.table not in self._told:
            return  # its subscribers are gone
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
                await trio.aclose_forcefully(stream)  # it may subscribe again, and get everything


def _told(delta: Delta, names: Sequence[str], delay: float) -> bytes:
    """The line for subscribers about one table."""
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
    return line_of(told)
