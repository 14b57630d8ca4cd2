"""The seats of people: whoever enters the token of an entrant that dials in plays for it, on the page.

For each a process of its own dials in at the tournament, as any bot does (`arena.cli.page_seat`); here
is what came to the seat, for the browser that has its cookie.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import subprocess
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import trio

COOKIE: Final = "arena-seat"
_MOST = 16  # seats at once
_WELCOME = 20.0  # seconds in which a token opens a seat
_HEARTBEAT = 15.0  # seconds


class Unseated(Exception):
    """Somebody cannot sit down; the text is one sentence."""


class Seat:
    """A person's seat.

    Attributes:
        session: what the cookie of its browser says.
        entrant: who plays here.
        over: whether nothing more comes.
    """

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._changed = trio.Event()
        self._number = 0  # of what came last
        self._table: dict[str, Any] = {}
        self._turn: dict[str, Any] = {}
        self._due = 0.0
        self._last: dict[str, Any] = {}  # how the last game ended
        self.session = secrets.token_urlsafe(24)
        self.entrant = ""
        self.over = ""
        self.settled = trio.Event()

    async def listen(self) -> None:
        """Hears what comes to the seat, until its process ends."""
        assert self._process.stdout is not None
        rest = b""
        with contextlib.suppress(OSError, trio.BrokenResourceError):  # it is gone, as at its end
            async for data in self._process.stdout:
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._hear(json.loads(line))
        self._end("The connection to the tournament is lost: enter the token again.")
        await self._process.wait()

    def _hear(self, news: dict[str, Any]) -> None:
        kind = news.pop("kind")
        if kind == "welcome":
            self.entrant = news["entrant"]
            self.settled.set()
        elif kind == "table":
            self._table, self._turn, self._last = news, {}, {}
        elif kind == "turn":
            self._turn, self._due = news, trio.current_time() + news["left"]
        elif kind == "late":
            self._turn = {}
            self._last = {"late": True}
        elif kind in ("end", "void"):
            self._turn, self._last = {}, {"kind": kind, **news}
        elif kind == "over":
            self._end("The tournament is over. Thank you for playing.")
        else:
            self._end(f"{news['why'][:1].upper()}{news['why'][1:]}.")
        self._wake()

    def _end(self, why: str) -> None:
        self.over = self.over or why
        self._turn = {}
        self.settled.set()
        self._wake()

    def _wake(self) -> None:
        self._number += 1
        self._changed.set()
        self._changed = trio.Event()

    async def choose(self, turn: int, action: int) -> bool:
        """Plays an action; returns whether it was that turn still."""
        if self._turn.get("turn") != turn or not 0 <= action < len(self._turn["actions"]):
            return False
        self._turn = {}
        await self._say({"turn": turn, "action": action})
        self._wake()
        return True

    async def _say(self, words: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send_all(json.dumps(words).encode() + b"\n")
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self._end("The connection to the tournament is lost: enter the token again.")

    async def open(self, token: str) -> None:
        """Dials in. Raises Unseated where the token opens nothing."""
        await self._say({"token": token})
        with trio.move_on_after(_WELCOME):
            await self.settled.wait()
        if not self.entrant:
            await self.leave()
            raise Unseated(self.over or "The tournament does not answer.")

    async def leave(self) -> None:
        """Leaves the tournament."""
        assert self._process.stdin is not None
        self._end("You have left the seat.")
        await self._process.stdin.aclose()

    async def events(self) -> AsyncIterator[bytes]:
        """All that is known, again whenever it changes; the time left is that of the moment."""
        while True:
            number, changed = self._number, self._changed
            left = max(0.0, self._due - trio.current_time())
            turn = self._turn and {**self._turn, "left": left}
            now = {
                "entrant": self.entrant,
                "table": self._table,
                "turn": turn,
                "last": self._last,
                "over": self.over,
            }
            yield f"id: {number}\nevent: seat\ndata: {json.dumps(now)}\n\n".encode()
            while self._number == number:
                with trio.move_on_after(_HEARTBEAT) as wait:
                    await changed.wait()
                if wait.cancelled_caught:
                    yield b": still here\n\n"


class Seats:
    """All seats of people.

    Args:
        command: the process that dials in for a person; empty where nobody can sit down.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._seats: list[Seat] = []
        self._nursery: trio.Nursery

    @property
    def possible(self) -> bool:
        """Whether anybody can sit down."""
        return bool(self._command)

    async def run(self) -> None:
        """Keeps the seats until it is cancelled; then all leave."""
        async with trio.open_nursery() as self._nursery:
            await trio.sleep_forever()

    async def sit_down(self, token: str) -> Seat:
        """Has somebody sit down who has a token. Raises Unseated."""
        self._seats = [seat for seat in self._seats if not seat.over]
        if len(self._seats) >= _MOST:
            raise Unseated("All seats of this page are taken.")
        process = await trio.lowlevel.open_process(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        seat = Seat(process)
        self._nursery.start_soon(seat.listen)
        await seat.open(token)
        self._seats.append(seat)
        return seat

    def of(self, session: str | None) -> Seat | None:
        """The seat of a session."""
        given = (session or "").encode()
        return next((seat for seat in self._seats if hmac.compare_digest(given, seat.session.encode())), None)
