"""Gauntlet: one or more challengers each meet all other entrants (the field), who do not meet one another.

The challengers are the best seeds of the stage. The larger of the two groups, challengers or field, stands in
a circle and moves on by one place each round, past the smaller group. So a cycle has as many rounds as the
larger group has members, and each challenger meets each entrant of the field once in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

from arena.formats.format import MAX_CYCLES, NOBODY, Added, Format, Gone, Progress, Schedule, Stage
from arena.formats.round_robin import late_from_cycle, with_newcomers
from arena.strict_toml import Section


@dataclasses.dataclass(frozen=True, slots=True)
class GauntletFormat(Format):
    """A gauntlet.

    Attributes:
        challengers: how many of the first entrants are challengers.
        cycles: how many times each challenger meets each of the field.
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
                f"a gauntlet needs tables of 2 seats, not {seats}: at larger tables entrants of the field "
                "would meet one another; take a round-robin"
            )
        return cls(
            entrants,
            seats,
            challengers=table.number("challengers", 1, 1, entrants - 1),
            cycles=table.number("cycles", 1, 1, MAX_CYCLES),
        )

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        return with_newcomers(
            tuple(entrants),
            self.cycles,
            changes,
            lambda entrants, cycles: Gauntlet(number, entrants, self.challengers, cycles),
            lambda entrants: entrants[: self.challengers],
        )

    def late_from(self, stage: Stage, progress: Progress) -> int:
        return late_from_cycle(stage.cycle_ends, progress)


class Gauntlet(Schedule):
    """Challengers against the field, at two-seat tables.

    Each cycle exchanges the seats of the cycle before.

    Args:
        number, entrants: see `Stage`.
        challengers: how many of the first entrants are challengers, fewer than all.
        cycles: how many times each challenger meets each of the field.

    Raises:
        ValueError: as for a `Schedule`, or too few challengers or others.
    """

    seats = 2

    def __init__(self, number: int, entrants: Sequence[int], challengers: int = 1, cycles: int = 1) -> None:
        super().__init__(cycles, number, entrants, 2, "add entrants to the tournament")
        if not 1 <= challengers < len(entrants):
            raise ValueError(
                f"{challengers} of {len(entrants)} entrants cannot be challengers: let at least 1 be, "
                "and at least 1 be the field"
            )
        self._challengers, self._field = self.entrants[:challengers], self.entrants[challengers:]
        self.cycle_rounds = max(len(self._challengers), len(self._field))
        self.cycle_matches = len(self._challengers) * len(self._field)

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        one, other = self._challengers, self._field
        first, second = (number, 0) if len(one) > len(other) else (0, number)
        pairs = [
            (one[(first + i) % len(one)], other[(second + i) % len(other)])
            for i in range(min(len(one), len(other)))
        ]
        return [*pairs] if cycle % 2 == 0 else [pair[::-1] for pair in pairs]
