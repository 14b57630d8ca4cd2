"""Authors sit at systems without POSIX: what they use runs where its modules and calls are taken away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena_command import arena
from tests.bots_for_tests import bot_folder
from tests.patience import PATIENCE
from tests.runner.test_joining import referee

BARE = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "bare_system")}


def bare_arena(*arguments, cwd: Path, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        cwd=cwd, env={**BARE, **environment}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    "lost", ["import fcntl", "import resource", "os.fork", "socket.AF_UNIX", "signal.SIGUSR1"]
)
def test_they_are_taken_away(lost):
    program = f"import os, signal, socket\n{lost}"
    done = subprocess.run([sys.executable, "-c", program], env=BARE, capture_output=True, text=True)
    assert done.returncode == 1, "PYTHONPATH with its sitecustomize has no effect here"


def test_a_new_bot_is_written_and_passes_every_check(tmp_path):
    bare_arena("init-bot", "python", "mine", cwd=tmp_path)
    data = json.loads(bare_arena("check-bot", "mine", "--quick", "--json", cwd=tmp_path).stdout)
    assert data["ready"]
    assert {check["status"] for check in data["checks"] if check["name"] != "builds"} == {"passed"}


def test_what_is_built_is_built(tmp_path):
    arena("init-bot", "python", "mine", cwd=tmp_path)
    manifest = tmp_path / "mine" / "bot.toml"
    build = f'[build]\ncommand = ["{sys.executable}", "-c", "open(\'built\', \'w\')"]\nsources = ["*.py"]\n'
    manifest.write_text(manifest.read_text() + build)
    shown = bare_arena("check-bot", "mine", "--quick", "--game", "hyrule", cwd=tmp_path).stdout
    assert " 1 ✓ builds" in shown
    assert (tmp_path / "mine" / "built").exists()


def test_a_program_that_is_not_there_is_one_sentence(tmp_path):
    bot_folder(tmp_path, "bot", ["no-such-program"])
    shown = bare_arena("check-bot", "bot", cwd=tmp_path, code=1).stdout
    assert "came:     it cannot be started: no-such-program: No such file or directory" in shown


def test_a_bot_that_ends_or_hangs_is_told_so(tmp_path):
    bot_folder(tmp_path, "bot", [sys.executable, "-c", "raise SystemExit('out of ideas')"])
    shown = bare_arena("check-bot", "bot", cwd=tmp_path, code=1).stdout
    assert "it ended with exit code 1 before it listened" in shown
    assert "| out of ideas" in shown


def test_it_joins_a_tournament_elsewhere(tmp_path):
    arena("init-bot", "python", "mine", cwd=tmp_path)
    with referee(tmp_path, 2) as host:
        bots = [
            subprocess.Popen(
                [sys.executable, "-m", "arena", "join", host.address, "mine"],
                cwd=tmp_path, env={**BARE, "ARENA_TOKEN": token},
            )
            for token in host.tokens
        ]  # fmt: skip
        try:
            assert [bot.wait(PATIENCE) for bot in bots] == [0, 0]
            summary = host.end()
        finally:
            for bot in bots:
                bot.kill()
                bot.wait()
    assert [sum(row["faults"].values()) for row in summary["standings"]] == [0, 0, 0]
