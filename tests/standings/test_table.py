import dataclasses
from fractions import Fraction as F

import pytest

from arena.league.store import League
from arena.league.summary import summarize
from arena.report.standings_data import summary_json
from arena.standings.table import final_ranking, ranking, seed_order, standings
from arena.standings.tally import Tally
from tests.referee.simulation import simulate
from tests.standings.games import DRAW, WIN, add_all, board, league


def lines(tally, count, **more):
    return [
        (row.rank, row.entrant, row.total, *((t.code, t.value) for t in row.tie_breaks))
        for row in standings(tally, range(count), **more)
    ]


def test_scores_rank_and_a_lone_score_needs_no_tie_break():
    tally = league(["-11", "0-1", "00-"])
    assert lines(tally, 3) == [(1, 0, 2), (2, 1, 1), (3, 2, 0)]
    [first, second, third] = standings(tally, range(3))
    assert (first.score, second.score, third.score) == (F(1), F(1, 2), F(0))
    assert (second.wins, second.draws, second.losses) == (1, 0, 1)


def test_direct_encounter_then_again_on_those_it_leaves_tied():
    # 0, 1 and 2 have two points each; 1 beat 0 and drew with 2, 0 beat 2.
    tally = league(["-010=", "1-=0=", "0=-11", "110-0", "==01-"])
    totals = {row.entrant: row.total for row in standings(tally, range(5))}
    assert totals == {0: F(3, 2), 1: 2, 2: F(5, 2), 3: 2, 4: 2}
    # Of 1, 3 and 4: 3 beat 1, 4 beat 3, 1 and 4 drew: 4 has 3/2, 3 has 1, 1 has 1/2.
    assert lines(tally, 5)[1:4] == [
        (2, 4, 2, ("DE", F(3, 2))),
        (3, 3, 2, ("DE", F(1))),
        (4, 1, 2, ("DE", F(1, 2))),
    ]


def test_sonneborn_berger_separates_a_drawn_encounter():
    # 0 and 1 drew; 0 beat 2 and lost to 3, 1 the other way round; 3 beat 2.
    tally = league(["-=10", "=-01", "01-0", "101-"])
    assert {row.entrant: row.total for row in standings(tally, range(4))} == {
        0: F(3, 2),
        1: F(3, 2),
        2: 1,
        3: 2,
    }
    # SB of 0: half of 1's 3/2, and 2's 1. SB of 1: half of 0's 3/2, and 3's 2.
    assert lines(tally, 4)[1:3] == [
        (2, 1, F(3, 2), ("DE", F(1, 2)), ("SB", F(11, 4))),
        (3, 0, F(3, 2), ("DE", F(1, 2)), ("SB", F(7, 4))),
    ]


def test_who_is_equal_in_everything_shares_the_rank():
    tally = league(["-10", "0-1", "10-"])
    rows = standings(tally, (2, 0, 1))
    assert [(row.rank, row.entrant) for row in rows] == [(1, 2), (1, 0), (1, 1)]
    assert [[t.code for t in row.tie_breaks] for row in rows] == [["DE", "SB", "WIN", "KS"]] * 3
    assert ranking(rows) == ((2, 0, 1),)
    assert seed_order(rows, (0, 1, 2)) == (0, 1, 2)


def test_direct_encounter_is_not_used_before_all_have_met():
    tally = league(["-1..", "0-..", "..-1", "..0-"])
    rows = standings(tally, range(4))
    assert [row.rank for row in rows] == [1, 1, 3, 3]
    assert [t.code for t in rows[0].tie_breaks] == ["SB", "WIN", "KS"]


def test_wins_and_koya():
    tally = league(["-10=", "0-1=", "10-=", "===-"])
    assert [row.total for row in standings(tally, range(4))] == [F(3, 2)] * 4
    assert lines(tally, 4, tie_breaks=("WIN", "KS")) == [
        (1, 0, F(3, 2), ("WIN", F(1)), ("KS", F(3, 2))),
        (1, 1, F(3, 2), ("WIN", F(1)), ("KS", F(3, 2))),
        (1, 2, F(3, 2), ("WIN", F(1)), ("KS", F(3, 2))),
        (4, 3, F(3, 2), ("WIN", F(0))),
    ]


def test_koya_counts_only_points_against_the_better_half():
    tally = league(["-0=11", "1-01=", "=1-00", "001-1", "0=10-"])
    values = {row.entrant: row.tie_breaks for row in standings(tally, range(5), tie_breaks=("KS",))}
    totals = {row.entrant: row.total for row in standings(tally, range(5))}
    assert totals == {0: F(5, 2), 1: F(5, 2), 2: F(3, 2), 3: 2, 4: F(3, 2)}
    # 0, 1 and 3 have at least half of the four points. 0 lost to 1 and beat 3; 1 beat both.
    assert [(entrant, values[entrant][0].value) for entrant in (0, 1)] == [(0, F(1)), (1, F(2))]


def test_tie_breaks_at_tables_of_three():
    tally = Tally(("a",), 1)
    for number, places in enumerate([(1, 2, 3), (1, 2, 3), (3, 1, 2)]):
        add_all(tally, board((0, 1, 2), places, match=(0, number, 0)))
    # Match scores 1, 1/2, 0 twice and 0, 1, 1/2: 0 and 1 have 2 each, and 0 was ahead of 1 in two of three.
    assert lines(tally, 3) == [
        (1, 0, 2, ("DE", F(2, 3))),
        (2, 1, 2, ("DE", F(1, 3))),
        (3, 2, F(1, 2)),
    ]
    values = {}
    for code in ("SB", "WIN", "KS"):
        first, second, _ = standings(tally, range(3), tie_breaks=(code,))
        values[code] = [(row.entrant, row.tie_breaks[0].value) for row in (first, second)]
    # An opponent beaten is half a point: 0 took 1 from 1 and 1 from 2, 1 took 1/2 from 0 and 3/2 from 2.
    # Only 0 and 1 have half of the three points or more.
    assert values == {
        "SB": [(0, 1 * F(2) + 1 * F(1, 2)), (1, F(1, 2) * 2 + F(3, 2) * F(1, 2))],
        "WIN": [(0, F(2)), (1, F(1))],
        "KS": [(0, F(1)), (1, F(1, 2))],
    }


def test_who_has_not_played_is_last():
    tally = league(["-0", "1-"])
    rows = standings(tally, (5, 0, 1, 4))
    assert [(row.rank, row.entrant, row.score) for row in rows] == [
        (1, 1, 1),
        (2, 0, 0),
        (3, 5, None),
        (3, 4, None),
    ]
    assert rows[2].games == (("a", 0, None),)
    assert rows[2].time_per_decision is None


def test_a_stage_and_the_whole_tournament():
    tally = Tally(("a",), 1)
    add_all(tally, board((0, 1), WIN))
    add_all(tally, board((1, 0), WIN, match=(1, 0, 0)))
    add_all(tally, board((1, 0), DRAW, match=(1, 1, 0)))
    assert lines(tally, 2, stage=0) == [(1, 0, 1), (2, 1, 0)]
    assert lines(tally, 2, stage=1) == [(1, 1, F(3, 2)), (2, 0, F(1, 2))]
    assert [row[:3] for row in lines(tally, 2)] == [(1, 0, F(3, 2)), (1, 1, F(3, 2))]
    assert [row.matches for row in standings(tally, range(2))] == [3, 3]
    assert len(tally.results(1)) == 2
    assert lines(tally, 1, stage=7) == [(1, 0, 0)]


def test_an_unknown_tie_break():
    with pytest.raises(ValueError, match="no tie-break PS: choose from DE, SB, WIN, KS"):
        standings(league(["-1", "0-"]), range(2), tie_breaks=("DE", "PS"))


def test_the_final_ranking_of_chained_stages():
    assert final_ranking([((3, 1), (0,), (2, 4)), ((1,), (3, 0))]) == (
        (1, 1, 1),
        (2, 3, 1),
        (2, 0, 1),
        (4, 2, 0),
        (4, 4, 0),
    )
    assert final_ranking([((1,), (0,))]) == ((1, 1, 0), (2, 0, 0))
    assert final_ranking([]) == ()


def test_every_tie_break_is_there_in_its_order_also_one_that_was_used_twice(tmp_path):
    with League.create_or_open(tmp_path / "l.league") as store:
        simulate(store, 'name = "test"\ngames = ["hyrule"]\nboards = 1\n', 5)
        summary = summarize(store, 1, intervals=False)
    # Direct encounter separates some of those that are level, and is then used again on the others.
    rows = standings(league(["-010=", "1-0==", "01-01", "1=1-0", "==01-"]), range(5))
    shown = summary_json(dataclasses.replace(summary, rows=tuple(rows)))["standings"]
    used = [[(item.code, str(item.value)) for item in row.tie_breaks] for row in rows]
    assert [code for code, _ in max(used, key=len)].count("DE") == 2
    assert [[(item["code"], item["exact"]) for item in row["tie_breaks"]] for row in shown] == used
    assert all(set(item) == {"code", "value", "exact"} for row in shown for item in row["tie_breaks"])
