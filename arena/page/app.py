"""The page as a web application: addresses, what is answered there, and what every answer forbids."""

from __future__ import annotations

import errno
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

import trio
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route

from arena.page import bot_views, game_views, views
from arena.page.bugs import Bugs
from arena.page.cache import Answer, Cache, Fresh, answer
from arena.page.capacity import most_streams
from arena.page.host import Host
from arena.page.host_pages import HostPages
from arena.page.league_reader import LeagueReader, SnapshotFailed
from arena.page.pages import rendered
from arena.page.replay_pages import ReplayPages
from arena.page.seat_pages import SeatPages
from arena.page.seats import Seats
from arena.page.snapshot import Snapshot
from arena.page.standings_views import headline
from arena.page.stream import Crier
from arena.page.tables import Tables
from arena.page.view_request import Ask, Missing
from arena.store import StoreError, UnknownTournament

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of every page: nothing from elsewhere, and no script or style in it."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all a form of this page would not say that it is one
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_HTML = "text/html; charset=utf-8"
_BUG = "This view failed because of a bug in the page. The other views work."
_KEPT = 200  # rendered pages

View = Callable[..., dict[str, Any]]


class Page:
    """The application.

    Args:
        nights: the league.
        host: who the host is.
        tables: the tables that run.
        seats: the seats of people.
    """

    def __init__(self, reader: LeagueReader, host: Host, tables: Tables, seats: Seats) -> None:
        self._reader = reader
        self._seats = SeatPages(seats, reader, self._seat_page)
        self._sitting = seats.sitting
        self._host_pages = HostPages(host, reader, self._beside_all, self._html)
        self._host_possible = host.possible
        self._tables = tables
        self._replays = ReplayPages(reader, self._snapshot, self._html)
        self._snapshots: Fresh[int | None, Snapshot | None] = Fresh()
        self._rendered: Cache[tuple[str, str, int, int]] = Cache(_KEPT)
        self.bugs = Bugs()
        self.crier = Crier(reader, tables, lambda: seats.watch(tables))
        self.app = Starlette(
            routes=self._routes(),
            middleware=[Middleware(GZipMiddleware, minimum_size=2000)],
            exception_handlers={
                HTTPException: self._http_error,
                OSError: self._system_error,
                Exception: self._bug,
            },
        )

    def _routes(self) -> list[BaseRoute]:
        plain: list[tuple[str, str, View]] = [
            ("/", "home", views.home),
            ("/standings", "standings", views.standings),
            ("/standings/{game}", "game_standings", views.game_standings),
            ("/crosstable", "crosstable", views.crosstable),
            ("/bracket", "bracket", views.bracket),
            ("/schedule", "schedule", views.schedule),
            ("/games", "games", game_views.games),
            ("/bots", "bots", bot_views.bots),
            ("/bots/{number}", "bot", bot_views.bot),
            ("/decisions", "decisions", views.decisions),
            ("/season", "season", bot_views.season),
            ("/screen", "screen", views.screen),
        ]
        always = [
            Route("/assets/{file}", self._asset),
            Route("/tables/{number:int}/steps", self._in_thread(self._table_steps)),
            *self._seats.routes(),
        ]
        if self._sitting.friendly:
            replays = Mount("/nights/{night:int}", routes=self._replays.routes())
            return [Route("/", _to_the_seat), *always, replays]
        both: list[BaseRoute] = [Route(path, self._view(name, view)) for path, name, view in plain]
        both += self._replays.routes()
        return [
            Route("/events", self._events),
            Route("/tables", self._tables_page),
            Route("/tables/{number:int}", self._in_thread(self._table_page)),
            *always,
            *self._host_pages.routes(),
            *both,
            Mount("/nights/{night:int}", routes=both),
        ]

    # --- Views ---

    def _view(self, name: str, view: View) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            night = request.path_params.get("night")
            snapshot = self._reader.known(night) or await self._snapshots.ask(night, self._snapshot_at)
            if snapshot is None:
                return await trio.to_thread.run_sync(self._html, request, "empty", None, {}, name)
            where = f"{self._reader.file} {request.url.path}"
            asked = where, request.url.query, snapshot.length, snapshot.intervals
            found = await self._rendered.ask(asked, lambda: self._answer(request, name, view, snapshot))
            return found.response(request)

        return answered

    def _answer(self, request: Request, name: str, view: View, snapshot: Snapshot) -> Answer:
        parts = {key: value for key, value in request.path_params.items() if key != "night"}
        with self._reader.work.spending():
            try:
                values = view(Ask(self._reader, snapshot, request.query_params), **parts)
            except Missing as why:
                raise HTTPException(404, str(why)) from None
            return answer(self._body(request, name, snapshot, values, name), _HTML)

    def _snapshot(self, request: Request) -> Snapshot | None:
        """How the tournament stands that the address names: the last one if it names none."""
        return self._snapshot_at(request.path_params.get("night"))

    def _beside_all(self, request: Request) -> Snapshot | None:
        """The same for pages that need none: where it cannot be computed they go on without."""
        try:
            return self._snapshot(request)
        except SnapshotFailed as bug:
            self.bugs.tell(request.url.path, bug)
            return None

    def _snapshot_at(self, night: int | None) -> Snapshot | None:
        try:
            number = self._reader.last() if night is None else night
            return None if number is None else self._reader.snapshot(number)
        except UnknownTournament:
            raise HTTPException(404, "There is no such tournament.") from None
        except StoreError as problem:
            raise HTTPException(503, f"The league cannot be read: {self._reader.told(problem)}.") from None

    def _html(
        self, request: Request, name: str, snapshot: Snapshot | None, values: Mapping[str, Any], here: str
    ) -> Response:
        body = self._body(request, name, snapshot, values, here)
        return Response(body, media_type=_HTML, headers={"Cache-Control": "no-cache"})

    def _body(
        self, request: Request, name: str, snapshot: Snapshot | None, values: Mapping[str, Any], here: str
    ) -> bytes:
        night = request.path_params.get("night")
        common: dict[str, Any] = {
            "snapshot": snapshot,
            "names": snapshot.names if snapshot else (),
            "headline": headline(snapshot),
            "here": here,
            "base": "" if night is None else f"/nights/{night}",
            "live": night is None and not self._sitting.friendly,
            "friendly": self._sitting.friendly,
            "links": True,
            "host_possible": self._host_possible,
            "seats_possible": bool(self._sitting.command),
            "address": lambda path, **query: _address(path, query),
            "kept": {},
            "text": "",
        }
        return rendered(f"{name}.html", {**common, **values}).encode("utf-8", "replace")

    # --- Running tables ---

    @staticmethod
    def _in_thread(answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            return await trio.to_thread.run_sync(answer, request)

        return answered

    async def _tables_page(self, request: Request) -> Response:
        snapshot = self._reader.known(None) or await self._snapshots.ask(
            None, lambda _: self._beside_all(request)
        )
        tables = await trio.to_thread.run_sync(self._tables.running)
        values = {"tables": tables, "delay": await trio.to_thread.run_sync(lambda: self._tables.delay)}
        listed = str([values["delay"], *((each.number, each.heading["key"]) for each in tables)])
        asked = (
            f"{self._reader.file} /tables",
            listed,
            *((snapshot.length, snapshot.intervals) if snapshot else (-1, 0)),
        )
        found = await self._rendered.ask(
            asked, lambda: answer(self._body(request, "tables", snapshot, values, "tables"), _HTML)
        )
        return found.response(request)

    def _table_page(self, request: Request) -> Response:
        table = self._tables.table(request.path_params["number"])
        if table is None:
            raise HTTPException(404, "There is no such table any more.")
        values = {"table": table, "delay": self._tables.delay}
        return self._html(request, "table", self._beside_all(request), values, "tables")

    def _table_steps(self, request: Request) -> Response:
        first = request.query_params.get("from", "")
        wanted = int(first) if first.isdecimal() and len(first) < 9 else None
        seen = self._tables.seen(request.path_params["number"], wanted)
        if seen is None:
            raise HTTPException(404, "There is no such table any more.")
        body = json.dumps(seen, separators=(",", ":"))
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})

    # --- Live ---

    async def _events(self, request: Request) -> Response:
        if self.crier.listeners >= most_streams():
            raise HTTPException(503, "Too many browsers are connected; this page does not update itself.")
        last = request.headers.get("last-event-id") or request.query_params.get("last")
        tables = "tables" in request.query_params
        return StreamingResponse(
            self.crier.listen(last, tables),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    # --- A person's seat ---

    def _seat_page(self, request: Request, values: dict[str, Any]) -> Response:
        return self._html(request, "seat", self._beside_all(request), {**values, "live": False}, "seat")

    # --- What else is answered ---

    async def _asset(self, request: Request) -> Response:
        found = _assets().get(request.path_params["file"])
        if found is None:
            raise HTTPException(404, "There is no such file.")
        return found.response(request)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = error.detail if error.detail.endswith(".") else "There is no such page."
        if "steps" in request.url.path.split("/")[:4]:
            return PlainTextResponse(what, error.status_code)
        response = self._html(request, "problem", None, {"what": what}, "")
        response.status_code = error.status_code
        return response

    async def _system_error(self, request: Request, error: Exception) -> Response:
        """A sentence where no file can be opened, as in a crowd (see `crowd`); else it is a bug."""
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            raise error
        return PlainTextResponse("Too many people are looking at once; try again.", 503, {"Retry-After": "2"})

    async def _bug(self, request: Request, error: Exception) -> Response:
        self.bugs.tell(request.url.path, error)
        response = self._html(request, "problem", None, {"what": _BUG}, "")
        response.status_code = 500
        return response


async def _to_the_seat(request: Request) -> Response:
    return RedirectResponse("/seat")


def _address(path: str, query: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in query.items() if value not in ("", None)}
    return quote(path) + (f"?{urlencode(kept)}" if kept else "")


@cache
def _assets() -> dict[str, Answer]:
    files = [*(resources.files("arena.page") / "assets").iterdir()]
    kinds = {each.name: _TYPES.get(each.name.rpartition(".")[2]) for each in files}
    return {each.name: answer(each.read_bytes(), kind) for each in files if (kind := kinds[each.name])}


class _Number(IntegerConvertor):
    """A number in an address: one that is longer names nothing."""

    regex = "[0-9]{1,9}"


register_url_convertor("int", _Number())


class Guarded:
    """An application with, in every answer, what it forbids the browser: in those about its bugs too."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
                if not any(key == b"cache-control" for key, _ in message["headers"]):
                    message["headers"].append((b"cache-control", b"no-cache"))  # what may be seen changes
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)
