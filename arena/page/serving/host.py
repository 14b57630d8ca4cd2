"""The pages for the host, who logs in with the host's token (a cookie remembers it) and makes rulings."""

from __future__ import annotations

import hmac
import json
import secrets
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.page.serving.forms import WRONG_TOKEN_PAUSE, entered, form_of, left, require_word, word_of
from arena.page.serving.site import Site
from arena.runner.night.control_client import ask_to_start, state_of
from arena.runner.night.host_requests import Refused, admit_guest, ask
from arena.store import StoreError
from arena.text import one_line
from arena.tournament.rulings import KINDS, Admit, Form

_COOKIE = "arena-host"
_SESSIONS = 16  # how many sessions are known
_MOST_FORMS = 32  # how many outcomes of forms are kept
_WRONG = "That is not the token. The terminal that serves the page printed it."

_START = "start"  # the action that begins a tournament which waits for guests
_ADMIT_AT = "admit-at"  # the action that admits a bot at an address
_STARTS = Form(
    "Start now", "It begins without those who are missing: until they come their games are forfeited."
)
_ADMITS_AT = Form(
    "Admit a running bot",
    "A bot that runs already: it is asked what it plays, and dialled; it plays as the format says.",
    "Its name",
    "Its address, such as 192.168.1.17:50051",
)


def _actions() -> Iterator[tuple[str, Form]]:
    yield _START, _STARTS
    for kind, ruling in KINDS.items():
        if ruling.form is not None:
            yield kind, ruling.form
        if ruling is Admit:
            yield _ADMIT_AT, _ADMITS_AT


ACTIONS: Final = dict(_actions())
"""The host's actions in their order on the page: the kind of each, and its form."""


class _Given(NamedTuple):
    """The fields of a form of the host."""

    about: str
    where: str
    reason: str


class HostPages:
    """The answers under `/host`.

    Args:
        site: the pages.
        token: the host's token; None if nobody can be the host.
        admitting: the command of the process that admits a bot at an address.
    """

    def __init__(self, site: Site, token: str | None, admitting: Sequence[str]) -> None:
        self._site = site
        self._reader = site.reader
        self._token = token
        self._admitting = admitting
        self._sessions: list[str] = []
        self._tries = trio.Lock()
        self._deciding = threading.Lock()
        self._said: dict[str, str] = {}  # by form, its outcome

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/host", self._page, methods=["GET"]),
            Route("/host/{what}", self._post, methods=["POST"]),
        ]

    def _session(self, request: Request) -> str | None:
        """The session of the host; None for anybody else."""
        given = request.cookies.get(_COOKIE, "").encode()
        return next((each for each in self._sessions if hmac.compare_digest(given, each.encode())), None)

    def _page(self, request: Request) -> Response:
        return self._view(request, "")

    def _view(self, request: Request, said: str, confirm: Mapping[str, Any] | None = None) -> Response:
        snapshot, newest = self._site.snapshot_if_possible(request), self._reader.newest()
        session = self._session(request)
        waits = state_of(self._reader.path).waits
        over = not waits and (newest is None or newest.finished is not None)
        values = {
            "is_host": session is not None,
            "word": word_of(session) if session else "",
            "actions": {
                kind: form for kind, form in ACTIONS.items() if (kind == _START) == waits and not over
            },
            "waits": waits,
            "said": said,
            "confirm": confirm,
            "begun": newest is not None,
            "over": over,
        }
        return self._site.html(request, "host", snapshot, values, store=False)

    async def _post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form.get("token", ""))
        session = self._session(request)
        if session is None:
            raise HTTPException(403, "Only the host can do this.")
        require_word(form, session)
        if what == "leave":
            self._sessions.remove(session)
            return left("/host", _COOKIE)
        return await trio.to_thread.run_sync(self._decide, request, what, form)

    async def _enter(self, request: Request, token: str) -> Response:
        given = token.strip().encode()
        if self._token is None or not hmac.compare_digest(given, self._token.encode()):
            async with (
                self._tries
            ):  # wrong tokens are answered one at a time, and slowly; a right one does not wait
                await trio.sleep(WRONG_TOKEN_PAUSE)
            return await trio.to_thread.run_sync(self._view, request, _WRONG)
        session = secrets.token_urlsafe(24)
        self._sessions = [*self._sessions[1 - _SESSIONS :], session]
        return entered("/host", _COOKIE, session)

    def _decide(self, request: Request, kind: str, form: Mapping[str, str]) -> Response:
        """Asks the host to confirm, and then decides: once, even if the form is sent several times."""
        action = ACTIONS.get(kind)
        if action is None:
            raise HTTPException(404, "There is no such decision.")
        given = _Given(*(one_line(form.get(key, "").strip()) for key in _Given._fields))
        for label, value in ((action.about, given.about), (action.where, given.where)):
            if label and not value:
                return self._view(request, f"{action.verb}: say what. {label}.")
        if form.get("sure") != "yes":
            asked = {"kind": kind, "action": action, "given": given, "once": secrets.token_hex(8)}
            return self._view(request, "", asked)
        once = form.get("once", "")
        with self._deciding:
            said = self._said.get(once) or self._decided(kind, given, once)
            if once:
                self._said = dict([*self._said.items(), (once, said)][-_MOST_FORMS:])
        return self._view(request, said)

    def _decided(self, kind: str, given: _Given, once: str) -> str:
        """Sends the request to the referee; returns the outcome as a sentence."""
        league, more = self._reader.path, ""
        about, where, reason = given
        if kind == _START:
            return "Done: it begins." if ask_to_start(league) else "Not done: it waits for nobody."
        try:
            if kind == "admit":
                done, token = admit_guest(league, about, reason)
                more = f" The token of {about}, shown this once: {token}"
                name = done.tournament.name
            elif kind == _ADMIT_AT:
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
        """Admits a bot at an address; returns the name of the tournament. Raises Refused."""
        words = json.dumps({"name": name, "address": address, "reason": reason})
        ended = subprocess.run(
            self._admitting,
            input=words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            start_new_session=True,  # Ctrl-C is for the page
        )  # fmt: skip
        if not ended.stdout:
            raise Refused("the process that admits bots ended: try again, or use arena admit")
        told = json.loads(ended.stdout)
        if "refused" in told:
            raise Refused(told["refused"])
        return str(told["tournament"])
