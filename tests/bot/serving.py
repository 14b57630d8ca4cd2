"""Starts a served bot for tests of its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tests.patience import PATIENCE

BOT = Path(__file__).parents[2] / "bots" / "random-python" / "random_bot.py"


@pytest.fixture
def bot(tmp_path) -> Iterator[tuple[subprocess.Popen[bytes], grpc.Channel]]:
    """A bot in a process of its own, and a channel to it."""
    address = f"unix:{tmp_path}/bot.sock"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(BOT)], env={**os.environ, "ARENA_LISTEN": address}, stderr=log
        )
    channel = grpc.insecure_channel(address, options=[("grpc.default_authority", "localhost")])
    try:
        grpc.channel_ready_future(channel).result(PATIENCE)
        yield process, channel
    finally:
        channel.close()
        process.kill()
        process.wait()


def memory(process: subprocess.Popen[bytes]) -> int:
    """The bytes of memory that a process holds."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def ends_on_sigterm(process: subprocess.Popen[bytes]) -> float:
    """How long a bot takes to end."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    return time.monotonic() - began
