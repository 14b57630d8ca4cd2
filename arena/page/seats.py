"""The seats of people: whoever enters the token of an entrant that dials in plays for it, on the page.

For each a process of its own dials in at the tournament, as any bot does (`arena.cli.page_seat`), or
plays a friendly game with the person and bots (`arena.cli.friendly_page`); here is what came to the
seat, for the browser that has its cookie.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import trio

from arena.page.tables import Tables
from arena.text import one_line

COOKIE: Final = "arena-seat"
_MOST = 16  # seats at once
_WELCOME = 20.0  # seconds in which a token opens a seat
_HEARTBEAT = 15.0  # seconds
_PATIENCE = 5.0  # seconds for its process to end


class Sitting(NamedTuple):
    """How people sit down on a page.

    Attributes:
        command: the process that plays for a person; empty where nobody can sit down.
        friendly: what is played where the page is that of a friendly game: it has one seat, of whoever
            comes first, and needs no token; empty for that of a league.
        secrets: what the process is told besides the person's words, and nobody else.
    """

    command: Sequence[str] = ()
    friendly: str = ""
    secrets: Mapping[str, str] = MappingProxyType({})

    @property
    def lost(self) -> str:
        """What is said where the process of a seat is gone."""
        if self.friendly:
            return "The game is lost because its process ended. Leave the seat, and sit down again."
        return "The connection to the tournament is lost: enter the token again."


class Unseated(Exception):
    """Somebody cannot sit down; the text is one sentence."""


class Seat:
    """A person's seat.

    Attributes:
        session: what the cookie of its browser says.
        entrant: who plays here.
        tournament: in which tournament.
        over: whether nothing more comes.
    """

    def __init__(self, process: trio.Process, lost: str, words: dict[str, str]) -> None:
        self._process = process
        self._lost = lost
        self._words = words
        self._changed = trio.Event()
        self._number = 0  # of what came last
        self._table: dict[str, Any] = {}
        self._turn: dict[str, Any] = {}
        self._due = 0.0
        self._last: dict[str, Any] = {}  # how the last game ended
        self._said = ""
        self._shown: tuple[int, int, str] | None = None
        self.session = secrets.token_urlsafe(24)
        self.entrant = self.tournament = ""
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
        self._end(self._lost)
        await self._process.wait()

    def _hear(self, news: dict[str, Any]) -> None:
        kind = news.pop("kind")
        if kind == "welcome":
            self.entrant, self.tournament = news["entrant"], news["tournament"]
            self.settled.set()
        elif kind == "table":
            self._table, self._turn, self._last, self._said = news, {}, {}, ""
        elif kind == "turn":
            self._turn, self._due = news, trio.current_time() + news["left"]
        elif kind == "late":
            self._turn = {}
            self._last = {"late": True}
        elif kind in ("end", "void"):
            self._turn, self._last = {}, {"kind": kind, **news}
        elif kind == "replay":
            self._last = {**self._last, "replay": news["address"]}
        elif kind == "said":
            self._said = news["text"]
        elif kind == "over":
            self._end("The tournament is over. Thank you for playing.")
        else:
            self._end(f"{news['why'][:1].upper()}{news['why'][1:]}.")
        self._wake()

    def _end(self, why: str) -> None:
        self.over = self.over or why
        self._turn, self._shown = {}, None
        self.settled.set()
        self._wake()

    def _wake(self) -> None:
        self._number += 1
        self._changed.set()
        self._changed = trio.Event()

    def opens_with(self, words: dict[str, str]) -> bool:
        """Whether these are the words that opened it, and it is not over."""
        given, own = (json.dumps(each).encode() for each in (words, self._words))
        return not self.over and hmac.compare_digest(given, own)

    def hand_over(self) -> None:
        """Leaves the seat to another browser: the one before is told nothing more, and may not play."""
        self.session = secrets.token_urlsafe(24)
        self._wake()

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
            self._end(self._lost)

    async def play_again(self) -> None:
        """Has another friendly game played, where the last one is over."""
        if "replay" in self._last:
            self._table, self._last = {}, {}
            await self._say({"again": True})
            self._wake()

    def watch(self, tables: Tables) -> None:
        """Shows the person its running table, as far as an onlooker sees it at once."""
        shown = None
        if self._table and not self.over:
            shown = tables.seated(self._table["game"], self._table["seat"], one_line(self.entrant))
        if shown != self._shown:
            self._shown = shown
            self._changed.set()
            self._changed = trio.Event()

    async def open(self) -> None:
        """Has the process play, which is told the words first. Raises Unseated where it does not."""
        await self._say(self._words)
        with trio.move_on_after(_WELCOME):
            await self.settled.wait()
        if not self.entrant:
            await self.leave()
            raise Unseated(self.over or "The tournament does not answer.")

    async def leave(self) -> None:
        """Leaves the tournament, or the game."""
        assert self._process.stdin is not None
        self._end("You have left the seat.")
        await self._process.stdin.aclose()

    async def gone(self) -> None:
        """Leaves, and waits until its process has ended."""
        await self.leave()
        with trio.move_on_after(_PATIENCE):
            await self._process.wait()

    async def events(self) -> AsyncIterator[bytes]:
        """All that is known, again whenever it changes; the time left is that of the moment.

        Besides which running table is the person's, how many steps of it can be seen, and its game. It
        ends where the seat is handed over to another browser.
        """
        session, told, shown = self.session, -1, None
        while session == self.session:
            changed = self._changed
            if told != self._number:
                told = self._number
                yield f"id: {told}\nevent: seat\ndata: {json.dumps(self._now())}\n\n".encode()
            if shown != self._shown:
                shown = self._shown
                yield f"event: table\ndata: {json.dumps(shown)}\n\n".encode()
            with trio.move_on_after(_HEARTBEAT) as wait:
                await changed.wait()
            if wait.cancelled_caught:
                yield b": still here\n\n"

    def _now(self) -> dict[str, Any]:
        left = max(0.0, self._due - trio.current_time())
        return {
            "entrant": self.entrant,
            "table": self._table,
            "turn": self._turn and {**self._turn, "left": left},
            "last": self._last,
            "said": self._said,
            "over": self.over,
        }


class Seats:
    """All seats of people.

    Args:
        sitting: how people sit down.
    """

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self._seats: list[Seat] = []
        self._nursery: trio.Nursery

    async def run(self) -> None:
        """Keeps the seats until it is cancelled; then all leave."""
        async with trio.open_nursery() as self._nursery:
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    async with trio.open_nursery() as leaving:
                        for seat in self._seats:
                            leaving.start_soon(seat.gone)

    async def sit_down(self, words: dict[str, str]) -> Seat:
        """Has somebody sit down who has a token, or a name. Raises Unseated.

        Whoever has the token of somebody who sits here goes on in that seat: so people change their browser.
        """
        self._seats = [seat for seat in self._seats if not seat.over]
        for seat in self._seats:
            if not self.sitting.friendly and seat.opens_with(words):
                seat.hand_over()
                return seat
        if self.sitting.friendly and self._seats:
            raise Unseated("Somebody sits here already.")
        if len(self._seats) >= _MOST:
            raise Unseated("All seats of this page are taken.")
        process = await trio.lowlevel.open_process(
            self.sitting.command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the page, with which its input ends
        )  # fmt: skip
        seat = Seat(process, self.sitting.lost, {**words, **self.sitting.secrets})
        self._nursery.start_soon(seat.listen)
        await seat.open()
        self._seats.append(seat)
        return seat

    def watch(self, tables: Tables) -> None:
        """Shows all of them their running tables."""
        for seat in self._seats:
            seat.watch(tables)

    def of(self, session: str | None) -> Seat | None:
        """The seat of a session."""
        given = (session or "").encode()
        return next((seat for seat in self._seats if hmac.compare_digest(given, seat.session.encode())), None)
