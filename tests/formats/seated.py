"""Counts of who sat where, and after whom, in a whole stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

from arena.formats.format import Stage
from arena.formats.seating import Rule
from arena.results import GameKey, Match
from tests.formats.playing import round_of


def games(
    stage: Stage, boards: int, rule: Rule = "balanced"
) -> Iterator[tuple[Match, GameKey, tuple[int, ...]]]:
    """All games of a stage that does not depend on results, with who sits there."""
    seated = stage.seatings(boards, rule)
    for number in range(stage.round_count):
        for match in round_of(stage, number).matches:
            seats = len(match.entrants)
            for board, rotation in product(range(boards), range(seats)):
                seating = seated.seating(match.key, seats, board, rotation)
                key = GameKey(*match.key, "a", board, rotation, seating)
                yield match, key, tuple(match.entrants[position] for position in seating)


def neighbours(stage: Stage, boards: int, rule: Rule = "balanced") -> Counter[tuple[int, int]]:
    """How often each sits right before each other, for all pairs of entrants."""
    count = Counter(dict.fromkeys(permutations(stage.entrants, 2), 0))
    for _, _, seats in games(stage, boards, rule):
        count.update(zip(seats, (*seats[1:], seats[0]), strict=True))
    return count


def shares(stage: Stage, boards: int, rule: Rule = "balanced") -> tuple[Fraction, Fraction]:
    """The fewest and the most of these, in even shares: the mean over all pairs."""
    count = neighbours(stage, boards, rule)
    even = Fraction(count.total(), len(count))
    return min(count.values()) / even, max(count.values()) / even
