"""The courses of a Swiss, and of groups before a bracket."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from arena.tournament.plan import UnknownPlan, read_plan
from arena.tournament.rulings import Extend, Withdraw, read_ruling
from tests.tournament.night import GROUPS, SWISS, Night, plan_of, play_matches, played


def test_a_bye_of_a_swiss_counts_as_won_in_full():
    night = Night(plan_of(SWISS, 5), 5)
    night.finish()
    (stage,) = night.course.stages
    rows = {row.entrant: row for row in night.course.standings(stage)}
    byes = [entrant for round_ in night.course.rounds(stage) for entrant in round_.byes]
    assert len(set(byes)) == 3
    assert {row.matches for row in rows.values()} == {3}
    assert {row.wins + row.draws + row.losses for row in rows.values()} == {3}
    # 4 loses to everybody, 0 to nobody.
    assert [rows[4].total, rows[0].total] == [1, 3]
    assert rows[4].games[0].score == Fraction(1, 3)
    assert sum((row.total for row in rows.values()), Fraction(0)) == 3 * 2 + 3
    assert night.course.tally.played == 3 * 2 * 2 * 2  # a bye has no games


def test_who_leaves_a_swiss_is_paired_no_more_however_often_the_course_is_made_anew():
    night = Night(plan_of(SWISS, 6), 6)
    play_matches(night, 3 + 1)
    (stage,) = night.course.stages
    second = list(night.course.rounds(stage))[1]
    left = next(match for match in second.matches if night.course.tally.result(match.key) is None)
    gone, other = left.entrants
    night.withdraw(gone)
    assert night.rulings == [Withdraw(gone, 0, annulled=False, round=2)]
    night.resume()
    assert list(night.course.rounds(night.course.stages[0]))[1].matches == second.matches
    night.finish()
    assert night.course.over
    (stage,) = night.course.stages
    third = list(night.course.rounds(stage))[2]
    assert third.absent == (gone,)
    assert len(third.byes) == 1
    assert third.byes != (other,), "who won without play has no bye as well"
    rows = {row.entrant: row for row in night.course.standings(stage)}
    assert {row.matches for row in rows.values()} == {3}
    assert rows[gone].losses >= 2
    live = night.standings()
    night.resume()
    assert night.standings() == live


def test_who_is_withdrawn_before_is_not_paired_in_a_swiss():
    night = Night(plan_of('[[stage]]\nformat = "round-robin"\n' + SWISS, 4), 4)
    night.withdraw(0)
    night.finish()
    swiss = night.course.stages[1]
    assert swiss.entrants == (1, 2, 3, 0)
    assert [round_.absent for round_ in night.course.rounds(swiss)] == [(0,)] * 3
    assert swiss.match_count == 3


def test_a_stored_tournament_keeps_its_edition_of_the_tie_breaks():
    """The higher number wins; 3 and 4 have 2 of 2, and 4 had a bye, which is worth less since 2026."""
    plan = plan_of('[[stage]]\nformat = "swiss"\nrounds = 2\n', 5)
    values = json.loads(plan.to_json())
    assert values.pop("tie_break_edition") == 2026
    for stored, edition, best in ((plan.to_json(), 2026, [3, 4]), (json.dumps(values), 2024, [4, 3])):
        night = Night(read_plan(stored), 5)
        assert night.plan.tie_break_edition == edition
        assert read_plan(night.plan.to_json()) == night.plan
        while due := night.course.take():
            night.store(played(due, [6 - player for player in due.players]))
        rows = night.course.standings(night.course.stages[0])
        assert [(row.rank, row.entrant) for row in rows[:2]] == [*enumerate(best, 1)]
        assert night.course.ranking(night.course.stages[0])[0] == (best[0],)


def test_an_edition_that_this_version_does_not_have_is_refused():
    values = json.loads(plan_of(SWISS, 5).to_json()) | {"tie_break_edition": 2030}
    with pytest.raises(UnknownPlan, match=r"tie-breaks are those of FIDE's C\.07 of 2030: update arena"):
        read_plan(json.dumps(values))


def test_a_ruling_of_before_there_was_a_swiss_is_read():
    text = '{"entrant": 3, "stage": 0, "annulled": true, "kind": "withdraw"}'
    assert read_ruling(text) == Withdraw(3, 0, annulled=True, round=0)


def test_nobody_has_a_walkover_in_a_match_whose_entrants_are_not_decided_yet():
    """A semi-final is tied and goes to an extra board; meanwhile who won the other one is withdrawn."""
    night = Night(plan_of('[[stage]]\nformat = "knockout"\nextra_boards = 1\n', 4, games=1), 4)
    for _ in range(4):  # 1 and 2 meet in the second semi-final
        due = night.course.take()
        assert due is not None
        night.store(played(due, [1, 1] if 1 in due.players else ()))
    due = night.course.take()
    assert due is not None
    assert set(due.players) == {1, 2}
    night.withdraw(0)
    assert not night.course.tally.walkovers
    while due := night.course.take():
        night.store(played(due, [1 if player == 2 else 2 for player in due.players]))
    assert [line.entrant for line in night.course.final()] == [2, 0, 1, 3]


def groups(entrants: int, advance: int, more: str = "") -> Night:
    text = f'{GROUPS}{more}[[stage]]\nformat = "knockout"\nadvance = {advance}\n'
    return Night(plan_of(text, entrants, games=1), entrants)


def test_the_best_of_each_group_go_on():
    """A: 0, 3, 4, 7; B: 1, 2, 5, 6; who has the lower number wins."""
    night = groups(8, 4)
    assert night.course.advancing(night.course.stages[0]) == (0, 1, 3, 2)  # by seed, as nothing is played
    night.finish()
    robins, cup = night.course.stages
    tables = night.course.group_standings(robins)
    assert [[(row.rank, row.entrant) for row in table] for table in tables] == [
        [(1, 0), (2, 3), (3, 4), (4, 7)],
        [(1, 1), (2, 2), (3, 5), (4, 6)],
    ]
    assert [(row.rank, row.entrant) for row in night.course.standings(robins)] == [
        (1, 0), (1, 1), (3, 2), (3, 3), (5, 4), (5, 5), (7, 6), (7, 7),
    ]  # fmt: skip
    assert cup.entrants == (0, 1, 3, 2)  # 0 and 3 can meet in the final only
    assert [(line.place, line.entrant) for line in night.course.final()][4:] == [
        (5, 4),
        (5, 5),
        (7, 6),
        (7, 7),
    ]
    assert night.course.advancing(cup) == ()


def test_group_mates_meet_in_the_final_only():
    night = groups(8, 4)
    while due := night.course.take():
        if len(night.course.stages) == 2:
            break
        # In group A the lower number wins, in B the higher: first are 0 and 6.
        in_b = due.players[0] in (1, 2, 5, 6)
        ranks = [1 + sorted(due.players, reverse=in_b).index(player) for player in due.players]
        night.store(played(due, ranks))
    cup = night.course.stages[1]
    assert cup.entrants == (0, 6, 3, 5)
    first = next(night.course.rounds(cup))
    assert [match.entrants for match in first.matches] == [(0, 5), (6, 3)]


def test_the_next_of_a_group_goes_on_for_who_is_withdrawn():
    night = groups(8, 4)
    play_matches(night, 11)
    night.withdraw(1)
    night.finish()
    assert set(night.course.stages[1].entrants) == {0, 2, 3, 5}


def test_half_of_the_matches_is_that_of_the_own_group():
    """Of five, three are in group A with two matches each, and two in group B with one."""
    night = groups(5, 2)
    play_matches(night, 2)
    robins = night.course.stages[0]
    assert [robins.matches_of(entrant) for entrant in range(5)] == [2, 1, 1, 2, 2]
    played_one = [each for each in (0, 3, 4) if night.course.tally.matches_played(0, each) == 1]
    assert not Withdraw.of(night.course, played_one[0]).annulled


def test_groups_have_more_cycles_if_the_host_wants():
    night = groups(5, 2)
    play_matches(night, 2)
    before = night.course.results(night.course.stages[0])
    night.rule(Extend.of(night.course, 1))
    assert before.items() <= night.course.results(night.course.stages[0]).items()
    night.finish()
    assert {row.matches for row in night.course.standings(night.course.stages[0])} == {2, 4}
