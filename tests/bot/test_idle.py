"""A bot that waits takes no processor time for its own part."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from arena.link.streams import stream
from tests.bot.serving import bot as bot
from tests.patience import PATIENCE


def waits(process: int) -> dict[int, int]:
    """How often each thread of a process has waited for something."""
    return {
        int(task.name): int(
            (task / "status").read_text().partition("\nvoluntary_ctxt_switches:")[2].split()[0]
        )
        for task in Path(f"/proc/{process}/task").iterdir()
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how often a thread waits")
def test_the_main_thread_of_a_serving_bot_sleeps_until_a_signal_comes(bot):
    process, _ = bot
    deadline = time.monotonic() + PATIENCE
    before = after = waits(process.pid)
    while after[process.pid] > before[process.pid] or sum(after.values()) < sum(before.values()) + 20:
        assert time.monotonic() < deadline, "it never slept while other threads woke twenty times"
        if after[process.pid] > before[process.pid]:
            before = after  # it had only begun
        time.sleep(0.05)
        after = waits(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="there a main thread would not hear a signal")
def test_grpc_still_has_the_setting_by_which_a_reading_thread_sleeps():
    assert sys.modules["grpc._common"].MAXIMUM_WAIT_TIMEOUT == stream.LONGEST_WAIT
