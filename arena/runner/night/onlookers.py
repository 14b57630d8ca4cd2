"""What onlookers may see of running tables goes to a process that shows it, where somebody asks for that.

That process knows the deals, as this one does, and lets nothing out but what all may see. The work is
done there: here it is told, twice a second, which actions were played. While nobody asks nothing is done.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
from collections.abc import Callable, Sequence

import trio

from arena.runner.night.settings import Showing
from arena.runner.rooms.glimpses import Glimpse
from arena.runner.rooms.reception import Rooms
from arena.store.holding import is_held

_GLANCE = 0.5  # seconds between two glances
_AGAIN = 10.0  # seconds until the process is started again that ended by itself
_PATIENCE = 5.0  # seconds for it to end


class Onlookers:
    """Those who look at running tables.

    Args:
        showing: how these are shown.
        rooms: where they are.
        names: gives the names of the entrants.
        say: called with what people should know.
    """

    def __init__(
        self, showing: Showing, rooms: Rooms, names: Callable[[], Sequence[str]], say: Callable[[str], None]
    ) -> None:
        self._showing = showing
        self._rooms = rooms
        self._names = names
        self._say = say
        self._gathered: list[Glimpse] = []
        rooms.on_glimpses = self._gathered.extend

    async def run(self) -> None:
        """Lets them see, for ever."""
        while True:
            await trio.sleep(_GLANCE)
            self._gathered.clear()
            if is_held(self._showing.asked):
                try:
                    await self._show()
                except (OSError, trio.BrokenResourceError):
                    self._say(
                        "running tables cannot be watched for now: the process that shows them ended; "
                        "another one begins soon"
                    )
                    await trio.sleep(_AGAIN)

    async def _show(self) -> None:
        """Shows tables until nobody asks any more. Raises OSError, trio.BrokenResourceError."""
        process = await trio.lowlevel.open_process(
            self._showing.command,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the tournament
        )  # fmt: skip
        try:
            anew = True
            while is_held(self._showing.asked):
                if process.poll() is not None:  # which nobody would notice as long as nothing is played
                    raise trio.BrokenResourceError
                self._rooms.glance(anew)
                anew = False
                await trio.sleep(_GLANCE)
                await self._tell(process)
            await self._end(process)
        except BaseException:
            with trio.CancelScope(shield=True):
                await self._end(process)
            raise

    async def _tell(self, process: trio.Process) -> None:
        gathered = self._gathered[:]
        self._gathered.clear()
        if gathered:
            names = self._names()
            assert process.stdin is not None
            await process.stdin.send_all(b"".join(_line(glimpse, names) for glimpse in gathered))

    async def _end(self, process: trio.Process) -> None:
        """Tells how the last tables ended, and lets the process go."""
        assert process.stdin is not None
        with trio.move_on_after(_PATIENCE):
            with contextlib.suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                await self._tell(process)  # where it is not gone
            await process.stdin.aclose()
            await process.wait()
        if process.poll() is None:
            process.kill()
            await process.wait()


def _line(glimpse: Glimpse, names: Sequence[str]) -> bytes:
    told = {"table": glimpse.table, "actions": glimpse.actions, "end": glimpse.end}
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
        }
    return json.dumps(told).encode() + b"\n"
