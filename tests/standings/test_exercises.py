"""Tie-breaks with byes, forfeits and a withdrawal, as published with the regulations.

Mario Held, Exercises in Tie-Breaking (FIDE Technical Commission, revision 2403220900, on C.07-2023): a
Swiss of 16 after five rounds and after nine, and a round robin of six, with the solutions of exercises 1 to
9, 12, 14 and 23 to 27. Two players ask for a half-point bye there, which no tournament of the arena gives:
it is a draw with somebody else here, and what the two themselves come to in Buchholz and Sonneborn-Berger
is left out.

These values are of that edition. In the edition of 2026 the dummy of a round without play has limits
(16.4.1, 16.4.2). Here they lower the bye of Franck, who has 3 of 5 points, by 1/2, and the win without play
of Maria by 1: she has 5/2 points, and Jessica, who did not come, has 3/2.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from arena.results import MatchKey
from arena.standings.table import standings
from arena.standings.tally import Tally
from arena.standings.tiebreaks import Scoresheets
from arena.standings.values import Row
from tests.standings.games import DRAW, LOSS, WIN, add_all, board

PLACES = {"+": WIN, "=": DRAW, "-": LOSS}

# By pairing number: points after five rounds, these rounds, rounds 6 to 9 with the points after them, and
# Buchholz, Sonneborn-Berger and wins after five. `F` is a forfeit, `BYE` with `=` a half-point bye.
SWISS = """
Alyx      3.5 +9 =13 =2 +15 =4          | =6 =3 =16 +8 6.0     | 12.5  8.00 2
Bruno     4.0 +10 +7 =1 +16 =3          | =4 -6 =15 =5 6.0     | 13.0  9.50 3
Charline  3.5 =11 +6 +8 =4 =2           | +16 =1 +14 +10 6.5   | 15.5 10.50 2
David     3.5 +12 =BYE +13 =3 =1        | =2 =16 =6 +15 6.0    |    -     - 2
Helene    2.5 -13 -15 +11 =7 +10        | -14 +9 -8 =2 4.0     |  8.5  4.25 2
Franck    3.0 -14 -3 +BYE +10 +8        | =1 +2 =4 +16 6.0     | 12.0  6.50 3
Genevieve 1.5 +15 -2 -16 =5 -11         | -10 +13 +9 +14 4.5   | 14.5  3.25 1
Irina     2.5 =16 +14 -3 +13 -6         | =11 =15 +5 -1 4.5    | 13.5  5.25 2
Jessica   1.5 -1 -10 =BYE -F11 +BYE     | +13 -5 -7 =12 3.0    |    -     - 1
Lais      1.0 -2 +9 -15 -6 -5           | +7 +12 +11 -3 4.0    | 13.0  1.50 1
Maria     2.5 =3 -16 -5 +F9 +7          | =8 -14 -10 =13 3.5   | 13.5  5.75 2
Nick      2.0 -4 +BYE +F14 -- --        | -15 -10 =13 =9 3.0   | 11.5  4.00 2
Opal      1.5 +5 =1 -4 -8 -14           | -9 -7 =12 =11 2.5    | 14.0  4.25 1
Paul      2.0 +6 -8 -F12 -- +13         | +5 +11 -3 -7 4.0     | 11.0  4.50 2
Reine     2.0 -7 +5 +10 -1 -16          | +12 =8 =2 -4 4.0     | 12.0  3.50 2
Stephan   3.5 =8 +11 +7 -2 +15          | -3 =4 =1 -6 4.5      | 12.5  7.25 3
"""
ROWS = [[part.split() for part in line.split("|")] for line in SWISS.strip().splitlines()]
NAMES = [row[0][0] for row in ROWS]
HALF_POINT = {3: 16, 8: 17}  # who had a half-point bye, and who stands for it
PLAYED = [each for each in range(16) if each not in HALF_POINT]


LESS = {"Franck": F(1, 2), "Maria": F(1)}  # in the edition of 2026
EDITIONS = pytest.mark.parametrize("edition", [2024, 2026])


def swiss(rounds: int) -> Tally:
    """The Swiss after so many rounds; in the one of nine Bruno beat Charline in the fifth."""
    tally = Tally(("chess",), 1)
    for number in range(rounds):
        for one, row in enumerate(ROWS):
            cell = (row[0][2:] + row[1])[number]
            if (rounds, number) == (9, 4):
                cell = {"Bruno": "+3", "Charline": "-2"}.get(NAMES[one], cell)
            what, whom = cell[0], cell[1:]
            match = (0, number, one)
            if cell == "--":
                tally.add_unplayed(0, number, one, won=False)
            elif cell == "+BYE":
                tally.add_unplayed(0, number, one, won=True)
            elif cell == "=BYE":
                add_all(tally, board((one, HALF_POINT[one]), DRAW, name="chess", match=match))
            elif whom.startswith("F"):
                if what == "+":
                    tally.add_walkover(MatchKey(*match), (one, int(whom[1:]) - 1), one)
            elif one < int(whom) - 1:
                add_all(tally, board((one, int(whom) - 1), PLACES[what], name="chess", match=match))
    return tally


def direct_encounters(rows: tuple[Row, ...]) -> dict[str, list[F]]:
    """What each took of the others it was tied with; twice where it was used again on those still tied."""
    return {NAMES[row.entrant]: [each.value for each in row.tie_breaks] for row in rows if row.tie_breaks}


@EDITIONS
def test_buchholz_and_sonneborn_berger_of_all(edition):
    """Exercises 1 to 4, 9 and 12."""
    tally = swiss(5)
    sheets = Scoresheets(tally, 0, edition)
    totals = {row.entrant: row.total for row in standings(tally, range(16), 0, swiss=True)}
    assert [totals[each] for each in range(16)] == [F(row[0][1]) for row in ROWS]
    less = LESS if edition == 2026 else {}
    assert [[sheets.buchholz(each), sheets.sonneborn_berger(each)] for each in PLAYED] == [
        [F(value) - less.get(NAMES[each], 0) for value in ROWS[each][2][:2]] for each in PLAYED
    ]


@EDITIONS
def test_buchholz_without_the_lowest(edition):
    """Exercises 5 to 8: forfeits lost and rounds that were not asked for are cut first."""
    sheets = Scoresheets(swiss(5), 0, edition)
    published = {
        "Helene": 7.5, "Irina": 12, "Maria": 11 if edition == 2026 else 12,
        "Genevieve": 12.5, "Opal": 12,
        "Alyx": 11, "Charline": 13, "Stephan": 11,
        "Nick": 9.5, "Paul": 9, "Reine": 11,
    }  # fmt: skip
    assert {name: sheets.buchholz(NAMES.index(name), cut=True) for name in published} == published


@EDITIONS
def test_wins(edition):
    """Exercise 27: byes and forfeits won are wins."""
    rows = standings(swiss(5), range(16), 0, ("WIN",), swiss=True, edition=edition)
    assert [row.wins for row in sorted(rows, key=lambda row: row.entrant)] == [int(row[2][2]) for row in ROWS]


@EDITIONS
def test_direct_encounter_of_a_swiss(edition):
    """Exercises 23 and 24: nothing can be told. Exercise 25: at six points it can, though not of all."""
    assert direct_encounters(standings(swiss(5), range(16), 0, ("DE",), swiss=True, edition=edition)) == {}
    rows = standings(swiss(9), range(16), 0, ("DE",), swiss=True, edition=edition)
    assert [row.total for row in sorted(rows, key=lambda row: row.entrant)] == [F(row[1][-1]) for row in ROWS]
    assert direct_encounters(rows) == {
        "Franck": [2], "Alyx": [F(3, 2), F(1, 2)], "David": [F(3, 2), F(1, 2)], "Bruno": [1],
        "Jessica": [F(1, 2)], "Nick": [F(1, 2)],
    }  # fmt: skip
    assert [(row.rank, NAMES[row.entrant]) for row in rows][:5] == [
        (1, "Charline"), (2, "Franck"), (3, "Alyx"), (3, "David"), (5, "Bruno"),
    ]  # fmt: skip


ROUND_ROBIN = ("-1101=", "0-=111", "0=-111", "100-=0", "000=-f", "=001f-")


def test_a_forfeit_of_a_round_robin_counts_as_played():
    """Exercises 14 and 26: the game of the last two was not played, and won by the first of them."""
    tally = Tally(("chess",), 1)
    for one, line in enumerate(ROUND_ROBIN):
        for other in range(one + 1, 6):
            match = (0, 0, 10 * one + other)
            if line[other] == "f":
                tally.add_walkover(MatchKey(*match), (one, other), one)
            else:
                places = PLACES["-=+"["0=1".index(line[other])]]
                add_all(tally, board((one, other), places, name="chess", match=match))
    rows = standings(tally, range(6), 0, ("SB",))
    assert {row.entrant: float(row.tie_breaks[0].value) for row in rows} == {
        0: 9.25, 1: 6.25, 2: 6.25, 3: 4.25, 5: 3.25, 4: 2.25,
    }  # fmt: skip
    rows = standings(tally, range(6), 0, ("DE",))
    assert [(row.rank, row.entrant) for row in rows] == [(1, 0), (2, 1), (2, 2), (4, 4), (5, 5), (6, 3)]
