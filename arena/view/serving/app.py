"""The page as a web application: its addresses, its handlers of errors, and its security headers."""

from __future__ import annotations

import errno
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.view.league.events import LeagueEvents
from arena.view.league.wall import SIZES
from arena.view.serving.actors import cookies_for, is_from_here
from arena.view.serving.cache import Answer, answer
from arena.view.serving.downloads import Downloads
from arena.view.serving.follow import FollowPages
from arena.view.serving.games import ReplayPages
from arena.view.serving.llms_txt import LlmsTxt
from arena.view.serving.site import EventStream, Site, tells_errors
from arena.view.serving.tables import TablePages
from arena.view.views import VIEWS
from arena.view.views.view import View

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of every page: nothing of other sites, and no inline script or style."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer a form of this page would not send its origin
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_EVENTS = "/events"
_WALLS = {str(size) for size in SIZES}
_BUG = "This view failed because of a bug in the page. The other views work."
_CROWDED = "Too many people use this page now; try again."
_NOT_FROM_HERE = "Only a page of this server, or a program with a token, can change anything."
_ELSEWHERE = "This page is for this machine only: open it as localhost or 127.0.0.1."


def routes_of(
    site: Site,
    events: LeagueEvents,
    tables: TablePages,
    replays: ReplayPages,
    downloads: Downloads,
    llms_txt: LlmsTxt,
) -> list[BaseRoute]:
    """The addresses of a league's own pages."""

    async def listen(request: Request) -> Response:
        last = request.headers.get("last-event-id") or request.query_params.get("last")
        wall = request.query_params.get("wall", "")
        heard = events.listen(
            last, tables="tables" in request.query_params, wall=int(wall) if wall in _WALLS else None
        )
        return EventStream(request, site.streams, heard)

    of_a_tournament: list[BaseRoute] = [Route(view.path, _answering(site, view)) for view in VIEWS]
    of_a_tournament += [*replays.routes(), *FollowPages(site).routes(), *downloads.routes()]
    unlisted = sorted([_EVENTS, *(address for each in site.extensions for address in each.unlisted)])
    robots = "\n".join(("User-agent: *", *(f"Disallow: {address}" for address in unlisted), ""))
    return [
        Route(_EVENTS, listen),
        Route("/llms.txt", llms_txt.links),
        Route("/llms-full.txt", llms_txt.whole),
        Route("/robots.txt", lambda request: PlainTextResponse(robots)),
        *tables.routes(),
        tables.steps(),
        tables.how_to(),
        *of_a_tournament,
        Mount("/nights/{night:int}", routes=of_a_tournament),
    ]


def _answering(site: Site, view: View) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        return await site.view(request, view)

    return answered


def application(site: Site, routes: Sequence[BaseRoute]) -> Starlette:
    """An application with these addresses, the assets, and handlers of errors."""
    assets = _assets(tuple(each.package for each in site.extensions))

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["file"])
        if found is None:
            raise HTTPException(404, "There is no such file.")
        return found.response(request)

    async def icon(request: Request) -> Response:
        return assets["icon.svg"].response(request)

    def problem(request: Request, what: str, code: int) -> Response:
        return site.html(request, "problem", None, {"what": what}, here="", code=code)

    def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = error.detail if error.detail.endswith(".") else "There is no such page."
        told = tells_errors(request)
        if told is not None:
            return told(what, error.status_code, error.headers or {})
        return problem(request, what, error.status_code)

    def system_error(request: Request, error: Exception) -> Response:
        """Answers with a sentence if the system has no more open files; any other error is a bug."""
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            raise error
        return PlainTextResponse(_CROWDED, 503, {"Retry-After": "2"})

    def bug(request: Request, error: Exception) -> Response:
        site.bugs.tell(request.url.path, error)
        told = tells_errors(request)
        return problem(request, _BUG, 500) if told is None else told(_BUG, 500, {})

    return Starlette(
        routes=[Route("/assets/{file}", asset), Route("/favicon.ico", icon), *routes],
        middleware=[Middleware(GZipMiddleware, minimum_size=2000)],
        exception_handlers={HTTPException: http_error, OSError: system_error, Exception: bug},
    )


@cache
def _assets(packages: tuple[str, ...]) -> dict[str, Answer]:
    """The assets by name, of the page itself and of some packages."""
    folders = [resources.files(each) / "assets" for each in ("arena.view", *packages)]
    files = [file for folder in folders if folder.is_dir() for file in folder.iterdir()]
    kinds = {each.name: _TYPES.get(each.name.rpartition(".")[2]) for each in files}
    return {
        each.name: answer(_COMPACT.get(kind, bytes)(each.read_bytes()), kind)
        for each in files
        if (kind := kinds[each.name])
    }


def _compact_style(style: bytes) -> bytes:
    """A style without comments and line ends, and without spaces that separate nothing."""
    style = re.sub(rb"/\*.*?\*/", b"", style, flags=re.DOTALL)
    return re.sub(rb"\s*([{};])\s*|(?<=[:,])\s+", rb"\1", style)


def _compact_script(script: bytes) -> bytes:
    """A script without indents, and without the comments that begin a line."""
    script = re.sub(rb"^\s*/\*\*(?:(?!\*/).)*\*/$", b"", script, flags=re.DOTALL | re.MULTILINE)
    return re.sub(rb"^\s*(//.*)?\n|^[ \t]+", b"", script, flags=re.MULTILINE)


_COMPACT: dict[str, Callable[[bytes], bytes]] = {
    "text/css": _compact_style,
    "text/javascript": _compact_script,
}


class _Number(IntegerConvertor):
    """A number in an address, of limited length."""

    regex = "[0-9]{1,9}"


register_url_convertor("int", _Number())


class Guarded:
    """Adds the security headers to every answer of an application, also to answers about bugs.

    It also adds the cookies that change, and refuses what another site asks to be changed (`is_from_here`).

    A page that listens for this machine alone answers only requests for a name of this machine: `localhost`,
    the machine's own name, or an address in digits; and for the name under which a proxy in front of it is
    reached. This stops "DNS rebinding": another site could point its
    name at this machine, and a browser here would let that site read the page's answers.

    Args:
        app: the application.
        here_alone: whether the page listens for this machine alone.
        outside: the name under which a proxy in front of the page is reached; empty for none.
    """

    def __init__(self, app: ASGIApp, *, here_alone: bool, outside: str = "") -> None:
        self._app, self._outside = app, outside
        self._here_alone = here_alone
        self._headers = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
                message["headers"] += cookies_for(scope)
                if not any(key == b"cache-control" for key, _ in message["headers"]):
                    message["headers"].append((b"cache-control", b"no-cache"))  # what may be shown changes
            await send(message)

        if self._here_alone and not is_own(Headers(scope=scope).get("host", ""), self._outside):
            await PlainTextResponse(_ELSEWHERE, 421)(scope, receive, sent)
        elif not is_from_here(Request(scope)):
            await PlainTextResponse(_NOT_FROM_HERE, 403)(scope, receive, sent)
        else:
            await self._app(scope, receive, sent)


def is_own(host: str, outside: str = "") -> bool:
    """Whether a `Host` header has a name that always means this machine, or its name outside."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    names = ("localhost", socket.gethostname().lower(), outside)
    return name.endswith(".localhost") or (name != "" and name in names)
