"""Knockout: the best of each table go on, the others are out, until one table is left.

**Pairing.** In each round the remaining entrants stand in a row of positions, the best first. At the start a
position is a seed. Some of the first positions may have a bye. The others are dealt out to the tables in
snake order (forwards and backwards in turn), so with eight entrants at two-seat tables the seeds meet as 1-8,
2-7, 3-6, 4-5. The next round's row has first the byes, then the firsts of the tables in order of the tables'
best positions, then the seconds, and so on. The seconds are moved by a part of the tables, so that the first
and the second of a table do not meet again at once. An entrant that beats a better seed takes that seed's
place in the bracket: seeds 1 and 2 can only meet in the last round, 1 to 4 in the last two.

Byes are given only if tables need them. Two-seat tables need them in the first round, unless the number of
entrants is a power of two. At larger tables some tables are made smaller instead. Their sizes are as equal as
possible, and no table is so small that all its entrants go on.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

from arena.formats.bracket import DrawnRound, From, Layout, RoundLayout, Source, TableAt, TablePlan
from arena.formats.elimination import MAX_EXTRA_BOARDS, Elimination
from arena.formats.format import NOBODY, Added, Format, Gone, Stage, with_late
from arena.formats.seeding import snake
from arena.strict_toml import Section


@dataclasses.dataclass(frozen=True, slots=True)
class KnockoutFormat(Format):
    """A knockout.

    Attributes:
        qualify: how many of each table go on, less than `seats`.
        third_place: whether the losers of the semi-finals play for place 3; never at larger tables than two.
        extra_boards: the most extra boards that may break a tie; then the seed does.
    """

    id = "knockout"
    title = "knockout"
    keys = ("qualify", "third_place", "extra_boards")
    draws_bracket = True

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

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        who = with_late(entrants, changes)
        return Knockout(number, who, self.seats, self.qualify, self.third_place, self.extra_boards)


class Knockout(Elimination):
    """A seeded single elimination; `plan` says which positions meet.

    The losers of the semi-finals play the match for the third place. It is in the same round as the final,
    and listed before it.

    Args:
        number, entrants: see `Stage`.
        seats: the size of a table; some tables may be smaller.
        qualify: how many go on from each table, fewer than seats.
        third_place: whether there is a match for the third place; only at two-seat tables and with at least 4
            entrants.
        extra_boards: how many extra boards may break a tie in a match.

    Raises:
        ValueError: as for a `Stage`, or `seats` and `qualify` do not fit.
    """

    def __init__(
        self,
        number: int,
        entrants: Sequence[int],
        seats: int = 2,
        qualify: int = 1,
        third_place: bool = True,
        extra_boards: int = 0,
    ) -> None:
        if not 1 <= qualify < seats:
            raise ValueError(
                f"{qualify} cannot go on from a table of {seats}: let at least 1 go on and at least 1 be out"
            )

        def layout(count: int) -> Layout:
            return _layout(count, seats, qualify, third_place and seats == 2 and count >= 4)

        remedy = "let more entrants advance to the knockout"
        super().__init__(number, entrants, 2, remedy, layout, seats, extra_boards)


def _layout(entrants: int, seats: int, qualify: int, third_place: bool) -> Layout:
    """The layout of a knockout; its arguments are those of a `Knockout`."""
    shapes = plan(entrants, seats, qualify)
    last = len(shapes) - 1
    rounds: list[RoundLayout] = []
    drawn: list[DrawnRound] = []
    row: list[Source] = list(range(entrants))
    for number, shape in enumerate(shapes):
        if number:
            row = [*row[: shapes[number - 1].byes], *_winners(number - 1, shapes[number - 1], qualify)]
        name = _name(shape, last - number, seats)
        final = number == last
        tables = [
            TablePlan(
                _match_label(name, table),
                tuple(row[position] for position in positions),
                1 if final else qualify,
                1 if final else None,
            )
            for table, positions in enumerate(shape.tables)
        ]
        if final and third_place:
            losers = tuple(From(number - 1, table, 1) for table in range(2))
            tables.insert(0, TablePlan("third place", losers, prize=3))
        label = f"{name}s" if name in ("semi-final", "quarter-final") else name
        rounds.append(RoundLayout(label, tuple(tables), tuple(row[: shape.byes])))
        before = len(tables) - len(shape.tables)
        items = [row[-1 - item] if item < 0 else TableAt(number, item + before) for item in shape.order]
        drawn.append(DrawnRound(label, tuple(items)))
    return Layout(tuple(rounds), tuple(drawn), TableAt(last, 0) if third_place else None)


def _winners(number: int, shape: RoundPlan, qualify: int) -> Iterator[From]:
    """The sources after the byes in the row of the next round, the best first."""
    by_best = sorted(range(len(shape.tables)), key=lambda table: shape.tables[table][0])
    tables = len(by_best)
    for place in range(qualify):
        for i in range(tables):
            yield From(number, by_best[(i + place * tables // qualify) % tables], place)


def _match_label(name: str, table: int) -> str:
    """The name of a table's match: `final`, `quarter-final 2`, `round of 16, match 3`."""
    if name.startswith("round"):
        return f"{name}, match {table + 1}"
    return name if name == "final" else f"{name} {table + 1}"


def _name(shape: RoundPlan, to_go: int, seats: int) -> str:
    """The name of a round that `to_go` rounds follow."""
    if to_go == 0:
        return "final"
    if to_go <= 2 and shape.byes + len(shape.tables) == 2**to_go:
        return "semi-final" if to_go == 1 else "quarter-final"
    # With two seats the round is named after the size of the bracket, even if byes leave places empty.
    return f"round of {2 ** (to_go + 1) if seats == 2 else shape.size}"


class RoundPlan(NamedTuple):
    """One round.

    Attributes:
        byes: how many of the first positions sit out.
        tables: the positions at each table, better first. Tables are numbered
            from top to bottom of a drawing, see `BracketRound.matches`.
        order: for a drawing from top to bottom, the tables' numbers and, as
            -1 - position, the byes.
    """

    byes: int
    tables: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many entrants are left in this round."""
        return self.byes + sum(map(len, self.tables))


def plan(entrants: int, seats: int, qualify: int) -> tuple[RoundPlan, ...]:
    """The plans of a knockout's rounds; the last one is the final at one table.

    Args:
        entrants: how many there are, 2 or more.
        seats: the size of the tables, more than qualify.
        qualify: how many go on from a table.
    """
    shapes = []
    left = entrants
    while left > seats:
        byes, tables = _shape(left, seats, qualify)
        shapes.append((left, byes, tables))
        left = byes + tables * qualify
    shapes.append((left, 0, 1))

    rounds: list[RoundPlan] = []
    below: RoundPlan | None = None
    for left, byes, tables in reversed(shapes):
        below = _round(byes, snake(range(byes, left), tables), below)
        rounds.append(below)
    return tuple(reversed(rounds))


def _shape(left: int, seats: int, qualify: int) -> tuple[int, int]:
    """The byes and tables of a round: the fewest byes after which later rounds need none, else the fewest."""
    fewest = None
    for byes in range(left - qualify):
        for tables in _table_counts(left - byes, seats, qualify):
            if _needs_no_byes(byes + tables * qualify, seats, qualify):
                return byes, tables
            fewest = fewest or (byes, tables)
    assert fewest is not None  # one table of qualify + 1 is always possible
    return fewest


def _table_counts(left: int, seats: int, qualify: int) -> range:
    """The numbers of tables that seat all entrants so that somebody is out at each table; fewest first."""
    return range(-(-left // seats), left // (qualify + 1) + 1)


@functools.cache
def _needs_no_byes(left: int, seats: int, qualify: int) -> bool:
    return left <= seats or any(
        _needs_no_byes(tables * qualify, seats, qualify) for tables in _table_counts(left, seats, qualify)
    )


def _round(byes: int, tables: list[tuple[int, ...]], below: RoundPlan | None) -> RoundPlan:
    """A round, with its byes and tables drawn in the order in which their firsts appear in the next round."""
    if below is None:
        return RoundPlan(byes, tuple(tables), tuple(range(len(tables))))
    row = [
        position for item in below.order for position in ((-1 - item,) if item < 0 else below.tables[item])
    ]
    # The next round's row: the byes, then the firsts by table, then others, which the drawing ignores.
    drawn = [position for position in row if position < byes + len(tables)]
    number: dict[int, int] = {}
    for position in drawn:
        if position >= byes:
            number[position - byes] = len(number)
    order = tuple(-1 - position if position < byes else number[position - byes] for position in drawn)
    return RoundPlan(byes, tuple(tables[table] for table in number), order)
