"""The publisher of server-sent events about news in the league and at its running tables.

A browser gets the last event of each kind, and every later one. The number of an event about the league is
the league's length (`League.length`), which is the same after a restart of the page or of the referee. A
browser that reconnects sends its last number, so the page knows what the browser missed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from typing import Any, NamedTuple

import trio

from arena.league.store import StoreError
from arena.referee.night.control import night_of
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot, headline
from arena.view.league.tables import Tables
from arena.view.league.wall import SIZES, Tile, Walls
from arena.view.pictures.replay import changes

_POLL = 0.5  # seconds between two checks of the file
_SHARE = 10  # the pause between two checks, as a multiple of the time that the last check took
_LEAST_PAUSE = 2.0
_HEARTBEAT = 15.0

NEWS = "news"
"""The kind of an event about the league."""

TABLES = "tables"
"""The kind of an event about the running tables: by table, how many of its steps are shown."""

WALL = "wall"
"""The kind, with a wall's size, of an event about its mini-tables. A browser gets what has changed."""


class Event(NamedTuple):
    """The last event of a kind, and its number, if it has one."""

    data: Any
    number: int | None

    def sent(self, kind: str, more: dict[str, Any]) -> bytes:
        """The event as text for a browser, with `more` data for this browser alone."""
        head = "" if self.number is None else f"id: {self.number}\n"
        data = {**self.data, **more} if more else self.data
        return f"{head}event: {kind}\ndata: {json.dumps(data)}\n\n".encode()


class Publisher:
    """Sends events to all browsers that listen. Used in trio's thread alone.

    Attributes:
        listeners: how many listen.
    """

    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self._changed = trio.Event()
        self._closed = False
        self._heard: Counter[str] = Counter()  # by kind, how many listen
        self.listeners = 0

    def tell(self, kind: str, data: Any, number: int | None = None) -> None:
        """Sends an event, unless it equals the last one of its kind."""
        event = Event(data, number)
        if self._events.get(kind) != event:
            self._events[kind] = event
            self._changed.set()
            self._changed = trio.Event()

    def is_heard(self, kind: str) -> bool:
        """Whether anybody listens to a kind of events."""
        return self._heard[kind] > 0

    def forget(self, kind: str) -> None:
        """Sends the last event of a kind to no more browsers."""
        self._events.pop(kind, None)

    def close(self) -> None:
        """Ends the streams of all listeners."""
        self._closed = True
        self._changed.set()

    async def listen(
        self, *kinds: str, more: Callable[[str, Event], dict[str, Any]] = lambda kind, event: {}
    ) -> AsyncGenerator[bytes, None]:
        """The last event of each of these kinds at once, and then those that follow.

        Args:
            kinds: the kinds.
            more: gives the data that this browser gets in addition, when an event is sent.
        """
        heard: dict[str, Event] = {}
        self.listeners += 1
        self._heard.update(kinds)
        try:
            yield b"retry: 3000\n\n"
            while not self._closed:
                changed = self._changed
                for kind in kinds:
                    event = self._events.get(kind)
                    if event is not None and event is not heard.get(kind):
                        heard[kind] = event
                        yield event.sent(kind, more(kind, event))
                with trio.move_on_after(_HEARTBEAT) as wait:
                    await changed.wait()
                if wait.cancelled_caught:
                    yield b": still here\n\n"
        finally:
            self.listeners -= 1
            self._heard.subtract(kinds)


class LeagueEvents:
    """Checks the league again and again, and publishes the news.

    Args:
        reader: the league.
        tables: its running tables.
    """

    def __init__(self, reader: LeagueReader, tables: Tables) -> None:
        self._reader = reader
        self._tables = tables
        self._length = -1  # of the league, at the last check
        self._playing = False  # whether the tournament was played at the last check
        self._lobby: tuple[str, ...] = ()  # the states of the bots before the first game, at the last check
        self._snapshot: Snapshot | None = None  # of the last check
        self._walls = Walls(reader, tables)
        self.publisher = Publisher()
        self.publisher.tell(TABLES, {})

    def listen(
        self, last: str | None, *, tables: bool, wall: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The events for a browser.

        Args:
            last: the number of the last event about the league that the browser got; None if it got none.
            tables: whether it also gets the events about the running tables.
            wall: the size of the wall of mini-tables that it shows, one of `SIZES`; None if it shows none.
        """
        missed_since = int(last) if last and last.isdecimal() and len(last) < 19 else None
        seen: dict[str, Tile] = {}  # the mini-tables as the browser has them

        def more(kind: str, event: Event) -> dict[str, Any]:
            nonlocal missed_since, seen
            if kind.startswith(WALL):
                before, seen = seen, {tile["key"]: tile for tile in event.data["tiles"] if tile}
                news = [tile and _news_of(tile, before.get(tile["key"], {})) for tile in event.data["tiles"]]
                return {"tiles": news, "now": round(self._tables.now(), 1)}
            since, missed_since = missed_since, missed_since if kind != NEWS else None
            if kind != NEWS or since is None or event.number is None:
                return {}
            return {"missed": max(0, event.number - since)}

        kinds = [NEWS, *([TABLES] if tables else []), *([f"{WALL}{wall}"] if wall in SIZES else [])]
        return self.publisher.listen(*kinds, more=more)

    async def follow_league(self) -> None:
        """Checks the league until it is cancelled."""
        while True:
            pause = _POLL
            try:
                length = await trio.to_thread.run_sync(self._reader.length)
                lobby = await trio.to_thread.run_sync(self._lobby_now)
                if length != self._length or lobby != self._lobby:
                    self._lobby = lobby
                    begun = trio.current_time()
                    self._tell(*await trio.to_thread.run_sync(self._news))
                    pause = max(_LEAST_PAUSE, _SHARE * (trio.current_time() - begun))
                elif self._playing != self._tables.playing or await trio.to_thread.run_sync(self._refine):
                    self._tell(*await trio.to_thread.run_sync(self._news))
            except StoreError:
                pause = _LEAST_PAUSE  # the views show the problem; it may be repaired
            await trio.sleep(pause)

    async def look_at_walls(self) -> None:
        """Publishes the walls that browsers show."""
        shown = [size for size in SIZES if self.publisher.is_heard(f"{WALL}{size}")]
        walls = await trio.to_thread.run_sync(self._walls.look, self._snapshot) if shown else {}
        for size in SIZES:
            if size in shown:
                self.publisher.tell(f"{WALL}{size}", walls[size])
            else:
                self.publisher.forget(f"{WALL}{size}")

    def _news(self) -> tuple[int, dict[str, Any]]:
        number = self._reader.last()
        self._playing = self._tables.playing
        if number is None:
            self._snapshot = None
            return self._reader.length(), {"say": headline(None), "games": 0, **self._now(None)}
        self._snapshot = snapshot = self._reader.snapshot(number)
        return snapshot.length, _news(snapshot) | self._now(snapshot)

    def _now(self, snapshot: Snapshot | None) -> dict[str, Any]:
        state = "soon" if self._lobby or snapshot is None else _state(snapshot, self._playing)
        return {"state": state, "lobby": self._lobby}

    def _lobby_now(self) -> tuple[str, ...]:
        """The states of the bots of a tournament that is about to begin; empty if none is."""
        if not self._tables.playing:
            return ()
        number = self._reader.last()
        if number is not None and not self._reader.snapshot(number).finished:
            return ()
        night = night_of(self._reader.path)
        return () if night.begun else tuple([bot.state for bot in night.bots])

    def _refine(self) -> bool:
        number = self._reader.last()
        return number is not None and self._reader.refine(number)

    def _tell(self, length: int, news: dict[str, Any]) -> None:
        self._length = length
        self.publisher.tell(NEWS, news, length)


def _news_of(tile: Tile, before: Tile) -> Tile:
    """What has changed of a mini-table, and its key."""
    return {"key": tile["key"], **changes(before, tile)}


def _state(snapshot: Snapshot, playing: bool) -> str:
    """A tournament in a word; `stopped` if nobody plays it, as after a crash, until it is resumed."""
    if snapshot.finished:
        return "final"
    if snapshot.summary is not None and snapshot.summary.paused:
        return "paused"
    return "live" if playing else "stopped"


def _news(snapshot: Snapshot) -> dict[str, Any]:
    over, summary = snapshot.rounds_over, snapshot.summary
    return {
        "say": headline(snapshot),
        "games": summary.games if summary else 0,
        "left": summary.games_left if summary else 0,
        "rounds": len(over),
        "round": over[-1].label if over else "",
        "night": snapshot.tournament.id,
    }
