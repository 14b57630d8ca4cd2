"""What standings are made of: plain values for texts, JSON and pages.

Scores are exact fractions from 0 to 1. Only ratings, which are estimates, are
floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class GameScore(NamedTuple):
    """An entrant's score in one of the tournament's games.

    Attributes:
        game: the game's id.
        games: how many games of it count.
        score: the mean over the matches of the mean score in it; None if there
            are none. So the score is the mean of the games' scores.
    """

    game: str
    games: int
    score: Fraction | None


class TieBreak(NamedTuple):
    """A tie-break as it was used for a row: its FIDE code (see `tiebreaks`) and the row's value."""

    code: str
    value: Fraction


class Row(NamedTuple):
    """One entrant's line of a standings table. Matches count when all their regular games are over.

    Attributes:
        rank: 1 is best; entrants that no tie-break separates share a rank.
        entrant: who.
        matches: how many matches count.
        score: the mean match score; None without a match. The ranking goes by it.
        total: the sum of the match scores.
        games: the score in each game, in the tournament's order of games.
        wins: matches at two-seat tables with the higher match score, walkovers, and byes of a Swiss.
        draws: matches at two-seat tables with equal match scores.
        losses: matches at two-seat tables with the lower match score, and what a Swiss counts so.
        tie_breaks: the tie-breaks that were used to rank the entrant among
            those of the same score, in order; empty if its score is its own.
        forfeits: games forfeited.
        faults: how many faults of each kind, by `results.FAULT_REASONS`' order.
        decisions: turns asked.
        time: the time used for them, in microseconds.

    Forfeits, faults, decisions and time are of every game, also of extra boards
    and of matches that are not over.
    """

    rank: int
    entrant: int
    matches: int
    score: Fraction | None
    total: Fraction
    games: tuple[GameScore, ...]
    wins: int
    draws: int
    losses: int
    tie_breaks: tuple[TieBreak, ...]
    forfeits: int
    faults: tuple[int, ...]
    decisions: int
    time: int

    @property
    def time_per_decision(self) -> Fraction | None:
        """The mean time of a decision in microseconds; None without one."""
        return Fraction(self.time, self.decisions) if self.decisions else None


class Encounters(NamedTuple):
    """A cell of a crosstable: an entrant against another.

    Attributes:
        games: how many games had both at the table; 0 if they have not met.
        score: the share of them in which the row's entrant came out ahead,
            ties half; None if they have not met.
    """

    games: int
    score: Fraction | None


class Crosstable(NamedTuple):
    """Everybody against everybody.

    Attributes:
        entrants: the rows and columns, in the order that was asked for.
        cells: `cells[row][column]`; None on the diagonal.
    """

    entrants: tuple[int, ...]
    cells: tuple[tuple[Encounters | None, ...], ...]


class Rating(NamedTuple):
    """An entrant's rating: 1500 is the mean of the anchors (see `rating`), 400 points are odds of 10 to 1.

    Attributes:
        entrant: who.
        groups: how many duplicate groups it rests on.
        rating: the estimate; None without a game, and where the results do not
            bound it above and below.
        low: the lower end of the 95% interval. Where there is no `rating`, what
            it is above: a bound at 95%.
        high: the upper end, or what it is below. Both are None where no
            interval was asked for, and with fewer than two groups.
        anchor: whether it is one of those whose mean is 1500.
        island: with whom any chain of games connects it: those of the same
            number. Ratings of different islands cannot be compared.
    """

    entrant: int
    groups: int
    rating: float | None
    low: float | None = None
    high: float | None = None
    anchor: bool = False
    island: int = 0

    @property
    def bound(self) -> str | None:
        """`above` or `below` where there is a bound in place of a rating."""
        if self.rating is not None or self.low is self.high is None:
            return None
        return "below" if self.low is None else "above"


class Share(NamedTuple):
    """A score from 0 to 1, as an estimate.

    Attributes:
        score: the mean over the games (kinds) of the mean score in each; None without a game.
        low, high: its 95% interval; None where none was asked for.
    """

    score: float | None
    low: float | None = None
    high: float | None = None


class Cycle(NamedTuple):
    """Three of whom the first beats the second, the second the third and the third the first, by no chance.

    Attributes:
        entrants: who.
        scores: the share of their encounters that each took from the next.
    """

    entrants: tuple[int, int, int]
    scores: tuple[float, float, float]


class Final(NamedTuple):
    """A line of a tournament's final ranking.

    Attributes:
        place: 1 is best; shared places are possible.
        entrant: who.
        stage: the last stage the entrant took part in, from 0.
    """

    place: int
    entrant: int
    stage: int
