"""The page's server: the composed page, and the process with its limits and its end."""

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
from typing import NamedTuple

import trio
from starlette.routing import BaseRoute

from arena.view.league.reader import LeagueReader, to_terminal
from arena.view.league.tables import Tables
from arena.view.proxies import Proxies
from arena.view.serving.app import Guarded, application
from arena.view.serving.http import Server
from arena.view.serving.site import Bugs, Site

_NICENESS = 10  # low priority: the games come first
_MOST = 3000  # connections of browsers at once
_STREAMS = 2 / 3  # the share of them that may listen to events
_RESERVE = 60  # open files of the page itself
_SWITCH = 0.0005  # seconds; at 5 ms each system call of the thread that answers may wait that long
_FULL = "page: {:,} connections are open, and no more may be (ulimit -n): a new one closes an old one\n"
_WORDS = "page: this system allows too few open files for all connections; some people wait (ulimit -n)\n"

Background = Sequence[tuple[str, Callable[[], Awaitable[None]]]]


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
    background: Background
    bugs: Bugs


class Start(NamedTuple):
    """What a page is told when it is composed.

    Attributes:
        listener: the listening socket, from `arena.view.listening`.
        most: how many connections may be open at once.
        say: tells the host lines about bugs, and about a league that cannot be read.
    """

    listener: socket.socket
    most: int = _MOST
    say: Callable[[str], None] = to_terminal

    @property
    def most_streams(self) -> int:
        """How many browsers may listen to events at once."""
        return int(self.most * _STREAMS)


Compose = Callable[[Start], ComposedPage]


def composed(
    start: Start,
    site: Site,
    tables: Tables,
    routes: Sequence[BaseRoute],
    background: Background,
    proxies: Proxies | None = None,
    outside: str = "",
) -> ComposedPage:
    """A page from its parts.

    Args:
        start: where it is served.
        site: the pages.
        tables: the running tables.
        routes: all addresses; of two that fit, the first one answers.
        background: what has to run as long as the page is served, with names for the report of bugs.
        proxies: the proxies in front of the page that are trusted; those on this machine if None.
        outside: the name under which a proxy in front of the page is reached; empty for none.
    """
    app = application(site, routes)
    here_alone = ipaddress.ip_address(start.listener.getsockname()[0]).is_loopback
    guarded = Guarded(app, here_alone=here_alone, outside=outside)
    server = Server(
        guarded, proxies or Proxies(), start.most, site.bugs.tell, lambda: start.say(_FULL.format(start.most))
    )
    return ComposedPage(server, app.routes, site.reader, tables, background, site.bugs)


def serve(
    listener: socket.socket, compose: Compose, until: Callable[[], None] | None = None, *, first: bool = False
) -> None:
    """Serves the page until this process is interrupted, with the priority and the limits of a process.

    Args:
        listener: the listening socket, from `arena.view.listening`.
        compose: composes the page.
        until: returns when the page has to end; called in a thread, which may be left waiting.
        first: whether the page has the usual priority: else the games come first.
    """
    if not first:
        os.nice(_NICENESS)
    start = Start(listener, _raise_limits())

    async def serve_until_told() -> None:
        async with trio.open_nursery() as nursery:
            if until is not None:
                nursery.start_soon(_end_after, until, nursery.cancel_scope)
            nursery.start_soon(_end_when_told, nursery.cancel_scope)
            await serve_here(start, compose)
            nursery.cancel_scope.cancel()

    trio.run(serve_until_told)


async def serve_here(start: Start, compose: Compose) -> None:
    """Serves the page until it is cancelled. It changes nothing of the process, and may run in any thread."""
    page = compose(start)
    threading.Thread(target=page.tables.follow, args=(page.reader.path,), daemon=True).start()
    try:
        async with trio.open_nursery() as nursery:
            for where, work in page.background:
                nursery.start_soon(page.bugs.survive, where, work)
            await page.server.serve(start.listener)
    finally:
        page.tables.stop()
        page.reader.close()


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
