"""Boards that are added to a running tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import pytest

from arena.tournament.rulings import Extend, read_ruling
from tests.tournament.night import STAGES, Night, plan_of, play_matches, played, scores


def test_more_boards_make_every_match_of_a_round_robin_longer_also_those_that_are_over():
    night = Night(plan_of(STAGES[0], 3, boards=2), 3)
    play_matches(night, 1)
    assert night.course.tally.matches_finished(0) == 1
    night.rule(Extend.of(night.course, boards=3))
    assert night.course.tally.matches_finished(0) == 0
    assert night.course.games_left() == 3 * 5 * 4 - 8
    night.finish()
    assert night.course.over
    assert len(night.results) == 3 * 5 * 4
    assert scores(night) == {0: 1, 1: Fraction(1, 2), 2: 0}


def test_more_boards_of_a_knockout_are_of_its_round_and_the_later_ones():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 2)
    night.course.take()
    more = Extend.of(night.course, boards=2)
    assert (more.boards, more.round) == (2, 1)
    night.rule(more)
    night.finish()
    rounds = Counter(result.key.round for result in night.results)
    assert rounds == {0: 2 * 1 * 4, 1: 2 * 3 * 4}
    totals = night.course.tally.totals(0)
    # However long, each match counts as much.
    assert sum(each.points for each in totals.entrants.values()) == 4 * totals.unit, (
        "each match counts as much"
    )


def test_a_knockout_that_breaks_a_tie_by_extra_boards_is_not_made_longer():
    night = Night(plan_of(STAGES[2], 2), 2)
    while due := night.course.take():
        night.store(played(due, [1, 1]))
        if due.key.board == 1:
            break
    assert "extra boards" in str(Extend.of(night.course, boards=1).refusal(night.course))


def test_boards_that_were_played_keep_their_seatings():
    stages = 'seats = 3\n[[stage]]\nformat = "round-robin"\ncycles = 2\n'
    night = Night(plan_of(stages, 7, boards=3), 7)
    stage = night.course.stages[0]
    matches = [match for round_ in night.course.rounds(stage) for match in round_.matches]

    def orders(boards: Iterable[int]) -> list[object]:
        seatings = night.course.seatings(night.course.stages[0])
        return [seatings.order(match.key, 3, board) for match in matches for board in boards]

    before = orders(range(3))
    night.rule(Extend.of(night.course, boards=2))
    night.rule(Extend.of(night.course, boards=1))
    assert orders(range(3)) == before
    planned = stage.seatings(2, "balanced")
    assert orders(range(3, 5)) == [
        planned.order(match.key, 3, board) for match in matches for board in range(2)
    ]
    with pytest.raises(LookupError):
        orders([6])


def test_too_many_boards_are_refused():
    course = Night(plan_of(STAGES[0], 3), 3).course
    assert "more than 100000 boards" in str(Extend.of(course, boards=100_000).refusal(course))
    assert Extend.of(course, boards=99_999).refusal(course) is None
    assert "as long as it is" in str(Extend.of(course).refusal(course))


def test_too_many_cycles_are_refused():
    course = Night(plan_of(STAGES[0], 3), 3).course
    assert "more than 1000 cycles" in str(Extend.of(course, 1001).refusal(course))
    assert Extend.of(course, 1000).refusal(course) is None


def test_an_extension_of_before_boards_could_be_added_is_read():
    text = '{"stage": 1, "cycles": 2, "kind": "extend"}'
    assert read_ruling(text) == Extend(1, 2)
