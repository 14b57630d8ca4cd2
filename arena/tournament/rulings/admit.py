"""The ruling that admits an entrant late."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

from arena.formats.changes import Late, TooLate
from arena.names import same_name
from arena.tournament.course import Course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.rulings.ruling import Form, Refused, Ruling
from arena.tournament.so_far import SoFar

_SOURCES = ("bot", "address", "join")


class Newcomer(NamedTuple):
    """A bot that is to be admitted: what `Admit` says of it."""

    name: str
    how: str
    source: str = ""
    version: str = ""
    author: str = ""


@dataclasses.dataclass(frozen=True)
class Admit(Ruling):
    """An entrant comes late, when the first stage is being played.

    From then on it counts as an entrant as all others; into later stages it
    comes only by how it comes out. Each format says what it plays of the stage
    (`Format.late_from`, `Format.changed`).

    Attributes:
        entrant: its number: the next one.
        name: its name, unique in the tournament.
        how: `bot` for a folder, `address` for a bot that runs, `join` for one that dials in.
        source: the folder, or the address; empty for a bot that dials in.
        version, author: of the bot, may be empty.
        since: from which cycle of the stage on it takes part or, in a format
            without them, from which round, from 0.
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

    @classmethod
    def of(cls, course: Course, newcomer: Newcomer) -> Self:
        """The admission of a bot as the tournament stands. Raises TooLate."""
        if len(course.stages) > 1:
            raise TooLate("is past its first stage, and into the later ones one comes by how one came out")
        (stage,) = course.stages
        since = course.plan.stages[0].late_from(stage, course.progress(stage))
        return cls(course.entrants, *newcomer, since=since)

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
        try:
            return cls.of(course, newcomer)
        except TooLate as why:
            raise Refused(f"{tournament} {why}; {newcomer.name} can play in the next tournament") from None

    def problems(self, so_far: SoFar) -> Iterator[str]:
        if self.entrant != so_far.course.entrants:
            yield f"it admits entrant {self.entrant}, but the next one was {so_far.course.entrants}"
        if self.how not in _SOURCES:
            yield f"nobody comes as {self.how!r}"
        if so_far.begun_after(0, None):
            yield "the first stage was over by then"
            return
        stage = so_far.course.shape(0)
        try:
            least = so_far.plan.stages[0].late_from(stage, so_far.progress(stage))
        except TooLate as why:
            yield f"the tournament {why}"
            return
        last = len(stage.cycle_ends) or stage.round_count
        if not least <= self.since < last:
            yield f"it holds from cycle or round {self.since + 1} on, which cannot be"

    def apply(self, effects: Effects) -> None:
        effects.entrants += 1
        effects.change(0, Late(self.entrant, self.since))

    def words(self, names: Sequence[str]) -> str:
        return f"{self.name} came late"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"{self.name} is admitted{because}"]

    def alteration(self) -> dict[str, Any]:
        return {"name": self.name}
