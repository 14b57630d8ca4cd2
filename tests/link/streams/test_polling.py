"""What gRPC does is tried, whatever it is told to do: a flood that cannot be measured is said beforehand."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from arena.link import LIBRARY_SETTINGS
from arena.link.streams.polling import polls_apart, unprotected
from tests.arena_command import ARENA
from tests.patience import PATIENCE
from tests.referee.nights import write_tournament

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the time of a thread")
OTHER = {"GRPC_POLL_STRATEGY": "epoll1", "GRPC_EXPERIMENTS": "event_engine_client"}


def told(environment: dict[str, str], later: dict[str, str]) -> str:
    """What is said in a process in which gRPC begins in an environment that is another one afterwards."""
    program = f"""
        import os
        import grpc
        grpc.insecure_channel("localhost:1").close()  # now it has read its settings
        os.environ.update({later!r})
        from arena.link.streams.polling import polls_apart, unprotected
        print(polls_apart(), unprotected())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_here_each_connection_is_polled_apart():
    assert polls_apart()
    assert unprotected() is None


@pytest.mark.parametrize("name", OTHER)
def test_a_setting_that_shares_the_polling_is_named(name):
    said = told({**LIBRARY_SETTINGS, name: OTHER[name]}, {})
    assert said.startswith("False gRPC ")
    assert said.endswith(f" does not poll each connection in a thread of its own: unset {name}")


@pytest.mark.parametrize("name", OTHER)
def test_settings_that_grpc_does_not_obey_are_noticed(name):
    said = told({**LIBRARY_SETTINGS, name: OTHER[name]}, LIBRARY_SETTINGS)
    assert said.startswith("False gRPC ")
    assert said.endswith(": install another version of grpcio")


def test_a_run_says_that_floods_are_noticed_late(tmp_path):
    path = write_tournament(tmp_path, ["A", "B"], 'games = ["hyrule"]')
    said = "a bot that floods its connection is cut off only when its bytes wait: gRPC "
    done = subprocess.run(
        [*ARENA, "run", path],
        cwd=tmp_path, env={**os.environ, **OTHER}, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert said in done.stderr
