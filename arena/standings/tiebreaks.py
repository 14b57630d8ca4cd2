"""Tie-breaks: they rank entrants with the same score.

These are the tie-breaks for single players in the FIDE Handbook, C.07 (Play-Off and Tie-Break Regulations),
edition of 2026, in force since 1 March 2026:

=====  ==========================================  =======  =====================================
Code   Name                                        Article  Here
=====  ==========================================  =======  =====================================
DE     direct encounter                            6        yes; 6.3, not everybody met, in a Swiss
WIN    number of wins                              7.1      yes; byes and walkovers that count are wins
WON    number of games won                         7.2      no: the score says it
BPG    games with Black                            7.3      no: everybody plays from every seat
BWG    games won with Black                        7.4      no: as BPG
PS     progressive score                           7.5      no: says less than BH
REP    rounds one elected to play                  7.6      no: nobody elects not to play
STD    standard points                             7.7      no: the score has no other scale
TPN    pairing number                              7.8      no: a rank is shared; only who
                                                            advances falls back on the seed
BH     Buchholz                                    8.1      yes, in a Swiss: elsewhere it says nothing
AOB    average of opponents' Buchholz, with FB     8.2-8.3  no: BH is used instead
SB     Sonneborn-Berger                            9.1      yes
KS     Koya                                        9.2      yes
ARO    average rating of opponents, with APRO,     10       no: ratings come from these results
       APPO, TPR, PTP, RTNG
C1     cut the lowest (BH-C1)                      14.1     yes, of BH; no other cuts
-      rounds that were not played                 16       yes, in a Swiss: see below
=====  ==========================================  =======  =====================================

Here points are match scores, and tables may have more than two seats. So the definitions use **pairwise
points**: the share of its encounters with one opponent that an entrant won in a match, divided by the number
of its opponents there. Over all opponents they add up to the match score, and at two-seat tables they are the
match score.

* DE: the share of the encounters won, added up over the tied opponents. It is used if all tied entrants have
  met. If it separates some of them, it is used again on the entrants that are still tied (6.2). In a Swiss in
  which not all of them have met, an entrant that is ahead of all the others, whatever the results of the
  missing encounters would be, is first; then the same rule is applied to the others, and so on (6.3).
* BH: the scores of the opponents, added up; BH-C1: without the lowest.
* SB: the pairwise points against each opponent times the opponent's total.
* WIN: the matches in which nobody else scored as much.
* KS: the pairwise points against the opponents with a score of one half or more.

Article 16 holds for rounds of a Swiss that were not played (all matches are at two-seat tables):

* An opponent's score, as it counts for others, is its **adjusted score**: its awarded points, also for byes
  and walkovers (16.3.1). But a round for which it was not paired counts as drawn, if in each later round it
  was not paired either, or lost by a walkover (16.2.5, 16.3.2).
* An entrant's own rounds without play (byes, walkovers, absences) count as if played against a dummy that has
  as many points as the entrant itself (16.4), with limits: after a walkover at most the adjusted score of the
  planned opponent (16.4.1), after a bye or an absence at most half a point for each round (16.4.2). Until the
  end, these are the rounds that count for the entrant so far.
* The cut removes the lowest of the rounds that the entrant missed through its own fault (walkovers lost,
  absences), if there are any, else the lowest of all (16.5).

A Swiss that began when the arena followed the edition of 2024 keeps that:

* The dummy has no limits: 16.4.1 and 16.4.2 are new.
* For DE a walkover is an encounter, as 6.1.1 lets the rules of a tournament say; by the edition of 2026 it is
  none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import groupby, takewhile
from typing import NamedTuple

from arena.results import LATEST_EDITION, Ranking, TieBreakEdition
from arena.standings.tally import Tally
from arena.standings.totals import Against, Totals
from arena.standings.values import TieBreak

DEFAULT = ("DE", "SB", "WIN", "KS")
"""The tie-breaks in their default order."""


class TieBreaks:
    """The tie-breaks of some totals.

    Args:
        totals: the totals from which they are computed.
        codes: the tie-breaks to use, in order.
        swiss: the scoresheets of a Swiss, whose rules then hold; BH and BH-C1 need them.

    Raises:
        ValueError: there is no such tie-break.
    """

    def __init__(
        self, totals: Totals, codes: Sequence[str] = DEFAULT, swiss: Scoresheets | None = None
    ) -> None:
        self._measures: dict[str, Callable[[int, Sequence[int]], Fraction | None]] = {
            "DE": self._direct_encounter,
            "SB": self._sonneborn_berger,
            "WIN": self._wins,
            "KS": self._koya,
        }
        if swiss is not None:
            self._measures["BH"] = lambda entrant, _: swiss.buchholz(entrant)
            self._measures["BH-C1"] = lambda entrant, _: swiss.buchholz(entrant, cut=True)
            self._measures["SB"] = lambda entrant, _: swiss.sonneborn_berger(entrant)
        unknown = [code for code in codes if code not in self._measures]
        if unknown:
            raise ValueError(f"there is no tie-break {unknown[0]}: choose from {', '.join(self._measures)}")
        self._totals = totals
        self._codes = tuple(codes)
        self._swiss = swiss

    def separate(self, tied: Sequence[int]) -> tuple[Ranking, dict[int, tuple[TieBreak, ...]]]:
        """Ranks entrants with the same score, each of which has finished a match.

        Returns:
            The ranking, in which only entrants that no tie-break separates share a place (in the order of
            `tied`); and for each entrant the tie-breaks that were used on it, in order.
        """
        used: dict[int, tuple[TieBreak, ...]] = dict.fromkeys(tied, ())
        return tuple(self._separate(tuple(tied), self._codes, used)), used

    def _separate(
        self, tied: tuple[int, ...], codes: tuple[str, ...], used: dict[int, tuple[TieBreak, ...]]
    ) -> list[tuple[int, ...]]:
        if len(tied) == 1 or not codes:
            return [tied]
        code, *later = codes
        values: dict[int, Fraction] = {}
        for entrant in tied:
            value = self._measures[code](entrant, tied)
            if value is None:
                return self._separate_unmet(tied, codes, used)
            values[entrant] = value
        for entrant, value in values.items():
            used[entrant] += (TieBreak(code, value),)
        best_first = sorted(tied, key=values.__getitem__, reverse=True)
        groups = [tuple(group) for _, group in groupby(best_first, key=values.__getitem__)]
        again = codes if code == "DE" and len(groups) > 1 else tuple(later)
        return [place for group in groups for place in self._separate(group, again, used)]

    def _separate_unmet(
        self, tied: tuple[int, ...], codes: tuple[str, ...], used: dict[int, tuple[TieBreak, ...]]
    ) -> list[tuple[int, ...]]:
        """Direct encounter if some have not met: in a Swiss by 6.3, elsewhere not used."""
        first: list[tuple[int, ...]] = []
        rest = list(tied)
        if self._swiss is not None:
            least = {entrant: self._taken(entrant, tied) for entrant in tied}
            most = {entrant: least[entrant] + self._unmet(entrant, tied) for entrant in tied}
            while len(rest) > 1:
                ahead = max(rest, key=least.__getitem__)
                if any(least[ahead] <= most[other] for other in rest if other != ahead):
                    break
                rest.remove(ahead)
                first.append((ahead,))
                used[ahead] += (TieBreak("DE", least[ahead]),)
            if first:
                for entrant in rest:
                    used[entrant] += (TieBreak("DE", least[entrant]),)
        return first + self._separate(tuple(rest), codes if first else codes[1:], used)

    def _taken(self, entrant: int, tied: Sequence[int]) -> Fraction:
        """The share of the encounters won, added up over the tied entrants that it has met."""
        shares = [self._share(entrant, other) for other in tied if other != entrant]
        return sum((share for share in shares if share is not None), Fraction(0))

    def _unmet(self, entrant: int, tied: Sequence[int]) -> int:
        """The number of tied entrants that it has not met."""
        return sum(other != entrant and self._share(entrant, other) is None for other in tied)

    def _share(self, entrant: int, other: int) -> Fraction | None:
        """The share of its encounters with another that an entrant won; None if they have not met."""
        if self._swiss is not None:
            return self._swiss.share(entrant, other)
        met = self._against[entrant].get(other)
        return None if met is None else Fraction(met.halves, 2 * met.games)

    @cached_property
    def _against(self) -> dict[int, dict[int, Against]]:
        return self._totals.against()

    def _direct_encounter(self, entrant: int, tied: Sequence[int]) -> Fraction | None:
        """The direct encounter; None if two of the tied entrants have not met."""
        return None if self._unmet(entrant, tied) else self._taken(entrant, tied)

    def _sonneborn_berger(self, entrant: int, tied: Sequence[int]) -> Fraction:
        weighted = sum(
            against.points * self._totals.entrants[other].points
            for other, against in self._against[entrant].items()
        )
        return Fraction(weighted, self._totals.unit**2)

    def _wins(self, entrant: int, tied: Sequence[int]) -> Fraction:
        return Fraction(self._totals.entrants[entrant].tops)

    def _koya(self, entrant: int, tied: Sequence[int]) -> Fraction:
        points = 0
        for other, against in self._against[entrant].items():
            if (self._totals.score(other) or 0) >= Fraction(1, 2):
                points += against.points
        return Fraction(points, self._totals.unit)


class Line(NamedTuple):
    """A round of an entrant.

    Attributes:
        opponent: the entrant with whom it was paired; None for a bye or an absence.
        score: the entrant's score.
        played: whether they played.
    """

    opponent: int | None
    score: Fraction
    played: bool

    @property
    def missed(self) -> bool:
        """Whether the entrant was not there: a voluntary unplayed round (16.1.2)."""
        return not self.played and self.score == 0


class Scoresheets:
    """The rounds of each entrant of a Swiss (C.07, articles 6, 8.1, 9.1, 14.1 and 16).

    A match that is not over is not in them.

    Args:
        tally: the results.
        stage: the stage; None for the whole tournament.
        edition: the edition of C.07.
    """

    def __init__(
        self, tally: Tally, stage: int | None = None, edition: TieBreakEdition = LATEST_EDITION
    ) -> None:
        self._edition = edition
        rounds: dict[int, list[tuple[int, int, Line]]] = {}
        for key, result in tally.results(stage).items():
            both = result.entrants
            for entrant, opponent, score in zip(both, reversed(both), result.scores, strict=True):
                line = Line(opponent, score, played=not result.walkover)
                rounds.setdefault(entrant, []).append((key.stage, key.round, line))
        for (number, round_, entrant), won in tally.unplayed.items():
            if stage in (None, number):
                line = Line(None, Fraction(won), played=False)
                rounds.setdefault(entrant, []).append((number, round_, line))
        self._lines = {
            entrant: [line for *_, line in sorted(mine, key=lambda each: each[:2])]
            for entrant, mine in rounds.items()
        }
        self._scores = {
            entrant: sum((line.score for line in lines), Fraction(0))
            for entrant, lines in self._lines.items()
        }
        self._adjusted = {
            entrant: self._scores[entrant] + _halves_for_leaving(lines)
            for entrant, lines in self._lines.items()
        }

    def buchholz(self, entrant: int, *, cut: bool = False) -> Fraction:
        """The scores of the opponents; with `cut` without the lowest (BH, BH-C1)."""
        lines = self._lines.get(entrant, ())
        values = [self._contribution(entrant, line) for line in lines]
        total = sum(values, Fraction(0))
        if not cut or not values:
            return total
        missed = [value for value, line in zip(values, lines, strict=True) if line.missed]
        return total - min(missed or values)

    def sonneborn_berger(self, entrant: int) -> Fraction:
        """The score against each opponent, times the opponent's score (SB)."""
        return sum(
            (line.score * self._contribution(entrant, line) for line in self._lines.get(entrant, ())),
            Fraction(0),
        )

    def share(self, entrant: int, other: int) -> Fraction | None:
        """The mean score of an entrant in its encounters with another; None if they have not met (DE)."""
        scores = [
            line.score
            for line in self._lines.get(entrant, ())
            if line.opponent == other and (line.played or self._edition == 2024)
        ]
        return sum(scores, Fraction(0)) / len(scores) if scores else None

    def _contribution(self, entrant: int, line: Line) -> Fraction:
        """The score of an opponent, or of the dummy in its place."""
        own = self._scores[entrant]
        if line.opponent is None:
            most = Fraction(len(self._lines[entrant]), 2)  # 16.4.2
        else:
            most = self._adjusted[line.opponent]  # 16.4.1
            if line.played:
                return most
        return own if self._edition == 2024 else min(own, most)


def _halves_for_leaving(lines: Sequence[Line]) -> Fraction:
    """What the score of an entrant with these rounds grows by, as it counts for its opponents (16.3.2)."""
    last = takewhile(lambda line: line.missed, reversed(lines))
    return Fraction(sum(line.opponent is None for line in last), 2)
