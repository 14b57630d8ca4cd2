"""Plays stages with made-up results, and counts seats and neighbours."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product

from arena.formats.format import Round, Stage
from arena.formats.round_robin import RoundRobinFormat
from arena.formats.seating import Rule
from arena.results import GameKey, Match, MatchKey, MatchResult

Scoring = Callable[[Match], Sequence[int]]
"""The scores of a match's entrants, in percent."""


def round_robin(number: int, entrants: Sequence[int], seats: int = 2, cycles: int = 1) -> Stage:
    """A round robin, at tables of any size."""
    return RoundRobinFormat(len(entrants), seats, cycles).stage(number, entrants)


def result(match: Match, percents: Sequence[int], *extra: Sequence[int]) -> MatchResult:
    """A result from percents."""
    rows = [tuple(Fraction(percent, 100) for percent in row) for row in (percents, *extra)]
    return MatchResult(match.entrants, rows[0], tuple(rows[1:]))


def by_number(match: Match) -> list[int]:
    """The entrant with the lower number is better."""
    return [100 - entrant for entrant in match.entrants]


def round_of(stage: Stage, number: int, results: Mapping[MatchKey, MatchResult] | None = None) -> Round:
    """A round that must exist."""
    this = stage.round(number, results or {})
    assert this is not None
    return this


def play(stage: Stage, scoring: Scoring = by_number) -> tuple[list[Round], dict[MatchKey, MatchResult]]:
    """The rounds of a whole stage and its results."""
    rounds: list[Round] = []
    results: dict[MatchKey, MatchResult] = {}
    while (this := stage.round(len(rounds), results)) is not None:
        rounds.append(this)
        for match in this.matches:
            results[match.key] = result(match, scoring(match))
    return rounds, results


def check_rounds(stage: Stage, rounds: Sequence[Round]) -> None:
    """Checks the properties of the rounds of every stage."""
    assert len(rounds) == stage.round_count
    assert sum(len(this.matches) for this in rounds) == stage.match_count
    labels = [match.label for this in rounds for match in this.matches]
    assert len(set(labels)) == len(labels)
    assert len({this.label for this in rounds}) == len(rounds)
    for number, this in enumerate(rounds):
        busy = [entrant for match in this.matches for entrant in match.entrants] + list(this.byes)
        assert len(set(busy)) == len(busy)
        assert set(busy) <= set(stage.entrants)
        assert list(this.byes) == sorted(this.byes, key=stage.entrants.index)
        assert [match.key for match in this.matches] == [
            MatchKey(stage.number, number, i) for i in range(len(this.matches))
        ]


def games(
    stage: Stage, boards: int, rule: Rule = "balanced"
) -> Iterator[tuple[Match, GameKey, tuple[int, ...]]]:
    """All games of a stage that does not depend on results, with their seatings."""
    seated = stage.seatings(boards, rule)
    for number in range(stage.round_count):
        for match in round_of(stage, number).matches:
            seats = len(match.entrants)
            for board, rotation in product(range(boards), range(seats)):
                seating = seated.seating(match.key, seats, board, rotation)
                key = GameKey(*match.key, "a", board, rotation, seating)
                yield match, key, tuple(match.entrants[position] for position in seating)


def neighbours(stage: Stage, boards: int, rule: Rule = "balanced") -> Counter[tuple[int, int]]:
    """For all pairs of entrants, how often the first sits right before the second."""
    count = Counter(dict.fromkeys(permutations(stage.entrants, 2), 0))
    for _, _, seats in games(stage, boards, rule):
        count.update(zip(seats, (*seats[1:], seats[0]), strict=True))
    return count


def shares(stage: Stage, boards: int, rule: Rule = "balanced") -> tuple[Fraction, Fraction]:
    """The smallest and the largest of these counts, relative to the mean over all pairs."""
    count = neighbours(stage, boards, rule)
    even = Fraction(count.total(), len(count))
    return min(count.values()) / even, max(count.values()) / even
