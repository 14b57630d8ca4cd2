"""The pages of the host: entered by its token, in a form; then whoever has the cookie decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.page.forms import WRONG_TOKEN_PAUSE, form_of
from arena.page.host import ACTIONS, COOKIE, START, Host, HostAction, word_of
from arena.page.look import Look
from arena.page.nights import Nights
from arena.runner.night.host_requests import Refused, admit_guest, ask
from arena.runner.night.starting import ask_to_start, waits_for_guests
from arena.store import StoreError
from arena.text import one_line

Html = Callable[[Request, str, Look | None, Mapping[str, Any], str], Response]


class HostPages:
    """What is answered under `/host`.

    Args:
        host: who the host is.
        nights: the league.
        look: how the tournament of an address stands; for a thread.
        html: makes a page; for a thread.
    """

    def __init__(
        self, host: Host, nights: Nights, look: Callable[[Request], Look | None], html: Html
    ) -> None:
        self._host = host
        self._nights = nights
        self._look = look
        self._html = html
        self._tries = trio.Lock()

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/host", self._page, methods=["GET"]),
            Route("/host/{what}", self._post, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._view, request, "", None)

    def _view(self, request: Request, said: str, confirm: Mapping[str, Any] | None) -> Response:
        look = self._look(request)
        session = request.cookies.get(COOKIE)
        is_host = self._host.knows(session)
        waits = waits_for_guests(self._nights.path)
        values = {
            "is_host": is_host,
            "word": word_of(session) if is_host and session else "",
            "actions": _actions(look, waits),
            "waits": waits,
            "said": said,
            "confirm": confirm,
            "over": not waits and (look is None or look.finished),
        }
        response = self._html(request, "host", look, values, "host")
        response.headers["Cache-Control"] = "no-store"
        return response

    async def _post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form.get("token", ""))
        session = request.cookies.get(COOKIE)
        if session is None or not self._host.knows(session):
            raise HTTPException(403, "Only the host can do this.")
        if form.get("word") != word_of(session):
            raise HTTPException(403, "Only a form of this page can do this.")
        if what == "leave":
            self._host.leave(session)
            response = RedirectResponse("/host", 303)
            response.delete_cookie(COOKIE)
            return response
        return await trio.to_thread.run_sync(self._decide, request, what, form)

    async def _enter(self, request: Request, token: str) -> Response:
        async with self._tries:  # one at a time, and slowly where it is wrong
            session = self._host.enter(token)
            if session is None:
                await trio.sleep(WRONG_TOKEN_PAUSE)
        if session is None:
            wrong = "That is not the token; the terminal that serves the page says it."
            return await trio.to_thread.run_sync(self._view, request, wrong, None)
        response = RedirectResponse("/host", 303)
        response.set_cookie(COOKIE, session, httponly=True, samesite="strict", max_age=24 * 3600)
        return response

    def _decide(self, request: Request, kind: str, form: Mapping[str, str]) -> Response:
        """Asks once whether it is meant, and has it decided."""
        action = next((each for each in (START, *ACTIONS) if each.kind == kind), None)
        if action is None:
            raise HTTPException(404, "There is no such decision.")
        about, reason = one_line(form.get("about", "").strip()), one_line(form.get("reason", "").strip())
        if action.about and not about:
            return self._view(request, f"{action.verb}: say what. {action.about}.", None)
        if form.get("sure") != "yes":
            return self._view(request, "", {"action": action, "about": about, "reason": reason})
        league = self._nights.path
        if action is START:
            said = "Done: it begins." if ask_to_start(league) else "Not done: it waits for nobody."
            return self._view(request, said, None)
        more = ""
        try:
            if kind == "admit":
                done, token = admit_guest(league, about, reason)
                more = f" The token of {about}, shown this once: {token}"
            else:
                done = ask(league, kind, about, reason)
        except (Refused, StoreError) as why:
            return self._view(request, f"Not done: {why}.", None)
        words = f"{action.verb}{f' ({about})' if about else ''}"
        return self._view(request, f"Done: {words}, {one_line(done.tournament.name)}.{more}", None)


def _actions(look: Look | None, waits: bool) -> tuple[HostAction, ...]:
    """What the host can do now."""
    undecided = look is not None and not look.finished and not waits
    return (*((START,) if waits else ()), *(ACTIONS if undecided else ()))
