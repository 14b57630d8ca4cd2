"""The matches of late bots, by format."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.formats.format import TooLate
from arena.results import MatchKey
from arena.standings.tiebreaks import Scoresheets
from arena.tournament.rulings import Admit, Extend, Newcomer, Withdraw
from tests.tournament.night import STAGES, SWISS, Night, plan_of, play_matches

GUEST = Newcomer("late", "join")


def matches_of(night: Night, entrant: int) -> list[MatchKey]:
    """The keys of an entrant's matches in the first stage."""
    stage = night.course.stages[0]
    matches = [match for round_ in night.course.rounds(stage) for match in round_.matches]
    return [match.key for match in matches if entrant in match.entrants]


def admit(night: Night) -> Admit:
    ruling = Admit.of(night.course, GUEST)
    night.rule(ruling)
    return ruling


def test_a_late_bot_of_a_round_robin_meets_everybody_in_the_cycles_that_are_not_over():
    night = Night(plan_of(STAGES[1], 4), 4)
    before = [match for each in range(4) for match in matches_of(night, each)]
    play_matches(night, 7)  # of six in a cycle
    assert admit(night) == Admit(4, "late", "join", "", "", "", since=1)
    assert [key for each in range(4) for key in matches_of(night, each) if key in before] == before
    late = matches_of(night, 4)
    assert len(late) == 4
    assert min(key.round for key in late) == 6, "behind all that was paired before"
    second = admit(night)
    assert (second.entrant, len(matches_of(night, 5))) == (5, 5)
    night.rule(Extend.of(night.course, 1))
    night.finish()
    rows = {row.entrant: row.matches for row in night.course.standings()}
    assert rows == {**dict.fromkeys(range(4), 2 * 3 + 2 + 5), 4: 4 + 1 + 5, 5: 5 + 5}
    assert sorted(line.entrant for line in night.course.final()) == [0, 1, 2, 3, 4, 5]


def test_a_match_of_a_withdrawn_bot_that_was_only_considered_has_not_begun():
    """The next cycle is planned while all bots are busy, and a late bot may still enter it."""
    night = Night(plan_of('seats = 4\n[[stage]]\nformat = "round-robin"\ncycles = 2\n', 4), 4)
    night.withdraw(2)
    first = [night.course.take() for _ in range(2)]
    assert night.course.take(busy=range(4)) is None
    assert {due.key.round for due in first if due} == {0}
    assert night.course.progress(night.course.stages[0]).begun == 1
    assert admit(night).since == 1


def test_a_late_bot_catches_up_with_all_at_once_and_then_plays_a_match_a_round():
    night = Night(plan_of(STAGES[0], 8, boards=2), 8)
    play_matches(night, 4 * 4)  # of 7 rounds
    admit(night)
    stage = night.course.stages[0]
    due = [(each.key.round, each.players) for each in iter(night.course.take, None)]
    caught_up = due[: 5 * 8]
    assert [round_ for round_, _ in caught_up[:10]] == [7, 8, 9, 10, 11] * 2, "beside each other"
    assert {8 in players for _, players in caught_up} == {True}
    order = list(dict.fromkeys(round_ for round_, _ in due[5 * 8 :]))
    assert order == [4, 12, 5, 13, 6, 14], "beside the rounds of the others"
    assert [stage.newcomer(number) for number in range(15)] == [None] * 7 + [8] * 8
    labels = [match.label for round_ in night.course.rounds(stage) for match in round_.matches]
    assert labels[4 * 6 :] == [
        *(f"round 7, match {number}" for number in range(1, 5)),
        *(f"catch-up {number}" for number in range(1, 9)),
    ]


def test_a_late_bot_that_plays_one_table_leaves_the_others_theirs():
    night = Night(plan_of(STAGES[0], 4, boards=2), 4)
    admit(night)
    taken = night.course.take()
    while taken is not None and 4 not in taken.players:
        taken = night.course.take()
    assert taken is not None
    others = [each.players for each in iter(lambda: night.course.take({4}), None)]
    assert {4 in players for players in others} == {False}
    assert night.course.take() is not None


def test_who_comes_later_still_has_caught_up_before_more_cycles_begin():
    night = Night(plan_of(STAGES[0], 4), 4)
    play_matches(night, 1)
    admit(night)
    admit(night)
    night.rule(Extend.of(night.course, 1))
    stage = night.course.stages[0]
    assert list(stage.order) == [0, 3, 4, 7, 8, 9, 1, 5, 10, 2, 6, 11, *range(12, 17)]
    assert [stage.newcomer(number) for number in stage.order[-5:]] == [None] * 5, "in which both take part"
    night.finish()
    assert night.course.over


def test_a_late_bot_of_a_gauntlet_joins_the_field():
    night = Night(plan_of(STAGES[6], 5), 5)  # two challengers
    play_matches(night, 1)
    admit(night)
    night.finish()
    rows = {row.entrant: row.matches for row in night.course.standings()}
    assert rows == {0: 4, 1: 4, 2: 2, 3: 2, 4: 2, 5: 2}


def test_a_late_bot_of_a_swiss_is_paired_from_the_next_round_on_and_gets_nothing_for_the_others():
    night = Night(plan_of(SWISS, 5), 5)
    play_matches(night, 1)
    assert admit(night).since == 1
    (stage,) = night.course.stages
    assert next(night.course.rounds(stage)).absent == (5,)
    night.finish()
    second = list(night.course.rounds(night.course.stages[0]))[1]
    assert second.byes == (), "now they are even"
    rows = {row.entrant: row for row in night.course.standings(night.course.stages[0])}
    assert {row.matches for row in rows.values()} == {3}
    assert rows[5].losses >= 1
    assert sum((row.total for row in rows.values()), Fraction(0)) == 3 * 3


def test_a_round_that_a_late_bot_missed_counts_as_lost_for_its_opponents_not_as_drawn():
    night = Night(plan_of('[[stage]]\nformat = "swiss"\nrounds = 2\n', 5), 5)
    play_matches(night, 1)
    admit(night)
    night.finish()
    (stage,) = night.course.stages
    met = {entrant: set[int]() for entrant in range(6)}
    for result in night.course.results(stage).values():
        for entrant in result.entrants:
            met[entrant] |= set(result.entrants) - {entrant}
    ((opponent, others),) = [(each, others) for each, others in met.items() if 5 in others]
    totals = {row.entrant: row.total for row in night.course.standings(stage)}
    assert len(others) == 2
    assert totals[5] == 0
    assert Scoresheets(night.course.tally, 0).buchholz(opponent) == sum(totals[other] for other in others)


def test_at_larger_tables_a_late_bot_plays_from_the_next_cycle_on():
    stages = 'seats = 3\n[[stage]]\nformat = "round-robin"\ncycles = 2\n'
    night = Night(plan_of(stages, 4), 4)
    play_matches(night, 1)
    assert admit(night).since == 1
    assert {key.round for key in matches_of(night, 4)} <= set(range(4, 9))
    night.finish()
    assert night.course.over
    once = Night(plan_of(STAGES[4], 4), 4)
    play_matches(once, 1)
    with pytest.raises(TooLate, match="arena host extend LEAGUE --cycles 1"):
        Admit.of(once.course, GUEST)
    once.rule(Extend.of(once.course, 1))
    admit(once)
    once.finish()
    assert once.course.over


def test_a_knockout_takes_a_late_bot_only_before_it_begins():
    night = Night(plan_of(STAGES[2], 3), 3)
    admit(night)
    assert night.course.stages[0].entrants == (0, 1, 2, 3)
    play_matches(night, 1)
    with pytest.raises(TooLate, match="has begun"):
        Admit.of(night.course, GUEST)
    night.finish()
    assert len(night.course.final()) == 4


def test_a_late_bot_comes_into_a_later_stage_only_by_how_it_came_out():
    night = Night(plan_of(STAGES[3], 4), 4)
    play_matches(night, 1)
    admit(night)
    play_matches(night, 9)
    night.course.take()
    assert len(night.course.stages) == 2
    assert 4 not in night.course.stages[1].entrants
    with pytest.raises(TooLate, match="past its first stage"):
        Admit.of(night.course, GUEST)


def test_half_of_its_own_matches_decide_what_the_withdrawal_of_a_late_bot_means():
    night = Night(plan_of(STAGES[1], 3), 3)
    play_matches(night, 4)
    admit(night)  # three matches, of the second cycle
    play_matches(night, 4)
    assert night.course.tally.matches_played(0, 3) == 2
    night.withdraw(3)
    assert night.rulings[-1] == Withdraw(3, 0, annulled=False)
