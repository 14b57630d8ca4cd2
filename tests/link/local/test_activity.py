"""What a bot takes leaves a trace, so that it is measured, and a bot that waits leaves none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from arena.link.local.containment.activity import (
    AT_REST,
    OFTEN,
    RARELY,
    SPARE_DISK,
    SPARE_MEMORY,
    SPARE_TIME,
    Activity,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process uses")

BOT = """
import os, subprocess, sys, threading, time
kept = [subprocess.Popen(["sleep", "1000"])]
print("ready", flush=True)
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
kept[0].kill()
"""

ALLOCATES = f"os.posix_fallocate(kept[-1], 0, {4 * SPARE_DISK})"
TAKES = {
    "a process": "kept.append(subprocess.Popen(['sleep', '1000'])); kept.pop(0).kill()",
    "a thread": "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "memory": f"kept.append(bytearray(b'x') * {2 * SPARE_MEMORY})",
    "processor time": f"all(time.process_time() < {SPARE_TIME} + {{}} / 10 for _ in iter(int, 1))",
    "a file": f"kept.append(os.open('file{{}}', os.O_RDWR | os.O_CREAT)); {ALLOCATES}",
    "a deleted file": f"kept.append(os.open('it', os.O_RDWR | os.O_CREAT)); os.unlink('it'); {ALLOCATES}",
    "less than before": "kept[0].kill(); kept[0].wait()",
}


class Bot:
    """A bot that does what it is told; it and its child are below the process `parent`."""

    def __init__(self, parent: subprocess.Popen[str]) -> None:
        self.parent = parent
        self._wait_for("ready")

    def _wait_for(self, word: str) -> None:
        assert self.parent.stdout is not None
        assert self.parent.stdout.readline() == f"{word}\n"

    def does(self, statement: str) -> None:
        """Has it carry out a statement."""
        assert self.parent.stdin is not None
        self.parent.stdin.write(f"{statement}\n")
        self.parent.stdin.flush()
        self._wait_for("done")


@pytest.fixture
def bot(tmp_path) -> Iterator[Bot]:
    (tmp_path / "bot.py").write_text(BOT)
    with subprocess.Popen(
        ["sh", "-c", f"{sys.executable} bot.py; :"],
        cwd=tmp_path,
        text=True,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        try:
            yield Bot(parent)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


@pytest.mark.parametrize("what", TAKES)
def test_what_a_bot_takes_is_noticed_though_it_waited_before(bot, tmp_path, what):
    activity = Activity(bot.parent.pid, [str(tmp_path)])
    activity.note()
    for again in count(1):  # others may free as much of the disk at the same time
        bot.does(TAKES[what].format(again))
        if activity.may_matter:
            break
        assert again < 20


def test_a_thread_in_place_of_another_is_noticed(bot):
    bot.does("stop = threading.Event(); first = threading.Thread(target=stop.wait); first.start()")
    activity = Activity(bot.parent.pid, ())
    activity.note()
    bot.does(f"stop.set(); first.join(); {TAKES['a thread']}")
    assert activity.may_matter


def test_a_bot_with_more_threads_than_can_be_remembered_is_always_measured(bot):
    activity = Activity(bot.parent.pid, ())
    bot.does(f"[{TAKES['a thread']} for _ in range(300)]")
    activity.note()
    assert activity.may_matter
    bot.does("kept")
    activity.note()
    assert activity.may_matter


def test_a_bot_that_waits_is_measured_rarely_and_one_that_was_measured_is_not_measured_again(bot):
    now = 1000.0
    activity = Activity(bot.parent.pid, (), lambda: now)
    for statement in ("kept", TAKES["memory"], TAKES["a thread"], "kept"):
        bot.does(statement)
        activity.note()
        assert not activity.may_matter
        now += RARELY / 2
        assert not activity.may_matter
        now += RARELY / 2
        assert activity.may_matter
        assert activity.pause == AT_REST
    bot.does(TAKES["a thread"])
    assert activity.may_matter
    assert activity.pause == OFTEN
    bot.parent.kill()
    assert activity.may_matter
