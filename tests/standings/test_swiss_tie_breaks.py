"""Tie-breaks of a Swiss, worked out by hand from the articles of the FIDE Handbook's C.07, both editions."""

from fractions import Fraction as F

import pytest

from arena.results import LATEST_EDITION, MatchKey, TieBreakEdition
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


def values(tally: Tally, count: int, edition: TieBreakEdition = LATEST_EDITION) -> dict[int, tuple[F, F, F]]:
    """BH, BH-C1 and SB of each entrant."""
    sheets = Scoresheets(tally, 0, edition)
    return {
        each: (sheets.buchholz(each), sheets.buchholz(each, cut=True), sheets.sonneborn_berger(each))
        for each in range(count)
    }


def lines(
    tally: Tally, count: int, *codes: str, edition: TieBreakEdition = LATEST_EDITION
) -> list[tuple[object, ...]]:
    rows = standings(tally, range(count), 0, codes, swiss=True, edition=edition)
    return [(row.rank, row.entrant, *((each.code, each.value) for each in row.tie_breaks)) for row in rows]


@pytest.mark.parametrize("edition", [2024, 2026])
def test_all_played(edition):
    tally = swiss("0-2 1, 1-3 =", "0-1 =, 2-3 1", "0-3 1, 1-2 0")
    # Points: 0 has 5/2, 2 has 2, 1 has 1, 3 has 1/2.
    assert values(tally, 4, edition) == {
        0: (F(7, 2), F(3), 2 + F(1, 2) + F(1, 2)),
        1: (F(5), F(9, 2), F(1, 4) + F(5, 4)),
        2: (F(4), F(7, 2), F(1, 2) + 1),
        3: (F(11, 2), F(9, 2), F(1, 2)),
    }


def test_a_bye_is_against_a_dummy_of_the_own_score():
    """16.4: the dummy has the points of who has the bye; for others the bye counts as awarded (16.3).

    Since 2026 it has at most half a point for each round (16.4.2).
    """
    tally = swiss("0-1 1, 2 bye", "0-2 1, 1 bye", "1-2 =, 0 bye")
    # Points: 0 has 3, 1 and 2 have 3/2, which is also the limit.
    others = {
        1: (3 + F(3, 2) + F(3, 2), F(9, 2), F(3, 2) + F(3, 4)),
        2: (F(3, 2) + 3 + F(3, 2), F(9, 2), F(3, 2) + F(3, 4)),
    }
    assert values(tally, 3, 2024) == {
        0: (F(3, 2) + F(3, 2) + 3, F(9, 2), F(3, 2) + F(3, 2) + 3),
        **others,
    }
    assert values(tally, 3, 2026) == {
        0: (F(3, 2) + F(3, 2) + F(3, 2), F(3), F(3, 2) + F(3, 2) + F(3, 2)),
        **others,
    }


def test_rounds_missed_after_leaving_count_as_drawn_for_the_opponents():
    """3 beats 0, loses the second match without play and is gone."""
    tally = swiss("0-3 0, 1-2 1", "1-3 +, 0-2 1", "0-1 1, 2 bye, 3 gone", "1-2 0, 0 bye, 3 gone")
    # Points: 0 has 3, 1 has 2, 2 has 2, 3 has 1, which counts as 2 for 0. Since 2026 the bye of 0 is worth 2.
    others = {
        1: (2 + 2 + 3 + F(2), F(7), F(2) + 2),  # the walkover: a dummy of its own 2, and 3 has no less
        2: (2 + 3 + 2 + F(2), F(7), F(2) + 2),
        3: (3 + 1 + 1 + F(1), F(5), F(3)),
    }
    assert values(tally, 4, 2024) == {0: (2 + 2 + 2 + F(3), F(7), 2 + 2 + F(3)), **others}
    assert values(tally, 4, 2026) == {0: (2 + 2 + 2 + F(2), F(6), 2 + 2 + F(2)), **others}


def test_rounds_missed_by_its_own_doing_are_cut_first():
    """16.5: 0 has left with most points, so its dummies are worth more than its first opponent."""
    tally = swiss("0-1 1, 2-3 1", "0-2 1, 1-3 =", "1-2 =, 3 bye, 0 gone")
    # Points: 0 has 2, 1 has 1, 2 has 3/2, 3 has 3/2. Of 0's opponents 1 has least, but the dummy goes.
    assert values(tally, 4, 2024)[0] == (1 + F(3, 2) + 2, F(5, 2), 1 + F(3, 2))
    assert values(tally, 4, 2026)[0] == (1 + F(3, 2) + F(3, 2), F(5, 2), 1 + F(3, 2))


def test_a_walkover_is_worth_no_more_than_the_planned_opponent():
    """16.4.1: 0 has 3 of 3, and the second match without play against 2, who has 0 and is gone then."""
    tally = swiss("0-1 1, 2-3 0", "0-2 +, 1-3 0", "0-3 1, 1 bye, 2 gone")
    # Points: 0 has 3, 1 has 1, 2 has 0, which counts as 1/2 for others, 3 has 2.
    assert values(tally, 4, 2024)[0] == (1 + 3 + F(2), F(5), 1 + 3 + F(2))
    assert values(tally, 4, 2026)[0] == (1 + F(1, 2) + 2, F(3), 1 + F(1, 2) + 2)
    # For 2 itself the dummy has its own 0 points in any case.
    assert values(tally, 4, 2024)[2] == values(tally, 4, 2026)[2] == (F(2), F(2), F(0))


def test_a_late_entrant_that_leaves_before_it_plays_drew_all_rounds_but_the_one_it_lost():
    """16.2.5: also its rounds before are followed only by rounds that it missed by its own doing."""
    tally = swiss("0-1 1, 2 gone", "0-2 +, 1 bye", "0-1 1, 2 gone")
    assert values(tally, 3)[0] == (1 + F(1) + 1, F(2), 1 + F(1) + 1)


def test_a_late_entrant_that_plays_lost_the_rounds_before():
    tally = swiss("0-1 1, 2 gone", "0-2 1, 1 bye", "0-1 1, 2 bye")
    assert values(tally, 3)[0] == (1 + F(1) + 1, F(2), 1 + F(1) + 1)
    assert values(tally, 3)[2] == (1 + 3 + F(1), F(4), F(1))


def test_a_bye_of_one_who_has_more_than_half_of_the_points():
    """The second entrant has 0 1 0 1 1 0 and a bye: 23 points of opponents, 10 of them of those it beat."""
    tally = swiss(
        "0-4 0, 1-5 0, 2-6 0, 3-7 0, 8 bye",
        "4-6 1, 5-7 0, 8-0 1, 1-2 0, 3 bye",
        "4-7 0, 8-2 1, 3-5 0, 6-0 0, 1 bye",
        "7-8 1, 4-5 1, 0-2 0, 1-3 0, 6 bye",
        "7-2 0, 4-3 1, 8-5 0, 6-1 1, 0 bye",
        "4-2 1, 7-6 1, 8-3 1, 0-1 0, 5 bye",
        "4-8 0, 7-1 1, 5-6 1, 0-3 0, 2 bye",
    )
    (row,) = [row for row in standings(tally, range(9), 0, ("BH",), swiss=True) if row.entrant == 2]
    assert (row.total, row.matches) == (F(4), 7)
    assert values(tally, 9, 2024)[2][::2] == (F(23 + 4), F(10 + 4))
    assert values(tally, 9, 2026)[2][::2] == (23 + F(7, 2), 10 + F(7, 2))


MANUAL = ("1 5", "1 5", "0 6.5", "-", "1 4.5", "= 6", "1 5", "= 6.5", "1 5.5", "1 6")
"""By round, what the player of the example took and the points of the opponent."""


def test_the_example_of_the_arbiters_manual():
    """FIDE Arbiters' Manual 2026, pages 258 and 259: 7 of 10, with the fourth round missed on request.

    It prints BH, BH-C1 and SB before and since 2026. Here the opponents have their other points without play.
    """
    tally = Tally(("a",), 1)
    for number, line in enumerate(MANUAL):
        if line == "-":
            tally.add_unplayed(0, number, 0, won=False)
            continue
        what, points = line.split()
        opponent = number + 1
        add_all(tally, board((0, opponent), PLACES[what], match=(0, number, 0)))
        left = F(points) - {"1": F(0), "=": F(1, 2), "0": F(1)}[what]
        *others, last = [other for other in range(len(MANUAL)) if other != number]
        for other in others[: int(left)]:
            tally.add_unplayed(0, other, opponent, won=True)
        if left % 1:
            add_all(tally, board((opponent, 11), DRAW, match=(0, last, opponent)))
    assert values(tally, 1, 2024)[0] == (F(57), F(50), F(149, 4))
    assert values(tally, 1, 2026)[0] == (F(55), F(50), F(149, 4))


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


def test_a_walkover_is_no_encounter():
    """6.1.1: 0 and 1 have 1 point each, and 0 had that without play against 1."""
    tally = swiss("0-1 +, 2-3 1", "0-2 0, 1-3 1")
    assert lines(tally, 4, "DE", edition=2026) == [(1, 2), (2, 0), (2, 1), (4, 3)]
    assert lines(tally, 4, "DE", edition=2024) == [(1, 2), (2, 0, ("DE", 1)), (3, 1, ("DE", 0)), (4, 3)]


def test_elsewhere_a_walkover_is_one():
    """15.2."""
    rows = standings(swiss("0-1 +, 2-3 1", "0-2 0, 1-3 1"), range(4), 0, ("DE",))
    assert [(row.rank, row.entrant) for row in rows] == [(1, 2), (2, 0), (3, 1), (4, 3)]


def test_a_match_that_is_not_over_is_left_out():
    """0 has won the only game against 1 so far, 2 the whole match against 3, and both have 100 %."""
    tally = add_all(swiss("2-3 1, 4 bye"), [*board((0, 1), WIN, match=(0, 0, 2))][:1])
    assert [row.score for row in standings(tally, range(5), 0, swiss=True)] == [1, 1, 1, 0, 0]
    assert lines(tally, 5, "BH-C1", "BH", "SB", "DE", "WIN")[:3] == [
        (1, 4, ("BH-C1", 0), ("BH", F(1, 2))),
        (2, 2, ("BH-C1", 0), ("BH", 0), ("SB", 0), ("WIN", 1)),
        (3, 0, ("BH-C1", 0), ("BH", 0), ("SB", 0), ("WIN", 0)),
    ]


def test_elsewhere_there_is_no_buchholz():
    with pytest.raises(ValueError, match="no tie-break BH: choose from DE, SB, WIN, KS"):
        standings(swiss("0-1 1"), range(2), tie_breaks=("DE", "BH"))
