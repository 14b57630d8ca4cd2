"""Groups: round robins at the same time, with the seeds dealt out to them in snake order.

All groups play the same number of rounds in a cycle, as many as the largest group needs. A smaller group has
no matches in the last ones. So an added cycle begins after all rounds of all groups.
"""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Self

from arena.formats.format import (
    MAX_CYCLES,
    NOBODY,
    Added,
    Format,
    Gone,
    Group,
    Results,
    Round,
    Stage,
    cycles_added,
    with_late,
)
from arena.formats.round_robin import RoundRobinFormat
from arena.formats.seating import Rule, Seatings, SeatingsOfParts
from arena.formats.seeding import snake
from arena.results import Match, MatchKey
from arena.strict_toml import Section

NAMES = string.ascii_uppercase


@dataclasses.dataclass(frozen=True, slots=True)
class GroupsFormat(Format):
    """Round robins in groups.

    Attributes:
        groups: how many groups there are.
        cycles: how many times the schedule of each is played.
    """

    id = "groups"
    title = "groups"
    keys = ("groups", "cycles")

    groups: int
    cycles: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        most = min(entrants // seats, len(NAMES))
        if most < 2:
            table.fail(
                f"two groups at tables of {seats} seats need {2 * seats} entrants, but {entrants} enter: "
                "add entrants or take a round-robin"
            )
        return cls(
            entrants,
            seats,
            groups=table.number("groups", None, 2, most),
            cycles=table.number("cycles", 1, 1, MAX_CYCLES),
        )

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        cycles = self.cycles + cycles_added(changes)
        return Groups(number, with_late(entrants, changes), self.groups, self.seats, cycles)


class Groups(Stage):
    """Round robins in groups, played at the same time.

    Args:
        number, entrants: see `Stage`; enough to fill a table in each group.
        groups: how many groups there are, 2 to 26.
        seats: the size of a table.
        cycles: how many cycles are played.

    Raises:
        ValueError: too few entrants, groups or cycles, or an entrant twice.
    """

    annuls_withdrawn = True

    def __init__(
        self, number: int, entrants: Sequence[int], groups: int, seats: int = 2, cycles: int = 1
    ) -> None:
        if not 2 <= groups <= len(NAMES):
            raise ValueError(f"there are 2 to {len(NAMES)} groups, not {groups}")
        super().__init__(number, entrants, groups * seats, "add entrants or make fewer groups")
        self.seats = seats
        self.cycles = cycles
        self.groups = tuple(
            Group(name, members) for name, members in zip(NAMES, snake(self.entrants, groups), strict=False)
        )
        self._robins = [
            RoundRobinFormat(len(group.entrants), seats, cycles).stage(number, group.entrants)
            for group in self.groups
        ]
        self._cycle_rounds = max(robin.round_count for robin in self._robins) // cycles

    @property
    def round_count(self) -> int:
        return self.cycles * self._cycle_rounds

    @property
    def match_count(self) -> int:
        return sum(robin.match_count for robin in self._robins)

    def matches_of(self, entrant: int) -> Fraction:
        return next(robin.matches_of(entrant) for robin in self._robins if entrant in robin.entrants)

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        seatings = [robin.seatings(boards, rule) for robin in self._robins]

        def there(match: MatchKey) -> tuple[Seatings, MatchKey]:
            group, key = self.within_group(match)
            return seatings[group], key

        return SeatingsOfParts(there)

    def round(self, number: int, results: Results) -> Round | None:
        if not 0 <= number < self.round_count:
            return None
        label = f"round {number + 1}"
        what = "match" if self.seats == 2 else "table"
        matches: list[Match] = []
        byes: set[int] = set()
        for group, part in self._parts(number):
            byes.update(part.byes)
            for i, match in enumerate(part.matches, start=1):
                key = MatchKey(self.number, number, len(matches))
                name = self.groups[group].name
                matches.append(match._replace(key=key, label=f"{label}, group {name}, {what} {i}"))
        return Round(label, tuple(matches), tuple(each for each in self.entrants if each in byes))

    def within_group(self, match: MatchKey) -> tuple[int, MatchKey]:
        """The number of a match's group, and the match's key in the group. Raises LookupError."""
        before = 0
        for group, part in self._parts(match.round):
            if before <= match.match < before + len(part.matches):
                return group, part.matches[match.match - before].key
            before += len(part.matches)
        raise LookupError(f"there is no match {match} in the groups")

    def _parts(self, number: int) -> Iterator[tuple[int, Round]]:
        """The groups' own rounds that make up a round."""
        cycle, within = divmod(number, self._cycle_rounds)
        for group, robin in enumerate(self._robins):
            cycle_rounds = robin.round_count // self.cycles
            if within < cycle_rounds and (part := robin.round(cycle * cycle_rounds + within, {})):
                yield group, part
