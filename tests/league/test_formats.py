"""Every format is played through, stored, resumed, shown and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.stored import course_of
from arena.league.summary import summarize
from arena.tournament.rulings import Withdraw
from tests.league.store.samples import problems
from tests.referee.simulation import play_course, simulate

HEAD = 'name = "simulated"\ngames = ["hyrule", "kleftis"]\n'
STAGES = {
    "swiss": '[[stage]]\nformat = "swiss"\nrounds = 3\n[[stage]]\nformat = "knockout"\nadvance = 2\n',
    "gauntlet": '[[stage]]\nformat = "gauntlet"\nchallengers = 2\ncycles = 2\n',
    "double elimination": '[[stage]]\nformat = "double-elimination"\n',
    "groups": '[[stage]]\nformat = "groups"\ngroups = 2\n[[stage]]\nformat = "knockout"\nadvance = 2\n',
    "groups, then double elimination": '[[stage]]\nformat = "groups"\ngroups = 2\ncycles = 2\n'
    '[[stage]]\nformat = "double-elimination"\nadvance = 4\n',
}


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
def test_it_is_played_stored_and_verified(tmp_path: Path, stages: str) -> None:
    path = tmp_path / "some.league"
    with League.create_or_open(path) as league:
        number = simulate(league, HEAD + stages, 5)
        summary = summarize(league, number, intervals=False)
        assert course_of(league, number).over
    assert [stage.played for stage in summary.stages] == [stage.matches for stage in summary.stages]
    assert sorted(line.entrant for line in summary.final) == [0, 1, 2, 3, 4]
    assert problems(path) == []


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
def test_a_withdrawal_is_verified(tmp_path: Path, stages: str) -> None:
    path = tmp_path / "some.league"
    with League.create_or_open(path) as league:
        number = simulate(league, HEAD + stages, 5, finish=False, at_most=14)
        ruling = Withdraw.of(course_of(league, number), 1)
        league.record_ruling(number, ruling.to_json(), "had to go home")
        course = course_of(league, number)
        play_course(league, number, course)
        assert course.over
        league.finish_tournament(number)
        assert summarize(league, number, intervals=False).final == course.final()
    assert problems(path) == []
