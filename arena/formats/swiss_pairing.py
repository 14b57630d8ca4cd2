"""Who meets whom in a round of a Swiss: a matching of least cost.

Everybody who is paired stands in a row, by score and then by seed. With an odd
number of them a place is added that stands for the bye. Of all ways to pair
them this one is taken, in this order:

1. the fewest pairs that met before; a second bye is such a pair, and so is a
   bye after a win without play;
2. the bye goes to the lowest in the row;
3. the sum of the squared differences in score is least;
4. those of the same score meet as upper half against lower half, in order;
   those of different scores are as near to each other in the row as possible:
   the sum of the squared deviations from that is least;
5. what is still equal is decided by numbers that look random and are always
   the same: for each pair the first 8 bytes of the SHA-256 of "round, seed,
   seed". They make the best way the only one, so that any program that finds
   a best one finds the same.

To be quick, of all pairs that did not meet before only the 8 cheapest of each
place are looked at, among those of the same score and those of higher and of
lower ones, and the 8 cheapest of the bye; twice as many if they do not pair
everybody, and so on; and pairs that met before when no others do.

Costs are whole numbers, each rule's a multiple of all that the later ones can
come to.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

FEW = 8
_NOISE = 1 << 64


class Contender(NamedTuple):
    """An entrant that is to be paired.

    Attributes:
        entrant: who.
        seed: the entrant's seed number in the stage, from 1.
        score: the points so far.
        met: whom the entrant has met, as often as it has.
        byes: how many points the entrant has won without play.
    """

    entrant: int
    seed: int
    score: Fraction
    met: tuple[int, ...] = ()
    byes: int = 0


class Pairing(NamedTuple):
    """A round's pairs from the top of the row down, the better of each first; and who has the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


class _Edge(NamedTuple):
    """Two places of the row that may be paired, the upper first: what it costs, how often they met,
    and for which places it is one to which side."""

    cost: int
    one: int
    other: int
    before: int
    sides: tuple[tuple[int, str], ...]


@lru_cache(maxsize=64)  # a tournament that is looked at anew is paired anew
def pair(contenders: tuple[Contender, ...], number: int) -> Pairing:
    """The pairing of a round.

    Args:
        contenders: who is to be paired.
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
    """The best way to pair so many places; the edges are sorted, the cheapest first."""
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
    """The few cheapest of each place and side, of edges that are sorted."""
    taken = Counter[tuple[int, str]]()
    chosen = []
    for edge in edges:
        if min(taken[side] for side in edge.sides) < few:
            chosen.append(edge)
            taken.update(edge.sides)
    return chosen


def _match(edges: list[_Edge]) -> list[tuple[int, int]]:
    """As many pairs as can be, of the least cost."""
    import networkx  # here, since it takes long to load and only a Swiss needs it

    graph = networkx.Graph()
    graph.add_weighted_edges_from((one, other, -cost) for cost, one, other, *_ in edges)
    return [(min(found), max(found)) for found in networkx.max_weight_matching(graph, maxcardinality=True)]


def _edges(row: list[Contender], number: int) -> Iterator[_Edge]:
    """All pairs, the bye's among them, as places in the row; the bye's place is after the last."""
    count = len(row)
    unit = math.lcm(*(each.score.denominator for each in row))
    scores = [int(each.score * unit) for each in row]
    half: list[int] = []  # for each place, half of those of the same score
    for _, group in groupby(scores):
        size = sum(1 for _ in group)
        half += [size // 2] * size
    by_score = count**3  # more than all deviations can come to
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
