"""The base of all pages of the server: the league, filled templates, their cache, and the report of bugs."""

from __future__ import annotations

import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import Receive, Scope, Send

from arena.league.store import StoreError, UnknownTournament
from arena.referee.night.control import night_of
from arena.referee.night.night_now import NightNow
from arena.text import one_line
from arena.view.extension import Extension
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot
from arena.view.serving.actors import actor_of
from arena.view.serving.cache import Answer, Cache, Fresh, answer
from arena.view.serving.places import Full, Places
from arena.view.views.lobby import lobby
from arena.view.views.tournament import tournament_values
from arena.view.views.view import Ask, Missing, Values, View, rendered

HTML: Final = "text/html; charset=utf-8"
_KEPT = 200  # rendered pages
_SNAPSHOTS = 16  # of different tournaments, for the requests that wait for them
_NOT_UPDATED: Final = "Too many browsers are connected; this page does not update itself."
_LOBBIES: Final = {"home": "lobby", "screen": "screen_lobby"}  # what views show before the first game
_TELLS_ERRORS: Final = "arena.tells_errors"  # in the scope of a request
_PLACES = 3  # mini-tables of the first view
_PAUSE = 2.0  # seconds after an error in the background


class EventStream(StreamingResponse):
    """A stream of events for a browser (text/event-stream); it is closed as soon as the browser has gone.

    Args:
        request: the request of the browser.
        places: the places for streams, one of which it takes; without one the answer says so.
        events: the events.
    """

    def __init__(self, request: Request, places: Places, events: AsyncGenerator[bytes, None]) -> None:
        headers = {"Cache-Control": "no-store"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._asker, self._places, self._events = actor_of(request).asker, places, events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with trio.CancelScope() as lost, self._places.taken(self._asker, lost.cancel):
                await super().__call__(scope, receive, send)
        except Full:
            await PlainTextResponse(_NOT_UPDATED, 503)(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self._events):
            await super().stream_response(send)


ToldError = Callable[[str, int, Mapping[str, str]], Response]
"""Makes the answer to an error from a sentence, a code and headers."""


def _sentence(what: str, code: int, headers: Mapping[str, str]) -> Response:
    return PlainTextResponse(what, code, headers)


class ForScripts(Route):
    """An address that scripts of the page read: its errors are sentences, and no pages."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As a route does; notes what it is."""
        found, child = super().matches(scope)
        return found, {**child, _TELLS_ERRORS: _sentence}


class ForPrograms(Mount):
    """Addresses that programs read, with a form of their own for errors.

    Args:
        path: the beginning of the addresses.
        routes: the addresses below it.
        error: makes the answer to an error.
    """

    def __init__(self, path: str, routes: Sequence[BaseRoute], error: ToldError) -> None:
        super().__init__(path, routes=routes)
        self._error = error

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As a mount does; notes the form of its errors."""
        found, child = super().matches(scope)
        return found, {**child, _TELLS_ERRORS: self._error}


def tells_errors(request: Request) -> ToldError | None:
    """How the errors of an address are told; None for an address of people, who get a page."""
    found: ToldError | None = request.scope.get(_TELLS_ERRORS)
    return found


class Site:
    """The pages of a league. Methods that are not async are for threads.

    Args:
        reader: the league.
        extensions: what other parts of the arena add; the templates of the first ones go first.
        name: what the pages are called where they show no tournament.
        url: where phones find the page; empty if they cannot.
        most_streams: how many browsers may listen to events at once.
        news: gives values that the first view and the projector get anew at each request.
        running: counts the tables that run, for which the first view has places from the beginning.
        tracebacks: whether the terminal shows the tracebacks of bugs too, for a log.

    Attributes:
        streams: the places of the browsers that listen.
        bugs: the report of bugs.
    """

    def __init__(
        self,
        reader: LeagueReader,
        extensions: Sequence[Extension],
        *,
        name: str = "League night",
        url: str = "",
        most_streams: int,
        news: Callable[[], Values] = dict,
        running: Callable[[], int] = int,
        tracebacks: bool = False,
    ) -> None:
        self.reader, self.extensions = reader, extensions
        self.streams = Places(most_streams)
        self.bugs = Bugs(reader.say, tracebacks)
        self._url, self._get_news, self._running = url, news, running
        self._fixed: Values = {
            "site_name": name,
            "added_main": [link for each in extensions for link in each.main],
            "added_more": [link for each in extensions for link in each.more],
        }
        for each in extensions:
            self._fixed |= each.values
        self._snapshots: Fresh[int | None, Snapshot | None] = Fresh(_SNAPSHOTS)
        self._nights: Fresh[None, NightNow] = Fresh()
        self._news: Fresh[None, Values] = Fresh()
        self._kept: Cache[tuple[str, str, int, int]] = Cache(_KEPT)

    def snapshot(self, request: Request) -> Snapshot | None:
        """The snapshot of the tournament in the address, else of the last one; None if there is none yet."""
        night = request.path_params.get("night")
        if self.reader.comes_later and not self.reader.path.exists():
            return None  # the first tournament has not begun
        try:
            number = self.reader.last() if night is None else night
            return None if number is None else self.reader.snapshot(number)
        except UnknownTournament:
            raise HTTPException(404, "There is no such tournament.") from None
        except StoreError as problem:
            raise HTTPException(503, f"The league cannot be read: {self.reader.told(problem)}.") from None

    def snapshot_if_possible(self, request: Request) -> Snapshot | None:
        """The same for pages that can do without a snapshot: None if a bug stops its computation."""
        try:
            return self.snapshot(request)
        except HTTPException:
            raise
        except Exception as bug:  # noqa: BLE001 - of any kind: the page goes on
            self.bugs.tell(request.url.path, bug)
            return None

    def html(
        self,
        request: Request,
        name: str,
        snapshot: Snapshot | None,
        values: Mapping[str, Any],
        *,
        here: str | None = None,
        code: int = 200,
        store: bool = True,
    ) -> Response:
        """A page from a template; the navigation marks the view `here`."""
        headers = {"Cache-Control": "no-cache" if store else "no-store"}
        body = self._body(request, name, snapshot, {"here": name if here is None else here, **values})
        return Response(body, code, media_type=HTML, headers=headers)

    def _body(self, request: Request, name: str, snapshot: Snapshot | None, values: Values) -> bytes:
        night = request.path_params.get("night")
        common: Values = {
            "here": name,
            "base": "" if night is None else f"/nights/{night}",
            "live": night is None,
            "links": True,
            "address": _address,
            "kept": {},
            "origin": origin_of(request),
            "brand": "",
            "new": self._new(request),
        }
        filled = common | self._fixed | tournament_values(snapshot) | values
        packages = [each.package for each in self.extensions]
        return rendered(name, filled, packages).encode("utf-8", "replace")

    def _new(self, request: Request) -> Mapping[str, int]:
        """How much is new to the person who asks, by the addresses of links; found once for each request."""
        if not hasattr(request.state, "new"):
            request.state.new = {}
            for each in self.extensions:
                request.state.new |= each.new(request)
        found: Mapping[str, int] = request.state.new
        return found

    async def view(self, request: Request, view: View) -> Response:
        """A view of a tournament, made once for all browsers until the league grows.

        Browsers of people to whom something is new get one that says so.
        """
        snapshot = await self._moment(request, self.snapshot)
        newest, has_lobby = request.path_params.get("night") is None, view.name in _LOBBIES
        waits: Values = {}
        if newest and (
            snapshot is None or (has_lobby and (snapshot.finished or snapshot.plan.first.gives_way))
        ):
            night = await self._nights.ask(None, lambda: night_of(self.reader.path))
            if night.plays and not night.begun:
                waits = lobby(night, self._url)
        if waits and has_lobby:
            page = partial(self.html, request, _LOBBIES[view.name], None, waits, here=view.name)
            return await trio.to_thread.run_sync(page)
        news: Values = {}
        if newest and has_lobby:
            news = await self._news.ask(None, self._get_news) | {"places": min(self._running(), _PLACES)}
        if snapshot is None:
            empty = partial(self.html, request, "empty", None, waits | news, here=view.name)
            return await trio.to_thread.run_sync(empty)
        parts = {key: value for key, value in request.path_params.items() if key != "night"}

        def values() -> Values:
            try:
                return view.values(Ask(self.reader, snapshot, request.query_params), **parts) | news
            except Missing as why:
                raise HTTPException(404, str(why)) from None

        return await self._made_once(
            request,
            snapshot,
            f"{request.url.query} {news} {self.reader.analysed() if view.tells_analyses else ''}",
            lambda: self._body(request, view.name, snapshot, values()),
        )

    async def beside(
        self, request: Request, name: str, key: str, values: Values, kind: str = HTML
    ) -> Response:
        """A page without a tournament, made once for all browsers that ask for it with this key."""
        snapshot = await self._moment(request, self.snapshot_if_possible)
        return await self._made_once(
            request, snapshot, key, lambda: self._body(request, name, snapshot, values), kind
        )

    async def made_of(self, request: Request, kind: str, make: Callable[[Snapshot], bytes]) -> Response:
        """A file about a tournament, of a media type, made once until the league grows."""
        snapshot = await self._moment(request, self.snapshot)
        if snapshot is None:
            raise HTTPException(404, "No tournament has begun yet.")
        return await self._made_once(request, snapshot, "", lambda: make(snapshot), kind)

    async def _moment(self, request: Request, find: Callable[[Request], Snapshot | None]) -> Snapshot | None:
        night = request.path_params.get("night")
        return self.reader.known(night) or await self._snapshots.ask(night, lambda: find(request))

    async def _made_once(
        self,
        request: Request,
        snapshot: Snapshot | None,
        key: str,
        body: Callable[[], bytes],
        kind: str = HTML,
    ) -> Response:
        def make() -> Answer:
            with self.reader.work.spending():
                return answer(body(), kind)

        moment = (snapshot.length, snapshot.intervals) if snapshot else (-1, 0)
        new = await trio.to_thread.run_sync(self._new, request) if kind == HTML else {}
        asked = f"{self.reader.file} {origin_of(request)} {request.url.path}", f"{key} {new}", *moment
        return (await self._kept.ask(asked, make)).response(request)


def origin_of(request: Request) -> str:
    """The beginning of all addresses of the page, as the browser has it: `https://league.example`."""
    return f"{request.url.scheme}://{request.url.netloc}"


def _address(path: str, **query: Any) -> str:
    kept = {key: value for key, value in query.items() if value not in ("", None)}
    return quote(path) + (f"?{urlencode(kept)}" if kept else "")


class Bugs:
    """The errors of the page itself: the terminal shows each once, and the rest of the page goes on.

    Args:
        say: tells the host lines.
        tracebacks: whether it shows their tracebacks too, for a log.
    """

    def __init__(self, say: Callable[[str], None], tracebacks: bool) -> None:
        self._say = say
        self._tracebacks = tracebacks
        self._told: set[tuple[type[BaseException], str]] = set()

    def tell(self, where: str, error: BaseException) -> None:
        """Prints an error, unless the same one happened at the same place before."""
        while error.__cause__ is not None:
            error = error.__cause__
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        if (type(error), place) not in self._told:
            self._told.add((type(error), place))
            what = f"page: {where} failed: {type(error).__name__}: {error} ({place})"
            lines = traceback.format_exception(error) if self._tracebacks else []
            self._say(f"{one_line(what)}\n{''.join(lines)}")

    async def survive(self, where: str, work: Callable[[], Awaitable[None]]) -> None:
        """Runs work that never ends; after an error it begins again."""
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - of any kind: the page goes on
                self.tell(where, error)
                await trio.sleep(_PAUSE)
