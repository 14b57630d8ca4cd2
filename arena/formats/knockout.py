"""Knockout: the best of each table go on, the others are out, until one table is left."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Self

from arena.formats import drawing
from arena.formats.bracket import Bracket
from arena.formats.deciding import ranked, standings
from arena.formats.format import NOBODY, Format
from arena.formats.knockout_plan import plan
from arena.formats.stage import Ranking, ResultsMissing, Round, Stage, checked_entrants
from arena.results import Match, MatchKey, MatchResult
from arena.strict_toml import Section

MAX_EXTRA_BOARDS = 100_000

Results = Mapping[MatchKey, MatchResult]
Line = tuple[int | None, ...]
"""Entrants by position (of a round's row, or a table); None where that is not decided."""


@dataclasses.dataclass(frozen=True, slots=True)
class KnockoutFormat(Format):
    """The best of each table go on and the others are out.

    Attributes:
        qualify: how many of each table go on, less than `seats`.
        third_place: whether the losers of the semi-finals play for place 3; never at larger tables than two.
        extra_boards: at most so many further boards break a tie; then the seed does.
    """

    id = "knockout"
    title = "knockout"
    keys = ("qualify", "third_place", "extra_boards")

    qualify: int
    third_place: bool
    extra_boards: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        third_place = table.flag("third_place", seats == 2)
        if third_place and seats != 2:
            table.fail(f"third_place needs tables of 2 seats, not {seats}; leave it out")
        return cls(
            entrants,
            seats,
            qualify=table.number("qualify", 1, 1, seats - 1),
            third_place=third_place,
            extra_boards=table.number("extra_boards", 3, 0, MAX_EXTRA_BOARDS),
        )

    def stage(self, number: int, entrants: Sequence[int], gone: Mapping[int, int] = NOBODY) -> Stage:
        return Knockout(number, entrants, self.seats, self.qualify, self.third_place, self.extra_boards)


class Knockout(Stage):
    """A seeded single elimination; `knockout_plan` says how it is laid out.

    The match for the third place is between those who lost the semi-finals,
    in the same round as the final and listed before it.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least 2.
        seats: the size of a table; some tables are smaller where numbers do not come out even.
        winners: how many go on from each table, fewer than seats.
        third_place: whether the third place is played for; only at two-seat
            tables and with at least 4 entrants.
        extra_boards: how many further boards may break a tie in a match.

    Attributes:
        seeds: the seed number of each entrant, from 1.
        plan: the rounds' plans, the last of which is the final.

    Raises:
        ValueError: too few entrants, one twice, or seats and winners that do not fit.
    """

    depends_on_results = True

    def __init__(
        self,
        number: int,
        entrants: Sequence[int],
        seats: int = 2,
        winners: int = 1,
        third_place: bool = True,
        extra_boards: int = 0,
    ) -> None:
        if not 1 <= winners < seats:
            raise ValueError(
                f"{winners} cannot go on from a table of {seats}: let at least 1 go on and at least 1 be out"
            )
        self.number = number
        self.entrants = checked_entrants(entrants, 2, "let more entrants advance to the knockout")
        self.seats = seats
        self.winners = winners
        self.extra_boards = extra_boards
        self.third_place = third_place and seats == 2 and len(self.entrants) >= 4
        self.seeds = {entrant: seed for seed, entrant in enumerate(self.entrants, 1)}
        self.plan = plan(len(self.entrants), seats, winners)

    @property
    def round_count(self) -> int:
        """How many rounds there are, the final's included."""
        return len(self.plan)

    @property
    def match_count(self) -> int:
        """How many matches there are in all."""
        return sum(len(shape.tables) for shape in self.plan) + self.third_place

    @property
    def seat_count(self) -> int:
        """How many seats all matches have together."""
        return sum(len(table) for shape in self.plan for table in shape.tables) + 2 * self.third_place

    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """
        if not 0 <= number < self.round_count:
            return None
        line = self.lines(results)[number]
        if None in line:
            raise ResultsMissing(f"{self.round_label(number)}: an earlier round is not over")
        tables = range(len(self.plan[number].tables))
        matches = [match for table in tables if (match := self.match(number, table, line)) is not None]
        third = self.third_place_match(results) if number == self.round_count - 1 else None
        if third is not None:
            matches.insert(0, third)
        byes = _known(line[: self.plan[number].byes])
        return Round(self.round_label(number), tuple(matches), self._by_seed(byes))

    def placing(self, results: Results) -> Ranking:
        """All entrants ranked, best first; those who share a place in seed order.

        The final is ranked by score and extra boards, and its winner also by
        seed; so is the match for the third place. Others who went out in the
        same round share a place. While matches are missing, those who are
        still in the knockout share the first place.
        """
        lines = self.lines(results)
        current = next((i for i, line in enumerate(lines[1:]) if None in line), self.round_count - 1)
        groups: list[tuple[int, ...]] = [_known(lines[current])]
        out = [self._losers(number, lines[number], results) for number in range(current)]
        if current == self.round_count - 1:
            if (final := self.match(current, 0, lines[current])) is not None and final.key in results:
                groups = self._places(final, results[final.key])
            if (third := self.third_place_match(results)) is not None and third.key in results:
                groups += self._places(third, results[third.key])
                out.pop()
        groups += [_known(losers) for losers in reversed(out)]
        return tuple(self._by_seed(group) for group in groups)

    def bracket(self, results: Results) -> Bracket:
        """The whole knockout with what the results say of it; matches that are not over yet included."""
        return drawing.bracket(self, results)

    def lines(self, results: Results) -> list[Line]:
        """For each round the entrants in its row of positions, as far as the results decide them."""
        lines: list[Line] = [self.entrants]
        for number in range(1, self.round_count):
            before = lines[-1]
            orders = [
                self.order(number - 1, table, before, results)
                for table in range(len(self.plan[number - 1].tables))
            ]
            lines.append(
                tuple(
                    before[place] if table is None else orders[table][place]
                    for table, place in self.plan[number].feeds
                )
            )
        return lines

    def match(self, number: int, table: int, line: Line) -> Match | None:
        """The match of a table, given its round's row; None while its entrants are not decided."""
        positions = self.plan[number].tables[table]
        entrants = _known(line[position] for position in positions)
        if len(entrants) < len(positions):
            return None
        advance = 1 if number == self.round_count - 1 else self.winners
        return Match(self.key(number, table), entrants, self.match_label(number, table), advance)

    def third_place_match(self, results: Results) -> Match | None:
        """The match for the third place; None if there is none or its entrants are not decided."""
        if not self.third_place:
            return None
        semi_finals = self.round_count - 2
        losers = _known(self._losers(semi_finals, self.lines(results)[semi_finals], results))
        if len(losers) < 2:
            return None
        return Match(MatchKey(self.number, self.round_count - 1, 0), losers, "third place", 1)

    def order(self, number: int, table: int, line: Line, results: Results) -> Line:
        """Who came where at a table, best first; None for all while that is not decided."""
        match = self.match(number, table, line)
        if match is None or match.key not in results:
            return (None,) * len(self.plan[number].tables[table])
        return ranked(match, results[match.key], self.seeds)

    def key(self, number: int, table: int) -> MatchKey:
        """The key of a table's match: numbered as the tables, after the match for the third place."""
        return MatchKey(self.number, number, table + (self.third_place and number == self.round_count - 1))

    def round_label(self, number: int) -> str:
        """What a round is called: `semi-finals`, `round of 16`."""
        name = self._name(number)
        return f"{name}s" if name in ("semi-final", "quarter-final") else name

    def match_label(self, number: int, table: int) -> str:
        """What a table's match is called: `final`, `quarter-final 2`, `round of 16, match 3`."""
        name = self._name(number)
        if name.startswith("round"):
            return f"{name}, match {table + 1}"
        return name if name == "final" else f"{name} {table + 1}"

    def _name(self, number: int) -> str:
        shape = self.plan[number]
        to_go = self.round_count - 1 - number
        if to_go == 0:
            return "final"
        if to_go <= 2 and shape.byes + len(shape.tables) == 2**to_go:
            return "semi-final" if to_go == 1 else "quarter-final"
        # With two seats the bracket's size is its name, also when byes leave places of it empty.
        return f"round of {2 ** (to_go + 1) if self.seats == 2 else shape.size}"

    def _by_seed(self, entrants: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(entrants, key=self.seeds.__getitem__))

    def _losers(self, number: int, line: Line, results: Results) -> Line:
        tables = range(len(self.plan[number].tables))
        return tuple(
            loser for table in tables for loser in self.order(number, table, line, results)[self.winners :]
        )

    def _places(self, match: Match, result: MatchResult) -> list[tuple[int, ...]]:
        """The match's entrants in groups that share a place; the winner is always alone."""
        winner, *others = ranked(match, result, self.seeds)
        reached = standings(match, result)
        return [(winner,), *(tuple(group) for _, group in groupby(others, key=reached.__getitem__))]


def _known(line: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(entrant for entrant in line if entrant is not None)
