"""The contract of a format: its keys in a tournament file (`Format`), and its rounds (`Stage`).

A stage says, round by round, which entrants meet. It is made from its number in the tournament, its entrants
in seed order (best first) and the format's own parameters. It holds no results and no randomness: the same
arguments always give the same rounds, so a tournament can be resumed from its results alone. A round is made
when it is asked for, so a stage of half a million matches takes the memory of one round.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Self

from arena.formats.bracket import Bracket
from arena.formats.seating import CyclicSeatings, ListedSeatings, Rule, Seatings
from arena.results import Match, MatchKey, MatchResult, Ranking, SharedCards
from arena.strict_toml import Section
from arena.text import counted

MAX_CYCLES = 1_000
"""The most cycles in the plan of a stage, and the most that can be added at once."""

Gone = Mapping[int, int]
"""The withdrawn entrants, each with the first round, from 0, for which it is no longer paired."""

NOBODY: Final[Gone] = MappingProxyType({})
"""No withdrawn entrants."""

Results = Mapping[MatchKey, MatchResult]
"""The results of a stage so far."""


class MoreCycles(NamedTuple):
    """More cycles for a stage that is being played."""

    cycles: int


class Late(NamedTuple):
    """A late entrant of a stage that is being played.

    Attributes:
        entrant: the entrant.
        since: the first of the stage's cycles (in a format without cycles: rounds) in which it plays, from 0.
        replaces: on a ladder, the entrant whose next version it is; None for none.
        author: its author, may be empty.
    """

    entrant: int
    since: int
    replaces: int | None = None
    author: str = ""


Change = MoreCycles | Late
Added = Sequence[Change]
"""The additions to a stage, in order, which its format allowed (`Format.late_from`, `can_be_longer`)."""


class Progress(NamedTuple):
    """How far a stage is.

    Attributes:
        over: how many of its rounds, counted from the first, are over.
        begun: how many rounds there are up to the last one that has begun or may have begun.
    """

    over: int
    begun: int


class TooLate(ValueError):
    """Nobody can enter the stage any more; the text, the end of a sentence on the tournament, says why."""


class ResultsMissing(LookupError):
    """A round was asked for before the matches on which its pairings depend were over."""


class Round(NamedTuple):
    """A round: matches of which each entrant plays at most one.

    Attributes:
        label: its name for people, such as `round 3` or `semi-finals`.
        matches: the matches, numbered by their keys from 0.
        byes: the entrants that are still in the stage and sit out, in seed order.
        absent: if the stage `pairs_by_score`, the entrants that are withdrawn or not here yet, in seed order.
    """

    label: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...] = ()


class Group(NamedTuple):
    """A named group of entrants with a ranking of its own, in seed order."""

    name: str
    entrants: tuple[int, ...]


class Stage(abc.ABC):
    """A format with its entrants: the rounds, and the properties that a tournament needs.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: the entrants, best seed first.
        least: the fewest entrants.
        remedy: the end of the sentence that refuses fewer.

    Attributes:
        seats: the size of a table.
        depends_on_results: whether the pairings of a round depend on earlier rounds; if not, all rounds may
            be asked for at once.
        may_need_more: whether results may require matches besides `match_count`.
        extra_boards: how many extra boards may break a tie in a match.
        groups: the groups with a standings table each; none if there is one table for all.
        annuls_withdrawn: whether the scores leave out the matches of a withdrawn entrant that has played less
            than half of them.
        pairs_by_score: whether entrants with similar scores meet, as in a Swiss. Then a round without a match
            counts: a bye as won, an absence as lost. A withdrawn entrant is no longer paired, and tie-breaks
            follow the FIDE rules for a Swiss.
        tie_breaks: the FIDE codes of the tie-breaks of the stage's standings, in order of use.
        round_count: the most rounds.
        match_count: how many matches all rounds have, without those that only some results require.

    Raises:
        ValueError: there are fewer than `least` entrants, or one is there twice.
    """

    seats: int
    depends_on_results: ClassVar[bool] = False
    may_need_more: ClassVar[bool] = False
    extra_boards: int = 0
    groups: tuple[Group, ...] = ()
    annuls_withdrawn: bool = False
    pairs_by_score: ClassVar[bool] = False
    tie_breaks: ClassVar[tuple[str, ...]] = ("DE", "SB", "WIN", "KS")

    def __init__(self, number: int, entrants: Sequence[int], least: int, remedy: str) -> None:
        if len(set(entrants)) != len(entrants):
            raise ValueError("an entrant takes part in a stage only once: name each entrant a single time")
        if len(entrants) < least:
            raise ValueError(f"{least} entrants are needed and there are {len(entrants)}: {remedy}")
        self.number = number
        self.entrants = tuple(entrants)

    @property
    @abc.abstractmethod
    def round_count(self) -> int: ...
    @property
    @abc.abstractmethod
    def match_count(self) -> int: ...

    @property
    def is_in_turn(self) -> bool:
        """Whether a round is paired only when all matches of the rounds before are decided."""
        return self.depends_on_results

    @property
    def seat_count(self) -> int:
        """How many seats all matches have together."""
        return self.match_count * self.seats

    @property
    def order(self) -> Sequence[int]:
        """The numbers of the rounds in the order in which they begin when tables are free."""
        return range(self.round_count)

    def newcomer(self, number: int) -> int | None:
        """The late entrant for which round `number` was added; None for other rounds."""
        return None

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        """For each cycle, the number of rounds after which it is over; empty for a stage without cycles."""
        return ()

    def matches_of(self, entrant: int) -> Fraction:
        """How many matches an entrant has: an average if that is not known beforehand."""
        return Fraction(self.seat_count, len(self.entrants)) if entrant in self.entrants else Fraction(0)

    def further_matches(self, results: Results) -> int:
        """How many more matches the results of all others require, if it `may_need_more`."""
        return 0

    def take_over(self, earlier: Stage) -> bool:
        """Takes over the rounds that this stage has paired before a ruling, if that is quicker.

        Args:
            earlier: the stage before the ruling, which stays as it is.

        Returns whether it did. If not, it pairs these rounds again.
        """
        return False

    @abc.abstractmethod
    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last, and if the results make the round unnecessary.

        Args:
            number: the round's number.
            results: the results so far. Only a stage that `depends_on_results` reads them; it needs the
                results of all earlier rounds.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        """The seatings of the games of the stage.

        Args:
            boards: how many regular boards a match has.
            rule: the tournament's rule for seating tables.
        """
        return CyclicSeatings() if rule == "cyclic" else ListedSeatings(boards)

    def sections(self) -> list[list[frozenset[int]]]:
        """For each round, the sets of entrants that can come to the same table.

        Empty if any two entrants may meet at any time, whatever their seeds.
        """
        return []

    def placing(self, results: Results) -> Ranking | None:
        """All entrants ranked by the format itself, best first; None if the standings table ranks them."""
        return None

    def bracket(self, results: Results) -> Bracket | None:
        """The bracket with the results so far; None for a format without one."""
        return None

    def numbered_round(
        self,
        number: int,
        tables: Sequence[tuple[int, ...]],
        absent: tuple[int, ...] = (),
        what: str = "match",
    ) -> Round:
        """A round whose matches are labelled `round 3, match 1` and so on.

        Args:
            number: the round's number, from 0.
            tables: the entrants at each table.
            absent: the entrants that are not paired; all others without a table have a bye.
            what: the word for a match.
        """
        label = f"round {number + 1}"
        placed = {entrant for table in tables for entrant in table} | {*absent}
        return Round(
            label,
            tuple(
                Match(MatchKey(self.number, number, i), table, f"{label}, {what} {i + 1}")
                for i, table in enumerate(tables)
            ),
            tuple(entrant for entrant in self.entrants if entrant not in placed),
            absent,
        )


class Schedule(Stage):
    """A stage of cycles with equally many rounds, whose pairings do not depend on results.

    Args:
        cycles: how many cycles are played.
        number, entrants, least, remedy: see `Stage`.

    Attributes:
        cycle_rounds: how many rounds a cycle has.
        cycle_matches: how many matches a cycle has.
        table_word: the word for a match in its label.

    Raises:
        ValueError: as for a `Stage`, or there is no cycle.
    """

    cycle_rounds: int
    cycle_matches: int
    table_word: ClassVar[str] = "match"

    def __init__(self, cycles: int, number: int, entrants: Sequence[int], least: int, remedy: str) -> None:
        super().__init__(number, entrants, least, remedy)
        if cycles < 1:
            raise ValueError(f"a stage has at least 1 cycle, not {cycles}")
        self.cycles = cycles

    @property
    def round_count(self) -> int:
        """How many rounds there are in all cycles."""
        return self.cycles * self.cycle_rounds

    @property
    def match_count(self) -> int:
        """How many matches there are in all cycles."""
        return self.cycles * self.cycle_matches

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        return tuple(self.cycle_rounds * (cycle + 1) for cycle in range(self.cycles))

    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last. Results are not read."""
        if not 0 <= number < self.round_count:
            return None
        return self.numbered_round(
            number, self.tables_of(*divmod(number, self.cycle_rounds)), what=self.table_word
        )

    @abc.abstractmethod
    def tables_of(self, cycle: int, number: int) -> Sequence[tuple[int, ...]]:
        """The entrants at each table of a round in a cycle, both numbered from 0."""


@dataclasses.dataclass(frozen=True, slots=True)
class Format(abc.ABC):
    """A stage as the tournament file describes it, in plain values that are stored.

    A value that a later version adds has a default in the dataclass, which means what earlier versions did:
    so stored plans keep their meaning.

    Attributes:
        id: the name in tournament files, such as `round-robin`.
        title: the name for people.
        keys: its own keys in a `[[stage]]` table.
        most_added: the most cycles that can be added to it at once.
        cycle_word: the word for one of its cycles.
        fewest: the fewest entrants with which it goes on when others are withdrawn.
        after_withdrawal: what becomes of the matches that a withdrawn entrant has left, for people; empty if
            the withdrawal itself says it.
        shared_cards: how its matches share cards; None if the widest sharing that is safe is best.
        draws_bracket: whether its matches are shown as a bracket.
        ends_by_itself: whether it is over when all is played; if not, only the host ends it.
        alone: whether it is the only stage of its tournament.
        in_season: whether its tournaments count in the season of their league.
        gives_way: whether other tournaments of its league are played before it is over.
        numbers_rounds: whether people know its rounds by their numbers.
        keeps_versions: whether a bot plays only in the version with which it began.
        entrants: how many entrants it has: all in the first stage, later the best of the stage before.
        seats: the seats of a table.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]
    most_added: ClassVar[int] = MAX_CYCLES
    cycle_word: ClassVar[str] = "cycle"
    fewest: ClassVar[int] = 2
    after_withdrawal: ClassVar[str] = ""
    shared_cards: ClassVar[SharedCards | None] = None
    draws_bracket: ClassVar[bool] = False
    ends_by_itself: ClassVar[bool] = True
    alone: ClassVar[bool] = False
    in_season: ClassVar[bool] = True
    gives_way: ClassVar[bool] = False
    numbers_rounds: ClassVar[bool] = True
    keeps_versions: ClassVar[bool] = False

    entrants: int
    seats: int

    @property
    def can_be_longer(self) -> bool:
        """Whether cycles can be added to it."""
        return "cycles" in self.keys

    @classmethod
    @abc.abstractmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        """The format that a `[[stage]]` table describes; fails as the table does."""

    @abc.abstractmethod
    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        """The stage of some entrants.

        Args:
            number: its number in the tournament, from 0.
            entrants: the entrants at the beginning, best seed first.
            gone: the withdrawn entrants. Only a stage that pairs them no more reads them.
            changes: the additions.
        """

    def cards_of(self, match: int) -> int:
        """The number, in the round, of the match whose cards a match has, if not all have the same."""
        return match

    def late_from(self, stage: Stage, progress: Progress) -> int:
        """The first cycle or round, from 0, in which an entrant that comes now can play.

        By default it is the first one, if that has not begun.

        Args:
            stage: the stage.
            progress: the progress of the stage.

        Raises TooLate.
        """
        if progress.begun:
            raise TooLate(
                f"plays a {self.title} that has begun, and its pairings follow from its first round"
            )
        return 0

    def added(self, cycles: int, boards: int) -> tuple[int, int]:
        """The cycles, and the boards of each match, by which it gets longer if so many are asked for."""
        return cycles, boards

    def hands_shown_after(self, shared: SharedCards) -> str:
        """What must be over before the hands of a game are shown, since others play the same cards.

        `shared`: how the tournament shares cards.
        """
        return "game" if shared == "none" else shared

    # --- In words ---

    def match_length(self, boards: int) -> str:
        """How long its matches are, for the end of a sentence; empty if a match says nothing by itself."""
        return f", {counted(boards, 'board')} of each in a match"

    def heading(self, number: int) -> str:
        """The name of a stage of it; `number`: that of the stage, from 0."""
        return self.title if self.alone else f"stage {number + 1}: {self.title}"

    def opening(self, stage: Stage, end: str) -> str:
        """The news that a stage of it begins.

        Args:
            stage: the stage.
            end: the command by which the host ends the tournament.
        """
        entrants, matches = counted(len(stage.entrants), "entrant"), stage.match_count
        return f"{self.heading(stage.number)}, {entrants}, {counted(matches, 'match', 'matches')}"

    # --- How it is stored ---

    def to_values(self) -> dict[str, Any]:
        """The stored values, for JSON."""
        return {"format": self.id, **dataclasses.asdict(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The format with these stored values. Raises TypeError if there cannot be one."""
        return cls(**{name: value for name, value in values.items() if name != "format"})


def with_late(entrants: Sequence[int], changes: Added) -> tuple[int, ...]:
    """All entrants: those at the beginning, and then the late ones."""
    return (*entrants, *(change.entrant for change in changes if isinstance(change, Late)))


def cycles_added(changes: Added) -> int:
    """The number of added cycles."""
    return sum(change.cycles for change in changes if isinstance(change, MoreCycles))
