"""Helpers for tests of stored leagues."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]


@contextmanager
def writer(path: Path, what: str):
    """The writing program in a process of its own; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.league.store.writer", str(path), what],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()
