"""Balanced seatings of a movement, found beforehand for every cycle.

In a cycle of a movement the table that sits at some places of the circle moves
on by one place each round (see `movement`). If one follows another there, then
in the course of the cycle each entrant once follows the one that stands as far
before it in the circle. So it is enough that the distances, forwards, from each
to the next at all tables and on all boards are there equally often: the orders
of the first round's tables are changed as long as that improves it, and every
round takes them over. An entrant outside the circle follows all others, and is
followed by them, equally often in any case.

Where that does not come out even, and the entrants are not too many, all the
tables of the cycle are then looked at one by one, and who follows whom is
counted for every two entrants.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from arena.formats.fixed_numbers import FixedNumbers
from arena.formats.seating import Order, Seatings, balanced_orders
from arena.results import MatchKey

if TYPE_CHECKING:  # which is seated by this module
    from arena.formats.movement import Movement

_EFFORT = 20_000
"""How many changes a search tries at most,"""
_EFFORT_PER_ORDER = 1_000
"""and how many for each order that it looks for."""
_FEW = 50
"""So many entrants are counted one by one."""

Kind = int
"""What followings are told apart by: a distance, or the two entrants. 0 is not counted."""
Table = list[list[Kind]]
"""A table: for all i and j, of what kind it is if position i is followed by position j."""
Orders = list[list[Order]]
"""The orders at each table, board by board."""


class MovementSeatings(Seatings):
    """The seatings of a movement of several rounds a cycle.

    Args:
        stage: the movement.
        boards: how many boards a match has.
    """

    def __init__(self, stage: Movement, boards: int) -> None:
        self._stage = stage
        self._boards = boards
        # Of many boards the first make a pattern, which is gone through so many times; then come the others.
        self._pattern = min(boards, 2 * len(balanced_orders(stage.seats)))
        self._times, self._others = divmod(boards, self._pattern)
        self._cycles: list[Orders] = []
        circle, count = stage.circle, len(stage.entrants)
        self._distances = _Followings([(d, circle - d) for d in range(1, circle)])
        self._entrants = _Followings(
            [
                (_kind(one, other, count), _kind(other, one, count))
                for one, other in permutations(range(count), 2)
            ]
            if count <= _FEW
            else ()
        )

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        """See `Seatings`."""
        stage = self._stage
        if not (
            0 <= match.round < stage.round_count
            and 0 <= match.match < stage.tables
            and 0 <= board < self._boards
            and seats == stage.seats
        ):
            raise LookupError(f"the movement has no board {board} of {match} at {seats} seats")
        if board < self._pattern * self._times:
            board %= self._pattern
        else:
            board -= self._pattern * (self._times - 1)
        cycle, round_ = divmod(match.round, stage.cycle_rounds)
        while len(self._cycles) <= cycle:
            self._cycles.append(self._found(len(self._cycles)))
        orders = self._cycles[cycle]
        return orders[(round_ * stage.tables + match.match) % len(orders)][board]

    def _found(self, cycle: int) -> Orders:
        """The orders of a cycle: of the first round's tables, for all rounds, or of the tables of all."""
        stage = self._stage
        chairs, seats, circle = stage.chairs(cycle), stage.seats, stage.circle
        places = [chairs[table * seats : (table + 1) * seats] for table in range(stage.tables)]

        def distance(one: int, other: int) -> Kind:
            return (other - one) % circle if circle not in (one, other) else 0

        tables = [[[distance(one, other) for other in table] for one in table] for table in places]
        listed = balanced_orders(seats)
        beginning = [listed[board % len(listed)] for board in range(self._pattern + self._others)]
        orders = [list(beginning) for _ in tables]
        self._search(tables, orders, self._distances)
        if not self._entrants.pairs:
            return orders

        def entrants(place: int, moved: int) -> int:
            return place if place == circle else (place + moved) % circle

        count = len(stage.entrants)
        tables = [
            [[_kind(entrants(one, moved), entrants(other, moved), count) for other in table] for one in table]
            for moved in range(stage.cycle_rounds)
            for table in places
        ]
        orders = [list(of_table) for _ in range(stage.cycle_rounds) for of_table in orders]
        self._search(tables, orders, self._entrants)
        return orders

    def _search(self, tables: Sequence[Table], orders: Orders, followings: _Followings) -> None:
        _search(tables, orders, range(self._pattern), self._times, followings)
        if self._others:
            _search(tables, orders, range(self._pattern, self._pattern + self._others), 1, followings)


def _kind(one: int, other: int, count: int) -> Kind:
    """The kind of entrant `one` of `count` being followed by another; 0 for itself."""
    return one * count + other if one != other else 0


class _Followings:
    """How often one follows another, by kind.

    Args:
        pairs: each kind with that of the same two the other way round.

    Attributes:
        pairs: the same.
    """

    def __init__(self, pairs: Sequence[tuple[Kind, Kind]]) -> None:
        self.pairs = pairs
        self._counts = [0] * (1 + max((kind for kind, _ in pairs), default=0))

    def add(self, table: Table, order: Order, times: int) -> int:
        """Adds the followings at a table so many times, or takes them away; returns the change of cost."""
        change = 0
        last = order[-1]
        for position in order:
            kind = table[last][position]
            if kind:
                count = self._counts[kind]
                self._counts[kind] = count + times
                change += times * (2 * count + times)
            last = position
        return change

    def cost(self) -> int:
        """The sum of the squares: as the number of followings is fixed, it is least when they are equal."""
        return sum(count * count for count in self._counts)

    def bound(self, seats: int) -> int:
        """A cost that no orders at tables of so many seats are below."""
        if seats == 3:  # each order has all pairs of the table, one way round or the other
            both = [self._counts[there] + self._counts[back] for there, back in self.pairs]
            return sum(count * count + count % 2 for count in both) // 4
        each, over = divmod(sum(self._counts), len(self.pairs))
        return len(self.pairs) * each * each + over * (2 * each + 1)


def _search(
    tables: Sequence[Table], orders: Orders, boards: range, times: int, followings: _Followings
) -> None:
    """Makes followings more equal, by a random walk downhill, over exchanges of two positions in an order.

    Args:
        tables: the tables.
        orders: their orders, which are changed
        boards: on these boards,
        times: each of which stands for so many.
        followings: those there are already, to which those of the orders found are added.
    """
    for table, of_table in zip(tables, orders, strict=True):
        for board in boards:
            followings.add(table, of_table[board], times)
    seats = len(tables[0])
    cost = least = followings.cost()
    bound = followings.bound(seats)
    numbers = FixedNumbers()
    undo: list[tuple[int, int, Order]] = []  # what was changed since the least cost
    for _ in range(min(_EFFORT, _EFFORT_PER_ORDER * len(tables) * len(boards))):
        if least <= bound:
            break
        number, board = numbers.below(len(tables)), boards[numbers.below(len(boards))]
        one, other = numbers.below(seats), numbers.below(seats - 1)
        other += other >= one
        old = orders[number][board]
        exchanged = list(old)
        exchanged[one], exchanged[other] = old[other], old[one]
        new = tuple(exchanged)
        change = followings.add(tables[number], old, -times) + followings.add(tables[number], new, times)
        # A slightly worse order is now and then a way out of a dead end.
        worse = change // (times * times)
        if worse > 0 and numbers.below(4 * worse * worse):
            followings.add(tables[number], new, -times)
            followings.add(tables[number], old, times)
            continue
        orders[number][board] = new
        undo.append((number, board, old))
        cost += change
        if cost < least:
            least = cost
            undo.clear()
    for number, board, old in reversed(undo):
        followings.add(tables[number], orders[number][board], -times)
        followings.add(tables[number], old, times)
        orders[number][board] = old
