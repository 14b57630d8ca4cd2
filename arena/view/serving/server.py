"""The page's server: its settings, its parts, and the process with its limits and its end."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import trio
from starlette.routing import BaseRoute

from arena.checkup.analysis_jobs import AnalysisPool, analysis_pool
from arena.hosting.pages.author_api import AuthorApi
from arena.hosting.pages.author_data import AuthorData
from arena.hosting.pages.author_pages import AuthorPages
from arena.hosting.pages.nights import NightPages
from arena.hosting.pages.standing import Standing, is_host_of
from arena.hosting.pages.uploads import Uploads
from arena.hosting.place import Place
from arena.hosting.settings import LeagueFileError, read_settings
from arena.proxies import Proxies
from arena.seat.seats import SeatProgram, Seats
from arena.steer.host import AdmitAt, HostPages
from arena.view.league.events import LeagueEvents
from arena.view.league.reader import LeagueReader, to_terminal
from arena.view.league.tables import Tables
from arena.view.listening import url_for_phones, url_of
from arena.view.serving.app import Guarded, friendly_app, league_app
from arena.view.serving.explaining import Explanations
from arena.view.serving.games import ReplayPages, TablePages
from arena.view.serving.http import Server
from arena.view.serving.llms_txt import LlmsTxt
from arena.view.serving.site import Bugs, Site

_NICENESS = 10  # low priority: the games come first
_MOST = 3000  # connections of browsers at once
_STREAMS = 2 / 3  # the share of them that may listen to events
_RESERVE = 60  # open files of the page itself
_SWITCH = 0.0005  # seconds; at 5 ms each system call of the thread that answers may wait that long
_FULL = "page: {:,} connections are open, and no more may be (ulimit -n): a new one closes an old one\n"
_WORDS = "page: this system allows too few open files for all connections; some people wait (ulimit -n)\n"


class Settings(NamedTuple):
    """The settings of the page.

    Attributes:
        league: the league file.
        program: how people sit down; a page of a friendly game has nothing else.
        token: the host's token; None if nobody can be the host.
        admit: admits a bot at an address; None for a page without a host.
        delay: how many seconds late running tables are shown, at least.
        llms_txt: makes the text of `llms-full.txt`.
        standing: the folder of the standing league; None for another league.
        analysis: makes the pool that analyses a game.
        proxies: the proxies in front of the page that are trusted; a standing league names its own.
    """

    league: Path
    program: SeatProgram
    token: str | None = None
    admit: AdmitAt | None = None
    delay: float = 0.0
    llms_txt: Callable[[], str] = str
    standing: Path | None = None
    analysis: Callable[[], AnalysisPool] = analysis_pool
    proxies: Proxies = Proxies()


class ComposedPage(NamedTuple):
    """The composed page.

    Attributes:
        server: the server of the application.
        routes: its addresses.
        reader: the reader of the league, to be closed at the end.
        tables: the running tables.
        background: what has to run as long as the page is served, with its names for the report of bugs.
        bugs: the report of bugs.
    """

    server: Server
    routes: Sequence[BaseRoute]
    reader: LeagueReader
    tables: Tables
    background: Sequence[tuple[str, Callable[[], Awaitable[None]]]]
    bugs: Bugs


def serve(listener: socket.socket, settings: Settings, until: Callable[[], None] | None = None) -> None:
    """Serves the page until this process is interrupted, with the priority and the limits of a process.

    Args:
        listener: the listening socket, from `arena.view.listening`.
        settings: the settings.
        until: returns when the page has to end; called in a thread, which may be left waiting.
    """
    if not settings.program.friendly:  # the page starts the bots of friendly games
        os.nice(_NICENESS)
    most = _raise_limits()

    async def serve_until_told() -> None:
        async with trio.open_nursery() as nursery:
            if until is not None:
                nursery.start_soon(_end_after, until, nursery.cancel_scope)
            nursery.start_soon(_end_when_told, nursery.cancel_scope)
            await serve_here(listener, settings, most)
            nursery.cancel_scope.cancel()

    trio.run(serve_until_told)


async def serve_here(
    listener: socket.socket,
    settings: Settings,
    most: int = _MOST,
    say: Callable[[str], None] = to_terminal,
) -> None:
    """Serves the page until it is cancelled. It changes nothing of the process, and may run in any thread.

    Args:
        listener: the listening socket, from `arena.view.listening`.
        settings: the settings.
        most: how many connections are open at once.
        say: tells the host lines about bugs, and about a league that cannot be read.
    """
    page = page_of(listener, settings, most, say)
    threading.Thread(target=page.tables.follow, args=(settings.league,), daemon=True).start()
    try:
        async with trio.open_nursery() as nursery:
            for where, work in page.background:
                nursery.start_soon(page.bugs.survive, where, work)
            await page.server.serve(listener)
    finally:
        page.tables.stop()
        page.reader.close()


def page_of(
    listener: socket.socket, settings: Settings, most: int, say: Callable[[str], None]
) -> ComposedPage:
    """Composes the page; see `serve_here`, which serves it."""
    league, program, token, admit, delay, llms_txt, standing, analysis, proxies = settings
    reader, tables = LeagueReader(league, wordless=standing is not None, say=say), Tables(delay)
    site = Site(
        reader,
        {
            "friendly": program.friendly,
            "host_possible": token is not None,
            "url": url_for_phones(listener),
            "standing": standing is not None,
        },
        int(most * _STREAMS),
    )
    table_pages, seats = TablePages(site, tables), Seats(site, program)
    events = LeagueEvents(reader, tables, lambda: seats.watch(tables))
    background: list[tuple[str, Callable[[], Awaitable[None]]]] = [
        ("the event stream", events.follow_league),
        ("running tables", events.follow_tables),
        ("the seats", seats.run),
    ]
    if program.friendly:
        explanations = Explanations(site, seats, None, analysis)
        app = friendly_app(site, table_pages, ReplayPages(site, explanations), seats)
    else:
        is_host = (lambda token: False) if standing is None else partial(is_host_of, Place(standing))
        host = HostPages(site, token, admit, seats.people, is_host)
        explanations = Explanations(site, seats, host, analysis)
        more = [] if standing is None else _standing_pages(site, Place(standing), listener, background)
        replays = ReplayPages(site, explanations)
        app = league_app(site, events, table_pages, replays, host, seats, LlmsTxt(site, llms_txt), more)
    background.append(("explanations", explanations.run))
    here_alone = ipaddress.ip_address(listener.getsockname()[0]).is_loopback
    outside = ""
    if standing is not None:
        with contextlib.suppress(LeagueFileError, OSError):  # the pages say so
            league_file = read_settings(Place(standing))
            outside, proxies = urlsplit(league_file.url).hostname or "", league_file.proxies
    guarded = Guarded(app, here_alone=here_alone, outside=outside)
    server = Server(guarded, proxies, most, site.bugs.tell, lambda: say(_FULL.format(most)))
    return ComposedPage(server, app.routes, reader, tables, background, site.bugs)


def _standing_pages(
    site: Site,
    place: Place,
    listener: socket.socket,
    background: list[tuple[str, Callable[[], Awaitable[None]]]],
) -> list[BaseRoute]:
    """The addresses that only a standing league has; adds what they need done to `background`."""
    standing = Standing(site, place, url_for_phones(listener) or url_of(listener))
    data, uploads = AuthorData(standing), Uploads(place)
    background.append(("earlier ratings", data.compute_past))
    return [
        *NightPages(site, place).routes(),
        *AuthorApi(standing, data, uploads).routes(),
        *AuthorPages(standing, data).routes(),
    ]


async def _end_when_told(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            scope.cancel()


async def _end_after(until: Callable[[], None], scope: trio.CancelScope) -> None:
    await trio.to_thread.run_sync(until, abandon_on_cancel=True)
    scope.cancel()


def _raise_limits() -> int:
    """Allows this process as many open files as it needs, or as the system lets it have.

    If they are too few, new connections wait; the terminal says so once. Threads take turns more often than
    usual, because people wait for one of them. Returns how many connections may be open at once.
    """
    sys.setswitchinterval(_SWITCH)
    logging.getLogger("trio.serve_listeners").addFilter(_Once())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = _MOST + _RESERVE if hard == resource.RLIM_INFINITY else min(_MOST + _RESERVE, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        with contextlib.suppress(OSError, ValueError):  # macOS allows fewer than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else max(2, min(_MOST, soft - _RESERVE))


class _Once(logging.Filter):
    """Prints one sentence, once, for an error that trio would log ten times a second with a traceback."""

    said = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not self.said:
            self.said = True
            sys.stderr.write(_WORDS)
            sys.stderr.flush()
        return False
