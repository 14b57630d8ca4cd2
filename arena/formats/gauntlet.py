"""Gauntlet: one or more challengers each meet all the others, who do not meet one another.

The challengers are the best seeds of the stage. Of challengers and field the
larger group stands in a circle and moves on by one place each round, past the
smaller one; so a cycle has as many rounds as the larger group has members, in
which everybody of one group meets everybody of the other once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from arena.formats.changes import Change, Progress
from arena.formats.format import MAX_CYCLES, NOBODY, Format
from arena.formats.parts import with_newcomers
from arena.formats.round_robin import late_from_cycle
from arena.formats.stage import Round, Stage, checked_entrants
from arena.results import Match, MatchKey, MatchResult
from arena.strict_toml import Section


@dataclasses.dataclass(frozen=True, slots=True)
class GauntletFormat(Format):
    """The first entrants each meet all the others.

    Attributes:
        challengers: how many of the first entrants meet the others.
        cycles: how many times they meet.
    """

    id = "gauntlet"
    title = "gauntlet"
    keys = ("challengers", "cycles")

    challengers: int
    cycles: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        if seats != 2:
            table.fail(
                f"a gauntlet needs tables of 2 seats, not {seats}: at larger tables those of the field would "
                "meet one another; take a round-robin"
            )
        return cls(
            entrants,
            seats,
            challengers=table.number("challengers", 1, 1, entrants - 1),
            cycles=table.number("cycles", 1, 1, MAX_CYCLES),
        )

    def stage(self, number: int, entrants: Sequence[int], gone: Mapping[int, int] = NOBODY) -> Stage:
        return Gauntlet(number, entrants, self.challengers, self.cycles)

    def changed(
        self, number: int, entrants: Sequence[int], gone: Mapping[int, int], changes: Sequence[Change]
    ) -> Stage:
        def whole(entrants: tuple[int, ...], cycles: int) -> Stage:
            return Gauntlet(number, entrants, self.challengers, cycles)

        def challengers(entrants: tuple[int, ...]) -> tuple[int, ...]:
            return entrants[: self.challengers]

        return with_newcomers(tuple(entrants), self.cycles, changes, whole, challengers)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        return late_from_cycle(stage.cycle_ends, progress)


class Gauntlet(Stage):
    """Challengers against the field, at two-seat tables.

    The next cycle exchanges the seats.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least 2.
        challengers: how many of the first are challengers, fewer than all.
        cycles: how many times each challenger meets each of the field.

    Raises:
        ValueError: too few entrants, challengers or cycles, or an entrant twice.
    """

    depends_on_results = False
    seats = 2

    def __init__(self, number: int, entrants: Sequence[int], challengers: int = 1, cycles: int = 1) -> None:
        self.number = number
        self.entrants = checked_entrants(entrants, 2, "add entrants to the tournament")
        if not 1 <= challengers < len(entrants):
            raise ValueError(
                f"{challengers} of {len(entrants)} entrants cannot be challengers: let at least 1 be, "
                "and at least 1 be the field"
            )
        if cycles < 1:
            raise ValueError(f"a gauntlet has at least 1 cycle, not {cycles}")
        self.cycles = cycles
        self.challengers, self.field = self.entrants[:challengers], self.entrants[challengers:]

    @property
    def round_count(self) -> int:
        """How many rounds there are in all cycles."""
        return self.cycles * max(len(self.challengers), len(self.field))

    @property
    def match_count(self) -> int:
        """How many matches there are in all cycles."""
        return self.cycles * len(self.challengers) * len(self.field)

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        """See `Stage`."""
        return tuple(self.round_count // self.cycles * (cycle + 1) for cycle in range(self.cycles))

    def round(self, number: int, results: Mapping[MatchKey, MatchResult]) -> Round | None:
        """Round `number`, from 0; None past the last. Results are not read."""
        if not 0 <= number < self.round_count:
            return None
        pairs = self._pairs(number)
        if number * self.cycles // self.round_count % 2:  # every other cycle
            pairs = [pair[::-1] for pair in pairs]
        label = f"round {number + 1}"
        playing = {entrant for pair in pairs for entrant in pair}
        return Round(
            label,
            tuple(
                Match(MatchKey(self.number, number, i), pair, f"{label}, match {i + 1}")
                for i, pair in enumerate(pairs)
            ),
            tuple(entrant for entrant in self.entrants if entrant not in playing),
        )

    def _pairs(self, number: int) -> list[tuple[int, ...]]:
        """Challengers with those of the field that they meet in a round, the challenger first."""
        one, other = self.challengers, self.field
        if len(one) <= len(other):
            return [(each, other[(number + i) % len(other)]) for i, each in enumerate(one)]
        return [(one[(number + i) % len(one)], each) for i, each in enumerate(other)]
