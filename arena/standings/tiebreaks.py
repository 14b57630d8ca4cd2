"""How entrants of the same score are ranked.

The tie-breaks of the FIDE Handbook, C.07 (Play-Off and Tie-Break Regulations,
2024), that concern single players, and what is done of them:

=====  ==========================================  =======  =====================================
Code   Name                                        Article  Here
=====  ==========================================  =======  =====================================
DE     direct encounter                            6        yes; 6.3, not everybody met: no
WIN    number of wins                              7.1      yes; a bye is no win, all play alike
WON    number of games won                         7.2      no: the score says it
BPG    games with Black                            7.3      no: everybody plays from every seat
BWG    games won with Black                        7.4      no: as BPG
PS     progressive score                           7.5      no: rounds have no order of strength
REP    rounds one elected to play                  7.6      no: nobody elects not to play
STD    standard points                             7.7      no: the score has no other scale
TPN    pairing number                              7.8      no: a rank is shared; only who
                                                            advances falls back on the seed
BH     Buchholz, with AOB and FB                   8        no: says nothing in a round robin
SB     Sonneborn-Berger                            9.1      yes
KS     Koya                                        9.2      yes
ARO    average rating of opponents, with APRO,     10       no: ratings come from these results
       APPO, TPR, PTP, RTNG
=====  ==========================================  =======  =====================================

Points here are match scores, and tables may have more than two seats. So each
is read through **pairwise points**: what an entrant took from one opponent in
a match, 1 for all encounters won, divided by the number of its opponents
there. Over all opponents they add up to the match score, and at two-seat
tables they are the match score.

* DE: the share of the encounters won, added up over the tied opponents. Used
  if all the tied have met; used again on those it leaves tied, if it did
  separate some (6.2).
* SB: the pairwise points against each opponent times the opponent's total.
* WIN: the matches in which nobody else scored as much.
* KS: the pairwise points against the opponents with a score of one half or more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from arena.standings.totals import Against, Totals
from arena.standings.values import Ranking, TieBreak

DEFAULT = ("DE", "SB", "WIN", "KS")
"""The tie-breaks in the order in which they are used, unless another is asked for."""


class TieBreaks:
    """The tie-breaks of some totals.

    Args:
        totals: what they are computed from.
        codes: the tie-breaks to use, in order.

    Raises:
        ValueError: there is no such tie-break.
    """

    def __init__(self, totals: Totals, codes: Sequence[str] = DEFAULT) -> None:
        self._measures: dict[str, Callable[[int, Sequence[int]], Fraction | None]] = {
            "DE": self._direct_encounter,
            "SB": self._sonneborn_berger,
            "WIN": self._wins,
            "KS": self._koya,
        }
        unknown = [code for code in codes if code not in self._measures]
        if unknown:
            raise ValueError(f"there is no tie-break {unknown[0]}: choose from {', '.join(self._measures)}")
        self._totals = totals
        self._codes = tuple(codes)

    def separate(self, tied: Sequence[int]) -> tuple[Ranking, dict[int, tuple[TieBreak, ...]]]:
        """Ranks entrants of the same score, each of whom has finished a match.

        Returns:
            The ranking, in which only those share a place whom no tie-break
            separates (they stand in the order of `tied`); and for each entrant
            the tie-breaks that were used on it, in order.
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
                return self._separate(tied, tuple(later), used)
            values[entrant] = value
        for entrant, value in values.items():
            used[entrant] += (TieBreak(code, value),)
        best_first = sorted(tied, key=values.__getitem__, reverse=True)
        groups = [tuple(group) for _, group in groupby(best_first, key=values.__getitem__)]
        again = codes if code == "DE" and len(groups) > 1 else tuple(later)
        return [place for group in groups for place in self._separate(group, again, used)]

    @cached_property
    def _against(self) -> dict[int, dict[int, Against]]:
        return self._totals.against()

    def _direct_encounter(self, entrant: int, tied: Sequence[int]) -> Fraction | None:
        """None if one of the tied has not met another."""
        met = [self._against[entrant].get(other) for other in tied if other != entrant]
        total = Fraction(0)
        for against in met:
            if against is None:
                return None
            total += Fraction(against.halves, 2 * against.games)
        return total

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
            theirs = self._totals.entrants[other]
            if 2 * theirs.points >= theirs.matches * self._totals.unit:
                points += against.points
        return Fraction(points, self._totals.unit)
