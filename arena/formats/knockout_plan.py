"""The plan of a knockout: which places meet in which round, whoever they turn out to be.

In each round the entrants that are left stand in a row of positions, the best
first. At the start a position is a seed. Some of the first positions may have
a bye; the others are dealt out to the tables forwards and backwards in turn (a
snake), so that with eight entrants at two-seat tables the seeds meet as 1-8,
2-7, 3-6, 4-5. Those who go on stand in the next round's row: first the byes,
then the firsts of the tables in order of the tables' best positions, then the
seconds, and so on; the seconds are moved on by a part of the tables, so that
firsts and seconds of a table do not meet again at once. Whoever beats a seed stands where the seed would have
stood; seeds 1 and 2 can only meet in the last round, 1 to 4 in the last two.

Byes are given only where tables cannot do without. Two-seat tables need them
in the first round, unless the number of entrants is a power of two. Tables of
other sizes are made smaller instead, of sizes as equal as possible, but not so
small that all go on.
"""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

from arena.formats.seeding import snake


class Feed(NamedTuple):
    """Where a position comes from: the `place`-th (from 0) of `table` of the round before.

    For a bye, `table` is None and `place` the position in the round before.
    """

    table: int | None
    place: int


class RoundPlan(NamedTuple):
    """One round.

    Attributes:
        byes: how many of the first positions sit out.
        tables: the positions at each table, better first. Tables are numbered
            from top to bottom of a drawing, see `BracketRound.matches`.
        feeds: where each position comes from; empty in the first round.
        order: for a drawing from top to bottom, the tables' numbers and, as
            -1 - position, the byes.
    """

    byes: int
    tables: tuple[tuple[int, ...], ...]
    feeds: tuple[Feed, ...]
    order: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many entrants are left in this round."""
        return self.byes + sum(map(len, self.tables))


def plan(entrants: int, seats: int, qualify: int) -> tuple[RoundPlan, ...]:
    """The rounds of a knockout, the last of which is the final at one table.

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
    rounds.reverse()
    return (rounds[0], *(_fed(now, before, qualify) for before, now in itertools.pairwise(rounds)))


def _shape(left: int, seats: int, qualify: int) -> tuple[int, int]:
    """The byes and tables of a round: the fewest byes that leave later rounds without, else the fewest."""
    fewest = None
    for byes in range(left - qualify):
        for tables in _table_counts(left - byes, seats, qualify):
            if _needs_no_byes(byes + tables * qualify, seats, qualify):
                return byes, tables
            fewest = fewest or (byes, tables)
    assert fewest is not None  # one table of qualify + 1 is always possible
    return fewest


def _table_counts(left: int, seats: int, qualify: int) -> range:
    """How many tables can seat them all, so that none has so few that all go on; fewest first."""
    return range(-(-left // seats), left // (qualify + 1) + 1)


@functools.cache
def _needs_no_byes(left: int, seats: int, qualify: int) -> bool:
    return left <= seats or any(
        _needs_no_byes(tables * qualify, seats, qualify) for tables in _table_counts(left, seats, qualify)
    )


def _round(byes: int, tables: list[tuple[int, ...]], below: RoundPlan | None) -> RoundPlan:
    """A round drawn so that its byes and tables stand as they feed, with their firsts, the round below."""
    if below is None:
        return RoundPlan(byes, tuple(tables), (), tuple(range(len(tables))))
    row = [position for item in below.order for position in _positions(below, item)]
    # The next round's row: the byes, then the firsts by table, then others who do not count for the drawing.
    drawn = [position for position in row if position < byes + len(tables)]
    number: dict[int, int] = {}
    for position in drawn:
        if position >= byes:
            number[position - byes] = len(number)
    order = tuple(-1 - position if position < byes else number[position - byes] for position in drawn)
    return RoundPlan(byes, tuple(tables[table] for table in number), (), order)


def _positions(round_plan: RoundPlan, item: int) -> tuple[int, ...]:
    return (-1 - item,) if item < 0 else round_plan.tables[item]


def _fed(now: RoundPlan, before: RoundPlan, qualify: int) -> RoundPlan:
    by_best = sorted(range(len(before.tables)), key=lambda table: before.tables[table][0])
    byes = tuple(Feed(None, position) for position in range(before.byes))
    tables = len(by_best)
    winning = tuple(
        Feed(by_best[(i + place * tables // qualify) % tables], place)
        for place in range(qualify)
        for i in range(tables)
    )
    return now._replace(feeds=byes + winning)
