"""Estimates of the time left: none too early, and a slow entrant plays beside the others."""

from __future__ import annotations

import pytest

from arena.results import GameResult
from arena.tournament.course import Course, Due
from arena.tournament.pace import Pace
from tests.tournament.night import STAGES, Night, plan_of, played

ROUND_ROBIN, KNOCKOUT = STAGES[0], STAGES[2]
PERSON = 4
GAME = 30 * 10**6  # microseconds that the person thinks in a game


def night_of_nine() -> Night:
    """Of 720 games, 160 of each entrant."""
    return Night(plan_of(ROUND_ROBIN, 9, boards=5), 9)


def over(due: Due) -> GameResult:
    result = played(due)
    seats = [seat._replace(time=GAME if seat.entrant == PERSON else 1000) for seat in result.seats]
    return result._replace(seats=tuple(seats))


def play(course: Course, games: int, busy: set[int] | None = None) -> None:
    for _ in range(games):
        due = course.take(busy or set())
        assert due is not None
        course.add(over(due))


def test_nothing_is_said_before_there_is_something_to_go_by():
    course = night_of_nine().course
    assert Pace().time_left(course, 60.0) is None
    play(course, 1)
    assert Pace().time_left(course, 180.0) is None, "which would be a day and a half"
    play(course, 19)
    assert Pace().time_left(course, 10.0) == pytest.approx(350.0)


def test_of_few_games_a_quarter_is_enough():
    course = Night(plan_of(KNOCKOUT, 4, games=1), 4).course  # four matches of two games
    play(course, 1)
    assert Pace().time_left(course, 60.0) is None
    play(course, 1)
    assert Pace().time_left(course, 60.0) == pytest.approx(180.0)


def test_what_is_left_takes_as_long_as_what_was_played():
    course = night_of_nine().course
    play(course, 360)
    assert Pace().time_left(course, 100.0) == pytest.approx(100.0)
    play(course, 360)
    assert course.over
    assert Pace().time_left(course, 200.0) is None


def test_a_run_that_goes_on_counts_from_where_it_began():
    course = night_of_nine().course
    play(course, 360)
    pace = Pace(course)
    assert pace.time_left(course, 1.0) is None
    play(course, 60)
    assert pace.time_left(course, 10.0) == pytest.approx(50.0)


def test_a_slow_entrant_plays_beside_the_others():
    course = night_of_nine().course
    play(course, 400, {PERSON})
    assert Pace().time_left(course, 150.0) is None, "it is behind, and has not played"
    play(course, 5, set(range(1, 9)) - {PERSON})
    assert course.tally.totals().of(PERSON).games == 5
    assert Pace().time_left(course, 155.0) == pytest.approx(150.0 * 155 / 5)
    play(course, 160, {PERSON})
    assert Pace().time_left(course, 155.0) == pytest.approx(150.0 * 155 / 5), "the others are through"


def test_who_sits_out_a_round_is_not_slow():
    course = night_of_nine().course
    for spent in range(20, 700):
        play(course, 1 if spent > 20 else 20)
        left = Pace().time_left(course, float(spent))
        assert left == pytest.approx(720 - course.tally.played)
