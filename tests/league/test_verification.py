"""An unchanged league is verified; a changed one is not, and the problem says where."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.league.store import League, LeagueNotWritable
from arena.league.stored import plan_of
from arena.league.summary import summarize
from tests.league.damaged import FOUR_SEATS, edit, mend_chain
from tests.league.store.samples import problems, results_of
from tests.referee.simulation import simulate

FILE = """
name = "simulated"
games = ["hyrule", "kleftis", "forty-one"]
[[stage]]
format = "round-robin"
[[stage]]
format = "knockout"
advance = 3
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with two finished tournaments and one that is not."""
    path = tmp_path_factory.mktemp("leagues") / "written.league"
    with League.create_or_open(path) as league:
        simulate(league, FILE, 5)
        simulate(league, FOUR_SEATS, 5)
        simulate(league, 'name = "unfinished"\ngames = ["hyrule"]\n', 3, finish=False)
    return path


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy.league"
    shutil.copy(written, copy)
    return copy


def test_an_untouched_league_verifies(path):
    assert problems(path) == []


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE tournament SET name = 'other' WHERE id = 2", "tournament 2: its link"),
        ("UPDATE tournament SET key = zeroblob(32) WHERE id = 1", "tournament 1: its key is not"),
        ("UPDATE tournament SET finished = NULL WHERE id = 2", "end 2: its link"),
        ("UPDATE entrant SET author = 'me' WHERE tournament = 1 AND number = 3", "tournament 1: its link"),
        ("DELETE FROM entrant WHERE tournament = 1 AND number = 4", "tournament 1: its link"),
        ("UPDATE game SET reason = 'luck' WHERE number = 7", "game 7: its link"),
        ("UPDATE game SET recorded = 'now' WHERE number = 7", "game 7: its link"),
        ("UPDATE game SET times = x'00' WHERE number = 7", "game 7: its link"),
        (
            "UPDATE game SET record = substr(record, 1, length(record) - 1) WHERE number = 9",
            "game 9: its link",
        ),
        ("DELETE FROM game WHERE number = 12", "game 12: the chain has it"),
        ("UPDATE game SET number = 99999 WHERE number = 12", "game 12: the chain has it"),
        ("UPDATE seat SET place = 3 - place WHERE game = 20", "game 20: its link"),
        ("UPDATE seat SET points = points + 1 WHERE game = 20 AND seat = 0", "game 20: its link"),
        ("UPDATE seat SET entrant = 4 - entrant WHERE game = 20", "game 20: its link"),
        ("UPDATE seat SET match_entrant = 1 - match_entrant WHERE game = 20", "game 20: its link"),
        ("UPDATE seat SET match_entrant = 9 WHERE game = 20 AND seat = 1", "cannot be its seating"),
        ("UPDATE seat SET time = time + 1 WHERE game = 20 AND seat = 1", "game 20: its link"),
        ("DELETE FROM seat WHERE game = 20 AND seat = 1", "game 20: its link"),
        ("DELETE FROM chain WHERE position = 5", "chain, position 5: the entry is missing"),
        ("DELETE FROM chain WHERE position = (SELECT max(position) FROM chain)", "chain: it has"),
        ("UPDATE chain SET link = zeroblob(32) WHERE position = 5", "its link in the hash chain"),
    ],
)
def test_an_edit_is_found_and_named(path, statement, where):
    edit(path, statement)
    found = problems(path)
    assert any(where in problem for problem in found), found


def test_two_games_that_change_places_are_found(path):
    edit(
        path,
        "UPDATE chain SET id = -1 WHERE thing = 'game' AND id = 3",
        "UPDATE chain SET id = 3 WHERE thing = 'game' AND id = 4",
        "UPDATE chain SET id = 4 WHERE thing = 'game' AND id = -1",
    )
    assert len(problems(path)) >= 2


def test_a_forger_who_mends_the_chain_is_found_by_the_rules(path):
    """A changed result still contradicts its record, its board or the schedule."""
    edit(path, "UPDATE seat SET place = 3 - place, points = -points WHERE game = 1")
    mend_chain(path)
    found = problems(path)
    assert any("is not that of its record" in problem for problem in found)
    assert not any("its link" in problem for problem in found)


def test_games_seated_otherwise_than_scheduled_are_found(tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as league:
        simulate(league, FOUR_SEATS, 4)
    edit(path, """UPDATE tournament SET plan = replace(plan, '"balanced"', '"cyclic"')""")
    mend_chain(path)
    found = problems(path)
    assert found
    assert all("its seats are taken by the match's entrants" in problem for problem in found)


def test_a_record_of_another_seating_is_found(path):
    edit(path, "UPDATE seat SET match_entrant = 2 - match_entrant WHERE game = (SELECT max(game) FROM seat)")
    mend_chain(path)
    assert any("its record has another seating" in problem for problem in problems(path))


@pytest.mark.parametrize("boards", [1, 3])
@pytest.mark.parametrize("seating", ["balanced", "cyclic"])
def test_tournaments_are_verified_by_the_rule_that_they_were_begun_with(tmp_path, seating, boards):
    path = tmp_path / "a.league"
    text = (
        f"{FOUR_SEATS}boards = {boards}\n[[stage]]\nformat = 'round-robin'\n[[stage]]\nformat = 'knockout'\n"
    )
    with League.create_or_open(path) as league:
        number = simulate(league, text, 4, seating=seating)
        assert plan_of(league.tournament(number)).seating == seating
    assert problems(path) == []


def test_a_game_taken_out_with_its_chain_entry_leaves_a_match_incomplete(path):
    edit(
        path,
        "DELETE FROM chain WHERE thing = 'game' AND id = 2",
        "DELETE FROM seat WHERE game = 2",
        "DELETE FROM game WHERE number = 2",
    )
    assert any("is missing or not complete" in problem for problem in problems(path))


def test_a_backup_is_a_league_like_any_other_and_never_overwrites(path, tmp_path):
    copy = tmp_path / "backup.league"
    with League.read(path) as league:
        league.backup(copy)
        assert problems(copy) == []
        with League.read(copy) as other:
            assert list(results_of(other, 1)) == list(results_of(league, 1))
        with pytest.raises(LeagueNotWritable, match="exists already"):
            league.backup(copy)


def test_standings_of_an_earlier_moment_are_those_of_the_games_until_then(path):
    with League.read(path) as league:
        number = len(list(results_of(league, 1))) // 2
        moment = league.game(number).moment
        earlier = summarize(league, 1, moment)
        now = summarize(league, 1)
        assert number <= earlier.games < now.games
        assert earlier.tournament.finished is None
        assert earlier.tournament.key is None
        assert now.tournament.key is not None
        assert summarize(league, 1, now.tournament.finished).rows == now.rows
