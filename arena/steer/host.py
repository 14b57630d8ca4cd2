"""The addresses of the control room: the host logs in with a token, looks, and decides.

The token is the one that the terminal printed, or in a standing league that of an account with the role host.
"""

from __future__ import annotations

import hmac
import math
import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.bounded_log import end_of
from arena.league.store import League, StoredTournament, StoreError
from arena.league.stored import course_of
from arena.referee.night.control import ask_to_start, night_of
from arena.referee.night.host_requests import (
    TOKEN,
    Refused,
    admission,
    admit,
    ask,
    give_token,
    token_exchange,
    token_for,
)
from arena.referee.night.tokens import Token
from arena.steer.control_room import clock_words, control_room, happened
from arena.text import counted, estimate_text, file_name, one_line
from arena.tournament.course import Course
from arena.tournament.pace import Pace
from arena.tournament.rulings import (
    KINDS,
    SPEEDS,
    Admit,
    Annul,
    End,
    Extend,
    Form,
    Newcomer,
    Show,
    Withdraw,
    ruling_for,
)
from arena.view.extension import Extension, Link
from arena.view.league.choices import games_of_boards, games_of_cycles
from arena.view.league.snapshot import Snapshot
from arena.view.newest import Newest
from arena.view.serving.actors import AUTHOR, HOST, Role, actor_of, wait_before_comparing
from arena.view.serving.forms import form_of
from arena.view.serving.site import Site

_SESSIONS = 16  # how many sessions are known
_DAY = 24 * 3600.0  # seconds for which the terminal's token opens one
_MOST_FORMS = 32  # how many outcomes of forms are kept
_SHOWN = 20.0  # seconds for which an outcome is shown, but for a token, which stays until it is dismissed
_LOG = 200_000  # bytes of a bot's output that are shown
_WRONG = "That is not a host's token. The terminal that serves the page printed one."
_PEOPLE = "People need more time than bots: name them in the tournament file, with a clock of their own."
_NOT_THE_NAME = "That is not the name of the tournament, so nothing is decided. Type it as it stands here."

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
_TOKENS = Form(
    "New token",
    "The old token stops working at once, and a bot or person that plays with it is cut off. Its games wait, "
    "by its clock, for the new token.",
    "Bot",
)

ACTIONS: Final = {
    _START: _STARTS,
    **{kind: ruling.form for kind, ruling in KINDS.items() if ruling.form is not None},
    _ADMIT_AT: _ADMITS_AT,
    TOKEN: _TOKENS,
}
"""The host's actions: the kind of each, and its form."""

_DANGEROUS = {"end", "withdraw", "annul", TOKEN}


def extension(*, possible: bool) -> Extension:
    """What the control room adds to the pages, besides its addresses; `possible`: whether there is a host."""
    return Extension(
        "arena.steer",
        more=(Link("/host", "Host", ("host",)),) if possible else (),
        unlisted=("/host",),
        values={"host_possible": possible},
    )


class _Given(NamedTuple):
    """The fields of a form of the host."""

    about: str
    where: str
    reason: str


AdmitAt = Callable[[str, str, str], str]
"""From a name, the address of a bot and a reason: admits the bot, and returns the name of the tournament.

It is passed in from the top, because it dials the bot, which no page can. Called in a thread. Raises Refused.
"""


class _Said(NamedTuple):
    """The outcome of a form, for the host.

    Attributes:
        text: a sentence.
        done: whether it was decided.
        token: a new token; empty if there is none.
        joins: the command by which a bot joins with a new token; empty if there is none, or no lobby.
    """

    text: str
    done: bool = False
    token: str = ""
    joins: str = ""


class HostPages:
    """The answers under `/host`.

    The host is a person who has entered the token that the terminal printed, or who is logged in with an
    account that has the role host.

    Args:
        site: the pages.
        token: the host's token; None if nobody can be the host.
        admit: admits a bot at an address; None if nobody can be the host.
        people: returns the names of the entrants that people play on this page.
        is_host: whether a token is that of an account with the role host, called in a thread; None if there
            are no accounts.

    Attributes:
        role: that of the host: a session, or the token of an account.
    """

    def __init__(
        self,
        site: Site,
        token: str | None,
        admit: AdmitAt | None,
        people: Callable[[], Collection[str]] = tuple,
        is_host: Callable[[str], bool] | None = None,
    ) -> None:
        self._site = site
        self._reader = site.reader
        self._token = token
        self._admit = admit
        self._people = people
        self._by_account, self._is_host = is_host is not None, is_host or _nobodys
        self.role = Role(HOST, self._found, "Only the host can do this.")
        self._sessions: Newest[str, float] = Newest(_SESSIONS)  # and until when each is open
        self._last_told: Newest[str, tuple[_Said, float]] = Newest(_SESSIONS)  # by host; until when
        self._happened: tuple[Snapshot | None, list[Any]] = None, []  # the log, and of which snapshot
        self._deciding = threading.Lock()
        self._said: dict[str, _Said] = {}  # by form, its outcome

    def routes(self) -> list[BaseRoute]:
        """The addresses."""
        return [
            Route("/host", self._page, methods=["GET"]),
            Route("/host/annul", self._annul, methods=["GET"]),
            Route("/host/log/{number:int}", self._log, methods=["GET"]),
            Route("/host/{what}", self._post, methods=["POST"]),
        ]

    # --- Who is the host ---

    def _found(self, kept: Mapping[str, str]) -> str | None:
        """The secret by which a person is the host: a session, or the token of an account."""
        if self._token is None:
            return None
        given, token = kept.get(HOST, "").encode(), kept.get(AUTHOR, "")
        for session, until in [*self._sessions.items()]:
            if hmac.compare_digest(given, session.encode()) and time.monotonic() < until:
                return session
        return token if token and self._is_host(token) else None

    def _told_last(self, host: str | None) -> _Said | None:
        """What the host was last told, while it is shown."""
        said, until = self._last_told.get(host or "", (None, 0.0))
        return said if time.monotonic() < until else None

    async def _enter(self, request: Request, form: Mapping[str, str]) -> Response:
        given, actor = form.get("token", "").strip(), actor_of(request)
        await wait_before_comparing()
        if self._token is not None and hmac.compare_digest(given.encode(), self._token.encode()):
            session = secrets.token_urlsafe(24)
            self._sessions[session] = time.monotonic() + _DAY
            actor.enter(HOST, session)
        elif self._token is not None and await trio.to_thread.run_sync(self._is_host, given):
            actor.enter(AUTHOR, given)
        else:
            wanted = form.get("wanted", "")
            return await trio.to_thread.run_sync(self._view, request, _Said(_WRONG), None, wanted)
        wanted = one_line(form.get("wanted", ""))
        return RedirectResponse(f"/host/annul?about={quote(wanted)}" if wanted else "/host", 303)

    # --- What the host sees ---

    def _page(self, request: Request) -> Response:
        return self._view(request)

    def _view(
        self,
        request: Request,
        said: _Said | None = None,
        asked: Mapping[str, Any] | None = None,
        wanted: str = "",
    ) -> Response:
        """The control room, or a form that asks the host to confirm; for others the form for the token."""
        snapshot = self._site.snapshot_if_possible(request)
        host = self.role.of(request)
        values: dict[str, Any] = {
            "is_host": host is not None,
            "said": said or self._told_last(host),
            "ask": asked,
            "wanted": wanted,
            "by_account": self._by_account,
        }
        if host is not None and asked is None:
            values |= self._room(snapshot, request.url.hostname or "")
        return self._site.html(request, "host", snapshot, values, store=False)

    def _room(self, snapshot: Snapshot | None, host: str) -> dict[str, Any]:
        """The values of the control room; `host` is the name by which the browser knows this machine."""
        night = night_of(self._reader.path)
        room = control_room(self._reader, snapshot, night, self._people())
        stage = snapshot.summary.stages[-1].title if snapshot is not None and snapshot.summary else ""
        logs = {
            number: path
            for number in range(len(snapshot.names) if snapshot is not None else 0)
            if (path := self._log_of(snapshot, number)) is not None
        }
        if snapshot is not None and self._happened[0] is not snapshot:
            self._happened = snapshot, happened(self._reader, snapshot)
        return {
            **room,
            **({"brand": one_line(night.title)} if night.waits else {}),
            "happened": self._happened[1],
            "waits": night.waits,
            "lobby": _reached(night.lobby, host),
            "stage_title": stage.capitalize(),
            "logs": logs,
            "estimate": estimate_text,
            "speeds": SPEEDS,
        }

    def _log_of(self, snapshot: Snapshot | None, number: int) -> Path | None:
        """The file with the output of a bot that the arena starts; None if there is none."""
        if snapshot is None or not 0 <= number < len(snapshot.tournament.entrants):
            return None
        name = snapshot.tournament.entrants[number].name
        path = self._reader.path.with_suffix(".logs") / f"{file_name(name)}.log"
        return path if path.is_file() else None

    def _log(self, request: Request) -> Response:
        """The end of a bot's output."""
        self.role.require(request)
        path = self._log_of(self._site.snapshot(request), request.path_params["number"] - 1)
        if path is None:
            raise HTTPException(404, "There is no output of such a bot.")
        text = end_of(path, _LOG) or "The bot has written nothing.\n"
        return PlainTextResponse(text, headers={"Cache-Control": "no-store"})

    def _annul(self, request: Request) -> Response:
        """Asks the host to confirm that a game or a match, named in the address, is annulled."""
        about = one_line(request.query_params.get("about", "").strip())[:60]
        if self.role.of(request) is None:
            return self._view(request, wanted=about)
        return self._decide(request, "annul", {"about": about})

    # --- What the host decides ---

    async def _post(self, request: Request) -> Response:
        form = await form_of(request)
        what = request.path_params["what"]
        if what == "enter":
            return await self._enter(request, form)
        host = await trio.to_thread.run_sync(self.role.require, request)
        if what == "leave":
            self._sessions.pop(host, None)
            actor = actor_of(request)
            actor.leave(HOST if host == actor.secrets.get(HOST) else AUTHOR)
            return RedirectResponse("/host", 303)
        if what == "seen":
            self._last_told.pop(host, None)
            return RedirectResponse("/host", 303)
        return await trio.to_thread.run_sync(self._decide, request, what, form)

    def _decide(self, request: Request, kind: str, form: Mapping[str, str]) -> Response:
        """Asks the host to confirm, and then decides: once, even if the form is sent several times."""
        if kind == "admit" and form.get("where", "").strip():
            kind = _ADMIT_AT
        action = ACTIONS.get(kind)
        if action is None:
            raise HTTPException(404, "There is no such decision.")
        given = _Given(*(one_line(form.get(key, "").strip()) for key in _Given._fields))
        if kind == "extend" and not given.about:
            given = given._replace(about=_more(form))
        if kind == "limit" and given.about and "more" in form:
            given = given._replace(about=f"{one_line(form['more'].strip())} {given.about}")
        if kind == Show.kind and given.about and "speed" in form:
            given = given._replace(about=f"{given.about} {one_line(form['speed'].strip())}")
        for label, value in ((action.about, given.about), (action.where, given.where)):
            if label and not value:
                return self._view(request, _Said(f"{action.verb}: say what. {label}."))
        sure, wrong = form.get("sure") == "yes", ""
        if kind == "end" and sure and not self._is_name(form.get("name", "")):
            sure, wrong = False, _NOT_THE_NAME
        if not sure:
            try:
                asked = self._question(kind, given) | {"wrong": wrong}
            except Refused as why:
                return self._view(request, _Said(f"Not possible now: {self._reader.by_name(str(why))}."))
            except StoreError as why:
                return self._view(request, _Said(f"Not possible now: {self._reader.told(why)}."))
            return self._view(request, None, asked)
        once = form.get("once", "")
        with self._deciding:
            said = self._said.get(once) or self._decided(kind, given, once, request.url.hostname or "")
            if once:
                self._said = dict([*self._said.items(), (once, said)][-_MOST_FORMS:])
        if said.done:
            shown = math.inf if said.token else time.monotonic() + _SHOWN
            self._last_told[self.role.require(request)] = said, shown
        return self._view(request, said)

    def _is_name(self, typed: str) -> bool:
        """Whether this is the name of the tournament, but for case and spaces."""
        newest = self._reader.newest()
        return newest is not None and _plain(typed) == _plain(one_line(newest.name))

    def _question(self, kind: str, given: _Given) -> dict[str, Any]:
        """The values of the form that asks the host to confirm: what it does, and what would be lost.

        Raises Refused if it makes no sense now, and StoreError.
        """
        action, more, loss, name = ACTIONS[kind], "", "", ""
        if kind == _START:
            if not night_of(self._reader.path).waits:
                raise Refused("the tournament waits for nobody")
        elif kind != _ADMIT_AT:  # `AdmitAt` checks all of it
            with League.read(self._reader.path, only_shown=kind != Show.kind) as league:
                stored = next(reversed(league.tournaments()), None)
                if stored is None or stored.finished is not None:
                    raise Refused("no tournament is played, so there is nothing to decide")
                name = one_line(stored.name) if kind == "end" else ""
                more, loss = self._prospect(kind, given.about, stored, league)
        return {
            **given._asdict(),
            "kind": kind,
            "verb": action.verb,
            "yes": f"{action.verb[0].lower()}{action.verb[1:]}",
            "effect": f"{action.effect} {more}".strip(),
            "loss": loss,
            "danger": kind in _DANGEROUS,
            "name": name,
            "reasoned": kind not in (_START, TOKEN),
            "about_shown": "" if kind == "extend" else given.about,
            "once": secrets.token_hex(8),
        }

    def _prospect(self, kind: str, about: str, stored: StoredTournament, league: League) -> tuple[str, str]:
        """As `_told`; says so if a bug stops its computation, because the decision itself may be possible."""
        try:
            return self._told(kind, about, stored, course_of(league, stored.id))
        except (Refused, StoreError):
            raise
        except Exception as bug:  # noqa: BLE001 - of any kind: the page goes on
            self._site.bugs.tell(f"/host/{kind}", bug)
            return "", "What would be lost cannot be told now."

    def _told(self, kind: str, about: str, stored: StoredTournament, course: Course) -> tuple[str, str]:
        """What the host should know before deciding, and what would be lost. Raises Refused."""
        names = [entrant.name for entrant in stored.entrants]
        if kind == TOKEN:
            token_for(token_exchange(about, Token("")), course, stored)
            return "", ""
        what = admission(Newcomer(about, "join")) if kind == "admit" else about
        ruling = ruling_for(kind, what, course, names)
        left, stage = course.games_left(), course.stages[-1]
        match ruling:
            case Admit():
                clock = clock_words(course.plan.clock)
                return f"It plays by the clock of all: {clock}. {_PEOPLE}", ""
            case Extend():
                added = games_of_cycles(course, ruling.cycles) if ruling.cycles else 0
                added += games_of_boards(course, ruling.boards) if ruling.boards else 0
                words, takes = ruling.words(names), ""
                time_left = Pace().time_left(course, (datetime.now(UTC) - stored.started).total_seconds())
                if time_left and left:
                    takes = f", {estimate_text(time_left / left * added)}"
                return f"{words[0].upper()}{words[1:]}: {counted(added, 'more game')}{takes}.", ""
            case Withdraw():
                had = stage.matches_of(ruling.entrant)
                rest = max(0, round(had - course.tally.matches_played(stage.number, ruling.entrant)))
                then = ruling.consequence(course.plan, "this stage")
                loss = f"It has {rest} of {counted(round(had), 'match', 'matches')} left: {then}."
                return "", f"{loss} This cannot be undone."
            case Annul():
                games = counted(_games_of(ruling, course), "game")
                return "", f"{games} on {counted(len(ruling.boards), 'board')} void, and played again."
            case End():
                loss = f"{counted(left, 'game is', 'games are')} not played"
                if running := night_of(self._reader.path).tables:
                    loss += f", among them {counted(running, 'game that runs', 'games that run')}"
                return "", f"{loss}."
        return "", ""

    def _decided(self, kind: str, given: _Given, once: str, host: str) -> _Said:
        """Sends the request to the referee; returns the outcome."""
        league, token, lobby = self._reader.path, "", ""
        about, where, reason = given
        if kind == _START:
            begins = ask_to_start(league)
            return _Said("Done: it begins." if begins else "Not done: it waits for nobody.", begins)
        try:
            if kind == _ADMIT_AT:
                assert self._admit is not None, "nobody can be the host"
                name = self._admit(about, where, reason)
            else:
                if kind == "admit":
                    admit(league, Newcomer(about, "join"), reason)
                    done, token = give_token(league, about)
                elif kind == TOKEN:
                    done, token = give_token(league, about)
                else:
                    done = ask(league, kind, about, reason, id=once)
                name, lobby = done.tournament.name, done.lobby
        except Refused as why:
            return _Said(f"Not done: {self._reader.by_name(str(why))}.")
        except StoreError as why:
            return _Said(f"Not done: {self._reader.told(why)}.")
        shown = f" The token of {about}, shown this once: {token}" if token else ""
        words = f"{ACTIONS[kind].verb}{f' ({about})' if about else ''}"
        joins = f"ARENA_TOKEN={token} arena join {_reached(lobby, host)}" if token and lobby else ""
        return _Said(f"Done: {words}, {one_line(name)}.{shown}", True, token, joins)


def _nobodys(token: str) -> bool:
    """There are no accounts."""
    return False


def _more(form: Mapping[str, str]) -> str:
    """By how much the host wants to extend it, from a stepper and its unit; empty if neither is there."""
    more = one_line(form.get("more", "").strip())
    return f"boards {more}" if more and form.get("unit") == "boards" else more


def _plain(name: str) -> str:
    """A name without differences of case and spaces."""
    return " ".join(name.casefold().split())


def _reached(lobby: str, host: str) -> str:
    """The address of the lobby for other machines: by the name that the host's browser used, if it is open
    to all."""
    return re.sub(r"^(0\.0\.0\.0|\[::\])(?=:)", host or "localhost", lobby)


def _games_of(ruling: Annul, course: Course) -> int:
    """How many games of the boards to be annulled are over or planned."""
    return sum(course.stages[board.stage].seats for board in ruling.boards)
