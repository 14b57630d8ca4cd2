"""Many guests at one lobby."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]


@contextmanager
def crowd(kind: str, address: str, count: int) -> Iterator[subprocess.Popen[str]]:
    callers = subprocess.Popen(
        [sys.executable, "-m", "tests.referee.crowd", kind, address, str(count)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert callers.stdout is not None
        assert callers.stdout.readline() == "all have called\n"
        yield callers
    finally:
        callers.kill()
        callers.communicate()


def children_with(parent: int, word: str) -> list[int]:
    """The ids of a process's children whose command line has a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_child = f"PPid:\t{parent}\n" in (folder / "status").read_text()
            if is_child and word in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found
