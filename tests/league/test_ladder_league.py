"""A ladder in a league file: verified, resumed, and found out if a pairing is forged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.stored import course_of
from arena.league.summary import Unplaced, summarize
from arena.report.standings_data import summary_json
from arena.report.standings_text import summary_text
from arena.report.tournaments import list_json
from arena.tournament.course import Course
from arena.tournament.rulings import Admit, End, Newcomer, Ruling, Withdraw
from tests.league.damaged import edit, mend_chain
from tests.league.store.samples import problems
from tests.referee.simulation import play_course, simulate

FILE = 'name = "season"\ngames = ["hyrule"]\n[[stage]]\nformat = "ladder"\n'


def rule(league: League, number: int, ruling: Ruling) -> Course:
    league.record_ruling(number, ruling.to_json(), "")
    return course_of(league, number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ladder on which a bot was replaced and one withdrawn, each in the middle of matches."""
    path = tmp_path / "season.league"
    with League.create_or_open(path) as league:
        number = simulate(league, FILE, 5, finish=False, at_most=101)
        course = course_of(league, number)
        late = Newcomer("bot 0 v2", "join")
        course = rule(league, number, Admit.of(course, late, replaces=0))
        play_course(league, number, course, 61)
        course = rule(league, number, Withdraw.of(course, 1))
        play_course(league, number, course, 61)
        newest = Newcomer("newest", "join")
        course = rule(league, number, Admit.of(course_of(league, number), newest))
        play_course(league, number, course, 5)
    return path


def test_an_unfinished_ladder_and_an_ended_one_verify(path):
    assert problems(path) == []
    with League.create_or_open(path) as league:
        rule(league, 1, End())
        league.finish_tournament(1)
    assert problems(path) == []


def test_a_forged_pairing_is_found(path):
    """Entrants 2 and 3 change places in the first rounds."""
    edit(
        path,
        "UPDATE seat SET entrant = 5 - entrant WHERE entrant IN (2, 3) "
        "AND game IN (SELECT number FROM game WHERE round < 6)",
    )
    mend_chain(path)
    found = problems(path)
    assert any("was played by entrants" in each or "is not one that" in each for each in found), found


def test_a_withdrawal_from_a_round_that_had_begun_is_found(path):
    with League.read(path) as league:
        text = next(each.ruling for each in league.rulings(1) if '"withdraw"' in each.ruling)
    values = json.loads(text)
    forged = json.dumps({**values, "round": 1})
    edit(path, f"UPDATE decision SET decision = '{forged}' WHERE decision = '{text}'")
    mend_chain(path)
    assert any("it holds from round 2 on, which cannot be" in each for each in problems(path))


def test_standings_rank_by_the_expected_score_and_mark_who_is_not_ranked_yet(path):
    with League.read(path) as league:
        summary = summarize(league, 1)
    assert summary.unplaced[6] is Unplaced.PROVISIONAL
    assert summary.gone == {0, 1}
    assert [line.entrant for line in summary.placed] == [
        line.entrant for line in summary.final if line.entrant in {2, 3, 4, 5}
    ]
    shares = {line.entrant: share for line, share in zip(summary.final, summary.shares, strict=True)}
    field = [shares[line.entrant] for line in summary.placed]
    assert sum(each.score or 0 for each in field) == pytest.approx(len(field) / 2), "everybody against all"
    assert all((each.low or 0) < (each.score or 0) < (each.high or 0) for each in field)
    text = summary_text(summary)
    assert "provisional: not ranked before it has 10 boards" in text
    assert "bot 0 v2 came late and replaced bot 0" in text
    standing = {line["name"]: line["standing"] for line in summary_json(summary)["final"]}
    assert (standing["newest"], standing["bot 0"], standing["bot 2"]) == (
        "provisional",
        "withdrawn",
        "ranked",
    )


def test_the_list_of_tournaments_names_the_first_of_the_standings(tmp_path):
    with League.create_or_open(tmp_path / "season.league") as league:
        number = simulate(league, FILE, 5, finish=False, at_most=41)
        best = summarize(league, number).final[0].entrant
        assert course_of(league, number).final()[0].entrant != best  # by percentages another bot is first
        assert list_json(league)[0]["first"] == [league.tournament(number).entrants[best].name]
