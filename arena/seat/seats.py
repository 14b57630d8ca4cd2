"""People's seats on the page: a person opens one with the token of an entrant that dials in.

Each seat has a process of its own. The process dials in to the tournament as a bot does
(`arena/seat/person.py`), or it plays a friendly game with the person and bots
(`arena/seat/friendly/games.py`). The page keeps the messages of the process (`arena/seat/messages.py`) for
the browser with the seat's cookie.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.league.store import StoreError
from arena.league.store.reading import Wanted
from arena.referee.night.control import state_of
from arena.seat.messages import FromSeat, ToSeat
from arena.text import one_line
from arena.view.extension import Extension, Link
from arena.view.league.events import Event, Publisher
from arena.view.league.tables import Tables
from arena.view.pictures.emblem import Emblem, emblem_of
from arena.view.serving.actors import SEAT, Role, actor_of, wait_before_comparing
from arena.view.serving.forms import form_of
from arena.view.serving.places import Turns
from arena.view.serving.site import EventStream, Site
from arena.view.views.faces import emblems_by_name

EXTENSION: Final = Extension(
    "arena.seat", more=(Link("/seat", "Take a seat", ("seat",)),), unlisted=("/seat",)
)
"""What seats add to the pages, besides their addresses."""

_MOST = 16  # seats at once
_TRIES = 4  # how many people may sit down at once: a process is started for each
_WELCOME = 20.0  # seconds in which a token opens a seat
_PATIENCE = 5.0  # seconds for its process to end
_END = 999_999  # a step after the last of any game


class SeatProgram(NamedTuple):
    """How people sit down on a page.

    Attributes:
        command: the command of the process that plays for a person.
        given: what a person enters to sit down: a token, or something that is no secret.
        most: how many seats there may be at once.
        full: the sentence for people who find all of them taken.
        lost: the sentence for a person whose process is gone.
        secrets: words for the process alone, besides the person's.
    """

    command: Sequence[str]
    given: str = "token"
    most: int = _MOST
    full: str = "All seats of this page are taken."
    lost: str = "The connection to the tournament is lost: enter the token again."
    secrets: Mapping[str, str] = MappingProxyType({})


class Unseated(Exception):
    """A person cannot sit down; the text is one sentence."""


class Seat:
    """A person's seat.

    Args:
        process: the process that plays for the person.
        lost: the sentence to show if the process is gone.
        words: the words that open the seat.
        emblems: finds the emblems of some names; called in a thread.

    Attributes:
        session: the secret that the browser keeps.
        entrant: the name of the entrant.
        tournament: the name of the tournament.
        over: why the seat ended; empty while it is open.
    """

    def __init__(
        self,
        process: trio.Process,
        lost: str,
        words: dict[str, str],
        emblems: Callable[[Sequence[str]], list[Emblem]],
    ) -> None:
        self._process = process
        self._emblems = emblems
        self._lost = lost
        self._words = words
        self._publisher = Publisher()
        self._table: Mapping[str, Any] = {}
        self._turn: Mapping[str, Any] = {}
        self._due = 0.0  # the deadline of the turn
        self._last: Mapping[str, Any] = {}  # how the last game or turn ended
        self._before: Mapping[str, Any] = {}  # the end of the game before this one
        self._said = ""
        self._settled = trio.Event()
        self.session = secrets.token_urlsafe(24)
        self.entrant = self.tournament = self.over = ""

    async def listen(self) -> None:
        """Receives the messages of the process until it ends."""
        assert self._process.stdout is not None
        rest = b""
        with contextlib.suppress(OSError, trio.BrokenResourceError):  # the process is gone
            async with self._process.stdout as told:
                async for data in told:
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        await self._hear(json.loads(line))
        self._end(self._lost)
        await self._process.wait()

    async def _hear(self, message: FromSeat) -> None:
        if message["kind"] == "welcome":
            self.entrant, self.tournament = message["entrant"], message["tournament"]
            self._settled.set()
        elif message["kind"] == "table":
            names = [*message["names"]]
            names[message["seat"]] = one_line(self.entrant)
            emblems = [each.drawn for each in await trio.to_thread.run_sync(self._emblems, names)]
            if self._last.get("kind") == "end":
                self._before = {
                    "say": self._last["say"],
                    "own": self._last["own"],
                    "names": self._table["names"],
                }
            self._table, self._turn, self._last, self._said = {**message, "emblems": emblems}, {}, {}, ""
            self._publisher.tell("table", None)  # onlookers do not see it yet
        elif message["kind"] == "turn":
            self._turn, self._last = message, {}
            self._due = trio.current_time() + message["left"]
        elif message["kind"] == "late" or message["kind"] == "end" or message["kind"] == "void":
            self._turn, self._last = {}, message
        elif message["kind"] == "replay":
            self._last = {**self._last, "replay": message["address"], "ending": message.get("ending")}
        elif message["kind"] == "said":
            self._said = message["text"]
        else:
            self._end(f"{message['why'][:1].upper()}{message['why'][1:]}.")
        self._tell()

    def _end(self, why: str) -> None:
        self.over = self.over or why
        self._turn = {}
        self._settled.set()
        self._publisher.tell("table", None)
        self._tell()

    def _tell(self) -> None:
        """Sends the browser the whole state of the seat."""
        news: dict[str, Any] = {"entrant": self.entrant, "table": self._table, "turn": self._turn}
        news |= {"last": self._last, "before": self._before, "said": self._said, "over": self.over}
        self._publisher.tell("seat", news)

    def opens_with(self, words: dict[str, str]) -> bool:
        """Whether these words opened the seat, and it is not over."""
        given, own = (json.dumps(each).encode() for each in (words, self._words))
        return not self.over and hmac.compare_digest(given, own)

    def hand_over(self) -> None:
        """Gives the seat to another browser: the one before gets no more events, and may not play."""
        self.session = secrets.token_urlsafe(24)
        self._publisher.close()
        self._publisher = Publisher()
        self._tell()

    async def choose(self, turn: int, action: int) -> bool:
        """Plays an action; returns whether the turn was still open."""
        if self._turn.get("turn") != turn or not 0 <= action < len(self._turn["actions"]):
            return False
        self._turn = {}
        await self._send({"kind": "choice", "turn": turn, "action": action})
        self._tell()
        return True

    async def play_again(self) -> None:
        """Begins another friendly game, if the last one is over."""
        if "replay" in self._last:
            self._table, self._last, self._before = {}, {}, {}
            await self._send({"kind": "again"})
            self._tell()

    async def _send(self, message: ToSeat | dict[str, str]) -> None:
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send_all(json.dumps(message).encode() + b"\n")
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self._end(self._lost)

    def watch(self, tables: Tables) -> None:
        """Notes the person's running table, if onlookers see it at once: its number, how many of its steps
        are shown, and the key of its game."""
        if self._table and not self.over:
            name = one_line(self.entrant)
            self._publisher.tell("table", tables.seated(self._table["game"], self._table["seat"], name))
        else:
            self._publisher.tell("table", None)

    def events(self) -> AsyncGenerator[bytes, None]:
        """The state of the seat, again at every change, until the seat is handed over to another browser."""
        return self._publisher.listen("seat", "table", more=self._with_time_left)

    def _with_time_left(self, kind: str, event: Event) -> dict[str, Any]:
        if kind != "seat" or not event.data["turn"]:
            return {}
        return {"turn": {**event.data["turn"], "left": max(0.0, self._due - trio.current_time())}}

    async def open(self) -> None:
        """Sends the process the words, and waits until it plays. Raises Unseated if it does not."""
        await self._send(self._words)
        with trio.move_on_after(_WELCOME):
            await self._settled.wait()
        if not self.entrant:
            raise Unseated(self.over or "The tournament does not answer.")

    async def leave(self) -> None:
        """Leaves the tournament, or the game."""
        assert self._process.stdin is not None
        self._end("You have left the seat.")
        await self._process.stdin.aclose()

    async def gone(self) -> None:
        """Leaves, and waits until the process has ended."""
        await self.leave()
        with trio.move_on_after(_PATIENCE):
            await self._process.wait()


class Seats:
    """All seats of people, and the answers under `/seat`.

    Args:
        site: the pages.
        program: how people sit down.

    Attributes:
        role: that of the person of a seat.
    """

    def __init__(self, site: Site, program: SeatProgram) -> None:
        self._site = site
        self._reader = site.reader
        self._program = program
        self._tries = Turns(min(program.most, _TRIES))
        self._seats: list[Seat] = []
        self.role = Role(SEAT, self._opened, "Only the person who sits here can do this.")
        self._nursery: trio.Nursery

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/seat", self._page),
            Route("/seat/events", self._events),
            Route("/seat/last", self._last),
            Route("/seat/{what}", self._post, methods=["POST"]),
        ]

    def people(self) -> list[str]:
        """The names of the entrants that people play here."""
        return [one_line(seat.entrant) for seat in [*self._seats] if not seat.over]

    async def run(self) -> None:
        """Runs the seats until it is cancelled; then all are left."""
        async with trio.open_nursery() as self._nursery:
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    async with trio.open_nursery() as leaving:
                        for seat in self._seats:
                            leaving.start_soon(seat.gone)

    def watch(self, tables: Tables) -> None:
        """Notes the running table of each seat."""
        for seat in self._seats:
            seat.watch(tables)

    def _emblems(self, names: Sequence[str]) -> list[Emblem]:
        """The emblems of some names, drawn by the authors of their bots or made from the names."""
        try:
            emblem = emblems_by_name(self._reader.tournaments())
        except StoreError:  # a friendly game has no league before its first game is over
            emblem = emblem_of
        return [emblem(name) for name in names]

    def _opened(self, secrets: Mapping[str, str]) -> Seat | None:
        """The seat that a secret opens."""
        given = secrets.get(SEAT, "").encode()
        return next((seat for seat in self._seats if hmac.compare_digest(given, seat.session.encode())), None)

    def _page(self, request: Request) -> Response:
        return self._view(request, "")

    def _view(self, request: Request, said: str) -> Response:
        seat = self.role.of(request)
        values = {
            "live": False,
            "seated": seat is not None,
            "entrant": one_line(seat.entrant) if seat else "",
            "tournament": one_line(seat.tournament) if seat else "",
            "waits": state_of(self._reader.path).waits,
            "said": said,
        }
        snapshot = self._site.snapshot_if_possible(request)
        return self._site.html(request, "seat", snapshot, values, store=False)

    async def _events(self, request: Request) -> Response:
        return EventStream(request, self._site.streams, self.role.require(request).events())

    def _last(self, request: Request) -> Response:
        """The end of the last game that was played here, as a replay."""
        entrant, newest = self.role.require(request).entrant, self._reader.newest()
        names = [one_line(each.name) for each in newest.entrants] if newest else []
        if newest is None or entrant not in names:
            return RedirectResponse("/games", 303)
        wanted, tournament = Wanted(entrant=names.index(entrant)), newest.id
        found = self._reader.ask(lambda league: league.newest_games(tournament, wanted, 1))
        return RedirectResponse(f"/games/{found[0][1].key}?at={_END}" if found else "/games", 303)

    async def _post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form)
        seat = self.role.require(request)
        if what == "leave":
            await seat.leave()
            actor_of(request).leave(SEAT)
            return RedirectResponse("/seat", 303)
        if what == "again":
            await seat.play_again()
            return RedirectResponse("/seat", 303)
        numbers = form.get("turn", ""), form.get("action", "")
        if what != "play" or not all(each.isdecimal() and len(each) < 9 for each in numbers):
            raise HTTPException(404 if what != "play" else 400, "There is no such action.")
        taken = await seat.choose(*map(int, numbers))
        return PlainTextResponse("played" if taken else "too late", 200 if taken else 409)

    async def _enter(self, request: Request, form: Mapping[str, str]) -> Response:
        given = self._program.given
        words = {given: form.get(given, "").strip()}
        said = f"Nobody can sit down without a {given}."
        if words[given]:
            await wait_before_comparing()
            async with self._tries.turn(actor_of(request).asker):
                try:
                    seat = await self._sit_down(words)
                    actor_of(request).enter(SEAT, seat.session)
                    return RedirectResponse("/seat", 303)
                except Unseated as why:
                    said = str(why)
        return await trio.to_thread.run_sync(self._view, request, said)

    async def _sit_down(self, words: dict[str, str]) -> Seat:
        """Opens a seat. Raises Unseated.

        The token of an open seat leads to the same seat: that lets people change their browser.
        """
        program = self._program
        self._seats = [seat for seat in self._seats if not seat.over]
        for seat in self._seats:
            if program.given == "token" and seat.opens_with(words):
                seat.hand_over()
                return seat
        if len(self._seats) >= program.most:
            raise Unseated(program.full)
        process = await trio.lowlevel.open_process(
            program.command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the page; the input of the process ends with the page
        )  # fmt: skip
        seat = Seat(process, program.lost, {**words, **program.secrets}, self._emblems)
        self._nursery.start_soon(seat.listen)
        try:
            await seat.open()
        except BaseException:  # also if the page ends meanwhile
            with trio.CancelScope(shield=True):
                await seat.gone()
            raise
        self._seats.append(seat)
        return seat
