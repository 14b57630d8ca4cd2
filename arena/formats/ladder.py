"""Ladder: an endless stage, in which each round is paired from the results of rounds well before it.

`arena.formats.ladder_pairing` chooses the pairs. This module says which results a round may use: those of the
matches of round s from round s + WINDOW * k on, where k is the pace of the slower bot when the match was
paired. A round cannot be paired before all of these matches are over. So the pairings do not depend on the
order in which matches end, several rounds are under way at once, and a slow bot holds up nobody.

A ladder ends when the host ends it. It is idle when no match is worth playing, and goes on when a bot comes.
A bot that is withdrawn, or replaced by its next version, is not paired from some round on. Its matches that
are not over by then are given up: nobody wins them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

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
    with_late,
)
from arena.results import MatchKey
from arena.strict_toml import Section
from arena.text import counted

if TYPE_CHECKING:
    from arena.formats.ladder_pairing import Bot, Pair, Planner

_ROUNDS = 1_000_000_000
"""More rounds than a ladder ever has."""


@dataclasses.dataclass(frozen=True, slots=True)
class LadderFormat(Format):
    """A ladder; it has no keys of its own.

    Attributes:
        rounded: whether strengths are rounded before they are compared, so that each machine pairs the same
            bots. Ladders of earlier versions say nothing of it, and go on as they began.
    """

    id = "ladder"
    title = "ladder"
    keys = ()
    fewest = 0
    after_withdrawal = "its matches that were not over are given up"
    ends_by_itself = False
    alone = True
    in_season = False
    gives_way = True
    numbers_rounds = False

    rounded: bool = False

    @classmethod
    def of(cls, entrants: int) -> Self:
        """A ladder that begins now."""
        return cls(entrants, seats=2, rounded=True)

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        if seats != 2:
            table.fail(f"a ladder needs tables of 2 seats, not {seats}: take a round-robin")
        return cls.of(entrants)

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        return Ladder(number, entrants, gone, changes, rounded=self.rounded)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        return progress.begun

    def opening(self, stage: Stage, end: str) -> str:
        return f"{self.title}, {counted(len(stage.entrants), 'entrant')}, until it is ended by {end}"


class Ladder(Stage):
    """A ladder at two-seat tables.

    Args:
        number: see `Stage`.
        entrants: the first entrants.
        gone: the withdrawn entrants.
        changes: the late entrants; a late one may be the next version of an earlier one.
        rounded: as in a `LadderFormat`.
    """

    seats = 2
    depends_on_results = True
    is_in_turn = False  # rounds overlap
    round_count = _ROUNDS
    match_count = 0  # as far as known before it is played

    def __init__(
        self,
        number: int,
        entrants: Sequence[int],
        gone: Gone = NOBODY,
        changes: Added = (),
        *,
        rounded: bool = True,
    ) -> None:
        self._rounded = rounded
        super().__init__(number, with_late(entrants, changes), 2, "add entrants to the tournament")
        self._late = [change for change in changes if isinstance(change, Late)]
        self._gone = gone
        self._first = tuple(entrants)
        self._last_change = max([*(each.since for each in self._late), *gone.values()], default=0)
        # Rounds are paired in order, once: the same results give the same rounds.
        self._rounds: list[tuple[Pair, ...]] = []
        self._to_use: dict[
            int, list[tuple[MatchKey, Pair]]
        ] = {}  # matches, by the first round that uses them
        self._empty = 0  # how many rounds in a row had no matches

    @cached_property
    def _planner(self) -> Planner:
        from arena.formats.ladder_pairing import Planner  # only here: NumPy takes long to load

        return Planner(self._bots(), rounded=self._rounded)

    def _bots(self) -> list[Bot]:
        from arena.formats.ladder_pairing import Bot

        gone = self._gone
        first = [Bot(entrant, "", None, 0, gone.get(entrant)) for entrant in self._first]
        late = [
            Bot(each.entrant, each.author, each.replaces, each.since, gone.get(each.entrant))
            for each in self._late
        ]
        return [*first, *late]

    def take_over(self, earlier: Stage) -> bool:
        if not isinstance(earlier, Ladder) or (earlier.number, earlier._first) != (self.number, self._first):
            return False
        if earlier._rounds:
            try:
                self._planner = earlier._planner.following(self._bots())
            except ValueError:  # a ruling about rounds that were planned
                return False
        self._rounds = list(earlier._rounds)
        self._to_use = {number: list(matches) for number, matches in earlier._to_use.items()}
        self._empty = earlier._empty
        return True

    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; it may have no matches.

        Raises ResultsMissing, also if no match is worth playing.
        """
        while len(self._rounds) <= number:
            self._plan(len(self._rounds), results)
        pairs = self._rounds[number]
        return self.numbered_round(number, [(pair.one, pair.other) for pair in pairs])

    def _plan(self, number: int, results: Results) -> None:
        from arena.formats.ladder_pairing import LONGEST_TURN, WINDOW

        turns_over = self._empty >= LONGEST_TURN and number >= self._last_change + LONGEST_TURN
        if turns_over and not self._to_use:
            raise ResultsMissing("no match of the ladder is worth playing")
        using = self._to_use.get(number, [])
        found = [(pair, results.get(key)) for key, pair in using]
        for pair, result in found:
            if result is None and not any(
                self._gone.get(entrant, number + 1) <= number for entrant in (pair.one, pair.other)
            ):
                raise ResultsMissing(f"round {number + 1} depends on a match that is not over")
        self._to_use.pop(number, None)
        for pair, result in found:
            self._planner.use(pair, result)
        pairs = tuple(self._planner.plan(number))
        self._rounds.append(pairs)
        self._empty = 0 if pairs else self._empty + 1
        for match, pair in enumerate(pairs):
            key = MatchKey(self.number, number, match)
            self._to_use.setdefault(number + WINDOW * pair.pace, []).append((key, pair))

    def numbered_round(
        self,
        number: int,
        tables: Sequence[tuple[int, ...]],
        absent: tuple[int, ...] = (),
        what: str = "match",
    ) -> Round:
        """The round without byes: who is not paired now may be paired in any later round."""
        return super().numbered_round(number, tables, absent, what)._replace(byes=())
