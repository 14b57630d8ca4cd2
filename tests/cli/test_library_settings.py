"""Only the command and a served bot set up gRPC; importing the library does not change the environment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from arena.link import LIBRARY_SETTINGS
from tests.arena_command import ARENA
from tests.bots_for_tests import good_bot
from tests.patience import PATIENCE
from tests.referee.nights import write_tournament

BARE = {name: value for name, value in os.environ.items() if name not in LIBRARY_SETTINGS}


def python(program: str) -> str:
    """The output of a program in a process of its own, without settings for gRPC."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=BARE, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "module",
    [
        "arena.link",
        "arena.link.streams.dial",
        "arena.link.local.process",
        "arena.bot",
        "arena.referee.night.tournament",
    ],
)
def test_importing_the_library_changes_nothing(module):
    program = f"""
        import os
        def own():
            return dict(os.environ), os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        before = own()
        import {module}
        print(before == own())
    """
    assert python(program) == "True\n"


@pytest.mark.parametrize("way", ["import arena.cli; arena.cli.main()", "import arena.cli.__main__"])
def test_the_command_sets_them_before_grpc_is_there_and_what_a_user_has_set_stays(way):
    program = f"""
        import importlib.abc, os, sys
        class Witness(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "grpc":
                    print(os.environ["GRPC_VERBOSITY"], os.environ["GRPC_EXPERIMENTS"])
        sys.meta_path.insert(0, Witness())
        os.environ["GRPC_VERBOSITY"] = "INFO"
        sys.argv[1:] = ["check-bot", "--help"]
        {way}
    """
    assert python(program).splitlines()[0] == f"INFO {LIBRARY_SETTINGS['GRPC_EXPERIMENTS']}"


def test_the_ratings_are_fitted_by_one_thread():
    program = """
        import sys
        sys.argv[1:] = ["--version"]
        import arena.cli
        try:
            arena.cli.main()
        except SystemExit:
            pass
        before = len(list(__import__("pathlib").Path("/proc/self/task").iterdir()))
        import numpy as np
        np.ones((600, 600)) @ np.ones((600, 600))
        print(len(list(__import__("pathlib").Path("/proc/self/task").iterdir())) == before)
    """
    assert python(program).splitlines()[-1] == "True"


def engines(folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """The engines that move the bytes of the referee and of a bot, as their logs say."""
    bots = [good_bot(folder, f"bot {number}") for number in range(2)]
    path = write_tournament(folder, bots, 'games = ["hyrule"]')
    done = subprocess.run(
        [*ARENA, "run", path, "--sandbox", "none"],  # a contained bot is not told how gRPC logs
        cwd=folder,
        env={**BARE, "GRPC_VERBOSITY": "DEBUG", "GRPC_TRACE": "tcp", **environment},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr, (folder / "tournament.logs" / "bot 0.log").read_text(errors="replace")


def test_the_referee_and_its_python_bots_use_the_former_engine(tmp_path):
    for log in engines(tmp_path, {}):
        assert " tcp_posix.cc:" in log
        assert " endpoint.cc:" not in log


@pytest.mark.campaign
def test_a_user_can_choose_the_engine(tmp_path):
    for log in engines(tmp_path, {"GRPC_EXPERIMENTS": "event_engine_client"}):
        assert " endpoint.cc:" in log
        assert " tcp_posix.cc:" not in log
