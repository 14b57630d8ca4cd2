"""Runs of tournaments whose results the host shows (`reveal = "host"`), with bots in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.stored import course_of, rulings_of
from arena.referee.night.control import night_of
from arena.referee.night.host_requests import Refused, ask
from arena.tournament.rulings import Show
from tests.arena_command import arena
from tests.referee.hosting import standings
from tests.referee.night_here import LONG, Night
from tests.referee.nights import wait_for

BOTS = [f"bot {number}" for number in range(4)]
STAGED = 'reveal = "host"\ngames = ["hyrule"]\nboards = 1\n' + LONG + '[[stage]]\nformat = "round-robin"\n'
PLAYED = "all games are played; you show them"
GAMES = 12


def played(night: Night) -> None:
    """Waits until all games are played, and none is shown."""
    night.play()
    night.wait(lambda: PLAYED in night.told)
    assert night.results == []


def shown(league: Path) -> int:
    """How many games people may see."""
    with League.read(league, only_shown=True) as store:
        return len([*store.games(1)])


def stored(league: Path) -> list[str]:
    """The games that are played."""
    with League.read(league) as store:
        return [str(game.key) for _, game in store.games(1)]


def results_in(told: str) -> list[str]:
    """The matches whose results the terminal tells."""
    return re.findall(r"^(round \d, match \d): bot ", told, re.MULTILINE)


def test_a_night_is_over_when_all_is_shown_and_its_terminal_tells_no_result_before(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        played(night)
        now = night_of(night.league)
        assert (now.ready, now.next, now.tables) == (6, "round 1, match 1", 0)
        assert "being played" not in arena("watch", night.league, "--once", cwd=tmp_path).stdout
        assert results_in(night.told) == []
        told = arena("host", "show", night.league, "table", "--speed", "at-once", cwd=tmp_path).stdout
        assert told == "shown: 1 match; next: round 1, match 2\n"
        assert shown(night.league) == 2
        assert results_in(night.told) == ["round 1, match 1"]
        ask(night.league, "show", "round at-once")
        assert shown(night.league) == 4
        assert results_in(night.told) == ["round 1, match 1", "round 1, match 2"]
        assert "shown: all results" in arena(
            "host", "show", night.league, "all", "--speed", "at-once", cwd=tmp_path
        ).stdout  # fmt: skip
        night.end()
    assert len(results_in(night.told)) == 6
    assert standings(night.league)["finished"]
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout


def test_a_run_that_was_stopped_keeps_what_is_shown_and_ends_when_all_is(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        played(night)
        ask(night.league, "show", "round at-once")
    assert not standings(night.league)["finished"]
    with Night(tmp_path, None) as night:
        night.wait(lambda: PLAYED in night.told)
        assert "played already" not in night.told
        assert shown(night.league) == 4
        ask(night.league, "show", "all at-once")
        night.end()
    assert standings(night.league)["finished"]


def test_between_two_runs_the_host_shows_in_the_file(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        played(night)
    for number in range(3):
        assert shown(night.league) == 4 * number
        ask(night.league, "show", "round at-once")
    assert standings(night.league)["finished"]


def test_a_run_that_was_killed_in_the_last_countdown_ends_when_it_is_resumed(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        played(night)
    with League.create_or_open(night.league) as store:
        store.record_ruling(1, Show((), True, 3600).to_json(), "", "asked")
    assert shown(night.league) == 0
    with Night(tmp_path, None) as night:
        night.end()
    assert standings(night.league)["finished"]
    assert shown(night.league) == GAMES


def test_the_host_decides_while_results_are_hidden(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        night.wait(lambda: night.tables)
        with pytest.raises(Refused, match="round 1, match 1 is not played to its end yet"):
            ask(night.league, "show", "table")
        played(night)
        for kind, what in (
            ("annul", "1.1.1/hyrule/1.1"),
            ("extend", "boards 1"),
            ("withdraw", "bot 1"),
            ("end", ""),
        ):
            with pytest.raises(Refused, match="is played: show all of it to end it"):
                ask(night.league, kind, what)
        with pytest.raises(Refused, match="'tables' cannot be shown; table or round or all"):
            ask(night.league, "show", "tables")
        ask(night.league, "show", "all at-once")
        night.end()
    assert shown(night.league) == GAMES


def test_a_bot_is_withdrawn_and_boards_are_added_while_results_are_hidden(tmp_path):
    with Night(tmp_path, BOTS, STAGED, concurrency=1) as night:
        night.wait(lambda: night.tables)
        ask(night.league, "extend", "boards 1")
        ask(night.league, "withdraw", "bot 3")
        played(night)
        ask(night.league, "show", "all at-once")
        night.end()
    with League.read(night.league) as store:
        assert [type(each).__name__ for each in rulings_of(store, 1)][-3:] == ["Extend", "Withdraw", "Show"]
        assert course_of(store, 1).over
    assert shown(night.league) == GAMES


def test_a_match_that_is_annulled_while_it_is_hidden_is_told_once_and_as_it_was_played_again(tmp_path):
    with Night(tmp_path, BOTS[:3], STAGED, concurrency=8) as night:
        night.play(without=["bot 2"])
        night.wait(lambda: night.over == 2)
        wait_for(lambda: len(stored(night.league)) == 2)
        annulled, _ = stored(night.league)
        ask(night.league, "annul", annulled)
        played(night)
        assert results_in(night.told) == []
        ask(night.league, "show", "all at-once")
        night.end()
    assert len(stored(night.league)) == 8
    assert sorted(results_in(night.told)) == [f"round {number}, match 1" for number in (1, 2, 3)]
    # The cards are the same each time: of the board that was annulled bot 0 won both games.
    assert "round 3, match 1: bot 0 50.0, bot 1 50.0" in night.told


def test_what_is_shown_at_once_cannot_be_shown_again(tmp_path):
    with Night(tmp_path, BOTS, STAGED.replace('"host"', '"at-once"')) as night:
        night.wait(lambda: night.tables)
        with pytest.raises(Refused, match='shows its results at once: its file has no reveal = "host"'):
            ask(night.league, "show", "all")


def test_who_has_the_file_sees_all_and_who_watches_only_what_is_shown(tmp_path):
    with Night(tmp_path, BOTS, STAGED) as night:
        played(night)
    league = night.league

    def run(*words: str | Path) -> str:
        return arena(*words, cwd=tmp_path).stdout

    assert json.loads(run("standings", league, "--json"))["stages"][0]["matches_played"] == 6
    run("replay", league, "1.1.1/hyrule/1.1")
    run("export", league, "-o", tmp_path / "export.jsonl")
    assert (tmp_path / "export.jsonl").read_text().count(
        "\n"
    ) == 1  # as of any tournament that is not finished
    assert f"0 of {GAMES} games" in run("watch", league, "--once")
    run("report", league, tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text()
    assert f"{GAMES} games played" not in report
