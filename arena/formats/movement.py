"""A balanced movement: everybody meets everybody at tables of three to seven.

It is a cyclic movement, as in bridge. The entrants stand in a circle of M places. One arrangement of the
circle says which places sit at which table, and which places sit out. Every round uses this arrangement,
moved on by one place. So a cycle has M rounds, in which every entrant takes every place of the arrangement
once: all play equally often and sit out equally often, whatever the arrangement is. If nobody sits out, the
last entrant stays outside the circle and keeps its chair. Then M is one less, and the last entrant meets
everybody equally often.

How often two entrants meet depends only on their distance in the circle: two chairs of a table at a distance
d bring any two entrants at the distance d together once a cycle (twice if d is half the circle). So a good
arrangement uses all distances equally often. `arrangement` looks for one: it exchanges two places as long as
that improves the arrangement. With 12 entrants at tables of 4, for example, all pairs meet exactly 3 times in
11 rounds. If the entrants fill only one table, a cycle has one round.

**Seatings.** The order at the tables is balanced in the same way. If one entrant follows another at a table,
then every entrant follows, once in the cycle, the one at the same distance in the circle. So it is enough if
all distances, forwards, from an entrant to the next are equally frequent over all tables and boards. The
search changes the orders of the first round's tables as long as that improves them, and every round uses
these orders. An entrant outside the circle follows all others, and is followed by them, equally often in any
case. If the frequencies cannot be equal, and there are not too many entrants, a second search looks at all
tables of the cycle one by one, and counts how often each entrant follows each other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

from arena.formats.format import Schedule
from arena.formats.seating import Order, Rule, Seatings, balanced_orders
from arena.results import MatchKey

MIN_SEATS, MAX_SEATS = 3, 7
_EXCHANGES = 40_000
"""The most exchanges that the search for an arrangement tries."""
_CHANGES = 20_000
"""The most changes that a search for orders tries,"""
_CHANGES_PER_ORDER = 1_000
"""and how many for each order that it looks for."""
_FEW = 50
"""The most entrants whose followings are counted one by one."""

Kind = int
"""The kind of a following: a distance, or a number for the two entrants. 0 is not counted."""
Table = list[list[Kind]]
"""A table: for all i and j, the kind of the following of position j after position i."""
Orders = list[list[Order]]
"""The orders at each table, board by board."""


class Movement(Schedule):
    """A movement at tables of equal size: all meet equally often, or nearly so if there is no other way.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: the entrants, best seed first; at least as many as seats.
        seats: the size of a table, 3 to 7.
        cycles: how many cycles are played. Each has as many rounds as there
            are entrants (one less if nobody sits out; one if all fit one
            table), and makes up for what earlier cycles left unequal.

    Attributes:
        tables: how many tables play in a round.
        circle: how many entrants stand in the circle: all, or all but the last.

    Raises:
        ValueError: as for a `Schedule`, or there is no such table.
    """

    annuls_withdrawn = True
    table_word = "table"

    def __init__(self, number: int, entrants: Sequence[int], seats: int, cycles: int = 1) -> None:
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise ValueError(f"a movement has tables of {MIN_SEATS} to {MAX_SEATS} seats, not {seats}")
        remedy = f"add entrants or set the tables to fewer seats than {seats}"
        super().__init__(cycles, number, entrants, seats, remedy)
        self.seats = seats
        self.tables = len(entrants) // seats
        self.circle = len(entrants) - (len(entrants) % seats == 0)
        self.cycle_rounds = 1 if len(entrants) == seats else self.circle
        self.cycle_matches = self.cycle_rounds * self.tables
        self._arrangements: list[tuple[int, ...]] = []
        self._meetings = [0] * (self.circle // 2 + 1)  # how often two entrants meet, by their distance

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        if rule == "cyclic" or self.cycle_rounds == 1:
            return super().seatings(boards, rule)
        return MovementSeatings(self, boards)

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        sitting = [
            self.entrants[place if place == self.circle else (place + number) % self.circle]
            for place in self.chairs(cycle)
        ]
        return [tuple(sitting[i * self.seats : (i + 1) * self.seats]) for i in range(self.tables)]

    def chairs(self, cycle: int) -> tuple[int, ...]:
        """The place of the circle at each chair in the first round of a cycle (see `arrangement`)."""
        while len(self._arrangements) <= cycle:
            found = arrangement(len(self.entrants), self.seats, tuple(self._meetings))
            self._arrangements.append(found)
            for distance in _distances(found, self.seats, self.circle):
                self._meetings[distance] += 1 + (2 * distance == self.circle)
        return self._arrangements[cycle]


@lru_cache(maxsize=256)  # a stage is made again whenever the tournament is read
def arrangement(entrants: int, seats: int, meetings: tuple[int, ...]) -> tuple[int, ...]:
    """The seats of the first round of a cycle: a permutation of 0..entrants-1.

    The first `seats` of the list sit at the first table, the next at the
    second, and so on; the rest sit out. If nobody does, the last entrant is
    outside the circle and sits in the list's first chair.

    Args:
        entrants: how many there are, not fewer than seats.
        seats: the size of a table.
        meetings: how often entrants d apart have met in earlier cycles, by d.
    """
    return tuple(_Search(entrants, seats, meetings).best())


def _distances(chairs: Sequence[int], seats: int, circle: int) -> Iterator[int]:
    """The distances between places of the circle that sit at the same table."""
    for start in range(0, len(chairs) // seats * seats, seats):
        table = [place for place in chairs[start : start + seats] if place < circle]
        for i, one in enumerate(table):
            for other in table[:i]:
                yield _apart(one, other, circle)


def _apart(one: int, other: int, circle: int) -> int:
    steps = abs(one - other)
    return min(steps, circle - steps)


class _Search:
    """A search for an arrangement, by exchanges of the places at two chairs.

    The cost is the sum of the squared numbers of meetings over all pairs of entrants (up to a constant
    factor). The sum of the meetings is fixed, so the cost is least when they are equal.
    """

    def __init__(self, entrants: int, seats: int, meetings: Sequence[int]) -> None:
        self.seats = seats
        all_play = entrants % seats == 0
        self.circle = entrants - all_play
        self.playing = entrants // seats * seats
        self.chairs = list(range(entrants))
        if all_play:
            self.chairs.insert(0, self.chairs.pop())
        self._movable = range(all_play, entrants)
        self.meetings = list(meetings)
        for distance in _distances(self.chairs, seats, self.circle):
            self.meetings[distance] += 1 + (2 * distance == self.circle)
        places = range(self.circle)
        self._apart = [[_apart(one, other, self.circle) for other in places] for one in places]

    def best(self) -> list[int]:
        """The best arrangement found."""
        _descend(self._cost(), self._bound(), _EXCHANGES, 8, self._try, self._exchange)
        return self.chairs

    def _try(self, numbers: FixedNumbers) -> tuple[int, tuple[int, int]]:
        movable = self._movable
        one, other = movable[numbers.below(len(movable))], movable[numbers.below(len(movable))]
        return self._exchange(one, other), (one, other)

    def _cost(self) -> int:
        return sum(self._weight(d) * met * met for d, met in enumerate(self.meetings) if d)

    def _bound(self) -> int:
        """The least possible cost: meetings as equal as whole numbers can be."""
        pairs = sum(self._weight(d) for d in range(1, len(self.meetings)))
        each, over = divmod(sum(self._weight(d) * met for d, met in enumerate(self.meetings) if d), pairs)
        return pairs * each * each + over * (2 * each + 1)

    def _weight(self, distance: int) -> int:
        """Twice the pairs of entrants at a distance, per place of the circle."""
        return 1 if 2 * distance == self.circle else 2

    def _exchange(self, one: int, other: int) -> int:
        """Exchanges the places at two chairs; returns the change of the cost."""
        if one // self.seats == other // self.seats or one == other:
            return 0
        change = self._count(one, -1) + self._count(other, -1)
        self.chairs[one], self.chairs[other] = self.chairs[other], self.chairs[one]
        return change + self._count(one, +1) + self._count(other, +1)

    def _count(self, chair: int, sign: int) -> int:
        """Adds or removes the meetings of a chair with its table; returns the change of the cost."""
        if chair >= self.playing:
            return 0
        change = 0
        start = chair - chair % self.seats
        place = self.chairs[chair]
        apart, meetings, circle = self._apart[place], self.meetings, self.circle
        for other in self.chairs[start : start + self.seats]:
            if other in (place, circle):
                continue
            distance = apart[other]
            half = 2 * distance == circle
            step = 2 * sign if half else sign
            met = meetings[distance]
            meetings[distance] = met + step
            change += (1 if half else 2) * step * (2 * met + step)
        return change


class FixedNumbers:
    """Numbers that look random and are always the same (Knuth's MMIX generator)."""

    def __init__(self) -> None:
        self._state = 1

    def below(self, n: int) -> int:
        """The next number, from 0 to n - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) * n >> 31


def _descend(
    cost: int,
    bound: int,
    steps: int,
    steepness: int,
    change: Callable[[FixedNumbers], tuple[int, tuple[Any, ...]]],
    undo: Callable[..., object],
    scale: int = 1,
) -> None:
    """Lowers a cost by a random walk, and leaves the state with the lowest cost that it found.

    Args:
        cost: the cost at the start.
        bound: the walk ends at this cost.
        steps: how many changes are tried at most.
        steepness: how seldom a change that raises the cost is kept.
        change: makes a change; returns the change of the cost, and what `undo` needs.
        undo: undoes a change.
        scale: a change of the cost is divided by this to say how bad it is.
    """
    numbers = FixedNumbers()
    least = cost
    since: list[tuple[Any, ...]] = []  # the changes since the lowest cost
    for _ in range(steps):
        if least <= bound:
            break
        more, move = change(numbers)
        # A slightly worse state is now and then a way out of a dead end.
        worse = more // scale
        if worse > 0 and numbers.below(steepness * worse * worse):
            undo(*move)
            continue
        since.append(move)
        cost += more
        if cost < least:
            least = cost
            since.clear()
    for move in reversed(since):
        undo(*move)


class MovementSeatings(Seatings):
    """The seatings of a movement with several rounds a cycle.

    Args:
        stage: the movement.
        boards: how many boards a match has.
    """

    def __init__(self, stage: Movement, boards: int) -> None:
        self._stage = stage
        self._boards = boards
        # The first boards make a pattern, which is repeated several times; the rest of the boards come last.
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
        """The orders of a cycle: of its first round's tables, for all rounds, or of all its tables."""
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
    """The kind of the following of `other` after `one`, of `count` entrants; 0 for an entrant itself."""
    return one * count + other if one != other else 0


class _Followings:
    """The number of followings of each kind.

    Args:
        pairs: each kind, and the kind of the same two in reverse order.

    Attributes:
        pairs: see above.
    """

    def __init__(self, pairs: Sequence[tuple[Kind, Kind]]) -> None:
        self.pairs = pairs
        self._counts = [0] * (1 + max((kind for kind, _ in pairs), default=0))

    def add(self, table: Table, order: Order, times: int) -> int:
        """Adds the followings at a table `times` times, which may be negative; returns the change of cost."""
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
        """The sum of the squares. The number of followings is fixed, so it is least when they are equal."""
        return sum(count * count for count in self._counts)

    def bound(self, seats: int) -> int:
        """A lower bound of the cost of all orders at tables with this number of seats."""
        if seats == 3:  # each order has all pairs of the table, in one direction or the other
            both = [self._counts[there] + self._counts[back] for there, back in self.pairs]
            return sum(count * count + count % 2 for count in both) // 4
        each, over = divmod(sum(self._counts), len(self.pairs))
        return len(self.pairs) * each * each + over * (2 * each + 1)


def _search(
    tables: Sequence[Table], orders: Orders, boards: range, times: int, followings: _Followings
) -> None:
    """Makes the followings more equal, by exchanges of two positions in an order.

    Args:
        tables: the tables.
        orders: their orders, which this function changes.
        boards: the boards whose orders are changed.
        times: for how many boards each of these stands.
        followings: the earlier followings, to which those of the orders are added.
    """
    for table, of_table in zip(tables, orders, strict=True):
        for board in boards:
            followings.add(table, of_table[board], times)
    seats = len(tables[0])

    def put(number: int, board: int, order: Order) -> int:
        """Puts an order at a table; returns the change of the cost."""
        old, orders[number][board] = orders[number][board], order
        return followings.add(tables[number], old, -times) + followings.add(tables[number], order, times)

    def change(numbers: FixedNumbers) -> tuple[int, tuple[int, int, Order]]:
        number, board = numbers.below(len(tables)), boards[numbers.below(len(boards))]
        one, other = numbers.below(seats), numbers.below(seats - 1)
        other += other >= one
        old = orders[number][board]
        exchanged = list(old)
        exchanged[one], exchanged[other] = old[other], old[one]
        return put(number, board, tuple(exchanged)), (number, board, old)

    steps = min(_CHANGES, _CHANGES_PER_ORDER * len(tables) * len(boards))
    _descend(followings.cost(), followings.bound(seats), steps, 4, change, put, scale=times * times)
