"""Balanced seatings of a movement, found beforehand for every cycle.

In a cycle of a movement the table that sits at some places of the circle moves
on by one place each round (see `movement`). If one follows another there, then
in the course of the cycle each entrant once follows the one that stands as far
before it in the circle. So it is enough that the distances, forwards, from each
to the next at all tables and on all boards are all there equally often. The
orders at the tables are changed as long as that improves it, those of a cycle
after those of the cycles before it. An entrant outside the circle follows all
others, and is followed by them, equally often in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.formats.movement import FixedNumbers, Movement
from arena.formats.seating import Order, Seatings, balanced_orders
from arena.results import MatchKey

_EFFORT = 20_000
"""How many changes the search tries at most."""


class MovementSeatings(Seatings):
    """The seatings of a movement of several rounds a cycle.

    Args:
        stage: the movement.
        boards: how many boards a match has.
    """

    def __init__(self, stage: Movement, boards: int) -> None:
        self._stage = stage
        self._boards = boards
        self._orders = balanced_orders(stage.seats)
        # Many boards are seated by whole rounds of the list; what is left, and one round, is searched.
        listed = max(0, boards // len(self._orders) - 1)
        self._listed = listed * len(self._orders)
        self._cycles: list[list[list[Order]]] = []  # per cycle, table and searched board
        self._distances = [0] * stage.circle

    def order(self, match: MatchKey, seats: int, board: int) -> Order:
        """See `Seatings`."""
        stage = self._stage
        table = match.match
        if not (
            0 <= match.round < stage.round_count
            and 0 <= table < stage.tables
            and 0 <= board < self._boards
            and seats == stage.seats
        ):
            raise LookupError(f"the movement has no board {board} of {match} at {seats} seats")
        if board < self._listed:
            return self._orders[board % len(self._orders)]
        return self._cycle(match.round // stage.cycle_rounds)[table][board - self._listed]

    def _cycle(self, cycle: int) -> list[list[Order]]:
        while len(self._cycles) <= cycle:
            chairs = self._stage.chairs(len(self._cycles))
            seats = self._stage.seats
            tables = [chairs[table * seats : (table + 1) * seats] for table in range(self._stage.tables)]
            # In a round of the list everybody follows everybody at the table equally often.
            each = self._listed // (seats - 1)
            for table in tables if each else ():
                for step in range(1, seats):
                    for distance in _distances(table, range(seats), self._stage.circle, step):
                        self._distances[distance] += each
            search = _Search(tables, self._boards - self._listed, self._distances)
            self._cycles.append(search.best())
            self._distances = search.distances
        return self._cycles[cycle]


def _distances(table: Sequence[int], order: Sequence[int], circle: int, step: int = 1) -> Iterator[int]:
    """How far in the circle, forwards, it is from each at a table to the one `step` after it in an order."""
    for i, position in enumerate(order):
        place, after = table[position], table[order[(i + step) % len(order)]]
        if place < circle and after < circle:
            yield (after - place) % circle


class _Search:
    """A random walk downhill, over exchanges of two positions in one table's order on one board.

    The cost is the sum of the squares of how often the distances are there: as
    their number is fixed, it is least when they are equal.

    Args:
        tables: the places of the circle that sit at each table.
        boards: for how many boards orders are looked for.
        distances: how often each distance is there already.
    """

    def __init__(self, tables: Sequence[Sequence[int]], boards: int, distances: Sequence[int]) -> None:
        self.distances = list(distances)
        self._tables = tables
        self._seats = len(tables[0])
        self._circle = len(distances)
        listed = balanced_orders(self._seats)
        self._orders = [[listed[board % len(listed)] for board in range(boards)] for _ in tables]
        self._numbers = FixedNumbers()
        for table, orders in zip(tables, self._orders, strict=True):
            for order in orders:
                self._count(table, order, +1)

    def best(self) -> list[list[Order]]:
        """The best orders found, by table and board; `distances` then has theirs."""
        cost = least = sum(count * count for count in self.distances)
        bound = self._bound()
        undo: list[tuple[int, int, Order]] = []  # what was changed since the best was found
        for _ in range(_EFFORT):
            if least <= bound:
                break
            number = self._numbers.below(len(self._tables))
            board = self._numbers.below(len(self._orders[0]))
            table, old = self._tables[number], self._orders[number][board]
            new = self._exchanged(old)
            change = self._count(table, old, -1) + self._count(table, new, +1)
            # A slightly worse order is now and then a way out of a dead end.
            if change > 0 and self._numbers.below(4 * change * change):
                self._count(table, new, -1)
                self._count(table, old, +1)
                continue
            self._orders[number][board] = new
            undo.append((number, board, old))
            cost += change
            if cost < least:
                least = cost
                undo.clear()
        for number, board, old in reversed(undo):
            self._count(self._tables[number], self._orders[number][board], -1)
            self._count(self._tables[number], old, +1)
            self._orders[number][board] = old
        return self._orders

    def _bound(self) -> int:
        """A cost that no orders are below: the distances as equal as whole numbers can be."""
        if self._seats == 3:  # each order has all pairs of the table, one way round or the other
            both_ways = list(map(int.__add__, self.distances[1:], self.distances[:0:-1]))
            return sum(count * count + count % 2 for count in both_ways) // 4
        each, over = divmod(sum(self.distances), self._circle - 1)
        return (self._circle - 1) * each * each + over * (2 * each + 1)

    def _exchanged(self, order: Order) -> Order:
        """An order with two positions exchanged."""
        one, other = self._numbers.below(self._seats), self._numbers.below(self._seats - 1)
        other += other >= one
        new = list(order)
        new[one], new[other] = new[other], new[one]
        return tuple(new)

    def _count(self, table: Sequence[int], order: Order, sign: int) -> int:
        """Adds or takes away the distances of a table in an order; returns the change of the cost."""
        change = 0
        for distance in _distances(table, order, self._circle):
            count = self.distances[distance]
            self.distances[distance] = count + sign
            change += sign * (2 * count + sign)
        return change
