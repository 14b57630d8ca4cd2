"""A balanced movement: everybody meets everybody at tables of three to seven.

It is a cyclic movement, as in bridge. The entrants stand in a circle of M
places, and one arrangement of the circle - which places sit at which table,
and which sit out - is used in every round, moved on by one place each time. So
a cycle has M rounds, in which every place of the arrangement is taken once by
every entrant: all play equally often and sit out equally often, whatever the
arrangement is. If nobody sits out, the last entrant stays outside the circle
and keeps its chair, which makes M one less, and meets everybody equally often.

How often two entrants meet depends only on how far apart in the circle they
are: each two chairs of a table that lie d places apart bring every two
entrants d apart together once a cycle (twice if d is half the circle). A good
arrangement therefore uses all distances equally often. `arrangement` looks
for one by exchanging two places as long as that improves it. With
12 entrants at tables of 4, for example, all pairs meet exactly 3 times in 11
rounds. If the entrants fill one table, one round says it all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from arena.formats.fixed_numbers import FixedNumbers
from arena.formats.movement_seating import MovementSeatings
from arena.formats.seating import Rule, Seatings
from arena.formats.stage import Round, Stage, checked_entrants
from arena.results import Match, MatchKey, MatchResult

MIN_SEATS, MAX_SEATS = 3, 7
_EFFORT = 40_000
"""How many exchanges the search tries at most."""

Meetings = list[int]
"""How often two entrants meet, by their distance d in the circle; index 0 is not used."""


class Movement(Stage):
    """Everybody meets everybody, as equally often as the numbers allow, at tables of equal size.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least as many as seats.
        seats: the size of a table, 3 to 7.
        cycles: how many cycles are played. Each has as many rounds as there
            are entrants (one less if nobody sits out; one if all fit one
            table), and makes up for what earlier cycles left unequal.

    Attributes:
        tables: how many tables play in a round.
        circle: how many entrants stand in the circle: all, or all but the last.
        cycle_rounds: how many rounds a cycle has.

    Raises:
        ValueError: too few entrants or cycles, an entrant twice, or no such table.
    """

    depends_on_results = False
    annuls_withdrawn = True

    def __init__(self, number: int, entrants: Sequence[int], seats: int, cycles: int = 1) -> None:
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise ValueError(f"a movement has tables of {MIN_SEATS} to {MAX_SEATS} seats, not {seats}")
        if cycles < 1:
            raise ValueError(f"a movement has at least 1 cycle, not {cycles}")
        self.number = number
        self.entrants = checked_entrants(
            entrants, seats, f"add entrants or set the tables to fewer seats than {seats}"
        )
        self.seats = seats
        self.cycles = cycles
        self.tables = len(entrants) // seats
        self.circle = len(entrants) - (len(entrants) % seats == 0)
        self.cycle_rounds = 1 if len(entrants) == seats else self.circle
        self._arrangements: list[tuple[int, ...]] = []
        self._meetings: Meetings = [0] * (self.circle // 2 + 1)

    @property
    def round_count(self) -> int:
        """How many rounds there are in all cycles."""
        return self.cycles * self.cycle_rounds

    @property
    def match_count(self) -> int:
        """How many matches there are in all cycles."""
        return self.round_count * self.tables

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        """See `Stage`."""
        return tuple(self.cycle_rounds * (cycle + 1) for cycle in range(self.cycles))

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        """See `Stage`."""
        if rule == "cyclic" or self.cycle_rounds == 1:
            return super().seatings(boards, rule)
        return MovementSeatings(self, boards)

    def round(self, number: int, results: Mapping[MatchKey, MatchResult]) -> Round | None:
        """Round `number`, from 0; None past the last. Results are not read."""
        if not 0 <= number < self.round_count:
            return None
        cycle, shift = divmod(number, self.cycle_rounds)
        chairs = [
            self.entrants[place if place == self.circle else (place + shift) % self.circle]
            for place in self.chairs(cycle)
        ]
        playing = self.tables * self.seats
        label = f"round {number + 1}"
        return Round(
            label,
            tuple(
                Match(
                    MatchKey(self.number, number, i),
                    tuple(chairs[i * self.seats : (i + 1) * self.seats]),
                    f"{label}, table {i + 1}",
                )
                for i in range(self.tables)
            ),
            tuple(sorted(chairs[playing:], key=self.entrants.index)),
        )

    def chairs(self, cycle: int) -> tuple[int, ...]:
        """Which place of the circle sits where in the first round of a cycle (see `arrangement`)."""
        while len(self._arrangements) <= cycle:
            found = arrangement(len(self.entrants), self.seats, tuple(self._meetings))
            self._arrangements.append(found)
            for distance in _distances(found, self.seats, self.circle):
                self._meetings[distance] += 1 + (2 * distance == self.circle)
        return self._arrangements[cycle]


@lru_cache(maxsize=256)  # a stage is made anew for every look at a tournament
def arrangement(entrants: int, seats: int, meetings: tuple[int, ...]) -> tuple[int, ...]:
    """Who sits where in the first round of a cycle: a permutation of 0..entrants-1.

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
    """A random walk downhill, over exchanges of what sits in two chairs.

    The cost is the sum over all pairs of entrants of their squared number of
    meetings (up to a constant factor): as the sum of the meetings is fixed, it
    is least when they are equal.
    """

    def __init__(self, entrants: int, seats: int, meetings: Sequence[int]) -> None:
        self.seats = seats
        self.all_play = entrants % seats == 0
        self.circle = entrants - self.all_play
        self.playing = entrants // seats * seats
        self.chairs = list(range(entrants))
        if self.all_play:
            self.chairs.insert(0, self.chairs.pop())
        self.meetings = list(meetings)
        for distance in _distances(self.chairs, seats, self.circle):
            self.meetings[distance] += 1 + (2 * distance == self.circle)
        self._numbers = FixedNumbers()
        places = range(self.circle)
        self._apart = [[_apart(one, other, self.circle) for other in places] for one in places]

    def best(self) -> list[int]:
        """The best arrangement found."""
        best, least = list(self.chairs), self._cost()
        bound = self._bound()
        movable = range(1 if self.all_play else 0, len(self.chairs))
        cost = least
        for _ in range(_EFFORT):
            if least <= bound:
                break
            one = movable[self._numbers.below(len(movable))]
            other = movable[self._numbers.below(len(movable))]
            change = self._exchange(one, other)
            # A slightly worse arrangement is now and then a way out of a dead end.
            if change > 0 and self._numbers.below(8 * change * change):
                self._exchange(one, other)
                continue
            cost += change
            if cost < least:
                best, least = list(self.chairs), cost
        return best

    def _cost(self) -> int:
        return sum(self._weight(d) * met * met for d, met in enumerate(self.meetings) if d)

    def _bound(self) -> int:
        """The least cost that any arrangement could have: meetings as equal as whole numbers can be."""
        pairs = sum(self._weight(d) for d in range(1, len(self.meetings)))
        each, over = divmod(sum(self._weight(d) * met for d, met in enumerate(self.meetings) if d), pairs)
        return pairs * each * each + over * (2 * each + 1)

    def _weight(self, distance: int) -> int:
        """Twice the pairs of entrants that far apart, per place of the circle."""
        return 1 if 2 * distance == self.circle else 2

    def _exchange(self, one: int, other: int) -> int:
        """Exchanges what sits in two chairs; returns the change of the cost."""
        if one // self.seats == other // self.seats or one == other:
            return 0
        change = self._leave(one) + self._leave(other)
        self.chairs[one], self.chairs[other] = self.chairs[other], self.chairs[one]
        return change + self._join(one) + self._join(other)

    def _leave(self, chair: int) -> int:
        return self._count(chair, -1)

    def _join(self, chair: int) -> int:
        return self._count(chair, +1)

    def _count(self, chair: int, sign: int) -> int:
        """Adds or takes away the meetings of a chair with its table; returns the change of the cost."""
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
