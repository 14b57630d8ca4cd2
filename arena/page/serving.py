"""The page's process: it listens, answers, and ends when it is told to."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import hypercorn.config
import hypercorn.trio
import trio

from arena.page.app import Guarded, Page
from arena.page.capacity import raise_limits
from arena.page.host import Host
from arena.page.host_header import OwnHostOnly
from arena.page.league_reader import LeagueReader
from arena.page.seats import Seats, Sitting
from arena.page.tables import Tables

_NICENESS = 10  # games go before the page


def serve(
    league: Path,
    listener: socket.socket,
    token: str | None,
    until: Callable[[], None] | None = None,
    delay: float = 0.0,
    sitting: Sitting | None = None,
    admitting: Sequence[str] = (),
) -> None:
    """Serves the page until it is interrupted.

    Args:
        league: the league file.
        listener: where it listens, of `arena.page.listening`.
        token: what makes whoever enters it the host; None for nobody.
        until: waits, in a thread, for what ends the page besides; it may be left waiting.
        delay: how many seconds late running tables are shown, at the least.
        sitting: how people sit down, None where nobody can; in a friendly game they have the page to
            themselves.
        admitting: the process that has a bot admitted at an address, empty where none can be.
    """
    sitting = sitting or Sitting()
    if not sitting.friendly:  # whose bots are started from here
        os.nice(_NICENESS)
    trio.run(_serve, league, listener, Host(token, admitting), until, delay, sitting)


async def _serve(
    league: Path,
    listener: socket.socket,
    host: Host,
    until: Callable[[], None] | None,
    delay: float,
    sitting: Sitting,
) -> None:
    reader, tables, seats = LeagueReader(league), Tables(delay), Seats(sitting)
    page = Page(reader, host, tables, seats)
    here_alone = ipaddress.ip_address(listener.getsockname()[0]).is_loopback
    app = Guarded(OwnHostOnly(page.app) if here_alone else page.app)
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.errorlog = config.accesslog = None
    config.include_server_header = False
    config.graceful_timeout = 0.5
    config.keep_alive_timeout = 30
    raise_limits()
    threading.Thread(target=tables.follow, args=(league,), daemon=True).start()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(page.bugs.survive, "the event stream", page.crier.run)
            nursery.start_soon(page.bugs.survive, "running tables", page.crier.watch)
            nursery.start_soon(page.bugs.survive, "the seats", seats.run)
            if until is not None:
                nursery.start_soon(_end_after, until, nursery.cancel_scope)
            nursery.start_soon(_end_when_told, nursery.cancel_scope)
            await hypercorn.trio.serve(app, config, mode="asgi")
            nursery.cancel_scope.cancel()
    finally:
        reader.close()


async def _end_when_told(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            scope.cancel()


async def _end_after(until: Callable[[], None], scope: trio.CancelScope) -> None:
    await trio.to_thread.run_sync(until, abandon_on_cancel=True)
    scope.cancel()
