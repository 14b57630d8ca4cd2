"""Fixtures of tests of whole tournaments."""

from __future__ import annotations

import subprocess

import pytest

from tests.arena_command import ARENA
from tests.bots_for_tests import Unhurried
from tests.patience import PATIENCE
from tests.referee.hosting import HEAD
from tests.referee.nights import games_in, wait_for, write_tournament


@pytest.fixture
def night(tmp_path):
    """A tournament that is being played, and goes on for long."""
    path = write_tournament(tmp_path, [Unhurried(f"bot {number}") for number in range(4)], HEAD)
    league = tmp_path / "tournament.league"
    with (tmp_path / "errors").open("wb") as errors:
        referee = subprocess.Popen(
            [*ARENA, "run", str(path), "--lobby", "127.0.0.1:0"],
            cwd=tmp_path, stderr=errors, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    wait_for(lambda: games_in(league) > 3)
    yield referee, league
    referee.kill()
    referee.wait(PATIENCE)
