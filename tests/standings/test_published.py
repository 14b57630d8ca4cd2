"""Tie-breaks of tournaments that were played and published."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from arena.standings.table import standings
from arena.standings.tally import Tally
from arena.standings.tiebreaks import Scoresheets
from tests.standings import world_rapid
from tests.standings.games import DRAW, LOSS, WIN, add_all, board, league

# Candidates Tournament, London, 15 March to 1 April 2013: a double round robin. Results by round, as in the
# reports of ChessBase and chess.com on each round; final standings and tie-breaks (direct encounter, then
# number of wins) as published by FIDE. The order is that of the final standings.
NAMES = ("Carlsen", "Kramnik", "Svidler", "Aronian", "Gelfand", "Grischuk", "Ivanchuk", "Radjabov")
CANDIDATES_2013 = (
    "-- == 10 == 11 1= =0 =1",
    "== -- =1 =1 == =1 =0 =1",
    "01 =0 -- =1 == == =1 1=",
    "== =0 =0 -- 10 == 11 11",
    "00 == == 01 -- == == =1",
    "0= =0 == == == -- =1 ==",
    "=1 =1 =0 00 == =0 -- 01",
    "=0 =0 0= 00 =0 == 10 --",
)
PLACES = {"1": WIN, "=": DRAW, "0": LOSS}
WORTH = {"1": F(1), "=": F(1, 2), "0": F(0), "-": F(0)}
ROWS = [line.split() for line in CANDIDATES_2013]


def candidates() -> Tally:
    tally = Tally(("chess",), 1)
    number = 0
    for one, cells in enumerate(ROWS):
        for other in range(one + 1, len(ROWS)):
            for each in cells[other]:
                add_all(tally, board((one, other), PLACES[each], name="chess", match=(0, number, 0)))
                number += 1
    return tally


def test_the_crosstable_is_consistent():
    totals = [sum((WORTH[each] for cell in row for each in cell), F(0)) for row in ROWS]
    assert totals == [F(17, 2), F(17, 2), 8, 8, F(13, 2), F(13, 2), 6, 4]
    for one, row in enumerate(ROWS):
        for other, cell in enumerate(row):
            if one != other:
                both = zip(cell, ROWS[other][one], strict=True)
                assert [WORTH[mine] + WORTH[theirs] for mine, theirs in both] == [1, 1]


def test_direct_encounter_and_wins():
    rows = standings(candidates(), range(8), 0, ("DE", "WIN"))
    assert [NAMES[row.entrant] for row in rows] == list(NAMES)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [[(each.code, each.value) for each in row.tie_breaks] for row in rows] == [
        [("DE", F(1, 2)), ("WIN", 5)],  # Carlsen and Kramnik drew both games
        [("DE", F(1, 2)), ("WIN", 4)],
        [("DE", F(3, 4))],  # Svidler beat Aronian once and drew once
        [("DE", F(1, 4))],
        [("DE", F(1, 2)), ("WIN", 2)],
        [("DE", F(1, 2)), ("WIN", 1)],
        [],
        [],
    ]
    assert [(row.wins, row.draws, row.losses) for row in rows] == [
        (5, 7, 2), (4, 9, 1), (4, 8, 2), (5, 6, 3), (2, 9, 3), (1, 11, 2), (3, 6, 5), (1, 6, 7),
    ]  # fmt: skip


# UzChess Cup Masters, Tashkent, June 2025, a round robin; chess-results.com/tnr1175851.aspx. In the order of
# DE and SB: the results against each other, points, SB, WIN and KS.
UZCHESS_CUP_2025 = (
    ("Praggnanandhaa", "-11100=1==", 5.5, 25.25, 4, 3.5),
    ("Abdusattorov", "0-==1101=1", 5.5, 22.5, 4, 3),
    ("Sindarov", "0=-==1==11", 5.5, 22.25, 3, 3),
    ("Erigaisi", "0==-==11==", 5, 21.5, 2, 3),
    ("Maghsoodloo", "10==-=10==", 4.5, 20.5, 2, 3.5),
    ("Rapport", "100==-===1", 4.5, 18.75, 2, 2.5),
    ("Yakubboev", "=1=00=-==1", 4.5, 19.5, 2, 2.5),
    ("Vokhidov", "00=01==-1=", 4, 16.5, 2, 2.5),
    ("Nepomniachtchi", "==0====0-=", 3.5, 16, 0, 3),
    ("Aravindh", "=00==00==-", 2.5, 11.25, 0, 1.5),
)


def test_sonneborn_berger_wins_and_koya():
    tally = league([row[1] for row in UZCHESS_CUP_2025])
    rows = standings(tally, range(10), 0)
    assert [row.entrant for row in rows] == list(range(10))
    assert [float(row.total) for row in rows] == [row[2] for row in UZCHESS_CUP_2025]
    # Three are first, and three fifth.
    assert [[each.code for each in row.tie_breaks] for row in rows if row.tie_breaks] == [
        ["DE"], ["DE", "DE", "SB"], ["DE", "DE", "SB"], ["DE"], ["DE"], ["DE"],
    ]  # fmt: skip
    for at, code in enumerate(("SB", "WIN", "KS"), start=3):
        used = {row.entrant: row.tie_breaks for row in standings(tally, range(10), 0, (code,))}
        for entrant in (0, 1, 2, 4, 5, 6):
            assert [float(each.value) for each in used[entrant]] == [UZCHESS_CUP_2025[entrant][at]]


@pytest.mark.parametrize("edition", [2024, 2026])
def test_buchholz_of_a_swiss(edition):
    tally = Tally(("chess",), 1)
    for number, games in enumerate(world_rapid.ROUNDS):
        for i, (one, other, what) in enumerate(games):
            add_all(tally, board((one, other), PLACES[what], name="chess", match=(0, number, i)))
    sheets = Scoresheets(tally, 0, edition)
    rows = standings(tally, range(len(world_rapid.FINAL)), 0, ("BH-C1", "BH"), swiss=True, edition=edition)
    totals = {row.entrant: row.total for row in rows}
    assert [
        [totals[each], sheets.buchholz(each, cut=True), sheets.buchholz(each)] for each in range(110)
    ] == world_rapid.FINAL
    assert [row.entrant for row in rows] == list(range(110))
