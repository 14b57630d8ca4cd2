"""The host's requests to a tournament, while it runs or between two runs.

Only the process that runs a tournament writes its league. A command in another terminal sends it a request
over the control socket (`arena.runner.night.control_client`). If no run answers, the command itself decides.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.link.lobby.tickets import new_token, token_digest
from arena.names import name_problem
from arena.runner.leagues.stored import course_of, late_entrant, trust_of
from arena.runner.night import control_client
from arena.runner.night.control_client import GaveUp
from arena.runner.night.tokens import Token, Tokens
from arena.runner.tournament_file import TournamentFileError
from arena.store import League, LeagueBusy, StoredTournament
from arena.tournament.course import Course
from arena.tournament.rulings import KINDS, Admit, End, Newcomer, Ruling, entrant_of
from arena.tournament.rulings import Refused as Refused

_AGAIN = 0.1  # seconds between tries while a process holds the league and does not listen
_PATIENCE = 60.0  # seconds in which a running referee answers


TOKEN = "token"
"""The kind of a request that decides nothing: it gives a guest a new token."""


class Request(NamedTuple):
    """A request of the host.

    Attributes:
        kind: `withdraw`, `admit`, `annul`, `extend`, `pause`, `go`, `end` or `TOKEN`.
        what: the object of the request: the name of an entrant; a `Newcomer` as JSON; a game such as
            1.3.2/nyuri/1.2, or a match such as 1.3.2; a number of cycles, or of boards
            such as `boards 3`; the name of a guest and a `Token` as JSON; or nothing.
        reason: why, for people; may be empty.
    """

    kind: str
    what: str
    reason: str

    def ruling(self, course: Course, names: Sequence[str]) -> Ruling:
        """The ruling that the host asks for. Raises Refused if it makes no sense."""
        kind = KINDS.get(self.kind)
        if kind is None or kind.form is None:  # the host cannot ask for it
            raise Refused(f"this arena cannot {self.kind}; use the version that plays the tournament")
        ruling = kind.asked(self.what, course, names)
        if because := ruling.refusal(course):
            raise Refused(f"{course.plan.name} {because}")
        return ruling

    def new_token(self, names: Sequence[str], guests: Container[str]) -> tuple[int, Token]:
        """For a request of the kind `TOKEN`: the number of the guest, and its new token as it is stored.

        Raises Refused if that makes no sense.

        Args:
            names: the names of all entrants.
            guests: the names of those that dial in.
        """
        try:
            name, token = json.loads(self.what)
            guest, kept = entrant_of(name, names), Token(*token)
        except (TypeError, ValueError):
            raise Refused("this arena cannot do that; use the version that plays the tournament") from None
        if names[guest] not in guests:
            raise Refused(f"{names[guest]} does not dial in, so it has no token")
        return guest, kept


class Done(NamedTuple):
    """The request is done: in which tournament, and where bots dial in (empty if none do now)."""

    tournament: StoredTournament
    lobby: str = ""


def ask(
    league: Path, kind: str, what: str = "", reason: str = "", patience: float = _PATIENCE, id: str = ""
) -> Done:
    """Has a request about the unfinished tournament of a league decided: once, or never if this raises.

    Args:
        league: the league file.
        kind, what, reason: see `Request`.
        patience: how many seconds to wait for an answer while the league is in use.
        id: the request's id, empty for a new one; repeated with the same id, it is decided once.

    Raises Refused if it makes no sense or nobody answers; StoreError.
    """
    tournament = unfinished(league)
    id = id or secrets.token_hex(8)
    request = {"ask": kind, "id": id, "what": what, "reason": reason}
    deadline = time.monotonic() + patience
    while True:
        try:
            refusal, lobby = control_client.ask(league, request, deadline - time.monotonic())
        except GaveUp as gave_up:
            raise Refused(_unanswered(league, patience, gave_up.taken)) from None
        except OSError:  # nobody listens any more
            try:
                store = League.create_or_open(league)
            except LeagueBusy:
                if time.monotonic() > deadline:
                    raise Refused(_unanswered(league, patience, False)) from None
                time.sleep(_AGAIN)
                continue
            with store:
                if not store.has_decided(tournament.id, id):
                    _decide_here(store, store.tournament(tournament.id), Request(kind, what, reason), id)
            return Done(tournament)
        if refusal is not None:
            raise Refused(refusal)
        return Done(tournament, lobby)


def _unanswered(league: Path, patience: float, taken: bool) -> str:
    """The sentence that says that nobody answered in time."""
    if taken:
        return (
            f"{league} is in use by a program that hangs while it decides this: check with "
            "arena standings what it has decided, before you ask again"
        )
    return (
        f"{league} is in use, but its program did not answer within {patience:.0f} s, so nothing is decided: "
        "ask again when games are played, or stop that program"
    )


def admit_guest(league: Path, name: str, reason: str = "") -> tuple[Done, str]:
    """Admits a late guest to the unfinished tournament of a league.

    Also returns the guest's token. Raises Refused, StoreError; see `ask`.
    """
    ask(league, "admit", ask_for_guest(name), reason)
    return give_token(league, name)


def ask_for_guest(name: str) -> str:
    """The object of a request to admit a guest. Raises Refused if that cannot be its name."""
    if problem := name_problem(name):
        raise Refused(f"{name!r} cannot be its name: a name {problem}")
    return json.dumps(Newcomer(name, "join")._asdict())


def give_token(league: Path, name: str) -> tuple[Done, str]:
    """Gives a guest a new token, which is returned too; the old one stops working. Raises as `ask`."""
    token = new_token()
    return ask(league, TOKEN, json.dumps([name, [token_digest(token), False]])), token


def unfinished(path: Path) -> StoredTournament:
    """The unfinished tournament of a league. Raises Refused if there is none; StoreError."""
    with League.read(path) as league:
        for stored in reversed(league.tournaments()):
            if stored.finished is None:
                return stored
    raise Refused(f"{path} holds no unfinished tournament, so there is nothing to decide")


def _decide_here(store: League, tournament: StoredTournament, request: Request, id: str) -> None:
    """Decides a request in place of the referee, while none runs."""
    if request.kind == TOKEN:
        _give_token_here(store, tournament, request)
        return
    course = course_of(store, tournament.id)
    ruling = request.ruling(course, [entrant.name for entrant in tournament.entrants])
    if isinstance(ruling, Admit):
        try:
            late_entrant(ruling, course.plan.games, trust_of(store, tournament))
        except TournamentFileError as problem:
            raise Refused(str(problem)) from None
    store.record_ruling(tournament.id, ruling.to_json(), request.reason, id)
    if isinstance(ruling, End):
        store.finish_tournament(tournament.id)
        Tokens(store.path).forget()


def _give_token_here(store: League, tournament: StoredTournament, request: Request) -> None:
    """Gives a guest a new token. Raises Refused."""
    names = [entrant.name for entrant in tournament.entrants]
    guests = [entrant.name for entrant in tournament.entrants if not entrant.bot]
    guest, token = request.new_token(names, guests)
    tokens = Tokens(store.path)
    tokens.recall(tournament.id, store.tournament_key(tournament.id), guests)
    try:
        tokens.put(names[guest], token)
    except OSError as error:
        raise Refused(f"the token of {names[guest]} cannot be kept: {error.strerror}") from None
