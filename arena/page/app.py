"""The page as a web application: addresses, what is answered there, and what every answer forbids."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

import trio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route

from arena.page import bot_views, game_views, views
from arena.page.asking import Ask, Missing
from arena.page.forms import WRONG_TOKEN_PAUSE, form_of
from arena.page.host import ACTIONS, COOKIE, START, Host, HostAction, word_of
from arena.page.look import Look
from arena.page.nights import Nights
from arena.page.pages import rendered
from arena.page.seat_pages import SeatPages
from arena.page.seats import Seats
from arena.page.standings_views import headline
from arena.page.stream import MOST_STREAMS, Crier
from arena.page.tables import Tables
from arena.report.game_log import ONLOOKER
from arena.results import read_game_key
from arena.runner.night.host_requests import Refused, admit_guest, ask
from arena.runner.night.starting import ask_to_start, waits_for_guests
from arena.store import StoreError, UnknownGame, UnknownTournament
from arena.table.record import BrokenRecord
from arena.text import one_line

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
_KEPT = 200  # rendered pages
_KEPT_STEPS = 32  # games

View = Callable[..., dict[str, Any]]


class Page:
    """The application.

    Args:
        nights: the league.
        host: who the host is.
        tables: the tables that run.
        seats: the seats of people.
    """

    def __init__(self, nights: Nights, host: Host, tables: Tables, seats: Seats) -> None:
        self._nights = nights
        self._seats = SeatPages(seats, nights, self._seat_page)
        self._seats_possible = seats.possible
        self._host = host
        self._tables = tables
        self._tries = trio.Lock()
        self._keeping = threading.Lock()
        self._rendered: dict[tuple[str, str, int, int], bytes] = {}
        self._steps_kept: dict[tuple[int, int | None], bytes] = {}
        self.crier = Crier(nights, tables)
        self.app = Starlette(
            routes=self._routes(),
            middleware=[Middleware(_Guarded), Middleware(GZipMiddleware, minimum_size=2000)],
            exception_handlers={HTTPException: self._http_error, Exception: self._bug},
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
        both: list[BaseRoute] = [Route(path, self._view(name, view)) for path, name, view in plain]
        both += [
            Route("/games/{key:path}", self._replay),
            Route("/steps/{key:path}", self._steps),
            Route("/plain/{key:path}", self._log),
        ]
        return [
            Route("/events", self._events),
            Route("/assets/{file}", self._asset),
            Route("/tables", self._in_thread(self._tables_page)),
            Route("/tables/{number:int}", self._in_thread(self._table_page)),
            Route("/tables/{number:int}/steps", self._in_thread(self._table_steps)),
            *self._seats.routes(),
            Route("/host", self._host_page, methods=["GET"]),
            Route("/host/{what}", self._host_post, methods=["POST"]),
            *both,
            Mount("/nights/{night:int}", routes=both),
        ]

    # --- Views ---

    def _view(self, name: str, view: View) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await trio.to_thread.run_sync(self._answer, request, name, view)

        return answer

    def _answer(self, request: Request, name: str, view: View) -> Response:
        """A view, as it was rendered before where nothing has changed since."""
        look = self._look(request)
        if look is None:
            return self._html(request, "empty", None, {}, name)
        known = (request.url.path, request.url.query, look.length, look.intervals)
        with self._keeping:
            body = self._rendered.get(known)
        if body is None:
            parts = {key: value for key, value in request.path_params.items() if key != "night"}
            try:
                values = view(Ask(self._nights, look, request.query_params), **parts)
            except Missing as why:
                raise HTTPException(404, str(why)) from None
            body = self._body(request, name, look, values, name)
            self._keep(self._rendered, known, body, _KEPT)
        return _page(body)

    def _look(self, request: Request) -> Look | None:
        """How the tournament stands that the address names: the last one if it names none."""
        night = request.path_params.get("night")
        try:
            number = self._nights.last() if night is None else night
            return None if number is None else self._nights.look(number)
        except UnknownTournament:
            raise HTTPException(404, "There is no such tournament.") from None
        except StoreError as problem:
            raise HTTPException(503, f"The league cannot be read: {problem}.") from None

    def _html(
        self, request: Request, name: str, look: Look | None, values: Mapping[str, Any], here: str
    ) -> Response:
        return _page(self._body(request, name, look, values, here))

    def _body(
        self, request: Request, name: str, look: Look | None, values: Mapping[str, Any], here: str
    ) -> bytes:
        night = request.path_params.get("night")
        common: dict[str, Any] = {
            "look": look,
            "names": look.names if look else (),
            "headline": headline(look),
            "here": here,
            "base": "" if night is None else f"/nights/{night}",
            "live": night is None,
            "links": True,
            "host_possible": self._host.possible,
            "seats_possible": self._seats_possible,
            "address": lambda path, **query: _address(path, query),
            "kept": {},
            "text": "",
        }
        return rendered(f"{name}.html", {**common, **values}).encode("utf-8", "replace")

    # --- One game ---

    async def _replay(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._replay_page, request)

    def _replay_page(self, request: Request) -> Response:
        look, number = self._game(request)
        key = read_game_key(request.path_params["key"])
        assert key is not None
        stored = self._nights.ask(lambda league: league.game(number))
        neighbours = self._nights.ask(lambda league: _neighbours(league, number))
        values = {
            "key": str(key),
            "result": stored.result,
            "game": key.game,
            "open": look.shows_hands(key),
            "recorded": stored.recorded,
            "neighbours": neighbours,
        }
        return self._html(request, "replay", look, values, "games")

    def _game(self, request: Request) -> tuple[Look, int]:
        """The tournament and the running number of the game that an address names."""
        look = self._look(request)
        key = read_game_key(request.path_params["key"])
        if look is None or key is None:
            raise HTTPException(404, "There is no such game.")
        try:
            return look, self._nights.game(look.tournament.id, key)
        except UnknownGame:
            raise HTTPException(404, "There is no such game.") from None

    async def _steps(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._steps_json, request)

    def _steps_json(self, request: Request) -> Response:
        number, view = self._seen(request)
        with self._keeping:
            body = self._steps_kept.get((number, view))
        if body is None:
            body = json.dumps(self._pictures(number, view), separators=(",", ":")).encode()
            self._keep(self._steps_kept, (number, view), body, _KEPT_STEPS)
        return Response(body, media_type="application/json")

    def _keep(self, kept: dict[Any, bytes], name: Any, body: bytes, most: int) -> None:
        """Keeps an answer for those who ask the same, and forgets the oldest."""
        with self._keeping:
            while len(kept) >= most:
                kept.pop(next(iter(kept)))
            kept[name] = body

    def _seen(self, request: Request) -> tuple[int, int | None]:
        """Which game is asked for, and in whose view, if that may be seen."""
        look, number = self._game(request)
        key = read_game_key(request.path_params["key"])
        assert key is not None
        view = _read_view(request.query_params.get("view", "all"))
        if view != ONLOOKER and not look.shows_hands(key):
            raise HTTPException(403, "Hands are shown when the round is over: others play the same cards.")
        return number, view

    def _pictures(self, number: int, view: int | None) -> dict[str, Any]:
        try:
            return self._nights.pictures(number, view)
        except IndexError:
            raise HTTPException(404, "There is no such seat.") from None
        except (StoreError, BrokenRecord) as problem:
            raise HTTPException(503, f"The game cannot be read: {problem}.") from None

    async def _log(self, request: Request) -> Response:
        data = await trio.to_thread.run_sync(lambda: self._pictures(*self._seen(request)))
        lines = [line for step in data["steps"] for line in step["log"]] + data["end"]
        return PlainTextResponse("\n".join(lines) + "\n")

    # --- Running tables ---

    @staticmethod
    def _in_thread(answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            return await trio.to_thread.run_sync(answer, request)

        return answered

    def _tables_page(self, request: Request) -> Response:
        values = {"tables": self._tables.running(), "delay": self._tables.delay}
        return self._html(request, "tables", self._look(request), values, "tables")

    def _table_page(self, request: Request) -> Response:
        table = self._tables.table(request.path_params["number"])
        if table is None:
            raise HTTPException(404, "There is no such table any more.")
        values = {"table": table, "delay": self._tables.delay}
        return self._html(request, "table", self._look(request), values, "tables")

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
        if self.crier.listeners >= MOST_STREAMS:
            raise HTTPException(503, "Too many listen already; this page shows what it knows.")
        last = request.headers.get("last-event-id") or request.query_params.get("last")
        tables = "tables" in request.query_params
        return StreamingResponse(
            self.crier.listen(last, tables),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )

    # --- A person's seat ---

    def _seat_page(self, request: Request, values: dict[str, Any]) -> Response:
        return self._html(request, "seat", self._look(request), {**values, "live": False}, "seat")

    # --- The host ---

    async def _host_page(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._host_view, request, "", None)

    def _host_view(self, request: Request, said: str, confirm: Mapping[str, Any] | None) -> Response:
        look = self._look(request)
        session = request.cookies.get(COOKIE)
        is_host = self._host.knows(session)
        waits = waits_for_guests(self._nights.path)
        values = {
            "is_host": is_host,
            "word": word_of(session) if is_host and session else "",
            "actions": _actions(look, waits),
            "waits": waits,
            "said": said,
            "confirm": confirm,
            "over": not waits and (look is None or look.finished),
        }
        response = self._html(request, "host", look, values, "host")
        response.headers["Cache-Control"] = "no-store"
        return response

    async def _host_post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form.get("token", ""))
        session = request.cookies.get(COOKIE)
        if session is None or not self._host.knows(session):
            raise HTTPException(403, "Only the host can do this.")
        if form.get("word") != word_of(session):
            raise HTTPException(403, "Only a form of this page can do this.")
        if what == "leave":
            self._host.leave(session)
            response = RedirectResponse("/host", 303)
            response.delete_cookie(COOKIE)
            return response
        return await trio.to_thread.run_sync(self._decide, request, what, form)

    async def _enter(self, request: Request, token: str) -> Response:
        async with self._tries:  # one at a time, and slowly where it is wrong
            session = self._host.enter(token)
            if session is None:
                await trio.sleep(WRONG_TOKEN_PAUSE)
        if session is None:
            wrong = "That is not the token; the terminal that serves the page says it."
            return await trio.to_thread.run_sync(self._host_view, request, wrong, None)
        response = RedirectResponse("/host", 303)
        response.set_cookie(COOKIE, session, httponly=True, samesite="strict", max_age=24 * 3600)
        return response

    def _decide(self, request: Request, kind: str, form: Mapping[str, str]) -> Response:
        """Asks once whether it is meant, and has it decided."""
        action = next((each for each in (START, *ACTIONS) if each.kind == kind), None)
        if action is None:
            raise HTTPException(404, "There is no such decision.")
        about, reason = one_line(form.get("about", "").strip()), one_line(form.get("reason", "").strip())
        if action.about and not about:
            return self._host_view(request, f"{action.verb}: say what. {action.about}.", None)
        if form.get("sure") != "yes":
            return self._host_view(request, "", {"action": action, "about": about, "reason": reason})
        league = self._nights.path
        if action is START:
            said = "Done: it begins." if ask_to_start(league) else "Not done: it waits for nobody."
            return self._host_view(request, said, None)
        more = ""
        try:
            if kind == "admit":
                done, token = admit_guest(league, about, reason)
                more = f" The token of {about}, shown this once: {token}"
            else:
                done = ask(league, kind, about, reason)
        except (Refused, StoreError) as why:
            return self._host_view(request, f"Not done: {why}.", None)
        words = f"{action.verb}{f' ({about})' if about else ''}"
        return self._host_view(request, f"Done: {words}, {one_line(done.tournament.name)}.{more}", None)

    # --- What else is answered ---

    async def _asset(self, request: Request) -> Response:
        file = request.path_params["file"]
        found = resources.files("arena.page") / "assets" / file
        kind = _TYPES.get(file.rpartition(".")[2])
        if kind is None or "/" in file or not found.is_file():
            raise HTTPException(404, "There is no such file.")
        return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = error.detail if error.detail.endswith(".") else "There is no such page."
        if "steps" in request.url.path.split("/")[:4]:
            return PlainTextResponse(what, error.status_code)
        response = self._html(request, "problem", None, {"what": what}, "")
        response.status_code = error.status_code
        return response

    async def _bug(self, request: Request, error: Exception) -> Response:
        what = f"page: {request.url.path} failed: {type(error).__name__}: {error}"
        sys.stderr.write(f"{one_line(what)}\n")
        response = self._html(request, "problem", None, {"what": "The page itself went wrong here."}, "")
        response.status_code = 500
        return response


def _actions(look: Look | None, waits: bool) -> tuple[HostAction, ...]:
    """What the host can do now."""
    undecided = look is not None and not look.finished and not waits
    return (*((START,) if waits else ()), *(ACTIONS if undecided else ()))


def _neighbours(league: Any, number: int) -> list[str]:
    """The games recorded before and after one, of the same tournament, by key; empty where there is none."""
    found = []
    tournament = league.game(number).tournament
    for other in (number - 1, number + 1):
        try:
            stored = league.game(other)
            found.append(str(stored.result.key) if stored.tournament == tournament else "")
        except UnknownGame:
            found.append("")
    return found


def _read_view(text: str) -> int | None:
    """Whose view an address asks for."""
    if text == "all":
        return None
    if text == "public":
        return ONLOOKER
    if text.isdecimal() and len(text) < 3:
        return int(text)
    raise HTTPException(404, "There is no such seat.")


def _address(path: str, query: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in query.items() if value not in ("", None)}
    return quote(path) + (f"?{urlencode(kept)}" if kept else "")


def _page(body: bytes) -> Response:
    return Response(body, media_type="text/html; charset=utf-8", headers={"Cache-Control": "no-cache"})


class _Guarded:
    """Adds to every answer what it forbids the browser."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._headers = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)
