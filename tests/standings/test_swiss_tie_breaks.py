"""Tie-breaks of a Swiss, worked out by hand from the articles of the FIDE Handbook's C.07."""

from fractions import Fraction as F

import pytest

from arena.results import MatchKey
from arena.standings.table import standings
from arena.standings.tally import Tally
from arena.standings.tiebreaks import Scoresheets
from tests.standings.games import DRAW, LOSS, WIN, add_all, board

PLACES = {"1": WIN, "=": DRAW, "0": LOSS}


def swiss(*rounds: str) -> Tally:
    """A Swiss from its rounds, such as `"0-1 1, 2-3 =, 4 bye"`: of each pair what the first took.

    `0-1 +` is won by 0 without play, and `5 gone` is not paired any more.
    """
    tally = Tally(("a",), 1)
    for number, line in enumerate(rounds):
        for i, item in enumerate(line.split(", ")):
            who, what = item.split()
            if what in ("bye", "gone"):
                tally.add_unplayed(0, number, int(who), won=what == "bye")
                continue
            one, other = map(int, who.split("-"))
            if what == "+":
                tally.add_walkover(MatchKey(0, number, i), (one, other), one)
            else:
                add_all(tally, board((one, other), PLACES[what], match=(0, number, i)))
    return tally


def values(tally: Tally, count: int) -> dict[int, tuple[F, F, F]]:
    sheets = Scoresheets(tally, 0)
    return {
        each: (sheets.buchholz(each), sheets.buchholz(each, cut=True), sheets.sonneborn_berger(each))
        for each in range(count)
    }


def lines(tally: Tally, count: int, *codes: str) -> list[tuple[object, ...]]:
    rows = standings(tally, range(count), 0, codes, swiss=True)
    return [(row.rank, row.entrant, *((each.code, each.value) for each in row.tie_breaks)) for row in rows]


def test_all_played():
    tally = swiss("0-2 1, 1-3 =", "0-1 =, 2-3 1", "0-3 1, 1-2 0")
    # Points: 0 has 5/2, 2 has 2, 1 has 1, 3 has 1/2.
    assert values(tally, 4) == {
        0: (F(7, 2), F(3), 2 + F(1, 2) + F(1, 2)),
        1: (F(5), F(9, 2), F(1, 4) + F(5, 4)),
        2: (F(4), F(7, 2), F(1, 2) + 1),
        3: (F(11, 2), F(9, 2), F(1, 2)),
    }


def test_a_bye_is_against_a_dummy_of_the_own_score():
    """16.4: the dummy has the points of who has the bye; for others the bye counts as awarded (16.3)."""
    tally = swiss("0-1 1, 2 bye", "0-2 1, 1 bye", "1-2 =, 0 bye")
    # Points: 0 has 3, 1 and 2 have 3/2.
    assert values(tally, 3) == {
        0: (F(3, 2) + F(3, 2) + 3, F(9, 2), F(3, 2) + F(3, 2) + 3),
        1: (3 + F(3, 2) + F(3, 2), F(9, 2), F(3, 2) + F(3, 4)),
        2: (F(3, 2) + 3 + F(3, 2), F(9, 2), F(3, 2) + F(3, 4)),
    }


def test_rounds_missed_after_leaving_count_as_drawn_for_the_opponents():
    """3 beats 0, loses the second match without play and is gone."""
    tally = swiss("0-3 0, 1-2 1", "1-3 +, 0-2 1", "0-1 1, 2 bye, 3 gone", "1-2 0, 0 bye, 3 gone")
    # Points: 0 has 3, 1 has 2, 2 has 2, 3 has 1, which counts as 2 for 0.
    assert values(tally, 4) == {
        0: (2 + 2 + 2 + F(3), F(7), 2 + 2 + F(3)),
        1: (2 + 2 + 3 + F(2), F(7), F(2) + 2),  # the walkover: a dummy of its own 2
        2: (2 + 3 + 2 + F(2), F(7), F(2) + 2),
        3: (3 + 1 + 1 + F(1), F(5), F(3)),
    }


def test_rounds_missed_by_its_own_doing_are_cut_first():
    """16.5: 0 has left with most points, so its dummies are worth more than its first opponent."""
    tally = swiss("0-1 1, 2-3 1", "0-2 1, 1-3 =", "1-2 =, 3 bye, 0 gone")
    # Points: 0 has 2, 1 has 1, 2 has 3/2, 3 has 3/2. Of 0's opponents 1 has least, but the dummy goes.
    assert values(tally, 4)[0] == (1 + F(3, 2) + 2, F(5, 2), 1 + F(3, 2))


def test_byes_and_walkovers_are_wins():
    tally = swiss("0-1 1, 2 bye", "0-2 +, 1 bye", "1-2 =, 0 bye")
    assert {line[1]: line[2] for line in lines(tally, 3, "WIN")[1:]} == {1: ("WIN", 1), 2: ("WIN", 1)}


def test_direct_encounter_where_nobody_can_be_overtaken():
    """6.3: 0 beat 1 and 2, who have not met: each could come to 1, and 0 has 2."""
    tally = swiss("0-1 1, 2-3 1, 4-5 1", "0-2 1, 1-4 1, 3-5 0", "0-3 0, 1-5 1, 2-4 1")
    assert [line[:3] for line in lines(tally, 6, "DE") if line[1] in (0, 1, 2)] == [
        (1, 0, ("DE", 2)),
        (2, 1, ("DE", 0)),
        (2, 2, ("DE", 0)),
    ]


def test_direct_encounter_is_not_used_where_somebody_could_be_overtaken():
    """0 beat 1, but 2 has met neither and could come to 2."""
    tally = swiss("0-1 1, 2-3 1", "0-4 0, 1-5 1, 2-6 0, 3-7 0")
    assert lines(tally, 4, "DE")[:3] == [(1, 0), (1, 1), (1, 2)]


def test_who_is_next_is_told_by_the_same_standing():
    """0 beat all three, 1 beat 2 and 3, and only 2 and 3 have not met."""
    tally = swiss(
        "0-1 1, 2-4 1, 3-5 1", "0-2 1, 1-3 1, 4-5 =", "0-3 1, 1-2 1, 4-5 =",
        "0-4 0, 1-5 1, 2-6 1, 3-7 1", "0-5 0, 2-7 1, 3-6 1, 1 gone", "0-6 0, 1-7 0, 2-5 0, 3-4 0",
    )  # fmt: skip
    assert lines(tally, 4, "DE") == [
        (1, 0, ("DE", 3)),
        (2, 1, ("DE", 2)),
        (3, 2, ("DE", 0)),
        (3, 3, ("DE", 0)),
    ]


def test_elsewhere_there_is_no_buchholz():
    with pytest.raises(ValueError, match="no tie-break BH: choose from DE, SB, WIN, KS"):
        standings(swiss("0-1 1"), range(2), tie_breaks=("DE", "BH"))
