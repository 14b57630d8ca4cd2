"""Comparison: some bots, in pairs, on the same boards, until it is sure which is better.

Each round is one board of each game. At tables of two each pair meets. At
larger tables a bot replaces another in the same seats, on the same board, in
the same company: either copies of the bot that it is compared with, or company
that is the same for all. The boards that are asked for are played (see
`arena.comparison`), at most as many rounds as the cap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Self

from arena.comparison.comparison import REPEATED, Comparison, Contest, Rule
from arena.comparison.question import Precision
from arena.formats.format import (
    NOBODY,
    Added,
    Format,
    Gone,
    Progress,
    Schedule,
    Stage,
    TooLate,
    cycles_added,
)
from arena.strict_toml import Section

DEFAULT_CAP = 1_000
MAX_CAP = 1_000_000
_PERCENT = 100.0


@dataclasses.dataclass(frozen=True, slots=True)
class ComparisonFormat(Format):
    """Bots are compared in pairs.

    Attributes:
        compared: so many of the first entrants are compared; the others are company.
        pairs: whether each is compared with the `first` alone, or `all` pairs are.
        company: at tables of three and more, who else sits there: `copies` of the
            bot that is replaced, so many of each but the first as a table needs
            besides itself, in their order; or all those `given`.
        cap: how many boards of each game are played at most.
        stops: whether it stops when it is sure; else all boards are played.
        margin: the smallest difference of a mean score from 50 % that matters, in percent.
        error: how likely it may be that the finding over all games is wrong, in percent.
        game_error: the same for the finding about each game.
    """

    id = "comparison"
    title = "comparison"
    compares = True
    most_added = 100_000
    keys = ("compared", "pairs", "company", "cap", "stops", "margin", "error", "game_error")

    compared: int
    pairs: str
    company: str
    cap: int
    stops: bool
    margin: float
    error: float
    game_error: float

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        stops = table.flag("stops", True)
        format_ = cls(
            entrants,
            seats,
            compared=table.number("compared", entrants if seats == 2 else 2, 2, entrants),
            pairs=table.choice("pairs", ("first", "all"), "first"),
            company=table.choice("company", ("copies", "given"), "copies"),
            cap=table.number("cap", DEFAULT_CAP, 1, MAX_CAP),
            stops=stops,
            margin=table.decimal("margin", 5.0, 0.1, 25.0),
            error=table.decimal("error", 5.0, 0.0001, 25.0),
            game_error=table.decimal("game_error", 1.0 if stops else 5.0, 0.0001, 25.0),
        )
        needed = format_.compared + format_.company_needed
        if entrants != needed:
            table.fail(
                f"compares {format_.compared} bots at tables of {seats}, for which there must be {needed} "
                f"entrants, {needed - format_.compared} of them company, not {entrants}"
            )
        return format_

    @property
    def can_be_longer(self) -> bool:
        """Each of its rounds is a cycle."""
        return True

    def cards_of(self, match: int) -> int:
        """A match that is played again has the same cards; so have all matches where company is given."""
        return 0 if self.seats > 2 and self.company == "given" else match % len(_matches(self)[0])

    @property
    def company_needed(self) -> int:
        """How many entrants there are besides those that are compared."""
        if self.seats == 2:
            return 0
        return self.seats - 1 if self.company == "given" else (self.compared - 1) * (self.seats - 2)

    @property
    def rule(self) -> Rule:
        """How it ends."""
        margin = self.margin / _PERCENT
        return Rule(
            self.stops,
            Precision(self.game_error / _PERCENT, margin),
            Precision(self.error / _PERCENT, margin),
        )

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        return ComparisonStage(number, entrants, self, self.cap + cycles_added(changes))

    def comparison(self, games: Sequence[str]) -> Comparison:
        return Comparison(_matches(self)[1], games, self.seats, self.rule)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        raise TooLate("is a comparison of the bots that it began with; compare the other one by itself")


class ComparisonStage(Schedule):
    """Pairs of bots on the same boards, round after round; every round is a cycle.

    Args:
        number: see `Stage`.
        entrants: those that are compared first, then their company.
        format_: what is compared, and how.
        rounds: how many rounds there are at most.
    """

    cycle_rounds = 1

    def __init__(self, number: int, entrants: Sequence[int], format_: ComparisonFormat, rounds: int) -> None:
        needed = format_.compared + format_.company_needed
        super().__init__(rounds, number, entrants, needed, "a comparison needs all its bots")
        self.seats = format_.seats
        self._matches = [tuple(self.entrants[each] for each in match) for match in _matches(format_)[0]]

    @property
    def match_count(self) -> int:
        """How many matches there are at most."""
        return (self.cycles + min(self.cycles, REPEATED)) * len(self._matches)

    def matches_of(self, entrant: int) -> Fraction:
        own = sum(entrant in match for match in self._matches)
        return Fraction(self.match_count * own, len(self._matches))

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        return self._matches * (2 if cycle < REPEATED else 1)


def _matches(format_: ComparisonFormat) -> tuple[list[tuple[int, ...]], tuple[Contest, ...]]:
    """The matches of each round, by positions, and the pairs of which they tell."""
    bots = range(format_.compared)
    pairs = [(0, other) for other in bots[1:]] if format_.pairs == "first" else list(combinations(bots, 2))
    if format_.seats == 2:
        return list(pairs), tuple(Contest(*pair, match) for match, pair in enumerate(pairs))
    if format_.company == "given":
        company = tuple(range(format_.compared, format_.entrants))
        return [(bot, *company) for bot in bots], tuple(Contest(*pair, *pair) for pair in pairs)
    copies = format_.seats - 2
    first = format_.compared - copies  # so that those of bot 1, which is replaced first, come first
    company_of = {bot: (bot, *range(first + bot * copies, first + (bot + 1) * copies)) for bot in bots[1:]}
    return (
        [(one, *company_of[other]) for one, other in pairs],
        tuple(Contest(*pair, match) for match, pair in enumerate(pairs)),
    )
