"""Round robin: everybody meets everybody, by the circle method or, at larger tables, a balanced movement.

In the circle method all entrants but the last stand in a circle of M places, M odd (with an odd number of
entrants all stand in it). In round r the places that lie equally far from place r on both sides meet. The
entrant at place r meets the last entrant, or sits out. Everybody meets everybody once in M rounds.

An addition to a stage that is being played (here and in a gauntlet) becomes a further part of the stage,
which is a stage of its own. The earlier parts keep the numbers of their rounds, and so the keys of their
games; the rounds of the new part have the numbers after them. The matches of a late entrant are rounds of one
match each. They are played at the same time as the other rounds, as if the entrant had been there when these
were played.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Self

from arena.formats.format import (
    MAX_CYCLES,
    NOBODY,
    Added,
    Format,
    Gone,
    Late,
    MoreCycles,
    Progress,
    Results,
    Round,
    Schedule,
    Stage,
    TooLate,
)
from arena.formats.movement import Movement
from arena.formats.seating import Rule, Seatings, SeatingsOfParts
from arena.results import MatchKey
from arena.strict_toml import Section

Whole = Callable[[tuple[int, ...], int], Stage]
"""Makes a stage from its entrants and the number of its cycles."""


@dataclasses.dataclass(frozen=True, slots=True)
class RoundRobinFormat(Format):
    """A round robin: the circle method at two-seat tables, else a balanced movement.

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

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        if self.seats == 2:
            return with_newcomers(
                tuple(entrants),
                self.cycles,
                changes,
                lambda entrants, cycles: RoundRobin(number, entrants, cycles),
                lambda others: others,
            )
        return with_larger_cycles(
            tuple(entrants),
            self.cycles,
            changes,
            lambda entrants, cycles: Movement(number, entrants, self.seats, cycles),
        )

    def late_from(self, stage: Stage, progress: Progress) -> int:
        ends = stage.cycle_ends
        if self.seats == 2:
            return late_from_cycle(ends, progress)
        since = sum(begins < progress.begun for begins in (0, *ends[:-1]))
        if since == len(ends):
            raise TooLate(
                "has begun the last cycle of its movement, whose tables are set: "
                "add one with arena host extend LEAGUE --cycles 1, and then it can enter that"
            )
        return since


def late_from_cycle(ends: Sequence[int], progress: Progress) -> int:
    """The first cycle that is not over, else the last one; `ends` are a stage's `cycle_ends`."""
    return min(sum(end <= progress.over for end in ends), len(ends) - 1)


class RoundRobin(Schedule):
    """A round robin at two-seat tables.

    Seats are balanced: over a cycle an entrant sits first in half of its
    matches, to within one, and the next cycle exchanges the seats.

    Args:
        number, entrants: see `Stage`.
        cycles: how many times everybody meets everybody (2: a double round robin).
    """

    annuls_withdrawn = True
    seats = 2

    def __init__(self, number: int, entrants: Sequence[int], cycles: int = 1) -> None:
        super().__init__(cycles, number, entrants, 2, "add entrants to the tournament")
        self.cycle_rounds = len(entrants) - 1 + len(entrants) % 2
        self.cycle_matches = len(entrants) * (len(entrants) - 1) // 2

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        entrants, circle = self.entrants, self.cycle_rounds
        pairs: list[tuple[int, ...]] = []
        if len(entrants) > circle:
            # Every place is the centre once, so the last entrant has to alternate its seats itself.
            pair = entrants[number], entrants[-1]
            pairs.append(pair if number % 2 == 0 else pair[::-1])
        for distance in range(1, (circle + 1) // 2):
            # Over a cycle each place is once on either side at every distance: seats balance.
            pairs.append((entrants[(number + distance) % circle], entrants[(number - distance) % circle]))
        return pairs if cycle % 2 == 0 else [pair[::-1] for pair in pairs]


class Parts(Stage):
    """Several stages as one, in order. Their rounds do not depend on results.

    Args:
        parts: the stages, at least one; all have the same number and the same seats.
        entrants: the entrants of all parts, best seed first.
    """

    def __init__(self, parts: Sequence[Stage], entrants: tuple[int, ...]) -> None:
        super().__init__(parts[0].number, entrants, 0, "")
        self.seats = parts[0].seats
        self.annuls_withdrawn = parts[0].annuls_withdrawn
        self._parts = tuple(parts)

    @property
    def round_count(self) -> int:
        """How many rounds there are in all parts."""
        return sum(part.round_count for part in self._parts)

    @property
    def match_count(self) -> int:
        """How many matches there are in all parts."""
        return sum(part.match_count for part in self._parts)

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        ends: list[int] = []
        before = 0
        for part in self._parts:
            ends += [before + end for end in part.cycle_ends]
            before += part.round_count
        return tuple(ends)

    @property
    def order(self) -> Sequence[int]:
        """See `Stage`: the last match of a late entrant is played with the last round before its part."""
        together: list[list[int]] = []  # the rounds for all, each with the rounds of late entrants beside it
        first = 0
        for part in self._parts:
            numbers = range(first, first + part.round_count)
            first = numbers.stop
            if part.newcomer(0) is None:
                together += [[number] for number in numbers]
            else:
                for before, number in enumerate(reversed(numbers), 1):
                    together[max(0, len(together) - before)].append(number)
        return [number for numbers in together for number in sorted(numbers)]

    def newcomer(self, number: int) -> int | None:
        part, own = self.part(number)
        return self._parts[part].newcomer(own)

    def matches_of(self, entrant: int) -> Fraction:
        return sum((part.matches_of(entrant) for part in self._parts), Fraction(0))

    def round(self, number: int, results: Results) -> Round | None:
        if not 0 <= number < self.round_count:
            return None
        part, own = self.part(number)
        round_ = self._parts[part].round(own, results)
        assert round_ is not None
        late = self.newcomer(number) is not None
        label = f"catch-up {own + 1}" if late else f"round {number + 1}"
        return Round(
            label,
            tuple(
                match._replace(
                    key=match.key._replace(round=number),
                    label=label if late else label + match.label.removeprefix(round_.label),
                )
                for match in round_.matches
            ),
            round_.byes,
        )

    def part(self, number: int) -> tuple[int, int]:
        """The part of a round, and the round's number in it. Raises LookupError if there is no such round."""
        for part, stage in enumerate(self._parts):
            if 0 <= number < stage.round_count:
                return part, number
            number -= stage.round_count
        raise LookupError("the stage has no such round")

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        seatings = [part.seatings(boards, rule) for part in self._parts]

        def there(match: MatchKey) -> tuple[Seatings, MatchKey]:
            part, own = self.part(match.round)
            return seatings[part], match._replace(round=own)

        return SeatingsOfParts(there)


class Newcomer(Schedule):
    """The matches of a late entrant with some others, at two-seat tables, in rounds of one match each.

    Seats are exchanged from match to match.

    Args:
        number: the stage's number in the tournament, from 0.
        entrant: the late entrant.
        opponents: its opponents, in this order.
        cycles: how many times it meets them.
    """

    seats = 2
    cycle_ends = ()

    def __init__(self, number: int, entrant: int, opponents: tuple[int, ...], cycles: int) -> None:
        super().__init__(cycles, number, (*opponents, entrant), 1, "")
        self.cycle_rounds = self.cycle_matches = len(opponents)

    def newcomer(self, number: int) -> int | None:
        return self.entrants[-1]

    def matches_of(self, entrant: int) -> Fraction:
        if entrant not in self.entrants:
            return Fraction(0)
        return Fraction(self.round_count if entrant == self.entrants[-1] else self.cycles)

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        pair = self.entrants[number], self.entrants[-1]
        return [pair if (cycle + number) % 2 == 0 else pair[::-1]]


def with_newcomers(
    entrants: tuple[int, ...],
    cycles: int,
    changes: Added,
    whole: Whole,
    met: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Stage:
    """A stage at two-seat tables, with late entrants that play their own matches after all others.

    Args:
        entrants: the entrants at the beginning.
        cycles: how many cycles were planned.
        changes: the additions, in order.
        whole: makes the stage without changes.
        met: gives the opponents of a late entrant among some entrants.
    """
    parts, last = [whole(entrants, cycles)], cycles
    for change in changes:
        if isinstance(change, Late):
            number = parts[0].number
            parts.append(Newcomer(number, change.entrant, met(entrants), cycles - change.since))
            entrants, last = (*entrants, change.entrant), 0
            continue
        cycles += change.cycles
        if last:
            parts.pop()
        last += change.cycles
        parts.append(whole(entrants, last))
    return parts[0] if len(parts) == 1 else Parts(parts, entrants)


def with_larger_cycles(
    entrants: tuple[int, ...],
    cycles: int,
    changes: Added,
    whole: Whole,
) -> Stage:
    """A stage at larger tables, in which a late entrant plays from the next cycle on.

    Args:
        entrants, cycles, changes, whole: see `with_newcomers`.
    """
    pieces = [(entrants, cycles)]
    for change in changes:
        if isinstance(change, MoreCycles):
            who, count = pieces.pop()
            pieces.append((who, count + change.cycles))
            continue
        total = sum(count for _, count in pieces)
        kept, left = [], change.since
        for who, count in pieces:
            if left:
                kept.append((who, min(count, left)))
                left -= min(count, left)
        entrants = (*entrants, change.entrant)
        pieces = [*kept, (entrants, total - change.since)]
    parts = [whole(who, count) for who, count in pieces]
    return parts[0] if len(parts) == 1 else Parts(parts, entrants)
