"""The values of standings: plain data for texts, JSON and pages.

Scores are exact fractions from 0 to 1. Only ratings, which are estimates, are floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class GameScore(NamedTuple):
    """An entrant's score in one of the tournament's games.

    Attributes:
        game: the game's id.
        games: how many games of it count.
        score: the mean score over the matches in this game; None without a game. The score of a finished
            match is the mean of the games' scores.
    """

    game: str
    games: int
    score: Fraction | None


class TieBreak(NamedTuple):
    """A tie-break that was used for a row: its FIDE code (see `tiebreaks`) and the row's value."""

    code: str
    value: Fraction


class Unfinished(NamedTuple):
    """How far unfinished matches are: how many of their games are played, and how many they have."""

    played: int
    of: int


class Row(NamedTuple):
    """One entrant's line of a standings table. Unfinished matches count as far as they are played.

    Attributes:
        rank: 1 is best; entrants that no tie-break separates share a rank.
        entrant: the entrant.
        matches: how many matches are over: all their regular games are.
        score: the mean match score, by which entrants are ranked; None without a game. A match of which 7 of
            10 games are played has the weight of 7 tenths of a match.
        total: the sum of the match scores; that of an unfinished match is its points so far.
        weight: how many matches count in the score: the finished ones, and the parts of others.
        games: the score in each game, in the tournament's order of games.
        wins: matches at two-seat tables with the higher match score, walkovers, and byes of a Swiss.
        draws: matches at two-seat tables with equal match scores.
        losses: matches at two-seat tables with the lower match score, and absences in a Swiss.
        tie_breaks: the tie-breaks that were used to rank the entrant among entrants with the same score, in
            order; empty if no other has this score.
        forfeits: games forfeited.
        faults: how many faults of each kind, by `results.FAULT_REASONS`' order.
        decisions: turns asked.
        time: the time used for them, in microseconds.
        unfinished: how far its unfinished matches are; None without any.

    Forfeits, faults, decisions and time count every game, also of extra boards and of unfinished matches.
    """

    rank: int
    entrant: int
    matches: int
    score: Fraction | None
    total: Fraction
    weight: Fraction
    games: tuple[GameScore, ...]
    wins: int
    draws: int
    losses: int
    tie_breaks: tuple[TieBreak, ...]
    forfeits: int
    faults: tuple[int, ...]
    decisions: int
    time: int
    unfinished: Unfinished | None = None

    @property
    def time_per_decision(self) -> Fraction | None:
        """The mean time of a decision in microseconds; None without one."""
        return Fraction(self.time, self.decisions) if self.decisions else None


class Encounters(NamedTuple):
    """A cell of a crosstable: an entrant against another.

    Attributes:
        games: how many games had both at the table; 0 if they have not met.
        score: the share of them in which the row's entrant came out ahead, with ties counting half; None if
            they have not met.
    """

    games: int
    score: Fraction | None


class Crosstable(NamedTuple):
    """A crosstable: every entrant against every other.

    Attributes:
        entrants: the rows and columns, in order.
        cells: `cells[row][column]`; None on the diagonal.
    """

    entrants: tuple[int, ...]
    cells: tuple[tuple[Encounters | None, ...], ...]


class Rating(NamedTuple):
    """An entrant's rating: 1500 is the mean of the anchors (see `rating`), 400 points are odds of 10 to 1.

    Attributes:
        entrant: the entrant.
        groups: the number of its duplicate groups.
        rating: the estimate; None without a game, and if the results do not bound it on both sides.
        low: the lower end of the 95% interval. Without a `rating`, a lower bound at 95%.
        high: the upper end, or an upper bound. Both are None if no interval was asked for, and with fewer
            than two groups.
        anchor: whether it is an anchor: 1500 is the mean of the anchors.
        island: a number; chains of games connect only entrants with the same number. Ratings of different
            islands cannot be compared.
        together: the ends of an interval at the level 1 - 0.05 / entrants, for certain places. An end is
            infinite where the results bound nothing. None if no interval was asked for, and on a ladder,
            whose 95% intervals are for all entrants together.
    """

    entrant: int
    groups: int
    rating: float | None
    low: float | None = None
    high: float | None = None
    anchor: bool = False
    island: int = 0
    together: tuple[float, float] | None = None

    @property
    def bound(self) -> str | None:
        """`above` or `below` if there is a bound in place of a rating."""
        if self.rating is not None or self.low is self.high is None:
            return None
        return "below" if self.low is None else "above"


class Share(NamedTuple):
    """A score from 0 to 1, as an estimate.

    Attributes:
        score: the mean over the games (kinds) of the mean score in each; None without a game.
        low, high: its 95% interval; None if it was not asked for.
    """

    score: float | None
    low: float | None = None
    high: float | None = None


class Cycle(NamedTuple):
    """Three entrants: the first beats the second, the second the third, the third the first, beyond chance.

    Attributes:
        entrants: the three entrants.
        scores: the share of its encounters that each took from the next.
    """

    entrants: tuple[int, int, int]
    scores: tuple[float, float, float]


class NashAverage(NamedTuple):
    """An entrant's Nash average. It is about a mix of entrants against which none scores more than half.

    Attributes:
        score: what it scores against the mix, from 0 to 1; an estimate without an interval.
        weight: its share of the mix.
    """

    score: float
    weight: float


class Final(NamedTuple):
    """A line of a tournament's final ranking.

    Attributes:
        place: 1 is best; shared places are possible.
        entrant: the entrant.
        stage: the last stage in which the entrant played, from 0.
    """

    place: int
    entrant: int
    stage: int


class Difference(NamedTuple):
    """How much higher one rating is than another, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float
