"""Systems without POSIX: the parts for authors run without its modules and calls."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.link.tls.identity import kept
from tests.arena_command import arena
from tests.bots_for_tests import bot_folder, good_bot
from tests.patience import PATIENCE
from tests.referee.floods import free_port
from tests.referee.guests import Referee, referee

BARE = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "bare_system")}


WITHOUT_DOOR = "import arena.cli, arena.link.lobby.lobby as lobby\nlobby.GUARDED = False\narena.cli.main()"
"""The `arena` command as it is where there is no door, which needs POSIX."""


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
    assert "came:     it cannot be started: no-such-program: there is no such program on the PATH" in shown


def test_a_bot_that_ends_or_hangs_is_told_so(tmp_path):
    bot_folder(tmp_path, "bot", [sys.executable, "-c", "raise SystemExit('out of ideas')"])
    shown = bare_arena("check-bot", "bot", cwd=tmp_path, code=1).stdout
    assert "it ended with exit code 1 before it listened" in shown
    assert "| out of ideas" in shown


def test_a_bot_behind_a_shell_that_cannot_be_killed_fails_there(tmp_path):
    """Without a supervisor only the shell is killed; the bot runs on, and nobody waits for its games."""
    arena("init-bot", "python", "mine", cwd=tmp_path)
    pids, manifest = tmp_path / "pids", tmp_path / "mine" / "bot.toml"
    program = f"{shlex.quote(sys.executable)} first_bot.py & echo $! >> {shlex.quote(str(pids))}; wait"
    start = f"command = {json.dumps(['sh', '-c', program])}"
    manifest.write_text(re.sub("(?m)^command = .*$", lambda _: start, manifest.read_text()))
    try:
        shown = bare_arena("check-bot", "mine", "--quick", "--game", "hyrule", cwd=tmp_path, code=1).stdout
    finally:
        for pid in pids.read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    assert "✗ comes back after a crash" in shown
    assert "after it was killed: disconnect: its connection went on" in " ".join(shown.split())


@pytest.mark.parametrize("options", [(), ("--tls",)])
@pytest.mark.parametrize("by", ["arena join", "itself"])
def test_it_joins_a_tournament_elsewhere(tmp_path, by, options):
    arena("init-bot", "python", "mine", cwd=tmp_path)
    with referee(tmp_path, 2, *options) as host:
        assert all_join(tmp_path, host, by) == [0, 0]
        summary = host.end()
    assert [sum(row["faults"].values()) for row in summary["standings"]] == [0, 0, 0]


def test_a_lobby_without_a_door_speaks_tls_and_is_believed_by_its_fingerprint(tmp_path):
    arena("init-bot", "python", "mine", cwd=tmp_path)
    other = kept(tmp_path / "other", []).fingerprint
    command = [sys.executable, "-c", WITHOUT_DOOR]
    with referee(tmp_path, 2, "--tls", local=good_bot(tmp_path, "local"), command=command) as host:
        plain, _, fingerprint = host.address.partition("/")
        assert fingerprint.startswith("sha256:")
        refused = arena(
            "join", f"{plain}/{other}", "mine", "--token", host.tokens[0], cwd=tmp_path, code=1
        ).stderr
        assert "shows another certificate" in refused
        assert all_join(tmp_path, host, "itself") == [0, 0]
        summary = host.end()
    assert [sum(row["faults"].values()) for row in summary["standings"]] == [0, 0, 0]


def test_a_bot_is_dialled_from_there_over_tls(tmp_path):
    arena("init-bot", "python", "mine", cwd=tmp_path)
    bot = subprocess.Popen(
        [sys.executable, "first_bot.py", "--listen", f"127.0.0.1:{free_port()}", "--tls"],
        cwd=tmp_path / "mine", env=BARE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert bot.stderr is not None
        found = re.search(r"127.0.0.1:[0-9]+/sha256:[0-9a-f]{64}", bot.stderr.readline())
        assert found is not None
        data = json.loads(bare_arena("check-bot", found[0], "--quick", "--json", cwd=tmp_path).stdout)
        assert data["ready"]
        wrong = f"{found[0].partition('/')[0]}/{kept(tmp_path / 'other', []).fingerprint}"
        shown = bare_arena("check-bot", wrong, "--quick", cwd=tmp_path, code=1).stdout
        assert "shows another certificate" in " ".join(shown.split())
    finally:
        bot.kill()
        bot.communicate()


def all_join(folder: Path, host: Referee, by: str) -> list[int]:
    """Lets the bot join as every guest, and waits for the end; returns the exit codes."""
    command = {"arena join": ["-m", "arena", "join", host.address, "mine"], "itself": ["mine/first_bot.py"]}[
        by
    ]
    bots = [
        subprocess.Popen(
            [sys.executable, *command],
            cwd=folder, env={**BARE, "ARENA_TOKEN": token, "ARENA_JOIN": host.address},
        )
        for token in host.tokens
    ]  # fmt: skip
    try:
        return [bot.wait(PATIENCE) for bot in bots]
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
