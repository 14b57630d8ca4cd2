"""The same tournament on a cluster: the same games, whatever becomes of its machines."""

from __future__ import annotations

import signal
import subprocess

import pytest

pytest.importorskip("distributed", reason="needs the extra cluster")

from tests.bots_for_tests import Unhurried
from tests.cluster.bots import ROBIN, records, travelling_bot
from tests.cluster.machines import machines
from tests.runner.test_tournament import ARENA, PATIENCE, arena, games_in, wait_for, write_tournament


def test_workers_that_are_killed_or_stand_still_change_nothing(tmp_path):
    bots = [travelling_bot(tmp_path, "bot 0"), Unhurried("bot 1"), Unhurried("bot 2")]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 16\n', ROBIN)
    alone, away = tmp_path / "alone.league", tmp_path / "away.league"
    arena("run", path, "--seed", "s", "--league", alone, cwd=tmp_path)
    with machines(tmp_path, 3) as cluster:
        referee = subprocess.Popen(
            [*ARENA, "run", path, "--seed", "s", "--league", away, "--cluster", cluster.address],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: games_in(away) > 4)
        cluster.workers[0].send_signal(signal.SIGKILL)
        cluster.workers[1].send_signal(signal.SIGSTOP)
        _, said = referee.communicate(timeout=PATIENCE)
    print(said)
    assert referee.returncode == 0
    assert "Traceback" not in said
    assert records(away) == records(alone)
    arena("verify", away, cwd=tmp_path)
