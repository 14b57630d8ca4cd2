"""Running tables for browsers: they are told how many steps of a table are shown, and ask for those steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.games import GAMES
from arena.league.store import StoreError
from arena.results import read_game_key
from arena.view.league.events import TABLES, LeagueEvents
from arena.view.league.snapshot import Snapshot, deal_parts
from arena.view.league.tables import Tables
from arena.view.serving.site import ForScripts, Site
from arena.view.views.faces import emblems_by_name

_POLL: Final = 0.5  # seconds between two checks of the running tables


class TablePages:
    """The answers about running tables: their list, one of them, and its steps.

    Args:
        site: the pages.
        tables: the running tables.
        events: tells browsers how many steps of each table are shown.
        on_steps: called when new steps are shown.
    """

    def __init__(
        self, site: Site, tables: Tables, events: LeagueEvents, on_steps: Callable[[], None]
    ) -> None:
        self._site = site
        self._tables = tables
        self._events = events
        self._on_steps = on_steps

    async def follow(self) -> None:
        """Shows the steps that are due, and tells browsers of them, until it is cancelled."""
        before: dict[int, int] = {}
        while True:
            counts = await trio.to_thread.run_sync(self._tables.show_due)
            if counts != before:
                before = counts
                self._events.publisher.tell(TABLES, counts)
                self._on_steps()
            await self._events.look_at_walls()
            await trio.sleep(_POLL)

    def routes(self) -> list[BaseRoute]:
        """The addresses of the list and of a table."""
        return [Route("/tables", self._list), Route("/tables/{number:int}", self._page)]

    def steps(self) -> BaseRoute:
        """The address of the steps of a table, which the person who plays there uses too."""
        return ForScripts("/tables/{number:int}/steps", self._steps)

    def how_to(self) -> BaseRoute:
        """The address that says how to play a game."""
        return Route("/how-to/{game}", self._how_to)

    def _how_to(self, request: Request) -> Response:
        game = request.path_params["game"]
        if game not in GAMES:
            raise HTTPException(404, "There is no such game.")
        return self._site.html(request, "how_to", None, {"game": game}, here="games")

    async def _list(self, request: Request) -> Response:
        tables, delay = await trio.to_thread.run_sync(lambda: (self._tables.running(), self._tables.delay))
        listed = str([delay, *((each.number, each.heading["key"]) for each in tables)])
        return await self._site.beside(request, "tables", listed, {"tables": tables, "delay": delay})

    def _page(self, request: Request) -> Response:
        number = request.path_params["number"]
        snapshot = self._site.snapshot_if_possible(request)
        over = self._tables.over(number)
        if over is not None and snapshot is not None and self._is_stored(snapshot, over):
            return RedirectResponse(f"/games/{over}", headers={"Cache-Control": "no-store"})
        table = self._tables.table(number)
        if table is None:
            raise HTTPException(404, "There is no such table any more.")
        key = read_game_key(table.heading["key"])
        assert key is not None
        names = table.heading["names"]
        said = snapshot.deal_words(key, len(names)) if snapshot else ", ".join(deal_parts(key, len(names)))
        values = {"table": table, "delay": self._tables.delay, "words": said}
        return self._site.html(request, "table", snapshot, values, here="tables")

    def _is_stored(self, snapshot: Snapshot, key: str) -> bool:
        """Whether the tournament has a game, so that its replay can be shown."""
        game = read_game_key(key)
        try:
            return game is not None and self._site.reader.game(snapshot.tournament.id, game) > 0
        except StoreError:
            return False

    def _steps(self, request: Request) -> Response:
        first = request.query_params.get("from", "")
        wanted = int(first) if first.isdecimal() and len(first) < 9 else None
        seen = self._tables.seen(request.path_params["number"], wanted)
        if seen is None:
            raise HTTPException(404, "There is no such table any more.")
        if "emblems" in seen:  # authors may have drawn others
            with suppress(StoreError):
                emblem = emblems_by_name(self._site.reader.tournaments())
                seen["emblems"] = [emblem(name).drawn for name in seen["names"]]
        body = json.dumps(seen, separators=(",", ":"))
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
