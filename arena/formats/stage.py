"""What every format is: a stage that says, round by round, who meets whom.

A stage is made from its number in the tournament, its entrants in seed order
(best first) and the format's own parameters. It holds no results and no
randomness: the same arguments give the same rounds for ever, which is what
lets a tournament be resumed from its results alone. Rounds are made when they
are asked for, so a stage of half a million matches costs the memory of one
round.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, NamedTuple

from arena.formats.bracket import Bracket
from arena.formats.seating import CyclicSeatings, ListedSeatings, Rule, Seatings
from arena.results import Match, MatchKey, MatchResult


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


class ResultsMissing(LookupError):
    """A round was asked for before the matches that decide who plays in it were over."""


Ranking = tuple[tuple[int, ...], ...]
"""Entrants ranked, best first; those that share a place are together, in seed order."""


class Stage(abc.ABC):
    """One format with its entrants: what a tournament needs to know of it.

    Attributes:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first.
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
    """

    number: int
    entrants: tuple[int, ...]
    seats: int
    depends_on_results: ClassVar[bool]
    may_need_more: ClassVar[bool] = False
    extra_boards: int = 0
    groups: tuple[Group, ...] = ()
    annuls_withdrawn: bool = False
    pairs_by_score: ClassVar[bool] = False
    tie_breaks: ClassVar[tuple[str, ...]] = ("DE", "SB", "WIN", "KS")

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

    def further_matches(self, results: Mapping[MatchKey, MatchResult]) -> int:
        """How many matches the results of all others call for besides, where it `may_need_more`."""
        return 0

    @abc.abstractmethod
    def round(self, number: int, results: Mapping[MatchKey, MatchResult]) -> Round | None:
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

    def placing(self, results: Mapping[MatchKey, MatchResult]) -> Ranking | None:
        """All entrants ranked by the format itself, best first; None where the standings table ranks them."""
        return None

    def bracket(self, results: Mapping[MatchKey, MatchResult]) -> Bracket | None:
        """The bracket with what the results say of it; None for a format without one."""
        return None


def checked_entrants(entrants: Sequence[int], least: int, remedy: str) -> tuple[int, ...]:
    """The entrants of a stage as a tuple.

    Args:
        entrants: who takes part, best seed first.
        least: how many there must be.
        remedy: the end of the sentence that refuses fewer.

    Raises:
        ValueError: there are fewer than `least`, or one is there twice.
    """
    if len(set(entrants)) != len(entrants):
        raise ValueError("an entrant takes part in a stage only once: name each entrant a single time")
    if len(entrants) < least:
        raise ValueError(f"{least} entrants are needed and there are {len(entrants)}: {remedy}")
    return tuple(entrants)
