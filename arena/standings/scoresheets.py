"""What Buchholz and its kin read: for each entrant, whom it met in the matches that count, and what it took.

For rounds that were not played the FIDE Handbook's C.07, article 16, holds:

* An opponent's score, as it counts for others, is its points as they were
  awarded, for byes and walkovers too; but each round from which it was absent
  to the end counts as drawn (16.3).
* An entrant's own rounds without play - byes, walkovers, absences - count as if
  played against a dummy that has as many points as the entrant itself (16.4).
* When the lowest is cut, it is the lowest of the rounds that it missed by its
  own doing (walkovers lost, absences), if there are any (16.5).

All matches are at two-seat tables.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from arena.standings.tally import Tally

_HALF = Fraction(1, 2)


class Line(NamedTuple):
    """One match of an entrant.

    Attributes:
        opponent: whom it was against; None where it was not played.
        score: what the entrant took.
        absent: whether it was not paired, and never again.
    """

    opponent: int | None
    score: Fraction
    absent: bool = False


class Scoresheets:
    """The scoresheets of a stage, or of a whole tournament where no stage is given."""

    def __init__(self, tally: Tally, stage: int | None = None) -> None:
        self._lines: dict[int, list[Line]] = {}
        last: dict[tuple[int, int], int] = {}  # by stage and entrant, the last round to be played
        for key, result in tally.results(stage).items():
            one, other = result.entrants
            for entrant, opponent, score in zip((one, other), (other, one), result.scores, strict=True):
                self._add(entrant, Line(None if result.walkover else opponent, score))
                last[key.stage, entrant] = max(key.round, last.get((key.stage, entrant), -1))
        for (number, round_, entrant), won in tally.unplayed.items():
            if won:
                last[number, entrant] = max(round_, last.get((number, entrant), -1))
        for (number, round_, entrant), won in tally.unplayed.items():
            if stage in (None, number):
                gone = not won and round_ > last.get((number, entrant), -1)
                self._add(entrant, Line(None, Fraction(won), absent=gone))

    def buchholz(self, entrant: int, *, cut: bool = False) -> Fraction:
        """The scores of the opponents; with `cut` without the lowest (BH, BH-C1)."""
        lines = self._lines.get(entrant, ())
        values = [self._contribution(entrant, line) for line in lines]
        total = sum(values, Fraction(0))
        if not cut or not values:
            return total
        missed = [
            value
            for value, line in zip(values, lines, strict=True)
            if line.opponent is None and line.score == 0
        ]
        return total - min(missed or values)

    def sonneborn_berger(self, entrant: int) -> Fraction:
        """What it took from each opponent, times that one's score (SB)."""
        return sum(
            (line.score * self._contribution(entrant, line) for line in self._lines.get(entrant, ())),
            Fraction(0),
        )

    def _add(self, entrant: int, line: Line) -> None:
        self._lines.setdefault(entrant, []).append(line)

    def _contribution(self, entrant: int, line: Line) -> Fraction:
        """The score of an opponent, or of the dummy in its stead."""
        if line.opponent is None:
            return sum((each.score for each in self._lines[entrant]), Fraction(0))
        return sum((_HALF if each.absent else each.score for each in self._lines[line.opponent]), Fraction(0))
