"""What the host asks of a tournament, while it is played or between two runs.

Only the process that plays a tournament writes its league. A command in another terminal asks it over the
control socket (`arena.runner.night.control_client`); where nobody plays, the command decides by itself.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.formats.changes import TooLate
from arena.link.lobby.tickets import new_token, token_digest
from arena.names import did_you_mean, name_problem, same_name
from arena.results import read_game_key, read_match_key
from arena.runner.leagues.courses import course_of
from arena.runner.night import control_client
from arena.runner.night.control_client import GaveUp
from arena.runner.night.tokens import Token, Tokens
from arena.store import League, LeagueBusy, StoredTournament
from arena.tournament.course import Course
from arena.tournament.decisions import Decision, End, Go, Pause, decision_text
from arena.tournament.proposals import Newcomer, admission, annulment, extension, refusal, withdrawal

_AGAIN = 0.1  # seconds until a process that has the league, and does not listen, is asked again
_PATIENCE = 60.0  # seconds in which a referee that is there answers

_DIGITS = 9  # of a number that is read at all; what is too large is told by a refusal

_PLAIN: Mapping[str, Callable[[], Decision]] = {"pause": Pause, "go": Go, "end": End}


TOKEN = "token"
"""The kind of a request that decides nothing: a guest is to have another token."""


class NewToken(NamedTuple):
    """What a request for another token says: whose, by its number, and what is kept of it."""

    entrant: int
    token: Token


class Refused(Exception):
    """A request that makes no sense as things stand; the text is one sentence."""


class Request:
    """A request of the host.

    Args:
        kind: `withdraw`, `admit`, `annul`, `extend`, `pause`, `go`, `end` or `TOKEN`.
        what: what it is about: the name of an entrant; a `Newcomer` as JSON; a game such as
            1.3.2/nyuri/1.2, or a match such as 1.3.2; a number of cycles, or of boards
            such as `boards 3`; the name of a guest and a `Token` as JSON; or nothing.
        reason: why, for people; may be empty.
    """

    def __init__(self, kind: str, what: str, reason: str) -> None:
        self.kind = kind
        self.what = what
        self.reason = reason

    def decision(self, course: Course, names: Sequence[str]) -> Decision:
        """What is asked for, as a decision. Raises Refused where that makes no sense."""
        decision: Decision
        if self.kind == "withdraw":
            decision = withdrawal(course, _entrant(self.what, names))
        elif self.kind == "admit":
            decision = self._admission(course, names)
        elif self.kind == "annul":
            decision = self._annulment(course)
        elif self.kind == "extend":
            decision = self._extension(course)
        elif self.kind in _PLAIN:
            decision = _PLAIN[self.kind]()
        else:
            raise Refused(f"this arena cannot {self.kind}; use the version that plays the tournament")
        because = refusal(course, decision)
        if because is not None:
            raise Refused(f"{course.plan.name} {because}")
        return decision

    def new_token(self, names: Sequence[str]) -> NewToken:
        """What a request of the kind `TOKEN` asks for. Raises Refused where that makes no sense."""
        try:
            guest, token = json.loads(self.what)
            return NewToken(_entrant(guest, names), Token(*token))
        except (TypeError, ValueError):
            raise Refused("this arena cannot do that; use the version that plays the tournament") from None

    def _admission(self, course: Course, names: Sequence[str]) -> Decision:
        try:
            newcomer = Newcomer(**json.loads(self.what))
        except (TypeError, ValueError):
            raise Refused("this arena cannot admit that; use the version that plays the tournament") from None
        taken = [name for name in names if same_name(name) == same_name(newcomer.name)]
        if taken:
            raise Refused(f"{course.plan.name} has an entrant {taken[0]} already; give the bot another name")
        if course.over:
            raise Refused(f"{course.plan.name} is over")
        try:
            return admission(course, newcomer)
        except TooLate as why:
            raise Refused(
                f"{course.plan.name} {why}; {newcomer.name} can play in the next tournament"
            ) from None

    def _extension(self, course: Course) -> Decision:
        more = self.what.removeprefix("boards ")
        if not more.isdecimal() or len(more) > _DIGITS:
            raise Refused(
                f"{self.what[:40]!r} is no number of cycles such as 1, nor of boards such as boards 2"
            )
        is_boards = more != self.what
        return extension(course, boards=int(more)) if is_boards else extension(course, int(more))

    def _annulment(self, course: Course) -> Decision:
        game = read_game_key(self.what)
        match = read_match_key(self.what) if game is None else game.match_key
        if match is None:
            raise Refused(f"{self.what!r} is no game such as 1.3.2/nyuri/1.2, and no match such as 1.3.2")
        if match.stage >= len(course.stages) or not course.tally.has_begun(match):
            raise Refused(f"{course.plan.name} has played nothing of {self.what}: nothing is to be annulled")
        if game is None:
            return annulment(course, match, course.plan.games, None)
        if game.game not in course.plan.games or course.void.has_game(game):
            raise Refused(f"{course.plan.name} has no game {self.what} that counts")
        return annulment(course, match, [game.game], [course.void.planned(match, game.game, game.board)])


def _entrant(wanted: str, names: Sequence[str]) -> int:
    """The number of an entrant by its name. Raises Refused."""
    for number, name in enumerate(names):
        if same_name(name) == same_name(wanted):
            return number
    raise Refused(f"there is no entrant {wanted!r}; {did_you_mean(wanted, names)}")


class Done(NamedTuple):
    """What was asked for is done: of which tournament, and where bots dial in, empty where none do now."""

    tournament: StoredTournament
    lobby: str = ""


def ask(
    league: Path, kind: str, what: str = "", reason: str = "", patience: float = _PATIENCE, id: str = ""
) -> Done:
    """Has something decided about the unfinished tournament of a league: once, or never where this raises.

    Args:
        league: the league file.
        kind, what, reason: see `Request`.
        patience: for how many seconds an answer is waited for, where the league is in use.
        id: of the request, empty for a new one; asked again with the same id, it is decided once.

    Raises Refused where it makes no sense or nobody answers; StoreError.
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
        except OSError:  # nobody listens, or no more
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
    """That nobody answered in time, in a sentence."""
    if taken:
        return (
            f"{league} is in use by a program that stands still in the middle of deciding this: see by "
            "arena standings what it has decided, before you ask again"
        )
    return (
        f"{league} is in use, but nobody there answered within {patience:.0f} s, so nothing is decided: ask "
        "again when games are played, or stop that program"
    )


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


def _decide_here(store: League, tournament: StoredTournament, request: Request, id: str) -> None:
    """Does what a referee would, where none runs."""
    if request.kind == TOKEN:
        _give_token_here(store, tournament, request)
        return
    course = course_of(store, tournament.id)
    decision = request.decision(course, [entrant.name for entrant in tournament.entrants])
    store.record_decision(tournament.id, decision_text(decision), request.reason, id)
    if isinstance(decision, End):
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
