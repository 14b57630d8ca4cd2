"""The effects of a withdrawal on a tournament."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.tournament.rulings import Streaks, Withdraw, read_ruling
from tests.tournament.night import STAGES, Night, plan_of, play_matches, played, scores


def test_who_leaves_early_is_left_out_of_the_scores():
    night = Night(plan_of(STAGES[0], 5), 5)
    play_matches(night, 2)  # of ten; entrant 0 has played one of its four
    night.withdraw(0)
    assert night.rulings == [Withdraw(0, 0, annulled=True)]
    night.finish()
    assert night.course.over
    assert scores(night) == {
        0: None, 1: Fraction(1), 2: Fraction(2, 3), 3: Fraction(1, 3), 4: Fraction(0),
    }  # fmt: skip
    assert {row.matches for row in night.course.standings() if row.entrant} == {3}
    assert night.course.final()[-1].entrant == 0


def test_who_leaves_late_loses_what_is_left():
    night = Night(plan_of(STAGES[0], 5), 5)
    play_matches(night, 8)
    left = {player for player in range(5) if night.course.tally.matches_played(0, player) < 4}
    assert 0 in left
    night.withdraw(0)
    assert night.rulings == [Withdraw(0, 0, annulled=False)]
    night.finish()
    rows = {row.entrant: row for row in night.course.standings()}
    assert {row.matches for row in rows.values()} == {4}
    walked = [match for match, _ in night.course.tally.walkovers.items()]
    assert len(walked) == 1
    assert rows[0].score == Fraction(3, 4)
    assert sum((row.total for row in rows.values()), Fraction(0)) == 10
    assert night.course.tally.played == 9 * 2 * 2  # the match won without play has no games


def test_between_two_that_are_gone_the_one_who_stayed_longer_goes_on():
    night = Night(plan_of(STAGES[2], 4), 4)
    night.withdraw(0)
    night.withdraw(3)
    night.finish()
    assert [line.entrant for line in night.course.final()] == [1, 3, 2, 0]


def test_at_larger_tables_the_others_play_on():
    night = Night(plan_of(STAGES[4], 4, games=1), 4)
    play_matches(night, 1)
    night.withdraw(0)
    before = len(night.results)
    night.finish()
    assert night.course.over
    assert len(night.results) > before
    assert any(0 in {seat.entrant for seat in result.seats} for result in night.results[before:])
    (ruling,) = night.rulings
    assert isinstance(ruling, Withdraw)
    assert (scores(night)[0] is None) == ruling.annulled


def test_in_a_knockout_the_opponent_goes_on():
    night = Night(plan_of(STAGES[2], 4), 4)
    night.withdraw(0)
    night.finish()
    assert [line.entrant for line in night.course.final()] == [1, 3, 2, 0]


def test_who_is_withdrawn_does_not_go_on_to_the_next_stage():
    night = Night(plan_of(STAGES[3], 5), 5)
    play_matches(night, 9)
    night.withdraw(0)
    night.finish()
    assert night.course.stages[1].entrants == (1, 2, 3)


def test_forfeits_in_a_row_are_counted():
    due = Night(plan_of(STAGES[0], 3), 3).course.take()
    assert due is not None
    first, second = due.players
    streaks = Streaks(3, {second: 1})
    streaks.add(played(due, forfeits=[first, second]))
    assert streaks.to_withdraw() == []
    streaks.add(played(due, forfeits=[second]))
    assert streaks.to_withdraw() == [second]
    streaks.add(played(due, forfeits=[first]))
    assert streaks.to_withdraw() == []
    never = Streaks(0, {first: 100})
    never.add(played(due, forfeits=[first]))
    assert never.to_withdraw() == []


def test_a_ruling_is_read_as_it_was_written():
    ruling = Withdraw(3, 1, annulled=True)
    assert read_ruling(ruling.to_json()) == ruling
    for text in ("", "{}", '{"kind": "dance"}', '{"kind": "withdraw"}', "[1]"):
        with pytest.raises(ValueError, match="no decision that this version knows"):
            read_ruling(text)
