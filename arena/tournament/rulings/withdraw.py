"""The ruling that withdraws an entrant."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Self

from arena.formats.stage import Stage
from arena.tournament.course import Course
from arena.tournament.effects import Effects, Gone
from arena.tournament.plan import Plan
from arena.tournament.rulings.ruling import Form, Ruling, entrant_of
from arena.tournament.so_far import SoFar


@dataclasses.dataclass(frozen=True)
class Withdraw(Ruling):
    """An entrant plays no more. What becomes of its matches in the stage that is being played:

    Matches that are over count as they ended. At tables of two what is left is
    a walkover: the opponent gets the whole match, also where it had begun, and
    between two that are withdrawn the one that stayed longer. At larger tables the
    others play on, and the default action is played for it, which ranks it
    last. In a round robin (at tables of any size) this holds if it has played
    half of its matches or more; if less, it is left out of all scores there, as
    if it had never entered. (So FIDE's General Regulations for Competitions,
    article 13.3 of the 2023 text, have it for players who leave a tournament.)
    In a Swiss it is paired no more, and every later round counts for it as lost.

    Attributes:
        entrant: its number.
        stage: the stage that is being played, from 0.
        annulled: whether it is left out of that stage's scores.
        round: in a Swiss the first round, from 0, for which it is not paired
            any more; in other formats 0, which nobody reads.
    """

    form = Form("Withdraw a bot", "It plays no more: at tables of two what it has left are walkovers.", "Bot")

    entrant: int
    stage: int
    annulled: bool
    kind: str = "withdraw"
    round: int = 0

    @classmethod
    def of(cls, course: Course, entrant: int) -> Self:
        """The withdrawal of an entrant as the tournament stands."""
        stage = course.stages[-1]
        annulled, round_ = False, 0
        if stage.pairs_by_score:  # what can be paired may be under way
            round_ = sum(1 for _ in course.rounds(stage))
        if stage.annuls_withdrawn and entrant in stage.entrants:
            annulled = course.tally.matches_played(stage.number, entrant) < _half(stage, entrant)
        return cls(entrant, stage.number, annulled, round=round_)

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        return cls.of(course, entrant_of(what, names))

    def _refusal(self, course: Course) -> str | None:
        if self.entrant in course.withdrawn:
            return "is without it already: it was withdrawn before"
        if len(course.withdrawn) + 2 >= course.entrants:
            return "would be left with one entrant; end it instead"
        return None

    def problems(self, so_far: SoFar) -> Iterator[str]:
        plan, course = so_far.plan, so_far.course
        if not 0 <= self.stage < len(plan.stages):
            yield f"there is no stage {self.stage + 1}"
            return
        if not 0 <= self.entrant < course.entrants:
            yield f"there is no entrant {self.entrant}"
            return
        stage = course.shape(self.stage)
        if not 0 <= self.round <= (stage.round_count if stage.pairs_by_score else 0):
            yield f"it holds from round {self.round + 1} on, which cannot be"
        played = so_far.matches_played(self.stage, self.entrant)
        # Who is in a later stage, and in which of its groups, is not known here.
        possible = (self.entrant,) if self.stage == 0 else stage.entrants
        halves = {_half(stage, entrant) for entrant in possible}
        if self.annulled not in {stage.annuls_withdrawn and played < half for half in halves}:
            yield f"it does not follow from the {played} matches that entrant {self.entrant} had played"

    def apply(self, effects: Effects) -> None:
        effects.withdrawn[self.entrant] = Gone(self.stage, self.round, self.annulled)

    def words(self, names: Sequence[str]) -> str:
        left = ", and this stage is scored without it" if self.annulled else ""
        return f"{names[self.entrant]} plays no more{left}"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        if plan.stages[self.stage].has_walkovers:
            rest = self.consequence("this stage")
        else:
            rest = "what it had left is not played, so what is open about it stays open"
        return [f"{names[self.entrant]} is withdrawn{because}: {rest}"]

    def consequence(self, stage: str) -> str:
        """What it means in the stage that was being played; `stage`: how the text calls that."""
        if self.annulled:
            return f"it had played less than half of its matches, so {stage} is scored without it"
        return f"what it had left of {stage} are walkovers"


def _half(stage: Stage, entrant: int) -> Fraction:
    """Half of the matches that an entrant of a stage has, where that is known beforehand."""
    return stage.matches_of(entrant) / 2
