"""The event stream of the page: that the league has grown, and to what.

The number of an event is the length of the league (`League.length`), which is
the same after a restart of the page or of the referee; so a browser that comes
back says by it what it has missed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, NamedTuple

import trio

from arena.page.league_reader import LeagueReader
from arena.page.snapshot import Snapshot
from arena.page.standings_views import headline
from arena.page.tables import Tables
from arena.store import StoreError

GLANCE = 0.5
"""How often the file is looked at, in seconds."""

_SHARE = 10  # of the time it takes to find out how it stands: so much pause between two times
_LEAST_PAUSE = 2.0
_HEARTBEAT = 15.0


class News(NamedTuple):
    """The last event: the number of the moment and what is told of it."""

    length: int
    data: dict[str, Any]


class Crier:
    """Looks at the league again and again, and tells all who listen.

    Args:
        nights: the league.
        tables: the tables that run.
        on_tables: called whenever more can be seen of them.
    """

    def __init__(self, reader: LeagueReader, tables: Tables, on_tables: Callable[[], None]) -> None:
        self._reader = reader
        self._tables = tables
        self._on_tables = on_tables
        self._counts: dict[int, int] = {}  # by table, how many steps can be seen
        self._news: News | None = None
        self._changed = trio.Event()
        self.listeners = 0

    async def run(self) -> None:
        """Looks until it is cancelled."""
        while True:
            pause = GLANCE
            try:
                length = await trio.to_thread.run_sync(self._reader.length)
                if self._news is None or length != self._news.length:
                    begun = trio.current_time()
                    self._tell(await trio.to_thread.run_sync(self._snapshot))
                    pause = max(_LEAST_PAUSE, _SHARE * (trio.current_time() - begun))
                elif await trio.to_thread.run_sync(self._refine):
                    self._tell(await trio.to_thread.run_sync(self._snapshot))
            except StoreError:
                pause = _LEAST_PAUSE  # the views say what is wrong; it may be mended
            await trio.sleep(pause)

    async def watch(self) -> None:
        """Looks at the running tables until it is cancelled."""
        while True:
            counts = await trio.to_thread.run_sync(self._tables.snapshot)
            if counts != self._counts:
                self._counts = counts
                self._wake()
                self._on_tables()
            await trio.sleep(GLANCE)

    def _snapshot(self) -> News:
        number = self._reader.last()
        if number is None:
            return News(self._reader.length(), {"say": "No tournament yet.", "games": 0})
        return _news(self._reader.snapshot(number))

    def _refine(self) -> bool:
        number = self._reader.last()
        return number is not None and self._reader.refine(number)

    def _tell(self, news: News) -> None:
        if news != self._news:
            self._news = news
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def listen(self, last: str | None, tables: bool = False) -> AsyncIterator[bytes]:
        """The events for a browser that has heard the one with the number `last`; the present one at once.

        Args:
            last: the number; None for one that has heard none.
            tables: whether it is also told how far the running tables are.
        """
        self.listeners += 1
        try:
            yield b"retry: 3000\n\n"
            heard, counts = self._news, self._counts
            if heard is not None:
                yield _event(heard, int(last) if last and last.isdecimal() and len(last) < 19 else None)
            if tables:
                yield _tables_event(counts)
            while True:
                changed = self._changed
                if tables and counts is not self._counts:
                    counts = self._counts
                    yield _tables_event(counts)
                if heard is self._news:
                    with trio.move_on_after(_HEARTBEAT) as wait:
                        await changed.wait()
                    if wait.cancelled_caught:
                        yield b": still here\n\n"
                        continue
                if heard is not self._news and self._news is not None:
                    heard = self._news
                    yield _event(heard)
        finally:
            self.listeners -= 1


def _news(snapshot: Snapshot) -> News:
    over = snapshot.rounds_over
    games = snapshot.summary.games if snapshot.summary else 0
    data = {
        "say": headline(snapshot),
        "games": games,
        "left": snapshot.summary.games_left if snapshot.summary else 0,
        "rounds": len(over),
        "round": over[-1].label if over else "",
        "finished": snapshot.finished,
        "paused": bool(snapshot.summary and snapshot.summary.paused),
        "night": snapshot.tournament.id,
    }
    return News(snapshot.length, data)


def _event(news: News, last: int | None = None) -> bytes:
    data = news.data if last is None else {**news.data, "missed": max(0, news.length - last)}
    return f"id: {news.length}\nevent: news\ndata: {json.dumps(data)}\n\n".encode()


def _tables_event(counts: Mapping[int, int]) -> bytes:
    """An event without a number: it tells what is now, and nobody asks for what was."""
    return f"event: tables\ndata: {json.dumps(counts)}\n\n".encode()
