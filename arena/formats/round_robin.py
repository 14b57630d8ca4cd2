"""Round robin at two-seat tables by the circle method.

The entrants but the last stand in a circle of M places, M odd (with an odd
number of entrants all stand in it). In round r the pairs are the places that
lie equally far from place r on both sides; the one at place r meets the last
entrant, or sits out. Everybody meets everybody once in M rounds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from arena.formats.changes import Change, Progress, TooLate
from arena.formats.format import MAX_CYCLES, NOBODY, Format
from arena.formats.movement import Movement
from arena.formats.parts import with_larger_cycles, with_newcomers
from arena.formats.stage import Round, Stage, checked_entrants
from arena.results import Match, MatchKey, MatchResult
from arena.strict_toml import Section


@dataclasses.dataclass(frozen=True, slots=True)
class RoundRobinFormat(Format):
    """Everybody meets everybody: the circle method at two-seat tables, else a balanced movement.

    Attributes:
        cycles: how many times the whole schedule is played.
    """

    id = "round-robin"
    title = "round robin"
    keys = ("cycles",)

    cycles: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        return cls(entrants, seats, cycles=table.number("cycles", 1, 1, MAX_CYCLES))

    def stage(self, number: int, entrants: Sequence[int], gone: Mapping[int, int] = NOBODY) -> Stage:
        if self.seats == 2:
            return RoundRobin(number, entrants, self.cycles)
        return Movement(number, entrants, self.seats, self.cycles)

    def changed(
        self, number: int, entrants: Sequence[int], gone: Mapping[int, int], changes: Sequence[Change]
    ) -> Stage:
        def whole(entrants: tuple[int, ...], cycles: int) -> Stage:
            return dataclasses.replace(self, cycles=cycles).stage(number, entrants)

        if self.seats == 2:
            return with_newcomers(tuple(entrants), self.cycles, changes, whole, lambda others: others)
        return with_larger_cycles(tuple(entrants), self.cycles, changes, whole)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        ends = stage.cycle_ends
        if self.seats == 2:
            return late_from_cycle(ends, progress)
        since = sum(begins < progress.begun for begins in (0, *ends[:-1]))
        if since == len(ends):
            raise TooLate(
                "has begun the last cycle of its movement, whose tables are set: "
                "add one with arena extend --cycles 1, and then it can enter that"
            )
        return since


def late_from_cycle(ends: Sequence[int], progress: Progress) -> int:
    """The first cycle that is not over, or the last; `ends` are a stage's `cycle_ends`."""
    return min(sum(end <= progress.over for end in ends), len(ends) - 1)


class RoundRobin(Stage):
    """Everybody meets everybody, once a cycle, at two-seat tables.

    Seats are balanced: over a cycle an entrant sits first in half of its
    matches, to within one, and the next cycle exchanges the seats.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least 2.
        cycles: how many times everybody meets everybody (2: a double round robin).

    Raises:
        ValueError: too few entrants or cycles, or an entrant twice.
    """

    depends_on_results = False
    annuls_withdrawn = True
    seats = 2

    def __init__(self, number: int, entrants: Sequence[int], cycles: int = 1) -> None:
        if cycles < 1:
            raise ValueError(f"a round robin has at least 1 cycle, not {cycles}")
        self.number = number
        self.entrants = checked_entrants(entrants, 2, "add entrants to the tournament")
        self.cycles = cycles
        self._circle = len(entrants) - 1 + len(entrants) % 2

    @property
    def round_count(self) -> int:
        """How many rounds there are in all cycles."""
        return self.cycles * self._circle

    @property
    def match_count(self) -> int:
        """How many matches there are in all cycles."""
        return self.cycles * len(self.entrants) * (len(self.entrants) - 1) // 2

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        """See `Stage`."""
        return tuple(self._circle * (cycle + 1) for cycle in range(self.cycles))

    def round(self, number: int, results: Mapping[MatchKey, MatchResult]) -> Round | None:
        """Round `number`, from 0; None past the last. Results are not read."""
        if not 0 <= number < self.round_count:
            return None
        cycle, centre = divmod(number, self._circle)
        last = self.entrants[self._circle] if len(self.entrants) > self._circle else None
        pairs: list[tuple[int, ...]] = []
        byes: tuple[int, ...] = ()
        if last is None:
            byes = (self.entrants[centre],)
        else:
            # Every place is the centre once, so the last entrant has to change seats by itself.
            pairs.append((self.entrants[centre], last) if centre % 2 == 0 else (last, self.entrants[centre]))
        for distance in range(1, (self._circle + 1) // 2):
            # Over a cycle each place is once on either side at every distance: seats balance.
            one = self.entrants[(centre + distance) % self._circle]
            other = self.entrants[(centre - distance) % self._circle]
            pairs.append((one, other))
        label = f"round {number + 1}"
        return Round(
            label,
            tuple(
                Match(
                    MatchKey(self.number, number, i),
                    pair if cycle % 2 == 0 else pair[::-1],
                    f"{label}, match {i + 1}",
                )
                for i, pair in enumerate(pairs)
            ),
            byes,
        )
