"""Swiss: a number of rounds, in each of which those meet who have as many points, and did not meet before.

A round is paired when the one before is over (`swiss_pairing` says how). Points
are match scores. Who has no opponent has a bye, which counts as a match won in
full; nobody has a second one, or one after a walkover, as long as that can be.
Who is withdrawn is paired no more, and who comes late not before: each round
without it counts as a match lost. So all have equally many matches in the end.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Self

from arena.formats.changes import Change, Late, Progress, TooLate
from arena.formats.format import NOBODY, Format
from arena.formats.stage import ResultsMissing, Round, Stage, checked_entrants
from arena.formats.swiss_pairing import Contender, pair
from arena.results import Match, MatchKey, MatchResult
from arena.strict_toml import Section

MAX_ROUNDS = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class SwissFormat(Format):
    """Those with as many points meet, nobody twice.

    Attributes:
        rounds: how many rounds there are.
    """

    id = "swiss"
    title = "Swiss"
    keys = ("rounds",)

    rounds: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        if seats != 2:
            table.fail(
                f"a Swiss needs tables of 2 seats, not {seats}: at larger tables who have met can hardly be "
                "kept apart; take a round-robin"
            )
        rounds = table.number("rounds", default_rounds(entrants), 1, MAX_ROUNDS)
        if rounds > most_rounds(entrants):
            table.fail(
                f"{entrants} entrants can play at most {most_rounds(entrants)} rounds without meeting again, "
                f"not {rounds}: set fewer rounds or take a round-robin"
            )
        return cls(entrants, seats, rounds)

    def stage(self, number: int, entrants: Sequence[int], gone: Mapping[int, int] = NOBODY) -> Stage:
        return Swiss(number, entrants, self.rounds, gone)

    def changed(
        self, number: int, entrants: Sequence[int], gone: Mapping[int, int], changes: Sequence[Change]
    ) -> Stage:
        late = {change.entrant: change.since for change in changes if isinstance(change, Late)}
        return Swiss(number, (*entrants, *late), self.rounds, gone, late)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        if progress.begun >= self.rounds:
            raise TooLate("has begun the last round of its Swiss, so there is none left to enter")
        return progress.begun


def default_rounds(entrants: int) -> int:
    """As many rounds as a knockout of so many has, after which at most one has won all its matches."""
    return (entrants - 1).bit_length()


def most_rounds(entrants: int) -> int:
    """In how many rounds nobody needs to meet anybody twice; an odd number has a bye for each."""
    return entrants - 1 + entrants % 2


class Swiss(Stage):
    """A Swiss at two-seat tables.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first; at least 2.
        rounds: how many rounds there are.
        gone: who is withdrawn, each with the first round, from 0, for which it is not paired.
        late: who came late, each with the first round, from 0, for which it is paired.

    Raises:
        ValueError: too few entrants or rounds, or an entrant twice.
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
        self.number = number
        self.entrants = checked_entrants(entrants, 2, "add entrants to the tournament")
        self._rounds = rounds
        self._late = dict(late)
        self._gone = {entrant: gone[entrant] for entrant in self.entrants if entrant in gone}

    @property
    def round_count(self) -> int:
        """How many rounds there are."""
        return self._rounds

    @property
    def match_count(self) -> int:
        """How many matches there are in all rounds."""
        return sum(map(self._matches_of, range(self._rounds)))

    def round(self, number: int, results: Mapping[MatchKey, MatchResult]) -> Round | None:
        """Round `number`, from 0; None past the last.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """
        if not 0 <= number < self._rounds:
            return None
        pairs, bye = pair(self._contenders(number, results), number)
        label = f"round {number + 1}"
        return Round(
            label,
            tuple(
                Match(MatchKey(self.number, number, i), each, f"{label}, match {i + 1}")
                for i, each in enumerate(pairs)
            ),
            () if bye is None else (bye,),
            tuple(entrant for entrant in self.entrants if not self._is_in(entrant, number)),
        )

    def _is_in(self, entrant: int, number: int) -> bool:
        """Whether an entrant is paired in a round."""
        return self._late.get(entrant, 0) <= number < self._gone.get(entrant, self._rounds)

    def _matches_of(self, number: int) -> int:
        return sum(self._is_in(entrant, number) for entrant in self.entrants) // 2

    def _contenders(self, number: int, results: Mapping[MatchKey, MatchResult]) -> tuple[Contender, ...]:
        """Who is to be paired in a round, with what they did in those before."""
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

    def _results(self, number: int, results: Mapping[MatchKey, MatchResult]) -> list[MatchResult]:
        """The results of a round."""
        keys = [MatchKey(self.number, number, i) for i in range(self._matches_of(number))]
        missing = [key for key in keys if key not in results]
        if missing:
            raise ResultsMissing(f"round {number + 1}: {len(missing)} of its matches are not over")
        return [results[key] for key in keys]
