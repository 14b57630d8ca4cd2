"""The pages of single games: replays of finished games, and running tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.games import GAMES
from arena.league.store import League, StoredTournament, StoreError, UnknownGame
from arena.report.game_log import ONLOOKER
from arena.results import GameKey, GameResult, read_game_key
from arena.table.record import BrokenRecord
from arena.view.league.snapshot import Snapshot, deal_parts
from arena.view.league.tables import Tables
from arena.view.serving.cache import Cache, answer
from arena.view.serving.explaining import Explanations
from arena.view.serving.site import ForScripts, Site
from arena.view.views.faces import emblems_by_name

_KEPT = 32  # games

T = TypeVar("T")

OwnSeats = Callable[[Request, StoredTournament, GameResult], Iterable[int]]
"""Finds the seats of a game at which bots of the person who asks played; for threads."""


def nobody(request: Request, tournament: StoredTournament, result: GameResult) -> Iterable[int]:
    """Where bots have no accounts, nobody is known as the author of one."""
    return ()


class ReplayPages:
    """The answers about a finished game: its page, pictures step by step, log, and explanation.

    Args:
        site: the pages.
        explanations: what explains games.
        own_seats: the seats of a game at which bots of the person who asks played.
    """

    def __init__(self, site: Site, explanations: Explanations, own_seats: OwnSeats) -> None:
        self._site = site
        self._explanations = explanations
        self._own_seats = own_seats
        self._reader = site.reader
        self._kept: Cache[tuple[int, int, int | None, tuple[int, ...]]] = Cache(_KEPT)

    def routes(self) -> list[BaseRoute]:
        """The addresses: for the last tournament, and below the address of another."""
        return [
            Route("/games/{key:path}", self._page),
            ForScripts("/steps/{key:path}", self._steps),
            ForScripts("/plain/{key:path}", self._log),
            ForScripts("/explained/{key:path}", self._explained, methods=["GET", "POST"]),
        ]

    def _game(self, request: Request) -> tuple[Snapshot, GameKey, int]:
        """The tournament, the key and the running number of the game that an address names."""
        snapshot, key = self._site.snapshot(request), read_game_key(request.path_params["key"])
        if snapshot is not None and key is not None:
            try:
                return snapshot, key, self._reader.game(snapshot.tournament.id, key)
            except UnknownGame:
                pass
        raise HTTPException(404, "There is no such game.")

    def _page(self, request: Request) -> Response:
        snapshot, key, number = self._game(request)
        stored = self._reader.ask(lambda league: league.game(number))
        values = {
            "key": str(key),
            "result": stored.result,
            "words": snapshot.deal_words(key, len(stored.result.seats)),
            "game": key.game,
            "open": snapshot.shows_hands(key),
            "recorded": stored.moment,
            "neighbours": self._reader.ask(lambda league: _neighbours(league, number)),
        }
        return self._site.html(request, "replay", snapshot, values, here="games")

    async def _steps(self, request: Request) -> Response:
        number, view, thinking = await trio.to_thread.run_sync(self._seen, request)

        def data() -> bytes:
            pictures = self._read(lambda: self._reader.pictures(number, view, thinking))
            return json.dumps(pictures, separators=(",", ":")).encode()

        asked = self._reader.file, number, view, thinking
        found = await self._kept.ask(asked, lambda: answer(data(), "application/json"))
        return found.response(request)

    def _seen(self, request: Request) -> tuple[int, int | None, tuple[int, ...]]:
        """The wanted game and view, and the seats whose thoughts may be told in it.

        Raises HTTPException if it may not be shown.
        """
        snapshot, key, number = self._game(request)
        view = _read_view(request.query_params.get("view", "all"))
        if view != ONLOOKER and not snapshot.shows_hands(key):
            after = f"when the {snapshot.plan.hands_shown_after} is over"
            raise HTTPException(403, f"Hands are shown {after}: others play the same cards.")
        if view == ONLOOKER:
            return number, view, ()
        result = self._reader.ask(lambda league: league.game(number).result)
        thinking: Iterable[int] = range(len(result.seats))
        if not snapshot.plan.show_thoughts:
            thinking = self._own_seats(request, snapshot.tournament, result)
        return number, view, tuple(thinking)

    def _read(self, read: Callable[[], T]) -> T:
        """What is read of a game. Raises HTTPException if that is not possible."""
        try:
            return read()
        except IndexError:
            raise HTTPException(404, "There is no such seat.") from None
        except (StoreError, BrokenRecord) as problem:
            raise HTTPException(503, f"The game cannot be read: {self._reader.told(problem)}.") from None

    def _log(self, request: Request) -> Response:
        number, view, thinking = self._seen(request)
        lines = self._read(lambda: self._reader.log(number, view, thinking))
        return PlainTextResponse("\n".join(lines) + "\n")

    async def _explained(self, request: Request) -> Response:
        snapshot, key, number, is_author = await trio.to_thread.run_sync(self._asked, request)
        return await self._explanations.answer(request, snapshot, key, number, is_author=is_author)

    def _asked(self, request: Request) -> tuple[Snapshot, GameKey, int, bool]:
        """The game that an address names, and whether a bot of the person who asks played in it."""
        snapshot, key, number = self._game(request)
        result = self._reader.ask(lambda league: league.game(number).result)
        return snapshot, key, number, any(True for _ in self._own_seats(request, snapshot.tournament, result))


def _neighbours(league: League, number: int) -> list[str]:
    """The keys of the games recorded before and after one in its tournament; empty if there is none."""
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
    """The view that an address names."""
    if text == "all":
        return None
    if text == "public":
        return ONLOOKER
    if text.isdecimal() and len(text) < 3:
        return int(text)
    raise HTTPException(404, "There is no such seat.")


class TablePages:
    """The answers about running tables: their list, one of them, and its steps."""

    def __init__(self, site: Site, tables: Tables) -> None:
        self._site = site
        self._tables = tables

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
