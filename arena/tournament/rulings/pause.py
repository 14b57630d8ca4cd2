"""The rulings that pause a tournament, let it go on, and end it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from arena.tournament.course import Course
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan
from arena.tournament.rulings.ruling import Form, Ruling


@dataclasses.dataclass(frozen=True)
class Pause(Ruling):
    """No further games begin, until it goes on; those that run are played to their end."""

    form = Form("Pause", "No further games begin; those that run are played to their end.")

    kind: str = "pause"

    def _refusal(self, course: Course) -> str | None:
        return "is paused already" if course.paused else None

    def apply(self, effects: Effects) -> None:
        effects.paused = True

    def words(self, names: Sequence[str]) -> str:
        return "No further games begin"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"paused{because}: games that run are played to their end; arena go lets it go on"]


@dataclasses.dataclass(frozen=True)
class Go(Ruling):
    """It goes on after a pause."""

    form = Form("Go on", "A paused tournament goes on.")

    kind: str = "go"

    def _refusal(self, course: Course) -> str | None:
        return None if course.paused else "is not paused"

    def apply(self, effects: Effects) -> None:
        effects.paused = False

    def words(self, names: Sequence[str]) -> str:
        return "It goes on"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"it goes on{because}"]


@dataclasses.dataclass(frozen=True)
class End(Ruling):
    """The tournament ends here: what is left of it is not played, and what runs is void."""

    form = Form("End the tournament", "What is left is not played. This cannot be undone.")
    may_prolong = True

    kind: str = "end"

    def apply(self, effects: Effects) -> None:
        effects.ended = True

    def words(self, names: Sequence[str]) -> str:
        return "It ends here; what is left is not played"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        return [f"ended{because}: what is left is not played"]
