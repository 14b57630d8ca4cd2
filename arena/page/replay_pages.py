"""The pages of games that are over: the replay, its pictures step by step, and its log in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.page.cache import Cache, answer
from arena.page.league_reader import LeagueReader
from arena.page.pages import Html
from arena.page.snapshot import Snapshot
from arena.report.game_log import ONLOOKER
from arena.results import read_game_key
from arena.store import StoreError, UnknownGame
from arena.table.record import BrokenRecord

_KEPT = 32  # games


class ReplayPages:
    """What is answered of one game that is over.

    Args:
        nights: the league.
        look: how the tournament of an address stands; for a thread.
        html: makes a page; for a thread.
    """

    def __init__(
        self, reader: LeagueReader, snapshot: Callable[[Request], Snapshot | None], html: Html
    ) -> None:
        self._reader = reader
        self._snapshot = snapshot
        self._html = html
        self._kept: Cache[tuple[int, int, int | None]] = Cache(_KEPT)

    def routes(self) -> list[BaseRoute]:
        """The addresses, of the last tournament or below that of another."""
        return [
            Route("/games/{key:path}", self._replay),
            Route("/steps/{key:path}", self._steps),
            Route("/plain/{key:path}", self._log),
        ]

    async def _replay(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._page_of, request)

    def _page_of(self, request: Request) -> Response:
        snapshot, number = self._game(request)
        key = read_game_key(request.path_params["key"])
        assert key is not None
        stored = self._reader.ask(lambda league: league.game(number))
        neighbours = self._reader.ask(lambda league: _neighbours(league, number))
        values = {
            "key": str(key),
            "result": stored.result,
            "game": key.game,
            "open": snapshot.shows_hands(key),
            "recorded": stored.recorded,
            "neighbours": neighbours,
        }
        return self._html(request, "replay", snapshot, values, "games")

    def _game(self, request: Request) -> tuple[Snapshot, int]:
        """The tournament and the running number of the game that an address names."""
        snapshot = self._snapshot(request)
        key = read_game_key(request.path_params["key"])
        if snapshot is None or key is None:
            raise HTTPException(404, "There is no such game.")
        try:
            return snapshot, self._reader.game(snapshot.tournament.id, key)
        except UnknownGame:
            raise HTTPException(404, "There is no such game.") from None

    async def _steps(self, request: Request) -> Response:
        number, view = await trio.to_thread.run_sync(self._seen, request)
        found = await self._kept.ask(
            (self._reader.file, number, view),
            lambda: answer(
                json.dumps(self._pictures(number, view), separators=(",", ":")).encode(), "application/json"
            ),
        )
        return found.response(request)

    def _seen(self, request: Request) -> tuple[int, int | None]:
        """Which game is asked for, and in whose view, if that may be seen."""
        snapshot, number = self._game(request)
        key = read_game_key(request.path_params["key"])
        assert key is not None
        view = _read_view(request.query_params.get("view", "all"))
        if view != ONLOOKER and not snapshot.shows_hands(key):
            after = f"when the {snapshot.hands_shown_after} is over"
            raise HTTPException(403, f"Hands are shown {after}: others play the same cards.")
        return number, view

    def _pictures(self, number: int, view: int | None) -> dict[str, Any]:
        try:
            return self._reader.pictures(number, view)
        except IndexError:
            raise HTTPException(404, "There is no such seat.") from None
        except (StoreError, BrokenRecord) as problem:
            raise HTTPException(503, f"The game cannot be read: {self._reader.told(problem)}.") from None

    async def _log(self, request: Request) -> Response:
        data = await trio.to_thread.run_sync(lambda: self._pictures(*self._seen(request)))
        lines = [line for step in data["steps"] for line in step["log"]] + data["end"]
        return PlainTextResponse("\n".join(lines) + "\n")


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
