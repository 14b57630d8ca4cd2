"""The contract of a format: its keys in a tournament file (`Format`), and its rounds (`Stage`).

A stage says, round by round, who meets whom. It is made from its number in the
tournament, its entrants in seed order (best first) and the format's own
parameters. It holds no results and no randomness: the same arguments give the
same rounds for ever, so a tournament can be resumed from its results alone.
Rounds are made when they are asked for, so a stage of half a million matches
costs the memory of one round.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Self

from arena.comparison.comparison import Comparison, NoComparison
from arena.formats.bracket import Bracket
from arena.formats.seating import CyclicSeatings, ListedSeatings, Rule, Seatings
from arena.results import Match, MatchKey, MatchResult, Ranking
from arena.strict_toml import Section

MAX_CYCLES = 1_000
"""The most cycles that a stage can be planned with, or can have added at once."""

Gone = Mapping[int, int]
"""The entrants that are withdrawn, each with the first round, from 0, for which it is not paired any more."""

NOBODY: Final[Gone] = MappingProxyType({})
"""Nobody is withdrawn."""

Results = Mapping[MatchKey, MatchResult]
"""The results of a stage so far."""


class MoreCycles(NamedTuple):
    """A stage that is being played gets so many more cycles."""

    cycles: int


class Late(NamedTuple):
    """An entrant that came while the stage was being played.

    Attributes:
        entrant: who.
        since: from which of the stage's cycles or, in a format without them, rounds on it takes part, from 0.
    """

    entrant: int
    since: int


Change = MoreCycles | Late
Added = Sequence[Change]
"""What was added to a stage, in order; each as the format let it be (`Format.late_from`, `can_be_longer`)."""


class Progress(NamedTuple):
    """How far a stage is.

    Attributes:
        over: how many of its rounds, from the first on, are over in all their matches.
        begun: how many there are up to the last of which anything was played or may be under way.
    """

    over: int
    begun: int


class TooLate(ValueError):
    """A stage that nobody can enter any more; the text, the end of a sentence on the tournament, says why."""


class ResultsMissing(LookupError):
    """A round was asked for before the matches that decide who plays in it were over."""


class Round(NamedTuple):
    """Matches of which each entrant plays at most one.

    Attributes:
        label: what people call it, such as `round 3` or `semi-finals`.
        matches: the matches, numbered by their keys from 0.
        byes: the entrants still in the stage who sit out, in seed order.
        absent: where the stage `pairs_by_score`, those who are not paired since they are
            withdrawn or came later, in seed order.
    """

    label: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...] = ()


class Group(NamedTuple):
    """Entrants who are ranked among themselves, in seed order."""

    name: str
    entrants: tuple[int, ...]


class Stage(abc.ABC):
    """One format with its entrants: what a tournament needs to know of it.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first.
        least: how many entrants there must be.
        remedy: the end of the sentence that refuses fewer.

    Attributes:
        seats: the size of a table.
        depends_on_results: whether who plays in a round depends on earlier
            rounds; if not, all rounds may be asked for at once.
        may_need_more: whether results may call for matches besides `match_count`.
        extra_boards: how many extra boards may break a tie in a match.
        groups: the groups that have a table of standings each; none where all have one.
        annuls_withdrawn: whether what a withdrawn entrant did is left out of
            the scores where that was less than half of its matches.
        pairs_by_score: whether those of like score meet, as in a Swiss. Then a
            round without a match counts: a bye as won, an absence as lost; who
            is withdrawn is not paired any more; and tie-breaks are computed
            as the FIDE rules have it for a Swiss.
        tie_breaks: the FIDE codes of the tie-breaks of the stage's standings, in order of use.
        round_count: how many rounds there are at most.
        match_count: how many matches there are in all of them, those aside that only some results call for.

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
    def seat_count(self) -> int:
        """How many seats all matches have together."""
        return self.match_count * self.seats

    @property
    def order(self) -> Sequence[int]:
        """The numbers of the rounds in the order in which they are played, as far as tables are free."""
        return range(self.round_count)

    def newcomer(self, number: int) -> int | None:
        """The late entrant that plays a match of its own as round `number`; None for other rounds."""
        return None

    @property
    def cycle_ends(self) -> tuple[int, ...]:
        """After how many rounds each of its cycles is over; empty for a stage that has none."""
        return ()

    def matches_of(self, entrant: int) -> Fraction:
        """How many matches one of the entrants has, on average where that is not known beforehand."""
        return Fraction(self.seat_count, len(self.entrants)) if entrant in self.entrants else Fraction(0)

    def further_matches(self, results: Results) -> int:
        """How many matches the results of all others call for besides, where it `may_need_more`."""
        return 0

    @abc.abstractmethod
    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last, and where the results call for no such round.

        Args:
            number: which round.
            results: the results so far. Only a stage that `depends_on_results`
                reads them; it needs those of all the earlier rounds.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """

    def seatings(self, boards: int, rule: Rule) -> Seatings:
        """Who sits where in the games of the stage.

        Args:
            boards: how many regular boards a match has.
            rule: how the tournament seats its tables.
        """
        return CyclicSeatings() if rule == "cyclic" else ListedSeatings(boards)

    def sections(self) -> list[list[frozenset[int]]]:
        """For each round, who may meet whom: the entrants that can come to each of its tables.

        Empty where everybody meets anybody sooner or later, whatever the seeds.
        """
        return []

    def placing(self, results: Results) -> Ranking | None:
        """All entrants ranked by the format itself, best first; None where the standings table ranks them."""
        return None

    def bracket(self, results: Results) -> Bracket | None:
        """The bracket with what the results say of it; None for a format without one."""
        return None

    def numbered_round(
        self,
        number: int,
        tables: Sequence[tuple[int, ...]],
        absent: tuple[int, ...] = (),
        what: str = "match",
    ) -> Round:
        """A round of some tables, whose matches are called `round 3, match 1` and so on.

        Args:
            number: the round's number, from 0.
            tables: who sits at each of them.
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
    """A stage of cycles, each of which has as many rounds; who meets whom does not depend on results.

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
        """Who sits at each table in a round of a cycle, both numbered from 0."""


@dataclasses.dataclass(frozen=True, slots=True)
class Format(abc.ABC):
    """A stage as the tournament file describes it: plain values, which are what is stored of it.

    A value that comes later gets, as the dataclass's default, what was done before
    it was there; so what is stored keeps its meaning.

    Attributes:
        id: the name in tournament files, such as `round-robin`.
        title: the name for people.
        keys: the keys of its own in a `[[stage]]` table.
        compares: whether it is a comparison: it compares bots until it is sure, instead of ranking them.
            Then a round is one board, on which all its matches are played, and there are no walkovers: a
            match without its opponent is given up.
        most_added: how many cycles can be added to it at once.
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]
    compares: ClassVar[bool] = False
    most_added: ClassVar[int] = MAX_CYCLES

    entrants: int
    seats: int

    @property
    def can_be_longer(self) -> bool:
        """Whether there can be more of its cycles."""
        return "cycles" in self.keys

    @classmethod
    @abc.abstractmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        """The format as a `[[stage]]` table describes it; fails as the table does."""

    @abc.abstractmethod
    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        """The stage of some entrants.

        Args:
            number: its number in the tournament, from 0.
            entrants: who takes part from the beginning, best seed first.
            gone: who is withdrawn. Only a stage that `pairs_by_score` reads it.
            changes: what was added.
        """

    def comparison(self, games: Sequence[str]) -> Comparison:
        """What is asked of the boards of some games, which says what is played; here nothing."""
        return NoComparison()

    def cards_of(self, match: int) -> int:
        """The match of a round, from 0, whose cards a match has where each match has cards of its own."""
        return match

    def late_from(self, stage: Stage, progress: Progress) -> int:
        """From which cycle or round on, from 0, one who comes now takes part in a stage.

        Here: from the first, and only as long as that has not begun.

        Args:
            stage: the stage.
            progress: how far it is.

        Raises TooLate.
        """
        if progress.begun:
            raise TooLate(
                f"plays a {self.title} that has begun, and who meets whom there follows from its first round"
            )
        return 0

    def to_values(self) -> dict[str, Any]:
        """What is stored of it, as JSON has it."""
        return {"format": self.id, **dataclasses.asdict(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The format of which this was stored. Raises TypeError where it cannot be."""
        return cls(**{name: value for name, value in values.items() if name != "format"})


def with_late(entrants: Sequence[int], changes: Added) -> tuple[int, ...]:
    """All who take part: those from the beginning, and those who came late."""
    return (*entrants, *(change.entrant for change in changes if isinstance(change, Late)))


def cycles_added(changes: Added) -> int:
    """How many cycles were added."""
    return sum(change.cycles for change in changes if isinstance(change, MoreCycles))
