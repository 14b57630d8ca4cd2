"""The page of a person's seat: entered in a form, mostly by its token; then whoever has the cookie plays."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.page.forms import WRONG_TOKEN_PAUSE, form_of
from arena.page.host import word_of
from arena.page.league_reader import LeagueReader
from arena.page.seats import COOKIE, Seat, Seats, Unseated
from arena.runner.night.control_client import state_of
from arena.store.reading import Wanted
from arena.text import one_line

Html = Callable[[Request, dict[str, Any]], Response]

_TRIES = 4  # who may be sitting down at once: each has a process begun


class SeatPages:
    """What is answered under `/seat`.

    Args:
        seats: the seats.
        nights: the league.
        html: makes the page of a seat; for a thread.
    """

    def __init__(self, seats: Seats, reader: LeagueReader, html: Html) -> None:
        self._seats = seats
        self._reader = reader
        self._html = html
        self._tries = trio.CapacityLimiter(1 if seats.sitting.friendly else _TRIES)

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/seat", self._page),
            Route("/seat/events", self._events),
            Route("/seat/last", self._last),
            Route("/seat/{what}", self._post, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return await self._shown(request, "")

    async def _shown(self, request: Request, said: str) -> Response:
        seat = self._seat(request)
        values = {
            "seated": seat is not None,
            "entrant": one_line(seat.entrant) if seat else "",
            "tournament": one_line(seat.tournament) if seat else "",
            "waits": (await trio.to_thread.run_sync(state_of, self._reader.path)).waits,
            "word": word_of(seat.session) if seat else "",
            "said": said,
            "possible": bool(self._seats.sitting.command),
        }
        response = await trio.to_thread.run_sync(self._html, request, values)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _seat(self, request: Request) -> Seat | None:
        return self._seats.of(request.cookies.get(COOKIE))

    def _known(self, request: Request) -> Seat:
        seat = self._seat(request)
        if seat is None:
            raise HTTPException(403, "Only who sits here can do this.")
        return seat

    async def _events(self, request: Request) -> Response:
        events = self._known(request).events()
        return StreamingResponse(
            events, media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _last(self, request: Request) -> Response:
        """The replay of the last game that was played here."""
        entrant = self._known(request).entrant
        key = await trio.to_thread.run_sync(self._last_game, entrant)
        return RedirectResponse(f"/games/{key}" if key else "/games", 303)

    def _last_game(self, entrant: str) -> str:
        tournaments = self._reader.tournaments()
        if not tournaments:
            return ""
        names = [one_line(each.name) for each in tournaments[-1].entrants]
        if entrant not in names:
            return ""
        wanted = Wanted(names.index(entrant), None, None, None, False)
        found = self._reader.ask(lambda league: league.newest_games(tournaments[-1].id, wanted, 1, 0))
        return str(found[0][1].key) if found else ""

    async def _post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form)
        seat = self._known(request)
        if not hmac.compare_digest(form.get("word", "").encode(), word_of(seat.session).encode()):
            raise HTTPException(403, "Only a form of this page can do this.")
        if what == "leave":
            await seat.leave()
            response: Response = RedirectResponse("/seat", 303)
            response.delete_cookie(COOKIE)
            return response
        if what == "again":
            await seat.play_again()
            return RedirectResponse("/seat", 303)
        if what == "play":
            numbers = form.get("turn", ""), form.get("action", "")
            if not all(each.isdecimal() and len(each) < 9 for each in numbers):
                raise HTTPException(400, "There is no such action.")
            taken = await seat.choose(*map(int, numbers))
            return PlainTextResponse("played" if taken else "too late", 200 if taken else 409)
        raise HTTPException(404, "There is no such action.")

    async def _enter(self, request: Request, form: Mapping[str, str]) -> Response:
        given = "name" if self._seats.sitting.friendly else "token"
        words = {given: form.get(given, "").strip()}
        if not self._seats.sitting.command or not words[given]:
            return await self._shown(request, f"Nobody can sit down without a {given}.")
        async with self._tries:  # few at a time, and slowly where it is wrong
            try:
                seat = await self._seats.sit_down(words)
            except Unseated as why:
                await trio.sleep(WRONG_TOKEN_PAUSE)
                said = str(why)
            else:
                response = RedirectResponse("/seat", 303)
                response.set_cookie(COOKIE, seat.session, httponly=True, samesite="strict", max_age=24 * 3600)
                return response
        return await self._shown(request, said)
