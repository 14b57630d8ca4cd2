"""`arena replay` on a stored game: everyone's view, one seat's, with positions, step by step."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store import League
from tests.patience import PATIENCE
from tests.runner.simulation import simulate

COMMAND = [sys.executable, "-m", "arena.cli", "replay"]


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, 'name = "test"\ngames = ["nyuri"]\n', 2)
    return path


def replay(league: Path, *arguments: str) -> str:
    done = subprocess.run(
        [*COMMAND, league, "1", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


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
        [*COMMAND, league, "1", "--step"], stdin=theirs, stdout=subprocess.PIPE, text=True
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
