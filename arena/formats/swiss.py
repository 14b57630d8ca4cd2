"""Swiss: in each round entrants with similar scores meet that have not met before.

A round is paired when the round before is over. Points are match scores. An entrant without an opponent has a
bye, which counts as a match won in full. Nobody has a second bye, or a bye after a walkover, if that can be
avoided. A withdrawn entrant is no longer paired, and a late entrant is not paired before it comes: each round
without it counts as a match lost. So all entrants have equally many matches in the end.

**Pairing** is a matching of least cost. All entrants that are paired stand in a row, by score and then by
seed. If their number is odd, a place for the bye is added. Of all pairings the best one is chosen by these
rules, in order:

1. the fewest pairs that met before; a second bye is such a pair, and so is a bye after a win without play;
2. the bye goes to the lowest in the row;
3. the sum of the squared differences in score is least;
4. entrants with the same score meet as upper half against lower half, in order; entrants with different
   scores are as near to each other in the row as possible: the sum of the squared deviations from that is
   least;
5. equal pairings are decided by fixed numbers that look random: for each pair the first 8 bytes of the
   SHA-256 of "round, seed, seed". They make the best pairing unique, so any program that finds a best one
   finds the same.

For speed, the search considers only some of the pairs that did not meet before: for each place the 8 cheapest
with the same score, with higher scores and with lower scores, and the 8 cheapest of the bye. If these do not
pair everybody it considers twice as many, and so on. It considers pairs that met before only if no others are
left.

Costs are whole numbers. The cost of each rule is a multiple of all that the later rules can add up to.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple, Self

from arena.formats.format import (
    NOBODY,
    Added,
    Format,
    Gone,
    Late,
    Progress,
    Results,
    ResultsMissing,
    Round,
    Stage,
    TooLate,
    with_late,
)
from arena.results import MatchKey, MatchResult
from arena.strict_toml import Section
from arena.text import installing

MAX_ROUNDS = 1_000
FEW = 8
_NOISE = 1 << 64
_NO_NETWORKX = f"a Swiss needs networkx: {installing('host')} in a clone of the arena"


@dataclasses.dataclass(frozen=True, slots=True)
class SwissFormat(Format):
    """A Swiss.

    Attributes:
        rounds: how many rounds there are.
    """

    id = "swiss"
    title = "Swiss"
    keys = ("rounds",)

    rounds: int

    def __post_init__(self) -> None:
        if importlib.util.find_spec("networkx") is None:
            raise ValueError(_NO_NETWORKX)

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        if seats != 2:
            table.fail(
                f"a Swiss needs tables of 2 seats, not {seats}: at larger tables bots that have met "
                "can hardly be kept apart; take a round-robin"
            )
        rounds = table.number("rounds", default_rounds(entrants), 1, MAX_ROUNDS)
        if rounds > most_rounds(entrants):
            table.fail(
                f"{entrants} entrants can play at most {most_rounds(entrants)} rounds without meeting again, "
                f"not {rounds}: set fewer rounds or take a round-robin"
            )
        try:
            return cls(entrants, seats, rounds)
        except ValueError as problem:
            table.fail(f"{problem}; or take a round-robin")

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        late = {change.entrant: change.since for change in changes if isinstance(change, Late)}
        return Swiss(number, with_late(entrants, changes), self.rounds, gone, late)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        if progress.begun >= self.rounds:
            raise TooLate("has begun the last round of its Swiss, so there is none left to enter")
        return progress.begun


def default_rounds(entrants: int) -> int:
    """The rounds of a knockout of this size, after which at most one entrant has won all its matches."""
    return (entrants - 1).bit_length()


def most_rounds(entrants: int) -> int:
    """The most rounds without a second meeting; with an odd number each entrant has a bye in one of them."""
    return entrants - 1 + entrants % 2


class Swiss(Stage):
    """A Swiss at two-seat tables.

    Args:
        number, entrants: see `Stage`.
        rounds: how many rounds there are.
        gone: the withdrawn entrants, each with the first round, from 0, for which it is not paired.
        late: the late entrants, each with the first round, from 0, for which it is paired.

    Raises:
        ValueError: as for a `Stage`, or there is no round.
    """

    depends_on_results = True
    pairs_by_score = True
    tie_breaks = ("BH-C1", "BH", "SB", "DE", "WIN")
    seats = 2

    def __init__(
        self,
        number: int,
        entrants: Sequence[int],
        rounds: int,
        gone: Mapping[int, int] = NOBODY,
        late: Mapping[int, int] = NOBODY,
    ) -> None:
        if rounds < 1:
            raise ValueError(f"a Swiss has at least 1 round, not {rounds}")
        super().__init__(number, entrants, 2, "add entrants to the tournament")
        self._rounds = rounds
        self._late = dict(late)
        self._gone = {entrant: gone[entrant] for entrant in self.entrants if entrant in gone}

    @property
    def round_count(self) -> int:
        return self._rounds

    @property
    def match_count(self) -> int:
        return sum(map(self._matches_of, range(self._rounds)))

    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """
        if not 0 <= number < self._rounds:
            return None
        pairs = pair(self._contenders(number, results), number).pairs
        absent = tuple(entrant for entrant in self.entrants if not self._is_in(entrant, number))
        return self.numbered_round(number, pairs, absent)

    def _is_in(self, entrant: int, number: int) -> bool:
        """Whether an entrant is paired in a round."""
        return self._late.get(entrant, 0) <= number < self._gone.get(entrant, self._rounds)

    def _matches_of(self, number: int) -> int:
        return sum(self._is_in(entrant, number) for entrant in self.entrants) // 2

    def _contenders(self, number: int, results: Results) -> tuple[Contender, ...]:
        """The entrants to be paired in a round, with their earlier results."""
        scores = dict.fromkeys(self.entrants, Fraction(0))
        met: dict[int, list[int]] = {entrant: [] for entrant in self.entrants}
        byes = Counter[int]()
        for earlier in range(number):
            playing = set[int]()
            for result in self._results(earlier, results):
                one, other = result.entrants
                playing |= {one, other}
                met[one].append(other)
                met[other].append(one)
                for entrant, score in zip(result.entrants, result.scores, strict=True):
                    scores[entrant] += score
                    byes[entrant] += result.walkover and score == 1
            for entrant in self.entrants:
                if entrant not in playing and self._is_in(entrant, earlier):
                    scores[entrant] += 1
                    byes[entrant] += 1
        return tuple(
            Contender(entrant, seed, scores[entrant], tuple(met[entrant]), byes[entrant])
            for seed, entrant in enumerate(self.entrants, 1)
            if self._is_in(entrant, number)
        )

    def _results(self, number: int, results: Results) -> list[MatchResult]:
        """The results of a round."""
        keys = [MatchKey(self.number, number, i) for i in range(self._matches_of(number))]
        missing = [key for key in keys if key not in results]
        if missing:
            raise ResultsMissing(f"round {number + 1}: {len(missing)} of its matches are not over")
        return [results[key] for key in keys]


class Contender(NamedTuple):
    """An entrant that is to be paired.

    Attributes:
        entrant: the entrant.
        seed: its seed number in the stage, from 1.
        score: the match scores so far, added up.
        met: its opponents so far, an opponent as often as they met.
        byes: how many matches it has won without play.
    """

    entrant: int
    seed: int
    score: Fraction
    met: tuple[int, ...] = ()
    byes: int = 0


class Pairing(NamedTuple):
    """A round's pairs from the top of the row, the better of each first; and the entrant with the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


class _Edge(NamedTuple):
    """Two places of the row that may be paired, the upper first; the cost, how often they met (`before`),
    and the `sides` (a place and a direction) for which the pair counts."""

    cost: int
    one: int
    other: int
    before: int
    sides: tuple[tuple[int, str], ...]


@lru_cache(maxsize=64)  # a tournament that is read again is paired again
def pair(contenders: tuple[Contender, ...], number: int) -> Pairing:
    """The pairing of a round.

    Args:
        contenders: the entrants to be paired.
        number: the round's number, from 0.
    """
    row = sorted(contenders, key=lambda each: (-each.score, each.seed))
    if len(row) < 2:
        return Pairing((), row[0].entrant if row else None)
    entrants = [each.entrant for each in row]
    pairs, bye = [], None
    for one, other in sorted(_chosen(sorted(_edges(row, number)), len(row) + len(row) % 2)):
        if other < len(row):
            pairs.append((entrants[one], entrants[other]))
        else:
            bye = entrants[one]
    return Pairing(tuple(pairs), bye)


def _chosen(edges: list[_Edge], places: int) -> list[tuple[int, int]]:
    """The best pairing of so many places; the edges are sorted, the cheapest first."""
    new = [edge for edge in edges if not edge.before]
    few = FEW
    while few < 2 * places:
        chosen = _match(_cheapest(new, few))
        if 2 * len(chosen) == places:
            return chosen
        few *= 2
    again = 1 + places * edges[-1].cost
    return _match([edge._replace(cost=edge.cost + edge.before * again) for edge in edges])


def _cheapest(edges: list[_Edge], few: int) -> list[_Edge]:
    """The `few` cheapest edges of each place and side; the edges are sorted."""
    taken = Counter[tuple[int, str]]()
    chosen = []
    for edge in edges:
        if min(taken[side] for side in edge.sides) < few:
            chosen.append(edge)
            taken.update(edge.sides)
    return chosen


def _match(edges: list[_Edge]) -> list[tuple[int, int]]:
    """As many pairs as possible, at the least cost."""
    import networkx  # here, because it takes long to load and only a Swiss needs it

    graph = networkx.Graph()
    graph.add_weighted_edges_from((one, other, -cost) for cost, one, other, *_ in edges)
    return [(min(found), max(found)) for found in networkx.max_weight_matching(graph, maxcardinality=True)]


def _edges(row: list[Contender], number: int) -> Iterator[_Edge]:
    """All pairs of places in the row, also with the bye, whose place is after the last."""
    count = len(row)
    unit = math.lcm(*(each.score.denominator for each in row))
    scores = [int(each.score * unit) for each in row]
    half: list[int] = []  # for each place, half of the entrants with the same score
    for _, group in groupby(scores):
        size = sum(1 for _ in group)
        half += [size // 2] * size
    by_score = count**3  # more than all deviations can add up to
    by_place = count * _NOISE
    most = 1 + count * by_place * (1 + by_score * (1 + (scores[0] - scores[-1]) ** 2))
    for one, other in combinations(range(count), 2):
        upper, lower = row[one], row[other]
        difference = scores[one] - scores[other]
        deviation = other - one - (0 if difference else half[one])
        cost = by_place * (by_score * difference**2 + deviation**2) + _noise(number, upper.seed, lower.seed)
        sides = ((one, "below"), (other, "above")) if difference else ((one, "same"), (other, "same"))
        yield _Edge(cost, one, other, upper.met.count(lower.entrant), sides)
    if count % 2:
        for place, each in enumerate(row):
            yield _Edge((count - 1 - place) * most, place, count, each.byes, ((count, "above"),))


def _noise(number: int, one: int, other: int) -> int:
    """The number of rule 5 for two seeds, below `_NOISE`."""
    text = f"{number + 1}, {min(one, other)}, {max(one, other)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
