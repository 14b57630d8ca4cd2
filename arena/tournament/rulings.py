"""Rulings: what the host or the rules add to a tournament. Each kind is one class; `KINDS` lists them.

A ruling holds all of its effects. So the state of a tournament depends on its results
and rulings, and not on the order in which they are mixed.
"""

from __future__ import annotations

import abc
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from arena.formats.format import Late, MoreCycles, Stage, TooLate
from arena.names import did_you_mean, same_name
from arena.results import GameResult, MatchKey, read_game_key, read_match_key
from arena.table.deal import CONTRIBUTION_BYTES, pledge_of, pledges_digest
from arena.text import counted, joined
from arena.tournament.course import Course
from arena.tournament.effects import Effects, VoidBoard, WithdrawnAt
from arena.tournament.plan import MAX_BOARDS, Plan


class Refused(Exception):
    """The request makes no sense at the moment; the text is one sentence."""


class Form(NamedTuple):
    """The form on the page by which the host asks for a ruling.

    Attributes:
        verb: the text of the button.
        effect: the effect, in a sentence.
        about: the label of the text field; empty for no field.
        where: the label of a field for an address; empty for no field.
    """

    verb: str
    effect: str
    about: str = ""
    where: str = ""


class Ruling(abc.ABC):
    """A ruling; each kind is a frozen dataclass, whose fields are stored in their order.

    Attributes:
        kind: its name in leagues, JSON and requests of the host.
        form: its form on the page; None if only the rules add it.
        may_prolong: whether it makes sense for a comparison that has played all its boards and has
            open questions.
        alters_matches: whether pairings, scores or the games of a match may change by it.
    """

    kind: str
    form: ClassVar[Form | None] = None
    may_prolong: ClassVar[bool] = False
    alters_matches: ClassVar[bool] = True

    # --- When it makes sense ---

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """The ruling that a request of the host asks for. Raises Refused.

        Args:
            what: the object of the request, such as the name of an entrant.
            course: the tournament as it stands.
            names: the names of all entrants, by number.
        """
        return cls()

    def refusal(self, course: Course) -> str | None:
        """Why it is refused now, as the end of a sentence about the tournament; None if it is not.

        Only the host is refused. A verification does not ask it: a pause of a paused tournament contradicts
        nothing, and which games had begun is not stored.
        """
        if course.over and not (self.may_prolong and course.may_go_on):
            return "is played: show all of it to end it" if course.waits_to_show else "is over"
        return self._refusal(course)

    def _refusal(self, course: Course) -> str | None:
        """The same for a tournament that is not over."""
        return None

    def problems(self, course: Course) -> Iterator[str]:
        """Yields what contradicts the tournament as it was before the ruling.

        It is asked when the ruling is made, and by a verification with the course of what was stored before
        the ruling, which may lack games that had begun.
        """
        yield from ()

    # --- What it does ---

    def add_to(self, effects: Effects) -> None:
        """Adds its effects to those of the earlier rulings."""
        effects.rulings += 1
        self._apply(effects)

    @abc.abstractmethod
    def _apply(self, effects: Effects) -> None:
        """The same without counting it."""

    # --- How it is stored ---

    def to_json(self) -> str:
        """The JSON text of the ruling."""
        return json.dumps(vars(self))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The ruling with these stored values. Raises LookupError, TypeError or ValueError."""
        return cls(**values)

    # --- How it reads ---

    @abc.abstractmethod
    def words(self, names: Sequence[str]) -> str:
        """Its meaning, as a sentence without its full stop."""

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        """The lines in the terminal of the tournament when the ruling is made.

        Args:
            names: the names of all entrants, by number.
            because: the reason in parentheses after a space; empty if none is given.
            plan: the tournament.
        """
        return [f"{self.words(names)}{because}"]

    def alteration(self) -> dict[str, Any]:
        """The alteration for the standings as JSON; empty if the ruling is not listed there."""
        return {}


def require_fit(ruling: Ruling, course: Course) -> None:
    """Raises Refused if a ruling contradicts the tournament as it stands.

    It is asked before a ruling is stored, and a verification asks the same (`Ruling.problems`).
    """
    for problem in ruling.problems(course):
        raise Refused(f"{course.plan.name} cannot have that: {problem}")


def ruling_for(kind: str, what: str, course: Course, names: Sequence[str]) -> Ruling:
    """The ruling that the host asks for. Raises Refused if it makes no sense.

    Args:
        kind: the name of its kind.
        what, course, names: see `Ruling.asked`.
    """
    found = KINDS.get(kind)
    if found is None or found.form is None:  # the host cannot ask for it
        raise Refused(f"this arena cannot {kind}; use the version that plays the tournament")
    ruling = found.asked(what, course, names)
    if because := ruling.refusal(course):
        raise Refused(f"{course.plan.name} {because}")
    require_fit(ruling, course)
    return ruling


def entrant_of(wanted: str, names: Sequence[str]) -> int:
    """The number of an entrant by its name. Raises Refused."""
    for number, name in enumerate(names):
        if same_name(name) == same_name(wanted):
            return number
    raise Refused(f"there is no entrant {wanted!r}; {did_you_mean(wanted, names)}")


@dataclasses.dataclass(frozen=True)
class Pause(Ruling):
    """No further games begin until `Go`; games that run are played to their end."""

    alters_matches = False
    form = Form("Pause", "No further games begin; those that run are played to their end.")

    kind: str = "pause"

    def _refusal(self, course: Course) -> str | None:
        return "is paused already" if course.effects.paused else None

    def _apply(self, effects: Effects) -> None:
        effects.paused = True

    def words(self, names: Sequence[str]) -> str:
        return "No further games begin"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [
            f"paused{because}: games that run are played to their end; arena host go LEAGUE lets it go on"
        ]


@dataclasses.dataclass(frozen=True)
class Go(Ruling):
    """The tournament goes on after a pause."""

    alters_matches = False
    form = Form("Go on", "A paused tournament goes on.")

    kind: str = "go"

    def _refusal(self, course: Course) -> str | None:
        return None if course.effects.paused else "is not paused"

    def _apply(self, effects: Effects) -> None:
        effects.paused = False

    def words(self, names: Sequence[str]) -> str:
        return "It goes on"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"it goes on{because}"]


@dataclasses.dataclass(frozen=True)
class End(Ruling):
    """The tournament ends: what is left is not played, and games that run are void."""

    form = Form("End the tournament", "What is left is not played. This cannot be undone.")
    may_prolong = True

    kind: str = "end"

    def _apply(self, effects: Effects) -> None:
        effects.ended = True

    def words(self, names: Sequence[str]) -> str:
        return "It ends here; what is left is not played"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"ended{because}: what is left is not played"]


@dataclasses.dataclass(frozen=True)
class Withdraw(Ruling):
    """Withdraws an entrant: it plays no more. The effect on its matches in the present stage:

    Finished matches count. At tables of two, each other match is a walkover: the opponent wins all of it,
    even if it had begun; of two withdrawn entrants, the one that stayed longer wins. At larger tables the
    others play on, and the default action is played for the entrant, which ranks it last. In a round robin
    (at tables of any size) this holds if it has played at least half of its matches; otherwise it is left
    out of all scores there, as if it had never entered. (This is article 13.3 of FIDE's General Regulations
    for Competitions, 2023, for players who leave.) In a Swiss it is paired no more, and every later round
    counts as lost.

    Attributes:
        entrant: its number.
        stage: the present stage, from 0.
        annulled: whether it is left out of that stage's scores.
        round: in a Swiss and on a ladder, the first round, from 0, without the
            entrant; in other formats 0, which is never read.
    """

    form = Form("Withdraw a bot", "It plays no more: at tables of two what it has left are walkovers.", "Bot")

    entrant: int
    stage: int
    annulled: bool
    kind: str = "withdraw"
    round: int = 0

    @classmethod
    def of(cls, course: Course, entrant: int) -> Self:
        """The withdrawal of an entrant at this moment."""
        stage = course.stages[-1]
        annuls = cls._annuls(course, stage, entrant)
        return cls(entrant, stage.number, annuls, round=course.leaves_at(stage))

    @staticmethod
    def _annuls(course: Course, stage: Stage, entrant: int) -> bool:
        """Whether the scores of a stage leave an entrant out that leaves now: it has played too little."""
        if not stage.annuls_withdrawn or entrant not in stage.entrants:
            return False
        return course.tally.matches_played(stage.number, entrant) < stage.matches_of(entrant) / 2

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        return cls.of(course, entrant_of(what, names))

    def _refusal(self, course: Course) -> str | None:
        if self.entrant in course.effects.withdrawn:
            return "is without it already: it was withdrawn before"
        if not self.leaves_enough(course.plan, course.effects):
            return "would be left with one entrant; end it instead"
        return None

    @staticmethod
    def leaves_enough(plan: Plan, effects: Effects, more: int = 1) -> bool:
        """Whether entrants enough are left to go on if so many more are withdrawn."""
        return effects.entrants - len(effects.withdrawn) - more >= plan.first.fewest

    def problems(self, course: Course) -> Iterator[str]:
        if not 0 <= self.stage < len(course.stages):
            yield f"stage {self.stage + 1} has not begun"
            return
        if not 0 <= self.entrant < course.effects.entrants:
            yield f"there is no entrant {self.entrant}"
            return
        stage = course.stages[self.stage]
        if self.round not in course.may_leave_at(stage):
            yield f"it holds from round {self.round + 1} on, which cannot be"
        if self.annulled != self._annuls(course, stage, self.entrant):
            played = course.tally.matches_played(self.stage, self.entrant)
            yield f"it does not follow from the {played} matches that entrant {self.entrant} had played"

    def _apply(self, effects: Effects) -> None:
        effects.withdrawn[self.entrant] = WithdrawnAt(self.stage, self.round)
        if self.annulled:
            effects.left_out.setdefault(self.stage, set()).add(self.entrant)

    def words(self, names: Sequence[str]) -> str:
        left = ", and this stage is scored without it" if self.annulled else ""
        return f"{names[self.entrant]} plays no more{left}"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"{names[self.entrant]} is withdrawn{because}: {self.consequence(plan, 'this stage')}"]

    def consequence(self, plan: Plan, stage: str) -> str:
        """The effect on the stage of that moment; `stage` is its name in the text."""
        if rest := plan.stages[self.stage].after_withdrawal:
            return rest
        if self.annulled:
            return f"it had played less than half of its matches, so {stage} is scored without it"
        return f"what it had left of {stage} are walkovers"


MAX_TABLES = 10_000
"""The most tables to which an entrant can be limited."""

_SOURCES = ("bot", "address", "join")


class Newcomer(NamedTuple):
    """A bot that the host wants to admit; the fields are those of `Admit`."""

    name: str
    how: str
    source: str = ""
    version: str = ""
    author: str = ""
    replaces: str = ""


@dataclasses.dataclass(frozen=True)
class Admit(Ruling):
    """Admits a late entrant during the first stage.

    From then on it is an entrant as all others, and enters later stages only by its
    results. Each format decides which matches of the stage it plays
    (`Format.late_from`, `Format.stage`).

    Attributes:
        entrant: its number: the next one.
        name: its name, unique in the tournament.
        how: `bot` for a folder, `address` for a running bot, `join` for a guest.
        source: the folder, or the address; empty for a guest.
        version, author: those of the bot, may be empty.
        since: its first cycle of the stage or, in a format without cycles, its
            first round, from 0.
        replaces: on a ladder, the number of the entrant whose next version it is, which
            plays no more from round `since` on; None for none.
    """

    form = Form(
        "Admit a guest",
        "A bot or a person that dials in, with the token that you are shown; it plays as the format says.",
        "Its name",
    )

    entrant: int
    name: str
    how: str
    source: str
    version: str
    author: str
    since: int
    kind: str = "admit"
    replaces: int | None = None

    @classmethod
    def of(cls, course: Course, newcomer: Newcomer, replaces: int | None = None) -> Self:
        """The admission of a bot at this moment. Raises TooLate."""
        if len(course.stages) > 1:
            raise TooLate("is past its first stage, and later stages are entered only by results")
        (stage,) = course.stages
        since = course.plan.stages[0].late_from(stage, course.progress(stage))
        told = newcomer._asdict()
        del told["replaces"]
        return cls(course.effects.entrants, **told, since=since, replaces=replaces)

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: a `Newcomer` as JSON."""
        try:
            newcomer = Newcomer(**json.loads(what))
        except (TypeError, ValueError):
            raise Refused("this arena cannot admit that; use the version that plays the tournament") from None
        tournament = course.plan.name
        taken = [name for name in names if same_name(name) == same_name(newcomer.name)]
        if taken:
            raise Refused(f"{tournament} has an entrant {taken[0]} already; give the bot another name")
        if course.over:
            raise Refused(f"{tournament} is over")
        replaces = None
        if newcomer.replaces:
            if not course.takes_versions:
                raise Refused(
                    f"{tournament} is no ladder, so no bot can replace another: admit it without that"
                )
            replaces = entrant_of(newcomer.replaces, names)
            if replaces in course.effects.withdrawn:
                raise Refused(
                    f"{names[replaces]} was withdrawn before: admit {newcomer.name} without replacing it"
                )
        try:
            return cls.of(course, newcomer, replaces)
        except TooLate as why:
            raise Refused(f"{tournament} {why}; {newcomer.name} can play in the next tournament") from None

    def problems(self, course: Course) -> Iterator[str]:
        entrants = course.effects.entrants
        if self.entrant != entrants:
            yield f"it admits entrant {self.entrant}, but the next one was {entrants}"
        if self.how not in _SOURCES:
            yield f"nobody comes as {self.how!r}"
        if self.replaces is not None:
            if not course.takes_versions or not 0 <= self.replaces < entrants:
                yield f"it replaces entrant {self.replaces}, which cannot be"
            elif self.replaces in course.effects.withdrawn:
                yield f"it replaces entrant {self.replaces}, which was withdrawn before"
        if course.begun_after(0, None):
            yield "the first stage was over by then"
            return
        stage = course.stages[0]
        try:
            least = course.plan.stages[0].late_from(stage, course.progress(stage))
        except TooLate as why:
            yield f"the tournament {why}"
            return
        last = len(stage.cycle_ends) or stage.round_count
        if not least <= self.since < last:
            yield f"it holds from cycle or round {self.since + 1} on, which cannot be"

    def _apply(self, effects: Effects) -> None:
        effects.entrants += 1
        late = Late(self.entrant, self.since, self.replaces, self.author)
        effects.changes.setdefault(0, []).append(late)
        if self.replaces is not None:
            effects.withdrawn[self.replaces] = WithdrawnAt(0, self.since)

    def to_json(self) -> str:
        values = dict(vars(self))
        if self.replaces is None:
            del values["replaces"]  # the form from before `replaces` existed
        return json.dumps(values)

    def words(self, names: Sequence[str]) -> str:
        instead = "" if self.replaces is None else f" and replaced {names[self.replaces]}"
        return f"{self.name} came late{instead}"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        instead = "" if self.replaces is None else f" and replaces {names[self.replaces]}"
        return [f"{self.name} is admitted{instead}{because}"]

    def alteration(self) -> dict[str, Any]:
        return {"name": self.name}


@dataclasses.dataclass(frozen=True)
class Annul(Ruling):
    """Annuls whole boards; they are played again on fresh boards.

    Attributes:
        boards: the boards; after them, if later matches were paired by their
            results, all boards of those matches.
    """

    form = Form(
        "Annul",
        "The game's board, or all of the match, is void and played again on fresh boards.",
        "Game such as 1.3.2/nyuri/1.2, or match such as 1.3.2",
    )
    may_prolong = True

    boards: tuple[VoidBoard, ...]
    kind: str = "annul"

    @classmethod
    def of(cls, course: Course, match: MatchKey, games: Sequence[str], boards: Sequence[int] | None) -> Self:
        """The annulment of boards of a match in some games, at this moment.

        Args:
            course: the tournament.
            match: the match.
            games: the ids of the games.
            boards: the planned numbers of the boards; None for the whole match.
        """
        void, together = course.void_with(match, games, boards)
        return cls(
            tuple(
                VoidBoard(
                    *key,
                    game,
                    course.effects.void.played(key, game, board),
                    fresh=course.effects.void.next_fresh + number // together,
                )
                for number, (key, game, board) in enumerate(void)
            )
        )

    def _refusal(self, course: Course) -> str | None:
        return course.matches_stay or None

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: a game such as 1.3.2/nyuri/1.2, or a match such as 1.3.2."""
        if course.matches_stay:  # to find out what depends on the match would take long
            raise Refused(f"{course.plan.name} {course.matches_stay}")
        game = read_game_key(what)
        match = read_match_key(what) if game is None else game.match_key
        if match is None:
            raise Refused(f"{what!r} is no game such as 1.3.2/nyuri/1.2, and no match such as 1.3.2")
        if match.stage >= len(course.stages) or not course.tally.has_begun(match):
            raise Refused(f"{course.plan.name} has played nothing of {what}: nothing is to be annulled")
        if game is None:
            return cls.of(course, match, course.plan.games, None)
        if game.game not in course.plan.games or course.effects.void.has_game(game):
            raise Refused(f"{course.plan.name} has no game {what} that counts")
        return cls.of(course, match, [game.game], [course.effects.void.planned(match, game.game, game.board)])

    def _apply(self, effects: Effects) -> None:
        effects.void.add(self.boards)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        boards = tuple(VoidBoard(*board) for board in values["boards"])
        return super().from_values({**values, "boards": boards})

    def words(self, names: Sequence[str]) -> str:
        return f"{counted(len(self.boards), 'board')} void and played again"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"void{because} and played again: {counted(len(self.boards), 'board')}"]

    def alteration(self) -> dict[str, Any]:
        return {"boards": len(self.boards)}


@dataclasses.dataclass(frozen=True)
class Extend(Ruling):
    """Adds cycles to a stage, or boards to its matches.

    Attributes:
        stage: the present stage, from 0.
        cycles: how many cycles are added.
        boards: how many boards are added to each match for each game.
        round: the first round with these boards, from 0: the present round if
            the pairings depend on results, else 0.
    """

    form = Form(
        "Extend",
        "The present stage gets more cycles, or more boards a match.",
        "A number of cycles, or boards and a number, such as boards 2",
    )
    may_prolong = True

    stage: int
    cycles: int
    kind: str = "extend"
    boards: int = 0
    round: int = 0

    @classmethod
    def of(cls, course: Course, cycles: int = 0, boards: int = 0) -> Self:
        """The addition of cycles, or of boards a match, to the present stage."""
        stage = course.stages[-1]
        cycles, boards = course.plan.stages[stage.number].added(cycles, boards)
        round_ = 0
        if boards and stage.is_in_turn:
            round_ = sum(1 for _ in course.rounds(stage)) - 1
        return cls(stage.number, cycles, boards=boards, round=round_)

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: a number of cycles, or of boards such as `boards 3`."""
        found = re.fullmatch(
            r"(boards )?([0-9]{1,9})", what
        )  # a larger number is refused later, with the limit
        if found is None:
            raise Refused(f"{what[:40]!r} is no number of cycles such as 1, nor of boards such as boards 2")
        more = int(found[2])
        return cls.of(course, boards=more) if found[1] else cls.of(course, more)

    def _refusal(self, course: Course) -> str | None:
        format_ = course.plan.stages[self.stage]
        if self.cycles > format_.most_added:
            return f"cannot have more than {format_.most_added} {format_.cycle_word}s added at once"
        if course.settled:
            return "has answered all its questions"
        if self.cycles and not format_.can_be_longer:
            return f"has no cycles in its stage {self.stage + 1}, so it cannot have more"
        if course.matches_stay:
            return course.matches_stay
        if self.cycles == self.boards == 0:
            return "would be as long as it is"
        return self._refusal_of_boards(course) if self.boards else None

    def _refusal_of_boards(self, course: Course) -> str | None:
        matches = [match.key for match in list(course.rounds(course.stages[self.stage]))[self.round].matches]
        if max(map(course.tally.boards_of, matches)) + self.boards > MAX_BOARDS:
            return f"would have more than {MAX_BOARDS} boards a match, which is the most"
        if any(map(course.tally.has_extra, matches)):
            return "breaks a tie by extra boards at the moment; ask again when its next round has begun"
        return None

    def problems(self, course: Course) -> Iterator[str]:
        if not 0 <= self.stage < len(course.stages):
            yield f"stage {self.stage + 1} has not begun"
            return
        if min(self.cycles, self.boards) < 0 or self.cycles == self.boards == 0:
            yield f"it adds {self.cycles} cycles and {self.boards} boards"
        if self.cycles and not course.plan.stages[self.stage].can_be_longer:
            yield f"stage {self.stage + 1} has no cycles"
        stage = course.stages[self.stage]
        last = stage.round_count - 1 if self.boards and stage.depends_on_results else 0
        if not 0 <= self.round <= last:
            yield f"it holds from round {self.round + 1} on, which cannot be"
        if course.begun_after(self.stage, self.round if stage.depends_on_results else None):
            yield "what comes after what it extends had begun by then"

    def _apply(self, effects: Effects) -> None:
        if self.cycles:
            effects.changes.setdefault(self.stage, []).append(MoreCycles(self.cycles))
        if self.boards:
            effects.added.setdefault(self.stage, []).append((self.round, self.boards))

    def words(self, names: Sequence[str]) -> str:
        more = [counted(self.cycles, "more cycle")] if self.cycles else []
        if self.boards:
            since = f" from round {self.round + 1} on" if self.round else ""
            more.append(f"{counted(self.boards, 'more board')} a match{since}")
        return f"stage {self.stage + 1} has {' and '.join(more)}"

    def alteration(self) -> dict[str, Any]:
        more = {"cycles": self.cycles, "boards": self.boards}
        return {"stage": self.stage + 1, **more, "from_round": self.round + 1}


@dataclasses.dataclass(frozen=True)
class Limit(Ruling):
    """Limits at how many tables an entrant plays at once, besides what its bot says of itself.

    Attributes:
        entrant: its number.
        tables: the most tables of each of its instances; 0 for no limit but the bot's own.
    """

    alters_matches = False
    form = Form(
        "Limit a bot's tables",
        "It plays at no more tables at once; games that run are played to their end.",
        "How many tables, and the bot, such as 1 turtle",
    )

    entrant: int
    tables: int
    kind: str = "limit"

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        tables, _, name = what.partition(" ")
        if not (tables.isascii() and tables.isdigit() and int(tables) <= MAX_TABLES):
            raise Refused(f"{tables!r} is no number of tables from 0 to {MAX_TABLES}")
        return cls(entrant_of(name, names), int(tables))

    def _refusal(self, course: Course) -> str | None:
        if self.entrant in course.effects.withdrawn:
            return "is without it: it was withdrawn"
        return None

    def problems(self, course: Course) -> Iterator[str]:
        if not 0 <= self.entrant < course.effects.entrants:
            yield f"there is no entrant {self.entrant}"
        if not 0 <= self.tables <= MAX_TABLES:
            yield f"{self.tables} is no number of tables"

    def _apply(self, effects: Effects) -> None:
        effects.tables[self.entrant] = self.tables

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        return super().from_values(
            {**values, "entrant": int(values["entrant"]), "tables": int(values["tables"])}
        )

    def words(self, names: Sequence[str]) -> str:
        name = names[self.entrant]
        if not self.tables:
            return f"{name} plays at as many tables as its bot allows"
        return f"{name} plays at {counted(self.tables, 'table')} at once"


SPEEDS = {"slow": 10, "normal": 5, "fast": 3, "at-once": 0}
"""By the name of a speed: how many seconds are counted down before results are shown."""

SHOWABLE = ("table", "round", "all")
"""What the host can show: the next match, the rest of its round, or everything from now on."""


@dataclasses.dataclass(frozen=True)
class Show(Ruling):
    """Shows matches of a tournament whose results the host shows (`Plan.reveal`).

    Attributes:
        matches: the matches.
        rest: whether everything is shown: what was played, and what will be.
        countdown: how many seconds after the ruling they are shown.
    """

    alters_matches = False
    form = Form("Show", "The results are shown on all pages. This cannot be undone.", "What, and how fast")

    matches: tuple[MatchKey, ...]
    rest: bool
    countdown: int
    kind: str = "show"

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: one of `SHOWABLE`, and then one of `SPEEDS`, which may be left out."""
        asked, _, speed = what.partition(" ")
        if asked not in SHOWABLE or (speed or "normal") not in SPEEDS:
            raise Refused(
                f"{what!r} cannot be shown; {' or '.join(SHOWABLE)}, and then {' or '.join(SPEEDS)}"
            )
        if course.plan.reveal is None:
            raise Refused(f'{course.plan.name} shows its results at once: its file has no reveal = "host"')
        countdown = SPEEDS[speed or "normal"]
        if asked == "all":
            return cls((), True, countdown)
        left = course.to_show()
        if not left:
            more = "the next round is not paired yet: ask again" if not course.over else "all is shown"
            raise Refused(f"nothing is left to show of {course.plan.name}; {more}")
        round_ = [match for match in left if match.key[:2] == left[0].key[:2]]
        left = round_ if asked == "round" else left[:1]
        if played := [match for match in left if not course.is_decided(match)]:
            raise Refused(f"{played[0].label} is not played to its end yet: ask again")
        return cls(tuple(match.key for match in left), False, countdown)

    def refusal(self, course: Course) -> str | None:
        return "shows everything already" if course.effects.shows_all or course.effects.ended else None

    def problems(self, course: Course) -> Iterator[str]:
        decided = {match.key for match in course.to_show() if course.is_decided(match)}
        for key in self.matches:
            if key not in decided:
                yield f"it shows match {key}, which was not played or was shown before"

    def _apply(self, effects: Effects) -> None:
        effects.shown.update(self.matches)
        effects.shows_all |= self.rest

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        return super().from_values({**values, "matches": tuple(MatchKey(*key) for key in values["matches"])})

    def words(self, names: Sequence[str]) -> str:
        if self.rest:
            return "The host shows all results, also those to come"
        matches = joined([str(key) for key in self.matches])
        return f"The host shows match{'es' if len(self.matches) > 1 else ''} {matches}"


@dataclasses.dataclass(frozen=True)
class Contain(Ruling):
    """Notes the sandbox levels of the bots that the referee starts, from now on.

    Attributes:
        levels: the level of each entrant, in their order; empty for a bot that the referee does not start.
        lacking: the parts of these levels that the machine did not have, for people.
    """

    alters_matches = False

    levels: tuple[str, ...]
    kind: str = "contain"
    lacking: tuple[str, ...] = ()

    def problems(self, course: Course) -> Iterator[str]:
        if len(self.levels) != course.effects.entrants:
            yield f"it is about {len(self.levels)} bots, and there were {course.effects.entrants}"

    def _apply(self, effects: Effects) -> None:
        effects.contained, effects.lacking = self.levels, self.lacking

    def to_json(self) -> str:
        if self.lacking:
            return super().to_json()
        return json.dumps(
            {"levels": self.levels, "kind": self.kind}
        )  # the form from before `lacking` existed

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        levels = tuple(map(str, values["levels"]))
        lacking = tuple(map(str, values.get("lacking", ())))
        return super().from_values({**values, "levels": levels, "lacking": lacking})

    def words(self, names: Sequence[str]) -> str:
        levels = Counter(filter(None, self.levels))
        told = ", ".join(f"{counted(count, 'bot')} at level {level}" for level, count in levels.items())
        less = f", as far as the machine could, which lacked {', '.join(self.lacking)}"
        return f"contained: {told}{less if self.lacking else ''}"

    def alteration(self) -> dict[str, Any]:
        return {"levels": list(self.levels), "lacking": list(self.lacking)}


@dataclasses.dataclass(frozen=True)
class Contribute(Ruling):
    """The bytes that the bots put into the deals before the first game (see `arena.table.deal`).

    Attributes:
        pledges: the pledge of each first entrant, in their order, in hexadecimal;
            empty if it pledged nothing.
        contributions: the bytes themselves, in the same order; empty if they did not come.
    """

    alters_matches = False

    pledges: tuple[str, ...]
    contributions: tuple[str, ...]
    kind: str = "contribute"

    @property
    def pledged(self) -> dict[int, bytes]:
        """The pledges by the numbers of their entrants."""
        return _present(self.pledges)

    @property
    def given(self) -> dict[int, bytes]:
        """The bytes by the numbers of their entrants."""
        return _present(self.contributions)

    def problems(self, course: Course) -> Iterator[str]:
        if course.tally.played or course.effects.rulings:
            yield "it is not the first thing after the beginning of the tournament"
        entrants = course.effects.first_entrants
        if not len(self.pledges) == len(self.contributions) == entrants:
            yield f"it is not about the {entrants} entrants that there were"
        for number, given in self.given.items():
            if len(given) != CONTRIBUTION_BYTES or pledge_of(given) != self.pledged.get(number):
                yield f"the bytes of entrant {number} are not those that it had pledged"

    def _apply(self, effects: Effects) -> None:
        effects.given = self.given

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        texts = {
            name: tuple(bytes.fromhex(value).hex() for value in values[name])
            for name in ("pledges", "contributions")
        }
        return super().from_values({**values, **texts})

    def words(self, names: Sequence[str]) -> str:
        return "The bots have put their bytes into the deals"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [
            f"{len(self.given)} of {counted(len(self.pledges), 'bot')} put bytes of their own into the deals",
            f"digest of the pledges for that: sha256 {pledges_digest(self.pledged).hex()}",
        ]


def _present(values: Sequence[str]) -> dict[int, bytes]:
    return {number: bytes.fromhex(value) for number, value in enumerate(values) if value}


KINDS: dict[str, type[Ruling]] = {
    each.kind: each
    for each in (Pause, Go, Withdraw, Admit, Annul, Extend, Limit, Show, End, Contain, Contribute)
}
"""All kinds, in the order in which the page offers them."""


class WrongRuling(ValueError):
    """The stored text is not a ruling."""


def read_ruling(text: str) -> Ruling:
    """The ruling with this stored text. Raises WrongRuling."""
    try:
        values = json.loads(text)
        values.pop("request", None)  # only the store uses it (`League.has_decided`)
        return KINDS[values["kind"]].from_values(values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise WrongRuling(f"{text[:200]!r} is no decision that this version knows") from None


def effects_of(entrants: int, rulings: Iterable[Ruling]) -> Effects:
    """The combined effects of all rulings, for a tournament that began with so many entrants."""
    effects = Effects(entrants)
    for ruling in rulings:
        ruling.add_to(effects)
    return effects


class Streaks:
    """Counts how many games in a row each entrant has forfeited.

    Args:
        limit: after so many an entrant is withdrawn; 0 for never.
        so_far: the forfeits in a row up to now.
    """

    def __init__(self, limit: int, so_far: Mapping[int, int]) -> None:
        self._limit = limit
        self._counts = Counter(so_far)

    def add(self, result: GameResult) -> None:
        """Counts a game."""
        for seat in result.seats:
            self._counts[seat.entrant] = self._counts[seat.entrant] + 1 if seat.forfeit else 0

    def forget(self, entrant: int) -> None:
        """Resets the count of an entrant whose last game is excused."""
        self._counts[entrant] = 0

    def to_withdraw(self) -> list[int]:
        """The entrants that have forfeited too many games in a row."""
        return [entrant for entrant, count in self._counts.items() if 0 < self._limit <= count]
