"""The host's requests to a tournament, while it runs or between two runs.

Only the process that runs a tournament writes its league. A command in another terminal sends it a request
over the control socket (`arena.referee.night.control`). If no run answers, the command itself decides.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.league.entrants import Entrant, WrongEntrant
from arena.league.store import League, LeagueBusy, StoredTournament
from arena.league.stored import course_of, late_entrant, trust_of
from arena.link.lobby.tickets import new_token, token_digest
from arena.link.local.sandbox import Trust
from arena.names import name_problem
from arena.referee.night import control
from arena.referee.night.control import GaveUp, Reply, Request
from arena.referee.night.tokens import Token, Tokens, finish
from arena.text import shell_word
from arena.tournament.course import Course
from arena.tournament.rulings import Admit, End, Newcomer, Ruling, entrant_of, ruling_for
from arena.tournament.rulings import Refused as Refused

_AGAIN = 0.1  # seconds between tries while a process holds the league and does not listen
_PATIENCE = 60.0  # seconds in which a running referee answers


TOKEN = "token"
"""The kind of a request that decides nothing: it gives a guest a new token."""


class NewToken(NamedTuple):
    """The decision that a guest gets a new token: the number of the guest, and the token as it is stored."""

    guest: int
    token: Token


class Ruled(NamedTuple):
    """The decision that something is added to the tournament.

    Attributes:
        ruling: what is added.
        entrant: for an admission, the entrant.
    """

    ruling: Ruling
    entrant: Entrant | None = None


def undecided(league: League, tournament: int, request: Request) -> StoredTournament | None:
    """The tournament about which a request is to be decided; None if it was decided before."""
    return None if league.has_decided(tournament, request.id) else league.tournament(tournament)


def decide(
    request: Request, course: Course, stored: StoredTournament, league: Path, trust: Callable[[], Trust]
) -> Ruled | NewToken:
    """Decides a request, for the run of a tournament and for a command while none runs. Nothing is changed.

    A verification finds no problem in a ruling that is stored then.

    Args:
        request: the request.
        course: the tournament as it stands.
        stored: the tournament, from `undecided`.
        league: the league file.
        trust: returns what the tournament allows its bots now; only called if a bot comes.

    Raises Refused with the reason if it makes no sense; TournamentFileError as `trust` does.
    """
    if request.kind == TOKEN:
        return token_for(request.what, course, stored)
    names = [entrant.name for entrant in stored.entrants]
    ruling = ruling_for(request.kind, request.what, course, names)
    if not isinstance(ruling, Admit):
        return Ruled(ruling)
    try:
        entrant = late_entrant(ruling, course.plan.games, trust())
    except WrongEntrant as wrong:
        raise Refused(f"{ruling.name} cannot be admitted: {wrong.repaired}") from None
    if problem := entrant.may_read(league):
        raise Refused(f"{ruling.name} cannot be admitted: {problem}")
    return Ruled(ruling, entrant)


def token_for(what: str, course: Course, stored: StoredTournament) -> NewToken:
    """The token that the host asks for, by the object of a request. Raises Refused if it makes no sense."""
    try:
        wanted = json.loads(what)
        name, kept = str(wanted.pop("name")), Token(**wanted)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Refused("this arena cannot do that; use the version that plays the tournament") from None
    guest = entrant_of(name, [entrant.name for entrant in stored.entrants])
    name = stored.entrants[guest].name
    if stored.entrants[guest].bot:
        raise Refused(f"{name} does not dial in, so it has no token")
    if guest in course.effects.withdrawn:
        raise Refused(f"{name} is withdrawn, so no token opens its seat")
    return NewToken(guest, kept)


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
    request = Request(kind, what, reason, id or secrets.token_hex(8))
    deadline = time.monotonic() + patience
    while True:
        try:
            told = control.ask(league, request.line(), deadline - time.monotonic())
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
                _decide_here(store, tournament.id, request)
            return Done(tournament)
        reply = Reply(**told)
        if reply.refusal is not None:
            raise Refused(reply.refusal)
        return Done(tournament, reply.lobby)


def _unanswered(league: Path, patience: float, taken: bool) -> str:
    """The sentence that says that nobody answered in time."""
    if taken:
        return (
            f"{league} is in use by a program that hangs while it decides this: check with "
            f"arena standings {shell_word(league)} what it has decided, before you ask again"
        )
    return (
        f"{league} is in use, but its program did not answer within {patience:.0f} s, so nothing is decided: "
        "ask again when games are played, or stop that program"
    )


def admit(league: Path, newcomer: Newcomer, reason: str = "") -> Done:
    """Admits a late bot to the unfinished tournament of a league. Raises as `admission` and `ask`."""
    return ask(league, Admit.kind, admission(newcomer), reason)


def admission(newcomer: Newcomer) -> str:
    """The object of a request to admit a late bot. Raises Refused if that cannot be its name."""
    if problem := name_problem(newcomer.name):
        raise Refused(f"{newcomer.name!r} cannot be its name: a name {problem}")
    return json.dumps(newcomer._asdict())


def give_token(league: Path, name: str, once: bool = False) -> tuple[Done, str]:
    """Gives a guest a new token, which is returned too; the old one stops working. Raises as `ask`.

    Args:
        league: the league file.
        name: the guest's name.
        once: whether the token opens the guest's seat only once.
    """
    token = new_token()
    return ask(league, TOKEN, token_exchange(name, Token(token_digest(token), once))), token


def token_exchange(name: str, token: Token) -> str:
    """The object of a request to give a guest a new token."""
    return json.dumps({"name": name, **token._asdict()})


def unfinished(path: Path) -> StoredTournament:
    """The unfinished tournament of a league. Raises Refused if there is none; StoreError."""
    with League.read(path) as league:
        for stored in reversed(league.tournaments()):
            if stored.finished is None:
                return stored
    raise Refused(f"{path} holds no unfinished tournament, so there is nothing to decide")


def _decide_here(store: League, tournament: int, request: Request) -> None:
    """Decides a request in place of the referee, while none runs. Raises Refused."""
    course = course_of(store, tournament)
    waits = course.waits_to_show
    # Else who played it or ended it was killed before it was finished.
    over = course.over and not course.may_go_on and not waits
    if over and request.kind == End.kind:
        finish(store, tournament)
        return
    stored = undecided(store, tournament, request)
    if stored is None:
        return
    if over:
        raise Refused(f"{stored.name} is over; arena host end {shell_word(store.path)} finishes it")
    decided = decide(request, course, stored, store.path, partial(trust_of, store, stored))
    if isinstance(decided, NewToken):
        _give_token_here(store, stored, decided)
        return
    store.record_ruling(tournament, decided.ruling.to_json(), request.reason, request.id)
    if isinstance(decided.ruling, End) or (waits and not course_of(store, tournament).waits_to_show):
        finish(store, tournament)


def _give_token_here(store: League, stored: StoredTournament, new: NewToken) -> None:
    """Gives a guest a new token. Raises Refused."""
    tokens, guests = Tokens(store.path), [entrant.name for entrant in stored.entrants if not entrant.bot]
    tokens.recall(stored.id, store.tournament_key(stored.id), guests)
    name = stored.entrants[new.guest].name
    try:
        tokens.put(name, new.token)
    except OSError as error:
        raise Refused(f"the token of {name} cannot be kept: {error.strerror}") from None
