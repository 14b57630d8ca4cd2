"""The comparison format: bots play in pairs on the same boards, until it is sure which is better.

Each round is one board of each game, and a cycle. At tables of two each pair meets. At larger tables a bot
replaces another one in the same seats, on the same board and in the same company: copies of the bot that is
compared with it, or bots that are the same for all. `arena.comparison` says which boards are still played;
the cap limits the rounds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Self

from arena.comparison.baseline import SAMPLES, present_baselines
from arena.comparison.betting import Betting
from arena.comparison.coefficient import paying
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
from arena.results import SharedCards
from arena.strict_toml import Section
from arena.text import counted

DEFAULT_CAP = 1_000
MAX_CAP = 1_000_000
PERCENTS = ("margin", "error", "game_error")
"""The keys of `ComparisonFormat` that are in percent."""

_PERCENT = 100.0


@dataclasses.dataclass(frozen=True, slots=True)
class ComparisonFormat(Format):
    """A comparison of bots in pairs.

    Attributes:
        compared: how many of the first entrants are compared; the others are company.
        pairs: `first` compares each bot with the first one, `all` compares all pairs, `best` looks for
            the best one: bots that are shown to be beaten drop out (`arena.comparison.race`).
        company: the other bots at tables of three and more: `copies` of the replaced bot (for each bot but
            the first as many as fill a table, in the order of the bots), or all `given` ones.
        cap: the most boards of each game.
        stops: whether it stops when it is sure; else all boards are played.
        margin: the smallest difference of a mean score from 50 % that matters, in percent.
        error: how often the finding over all games may be wrong, in percent.
        game_error: the same for the finding about each game.
        betting: how the gamblers of the stopping rule share the wealth. Comparisons of earlier versions
            say nothing of it, and go on as they began.
        less_luck: whether half of the bets are on scores without luck, in the games where that helps; not
            in a race.
        baselines: the baselines that are tried for it (`arena.comparison.baseline`), also at the end of a
            fixed number of boards: those that this arena had when the comparison began. Comparisons of
            earlier versions say nothing of them, and had only the first.
    """

    id = "comparison"
    title = "comparison"
    most_added = 100_000
    cycle_word = "board"
    after_withdrawal = "what it had left is not played, so what is open about it stays open"
    shared_cards = "match"
    alone = True
    in_season = False
    keeps_versions = True
    keys = ("compared", "pairs", "company", "cap", "stops", "less_luck", "margin", "error", "game_error")

    compared: int
    pairs: str
    company: str
    cap: int
    stops: bool
    margin: float
    error: float
    game_error: float
    betting: str = Betting.HEDGED.value
    less_luck: bool = False
    baselines: tuple[str, ...] = ("greedy",)

    @classmethod
    def of(
        cls,
        entrants: int,
        seats: int,
        *,
        compared: int | None = None,
        pairs: str = "first",
        company: str = "copies",
        cap: int = DEFAULT_CAP,
        stops: bool = True,
        margin: float = 5.0,
        error: float = 5.0,
        game_error: float | None = None,
        less_luck: bool = False,
    ) -> Self:
        """A comparison that begins now, with the defaults for what is not given."""
        return cls(
            entrants,
            seats,
            compared=compared or (entrants if seats == 2 else 2),
            pairs=pairs,
            company=company,
            cap=cap,
            stops=stops,
            margin=float(margin),
            error=float(error),
            game_error=float(game_error or (1.0 if stops else 5.0)),
            betting=Betting.TARGETED.value,
            less_luck=less_luck,
            baselines=present_baselines(),
        )

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        stops = table.flag("stops", True)
        usual = cls.of(entrants, seats, stops=stops)
        format_ = cls(
            entrants,
            seats,
            compared=table.number("compared", usual.compared, 2, entrants),
            pairs=table.choice("pairs", ("first", "all", "best"), usual.pairs),
            company=table.choice("company", ("copies", "given"), usual.company),
            cap=table.number("cap", usual.cap, 1, MAX_CAP),
            stops=stops,
            margin=table.decimal("margin", usual.margin, 0.1, 25.0),
            error=table.decimal("error", usual.error, 0.0001, 25.0),
            game_error=table.decimal("game_error", usual.game_error, 0.0001, 25.0),
            betting=usual.betting,
            less_luck=table.flag("less_luck", usual.less_luck),
            baselines=usual.baselines,
        )
        if format_.pairs == "best" and not stops:
            table.fail('pairs = "best" is a race, which stops when it is sure: leave stops = false out')
        if format_.less_luck and format_.pairs == "best":
            table.fail('pairs = "best" is a race, whose bets are on scores as they are: leave less_luck out')
        if format_.less_luck and not stops:
            table.fail(
                "has less_luck, which is for comparisons that stop by themselves; with a fixed number of "
                "boards arena standings LEAGUE --less-luck takes luck away at the end"
            )
        needed = format_.compared + format_.company_needed
        if entrants != needed:
            table.fail(
                f"compares {format_.compared} bots at tables of {seats}, for which there must be {needed} "
                f"entrants, {needed - format_.compared} of them company, not {entrants}"
            )
        return format_

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """As in `Format`. Raises ValueError if this arena does not have one of its baselines."""
        baselines = tuple(values.get("baselines", ["greedy"]))
        if unknown := [name for name in baselines if name not in SAMPLES]:
            raise ValueError(f"it takes luck away by the baseline {unknown[0]}: update arena")
        return super(ComparisonFormat, cls).from_values({**values, "baselines": baselines})

    @property
    def can_be_longer(self) -> bool:
        """True: each of its rounds is a cycle."""
        return True

    def cards_of(self, match: int) -> int:
        """A repeated match has the same cards; with given company all matches have the same."""
        return 0 if self.seats > 2 and self.company == "given" else match % len(_matches(self)[0])

    @property
    def company_needed(self) -> int:
        """The number of entrants that are company."""
        if self.seats == 2:
            return 0
        return self.seats - 1 if self.company == "given" else (self.compared - 1) * (self.seats - 2)

    @property
    def rule(self) -> Rule:
        """The rule that ends the comparison."""
        margin, betting = self.margin / _PERCENT, Betting(self.betting)
        return Rule(
            self.stops,
            Precision(self.game_error / _PERCENT, margin, betting),
            Precision(self.error / _PERCENT, margin, betting),
            self.pairs == "best",
            self.baselines_of if self.less_luck else {},
        )

    @property
    def baselines_of(self) -> dict[str, tuple[str, ...]]:
        """The baselines that are tried in each game where one of them helps."""
        tried = {
            game: tuple([name for name in names if name in self.baselines])
            for game, names in paying().items()
        }
        return {game: names for game, names in tried.items() if names}

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        return ComparisonStage(number, entrants, self, self.cap + cycles_added(changes))

    def comparison(self, games: Sequence[str], gone: Collection[int] = ()) -> Comparison:
        """The questions about these games, before the first board. `gone`: the withdrawn entrants."""
        return Comparison(_matches(self)[1], games, self.seats, self.rule, gone)

    def late_from(self, stage: Stage, progress: Progress) -> int:
        raise TooLate("is a comparison of the bots that it began with; compare the other one by itself")

    def added(self, cycles: int, boards: int) -> tuple[int, int]:
        return cycles + boards, 0

    def hands_shown_after(self, shared: SharedCards) -> str:
        return "round"

    def match_length(self, boards: int) -> str:
        return ""

    def opening(self, stage: Stage, end: str) -> str:
        boards = counted(stage.round_count, self.cycle_word)
        return f"{self.title}: at most {boards} of each game, every board from all seats"


class ComparisonStage(Schedule):
    """Pairs of bots on the same boards, round by round; every round is a cycle.

    Args:
        number: see `Stage`.
        entrants: the compared bots first, then their company.
        format_: the format.
        rounds: the most rounds.
    """

    cycle_rounds = 1

    def __init__(self, number: int, entrants: Sequence[int], format_: ComparisonFormat, rounds: int) -> None:
        needed = format_.compared + format_.company_needed
        super().__init__(rounds, number, entrants, needed, "a comparison needs all its bots")
        self.seats = format_.seats
        self._matches = [tuple(self.entrants[each] for each in match) for match in _matches(format_)[0]]
        self._repeated = 0 if format_.rule.race else REPEATED

    @property
    def match_count(self) -> int:
        """The most matches."""
        return (self.cycles + min(self.cycles, self._repeated)) * len(self._matches)

    def matches_of(self, entrant: int) -> Fraction:
        own = sum(entrant in match for match in self._matches)
        return Fraction(self.match_count * own, len(self._matches))

    def tables_of(self, cycle: int, number: int) -> list[tuple[int, ...]]:
        return self._matches * (2 if cycle < self._repeated else 1)


def _matches(format_: ComparisonFormat) -> tuple[list[tuple[int, ...]], tuple[Contest, ...]]:
    """The matches of each round, by positions, and the pairs that they compare."""
    bots = range(format_.compared)
    pairs = [(0, other) for other in bots[1:]] if format_.pairs == "first" else list(combinations(bots, 2))
    if format_.seats == 2:
        return list(pairs), tuple(Contest(*pair, match) for match, pair in enumerate(pairs))
    if format_.company == "given":
        company = tuple(range(format_.compared, format_.entrants))
        return [(bot, *company) for bot in bots], tuple(Contest(*pair, *pair) for pair in pairs)
    copies = format_.seats - 2
    first = format_.compared - copies  # the copies of bot 1, the first replaced bot, come first
    company_of = {bot: (bot, *range(first + bot * copies, first + (bot + 1) * copies)) for bot in bots[1:]}
    return (
        [(one, *company_of[other]) for one, other in pairs],
        tuple(Contest(*pair, match) for match, pair in enumerate(pairs)),
    )
