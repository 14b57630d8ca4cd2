"""The pages of finished games: their replays, step by step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TypeVar

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.league.store import League, StoredTournament, StoreError, UnknownGame
from arena.report.game_log import ONLOOKER
from arena.results import GameKey, GameResult, read_game_key
from arena.table.record import BrokenRecord
from arena.view.league.snapshot import Snapshot
from arena.view.serving.cache import Cache, answer
from arena.view.serving.explaining import Explanations
from arena.view.serving.site import ForScripts, Site

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
