"""`arena replay` on a stored game: everyone's view, one seat's, with positions, step by step."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from arena.league.store import League
from tests.arena_command import ARENA, arena
from tests.patience import PATIENCE
from tests.referee.simulation import simulate


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, 'name = "test"\ngames = ["nyuri"]\n', 2)
    return path


def replay(league: Path, *arguments: str) -> str:
    return listed(league, "1", *arguments)


def test_a_seat_is_not_shown_what_the_other_holds(league):
    everything, seen = replay(league), replay(league, "--seat", "0")
    assert everything.count("is dealt 7 cards") == 0
    assert seen.count("seat 1 is dealt 7 cards") == 1


def test_positions_show_every_choice_and_what_was_chosen(league):
    shown = replay(league, "--positions").splitlines()
    chosen = [line[8:] for line in shown if line.startswith("      > ")]
    told = [
        line.split(": ", 1)[1] for line in replay(league).splitlines() if ": " in line and ". seat" in line
    ]
    assert chosen
    assert chosen == told
    of_one = replay(league, "--positions", "--seat", "0")
    assert "| hand of seat 0:" in of_one
    assert of_one.count("      > ") < len(chosen)
    assert "| hand of seat 1:" not in of_one


def test_as_json_it_is_the_same_lines(league):
    assert json.loads(replay(league, "--positions", "--json")) == replay(league, "--positions").splitlines()


def test_on_a_terminal_it_goes_step_by_step(league):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ARENA, "replay", league, "1", "--step"], stdin=theirs, stdout=subprocess.PIPE, text=True
    )
    os.close(theirs)
    assert process.stdout is not None
    os.write(ours, b"\n\x04")  # one step on, then leave
    output = process.stdout.read()
    assert process.wait(PATIENCE) == 0
    process.stdout.close()
    os.close(ours)
    assert "   1. seat" in output
    assert "   2. seat" not in output


def test_without_a_terminal_it_goes_on(league):
    assert replay(league, "--step") == replay(league, "--positions")


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of three entrants, some of which time out now and then."""
    path = tmp_path_factory.mktemp("leagues") / "night.league"
    with League.create_or_open(path) as store:
        simulate(store, 'name = "test"\ngames = ["nyuri", "kleftis"]\nboards = 2\n', 3)
    return path


def listed(night: Path, *arguments: str, code: int = 0) -> str:
    done = arena("replay", night, *arguments, cwd=night.parent, code=code)
    return done.stdout if code == 0 else done.stderr


def test_games_are_listed_by_bot_match_game_and_fault(night):
    everything = json.loads(listed(night, "--json"))

    def found(*arguments):
        return json.loads(listed(night, *arguments, "--json"))

    def names(item) -> set[str]:
        return {seat["name"] for seat in item["seats"]}

    assert len(everything) == 3 * 2 * 2 * 2
    assert found("--bot", "BOT 1") == [item for item in everything if "bot 1" in names(item)]
    both = found("--bot", "bot 1", "--bot", "bot 2")
    assert both == [item for item in everything if names(item) == {"bot 1", "bot 2"}]
    assert found("--match", "1.2.1") == [item for item in everything if item["game"].startswith("1.2.1/")]
    assert found("--game", "kleftis") == [item for item in everything if "/kleftis/" in item["game"]]
    faulty = [item for item in everything if any(seat["faults"] for seat in item["seats"])]
    assert 0 < len(faulty) < len(everything)
    assert found("--fault") == found("--fault", "timeout") == faulty
    assert found("--fault", "illegal-action") == []
    of_one = found("--bot", "bot 1", "--fault")
    assert of_one == [
        item for item in faulty if any(seat["name"] == "bot 1" and seat["faults"] for seat in item["seats"])
    ]
    assert "x timeout)" in listed(night, "--fault")


def test_games_that_are_asked_for_are_printed_one_after_another(night):
    text = listed(night, "--match", "1.1.1", "--game", "nyuri", "--logs")
    assert text.count("\nended: ") == 4
    assert text.startswith("game ")
    logs = json.loads(listed(night, "--match", "1.1.1", "--game", "nyuri", "--logs", "--json"))
    assert [item["game"].partition("/")[0] for item in logs] == ["1.1.1"] * 4
    assert all(any(line.startswith("ended: ") for line in item["log"]) for item in logs)


def test_all_tables_of_a_board_are_compared(night):
    tables = json.loads(listed(night, "1.1/nyuri/2", "--all", "--json"))
    assert {each["game"] for each in tables} == {"1.1.1/nyuri/2.1", "1.1.1/nyuri/2.2"}
    assert json.loads(listed(night, "1.1.1/nyuri/2.2", "--all", "--json")) == tables
    assert json.loads(listed(night, str(tables[0]["number"]), "--all", "--json")) == tables
    text = listed(night, "1.1/nyuri/2", "--all")
    (parted,) = [each for each in tables if each["parted"]]
    assert f"{parted['game']}, action {parted['parted']['step']}: " in text
    assert " where 1 table chose " in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--all", "--seat", "0"], "--all goes with GAME, --tournament and --json alone"),
        (["1.1/nyuri/9", "--all"], "no game of board"),
        (["9" * 20, "--all"], "it has games 1 to "),
        (["9" * 5000], "it has games 1 to "),
        (["nyuri", "--all"], "neither a board such as 1.3/nyuri/1"),
        (["1.1/nyuri/1", "--all", "--seat", "0"], "--all goes without --seat"),
        (["--bot", "bto 1"], "did you mean bot 1?"),
        (["--match", "first"], "not a match such as 1.3.2"),
        (["--game", "hyrule"], "there is no 'hyrule'"),
        (["--fault", "timeuot"], "did you mean timeout?"),
        (["1", "--fault"], "give either GAME"),
    ],
)
def test_what_is_not_there_is_told(night, arguments, sentence):
    assert sentence in " ".join(listed(night, *arguments, code=2).split())
