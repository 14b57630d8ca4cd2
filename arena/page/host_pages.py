"""The pages of the host: entered by its token, in a form; then whoever has the cookie decides."""

from __future__ import annotations

import json
import secrets
import subprocess
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.page.forms import WRONG_TOKEN_PAUSE, form_of
from arena.page.host import ACTIONS, ADMIT_AT, COOKIE, MOST_FORMS, START, Host, word_of
from arena.page.league_reader import LeagueReader
from arena.page.pages import Html
from arena.page.snapshot import Snapshot
from arena.runner.night.control_client import ask_to_start, state_of
from arena.runner.night.host_requests import Refused, admit_guest, ask
from arena.store import StoredTournament, StoreError
from arena.text import one_line
from arena.tournament.rulings import Form


class HostPages:
    """What is answered under `/host`.

    Args:
        host: who the host is.
        nights: the league.
        look: how the tournament of an address stands, None where that cannot be computed; for a thread.
        html: makes a page; for a thread.
    """

    def __init__(
        self, host: Host, reader: LeagueReader, snapshot: Callable[[Request], Snapshot | None], html: Html
    ) -> None:
        self._host = host
        self._reader = reader
        self._snapshot = snapshot
        self._html = html
        self._tries = trio.Lock()
        self._deciding = threading.Lock()
        self._said: dict[str, str] = {}  # by form, what came of it

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/host", self._page, methods=["GET"]),
            Route("/host/{what}", self._post, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return await trio.to_thread.run_sync(self._view, request, "", None)

    def _view(self, request: Request, said: str, confirm: Mapping[str, Any] | None) -> Response:
        snapshot, newest = self._snapshot(request), self._reader.newest()
        session = request.cookies.get(COOKIE)
        is_host = self._host.knows(session)
        waits = state_of(self._reader.path).waits
        values = {
            "is_host": is_host,
            "word": word_of(session) if is_host and session else "",
            "actions": self._actions(newest, waits),
            "waits": waits,
            "said": said,
            "confirm": confirm,
            "begun": newest is not None,
            "over": not waits and (newest is None or newest.finished is not None),
        }
        response = self._html(request, "host", snapshot, values, "host")
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
        session = self._host.enter(token)
        if session is None:
            async with self._tries:  # one at a time, and slowly; whoever has the token waits for none of them
                await trio.sleep(WRONG_TOKEN_PAUSE)
            wrong = "That is not the token. The terminal that serves the page printed it."
            return await trio.to_thread.run_sync(self._view, request, wrong, None)
        response = RedirectResponse("/host", 303)
        response.set_cookie(COOKIE, session, httponly=True, samesite="strict", max_age=24 * 3600)
        return response

    def _decide(self, request: Request, kind: str, form: Mapping[str, str]) -> Response:
        """Asks once whether it is meant, and has it decided: once, however often that form is sent."""
        action = ACTIONS.get(kind)
        if action is None:
            raise HTTPException(404, "There is no such decision.")
        given = _Given(*(one_line(form.get(key, "").strip()) for key in _Given._fields))
        for label, value in ((action.about, given.about), (action.where, given.where)):
            if label and not value:
                return self._view(request, f"{action.verb}: say what. {label}.", None)
        if form.get("sure") != "yes":
            return self._view(
                request, "", {"kind": kind, "action": action, "given": given, "once": secrets.token_hex(8)}
            )
        once = form.get("once", "")
        with self._deciding:
            said = self._said.get(once) or self._decided(kind, given, once)
            if once:
                self._said = dict([*self._said.items(), (once, said)][-MOST_FORMS:])
        return self._view(request, said, None)

    def _decided(self, kind: str, given: _Given, once: str) -> str:
        """Has it decided; what the host is told of that."""
        league, more = self._reader.path, ""
        about, where, reason = given
        if kind == START:
            return "Done: it begins." if ask_to_start(league) else "Not done: it waits for nobody."
        try:
            if kind == "admit":
                done, token = admit_guest(league, about, reason)
                more = f" The token of {about}, shown this once: {token}"
                name = done.tournament.name
            elif kind == ADMIT_AT:
                name = self._admitted_at(about, where, reason)
            else:
                name = ask(league, kind, about, reason, id=once).tournament.name
        except Refused as why:
            return f"Not done: {self._reader.by_name(str(why))}."
        except StoreError as why:
            return f"Not done: {self._reader.told(why)}."
        words = f"{ACTIONS[kind].verb}{f' ({about})' if about else ''}"
        return f"Done: {words}, {one_line(name)}.{more}"

    def _admitted_at(self, name: str, address: str, reason: str) -> str:
        """Has a bot admitted at an address; returns the name of the tournament. Raises Refused."""
        words = json.dumps({"name": name, "address": address, "reason": reason})
        ended = subprocess.run(
            self._host.admitting,
            input=words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            start_new_session=True,  # Ctrl-C is for the page
        )  # fmt: skip
        if not ended.stdout:
            raise Refused("the process that admits bots ended: try again, or use arena admit")
        told = json.loads(ended.stdout)
        if "refused" in told:
            raise Refused(told["refused"])
        return str(told["tournament"])

    def _actions(self, newest: StoredTournament | None, waits: bool) -> dict[str, Form]:
        """What the host can do now."""
        if waits:
            return {START: ACTIONS[START]}
        if newest is None or newest.finished is not None:
            return {}
        impossible = {START} if self._host.admitting else {START, ADMIT_AT}
        return {kind: form for kind, form in ACTIONS.items() if kind not in impossible}


class _Given(NamedTuple):
    """What a form of the host says."""

    about: str
    where: str
    reason: str
