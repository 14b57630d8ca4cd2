"""Bots that tell which processes they have started, and whether these still run."""

from __future__ import annotations

import sys
import textwrap
import time
from pathlib import Path

import trio

from tests.bots_for_tests import bot_folder
from tests.patience import PATIENCE


def alive(pid: int) -> bool:
    """Whether a process exists and is more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.01)


def python_bot(folder: Path, program: str) -> Path:
    script = folder / "program.py"
    script.write_text(textwrap.dedent(program))
    return bot_folder(folder, "bot", [sys.executable, str(script)])


WRITES_PIDS = """
    import os, subprocess, sys, time
    child = subprocess.Popen(["sleep", "1000"])
    start_daemon = ["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"]
    daemon = subprocess.run(start_daemon, capture_output=True, text=True)
    open("pids", "w").write(f"{os.getpid()} {child.pid} {daemon.stdout}")
    os.rename("pids", "pids.done")
    time.sleep(1000)
"""


async def pids_of(folder: Path) -> list[int]:
    path = folder / "pids.done"
    with trio.fail_after(PATIENCE):
        while not path.exists():
            await trio.sleep(0.01)
    return [int(word) for word in path.read_text().split()]
