"""The ruling that adds cycles to a stage, or boards to its matches."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Self

from arena.formats.changes import MoreCycles
from arena.text import counted
from arena.tournament.course import Course
from arena.tournament.effects import Effects
from arena.tournament.plan import MAX_BOARDS
from arena.tournament.rulings.ruling import Form, Refused, Ruling
from arena.tournament.so_far import SoFar

_DIGITS = 9  # of a number that is read at all; what is too large is told by a refusal


@dataclasses.dataclass(frozen=True)
class Extend(Ruling):
    """A stage has more cycles, or its matches have more boards, than were planned.

    Attributes:
        stage: the stage that is being played, from 0.
        cycles: how many more cycles.
        boards: how many more boards each match has for each game.
        round: from which round on, from 0: the one that is being played where
            who meets whom depends on how the earlier ones came out, else 0.
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
        """So many more cycles, or boards a match, of the stage that is being played."""
        stage = course.stages[-1]
        round_ = 0
        if course.plan.stages[stage.number].rounds_share_boards:  # a round is a cycle, and a board
            return cls(stage.number, cycles + boards)
        if boards and stage.depends_on_results:
            round_ = sum(1 for _ in course.rounds(stage)) - 1
        return cls(stage.number, cycles, boards=boards, round=round_)

    @classmethod
    def asked(cls, what: str, course: Course, names: Sequence[str]) -> Self:
        """`what`: a number of cycles, or of boards such as `boards 3`."""
        more = what.removeprefix("boards ")
        if not more.isdecimal() or len(more) > _DIGITS:
            raise Refused(f"{what[:40]!r} is no number of cycles such as 1, nor of boards such as boards 2")
        is_boards = more != what
        return cls.of(course, boards=int(more)) if is_boards else cls.of(course, int(more))

    def _refusal(self, course: Course) -> str | None:
        format_ = course.plan.stages[self.stage]
        if self.cycles > format_.most_added:
            what = "boards" if format_.rounds_share_boards else "cycles"
            return f"cannot have more than {format_.most_added} {what} added at once"
        if course.comparison.settled:
            return "has answered all its questions"
        if self.cycles and not format_.can_be_longer:
            return f"has no cycles in its stage {self.stage + 1}, so it cannot have more"
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

    def problems(self, so_far: SoFar) -> Iterator[str]:
        if not 0 <= self.stage < len(so_far.plan.stages):
            yield f"there is no stage {self.stage + 1}"
            return
        if min(self.cycles, self.boards) < 0 or self.cycles == self.boards == 0:
            yield f"it adds {self.cycles} cycles and {self.boards} boards"
        if self.cycles and not so_far.plan.stages[self.stage].can_be_longer:
            yield f"stage {self.stage + 1} has no cycles"
        stage = so_far.course.shape(self.stage)
        last = stage.round_count - 1 if self.boards and stage.depends_on_results else 0
        if not 0 <= self.round <= last:
            yield f"it holds from round {self.round + 1} on, which cannot be"
        if so_far.begun_after(self.stage, self.round if stage.depends_on_results else None):
            yield "what comes after what it extends had begun by then"

    def apply(self, effects: Effects) -> None:
        if self.cycles:
            effects.change(self.stage, MoreCycles(self.cycles))
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
