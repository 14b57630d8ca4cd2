"""Knockout: the best of each table go on, the others are out, until one table is left."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from arena.formats.deciding import MAX_EXTRA_BOARDS
from arena.formats.elimination import Elimination
from arena.formats.elimination_layout import (
    DrawnRound,
    From,
    Layout,
    RoundLayout,
    Source,
    TableAt,
    TablePlan,
)
from arena.formats.format import NOBODY, Format
from arena.formats.knockout_plan import RoundPlan, plan
from arena.formats.stage import Stage, checked_entrants
from arena.strict_toml import Section


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


class Knockout(Elimination):
    """A seeded single elimination; `knockout_plan` says which positions meet.

    The match for the third place is between those who lost the semi-finals,
    in the same round as the final and listed before it.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least 2.
        seats: the size of a table; some tables are smaller where numbers do not come out even.
        qualify: how many go on from each table, fewer than seats.
        third_place: whether the third place is played for; only at two-seat
            tables and with at least 4 entrants.
        extra_boards: how many further boards may break a tie in a match.

    Raises:
        ValueError: too few entrants, one twice, or seats and how many qualify do not fit.
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
        checked = checked_entrants(entrants, 2, "let more entrants advance to the knockout")
        third_place = third_place and seats == 2 and len(checked) >= 4
        super().__init__(
            number, checked, _layout(len(checked), seats, qualify, third_place), seats, extra_boards
        )


def _layout(entrants: int, seats: int, qualify: int, third_place: bool) -> Layout:
    """The layout of a knockout; its arguments are those of a `Knockout`."""
    shapes = plan(entrants, seats, qualify)
    last = len(shapes) - 1
    rounds: list[RoundLayout] = []
    drawn: list[DrawnRound] = []
    row: list[Source] = list(range(entrants))
    for number, shape in enumerate(shapes):
        if number:
            row = [
                row[place] if table is None else From(number - 1, table, place)
                for table, place in shape.feeds
            ]
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


def _match_label(name: str, table: int) -> str:
    """What a table's match is called: `final`, `quarter-final 2`, `round of 16, match 3`."""
    if name.startswith("round"):
        return f"{name}, match {table + 1}"
    return name if name == "final" else f"{name} {table + 1}"


def _name(shape: RoundPlan, to_go: int, seats: int) -> str:
    """What a round is called, with so many to come after it."""
    if to_go == 0:
        return "final"
    if to_go <= 2 and shape.byes + len(shape.tables) == 2**to_go:
        return "semi-final" if to_go == 1 else "quarter-final"
    # With two seats the bracket's size is its name, also when byes leave places of it empty.
    return f"round of {2 ** (to_go + 1) if seats == 2 else shape.size}"
