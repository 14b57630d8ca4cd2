"""What the host asks of a tournament, while it is played or between two runs.

Whoever plays a tournament is the only one who writes its league. So a command
in another terminal leaves its request in a folder beside the league file,
which only its owner can enter, and waits there for the answer; where nobody
plays, it does the same by itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import trio

from arena.link.lobby.tickets import new_token, token_digest
from arena.names import name_problem
from arena.runner.leagues.courses import course_of
from arena.runner.night.tokens import Token, Tokens
from arena.store import League, LeagueBusy, StoredTournament
from arena.tournament.course import Course
from arena.tournament.rulings import KINDS, End, Newcomer, Ruling, entrant_of
from arena.tournament.rulings import Refused as Refused

_GLANCE = 0.25  # seconds between looks into the folder
_PATIENCE = 60.0  # seconds in which a referee that is there answers

_LISTENING = "listening"
"""The file in the folder that is there as long as somebody listens."""

TOKEN = "token"
"""The kind of a request that decides nothing: a guest is to have another token."""


class NewToken(NamedTuple):
    """What a request for another token says: whose, by its number, and what is kept of it."""

    entrant: int
    token: Token


class Request:
    """A request of the host.

    Args:
        kind: `withdraw`, `admit`, `annul`, `extend`, `pause`, `go`, `end` or `TOKEN`.
        what: what it is about: the name of an entrant; a `Newcomer` as JSON; a game such as
            1.3.2/nyuri/1.2, or a match such as 1.3.2; a number of cycles, or of boards
            such as `boards 3`; the name of a guest and a `Token` as JSON; or nothing.
        reason: why, for people; may be empty.
        answer_at: the file in which the answer is waited for.
    """

    def __init__(self, kind: str, what: str, reason: str, answer_at: Path | None = None) -> None:
        self.kind = kind
        self.what = what
        self.reason = reason
        self._answer_at = answer_at

    def ruling(self, course: Course, names: Sequence[str]) -> Ruling:
        """The ruling that is asked for. Raises Refused where it makes no sense."""
        kind = KINDS.get(self.kind)
        if kind is None or kind.form is None:  # the host cannot ask for it
            raise Refused(f"this arena cannot {self.kind}; use the version that plays the tournament")
        ruling = kind.asked(self.what, course, names)
        if because := ruling.refusal(course):
            raise Refused(f"{course.plan.name} {because}")
        return ruling

    def new_token(self, names: Sequence[str]) -> NewToken:
        """What a request of the kind `TOKEN` asks for. Raises Refused where that makes no sense."""
        try:
            guest, token = json.loads(self.what)
            return NewToken(entrant_of(guest, names), Token(*token))
        except (TypeError, ValueError):
            raise Refused("this arena cannot do that; use the version that plays the tournament") from None

    def answer(self, refusal: str | None, lobby: str = "") -> None:
        """Tells whoever asked that it is done, and where bots dial in if any do, or why not."""
        if self._answer_at is not None:
            with contextlib.suppress(OSError):  # nobody waits any more
                _write(self._answer_at, {"refusal": refusal, "lobby": lobby})


class HostRequests:
    """The requests that come in for a league while it is played.

    Args:
        league: the league file.
    """

    def __init__(self, league: Path) -> None:
        self._folder = _folder_of(league)

    async def heard(self) -> AsyncGenerator[Request, None]:
        """Each request, as it comes in."""
        shutil.rmtree(self._folder, ignore_errors=True)  # what a referee that was killed left
        try:
            self._folder.mkdir(mode=0o700)
            (self._folder / _LISTENING).touch()
        except OSError:
            await trio.sleep_forever()  # a folder that cannot be written: the host has no say
        try:
            while True:
                for path in sorted(self._folder.glob("*.request")):
                    request = _read(path)
                    path.unlink(missing_ok=True)
                    if request is not None:
                        yield request
                await trio.sleep(_GLANCE)
        finally:
            (self._folder / _LISTENING).unlink(missing_ok=True)
            _leave(self._folder)


class Done(NamedTuple):
    """What was asked for is done: of which tournament, and where bots dial in, empty where none do now."""

    tournament: StoredTournament
    lobby: str = ""


def ask(league: Path, kind: str, what: str = "", reason: str = "") -> Done:
    """Has something decided about the unfinished tournament of a league.

    Args:
        league: the league file.
        kind, what, reason: see `Request`.

    Raises Refused where it makes no sense or nobody answers; StoreError.
    """
    tournament = unfinished(league)
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            store = League.create_or_open(league)
        except LeagueBusy:
            lobby = _asked_of_referee(league, kind, what, reason, deadline)
            if lobby is not None:
                return Done(tournament, lobby)
        else:
            with store:
                _decide_here(store, store.tournament(tournament.id), Request(kind, what, reason))
            return Done(tournament)


def admit_guest(league: Path, name: str, reason: str = "") -> tuple[Done, str]:
    """Lets a late bot, or person, into the unfinished tournament of a league, that dials in.

    Returns with what is done the token of its seat. Raises Refused, StoreError; see `ask`.
    """
    if problem := name_problem(name):
        raise Refused(f"{name!r} cannot be its name: a name {problem}")
    ask(league, "admit", json.dumps(Newcomer(name, "join")._asdict()), reason)
    token = new_token()
    return ask(league, TOKEN, json.dumps([name, [token_digest(token), False]])), token


def unfinished(path: Path) -> StoredTournament:
    """The tournament of a league that is not finished. Raises Refused where there is none; StoreError."""
    with League.read(path) as league:
        for stored in reversed(league.tournaments()):
            if stored.finished is None:
                return stored
    raise Refused(f"{path} holds no unfinished tournament, so there is nothing to decide")


def _decide_here(store: League, tournament: StoredTournament, request: Request) -> None:
    """Does what a referee would, where none runs."""
    if request.kind == TOKEN:
        _give_token_here(store, tournament, request)
        return
    course = course_of(store, tournament.id)
    ruling = request.ruling(course, [entrant.name for entrant in tournament.entrants])
    store.record_decision(tournament.id, ruling.to_json(), request.reason)
    if isinstance(ruling, End):
        store.finish_tournament(tournament.id)
        Tokens(store.path).forget()


def _give_token_here(store: League, tournament: StoredTournament, request: Request) -> None:
    """Gives a guest another token. Raises Refused."""
    new = request.new_token([entrant.name for entrant in tournament.entrants])
    guests = [entrant.name for entrant in tournament.entrants if not entrant.bot]
    guest = tournament.entrants[new.entrant].name
    if guest not in guests:
        raise Refused(f"{guest} does not dial in, so it has no token")
    tokens = Tokens(store.path)
    tokens.recall(tournament.id, store.tournament_key(tournament.id), guests)
    try:
        tokens.put(guest, new.token)
    except OSError as error:
        raise Refused(f"the token of {guest} cannot be kept: {error.strerror}") from None


def _asked_of_referee(league: Path, kind: str, what: str, reason: str, deadline: float) -> str | None:
    """Leaves a request and waits for the answer; None where the referee has gone. Raises Refused."""
    folder, name = _folder_of(league), f"{time.time_ns()}-{secrets.token_hex(4)}"
    request, answer = folder / f"{name}.request", folder / f"{name}.answer"
    with contextlib.suppress(FileNotFoundError):  # it does not play yet, or no more
        _write(request, {"kind": kind, "what": what, "reason": reason})
    while time.monotonic() < deadline:
        if answer.exists():
            told = json.loads(answer.read_text("utf-8"))
            answer.unlink(missing_ok=True)
            if not (folder / _LISTENING).exists():
                _leave(folder)
            if told["refusal"] is not None:
                raise Refused(told["refusal"])
            return str(told.get("lobby", ""))
        if not (folder / _LISTENING).exists() and not answer.exists():
            request.unlink(missing_ok=True)
            time.sleep(_GLANCE)
            return None
        time.sleep(_GLANCE / 2)
    raise Refused(
        f"{league} is in use, but nobody there answered within {_PATIENCE:.0f} s: "
        "ask again when games are played, or stop that program"
    )


def _leave(folder: Path) -> None:
    """Removes the folder, unless an answer in it is still to be read: who reads it removes it then."""
    with contextlib.suppress(OSError):
        for request in folder.glob("*.request"):
            request.unlink()
        folder.rmdir()


def _folder_of(league: Path) -> Path:
    return Path(f"{os.path.realpath(league)}-host")


def _write(path: Path, values: Mapping[str, object]) -> None:
    """Writes a file that is there whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(values), "utf-8")
    unfinished.rename(path)


def _read(path: Path) -> Request | None:
    try:
        values = json.loads(path.read_text("utf-8"))
        kind, what, reason = (str(values[key]) for key in ("kind", "what", "reason"))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Request(kind, what, reason, path.with_suffix(".answer"))
