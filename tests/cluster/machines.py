"""A cluster for tests, of processes of its own: a scheduler and workers, which may be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.runner.test_tournament import PATIENCE, wait_for


class Machines:
    """A scheduler and its workers.

    Attributes:
        address: the scheduler's.
        scheduler: its process.
        workers: the processes of those that were started.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        wait_for(self._file.exists)
        self.address = json.loads(self._file.read_text())["address"]

    def add(self, workers: int = 1) -> None:
        """Starts workers, one process each."""
        self.workers += [
            self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
            for _ in range(workers)
        ]

    def end(self) -> None:
        """Ends all of it."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(PATIENCE)

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + kind, "--scheduler-file", self._file, *options],
            cwd=self._folder,
            env={**os.environ, "XDG_CACHE_HOME": str(self._folder / "cache")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextlib.contextmanager
def machines(folder: Path, workers: int) -> Iterator[Machines]:
    """A cluster with so many workers."""
    cluster = Machines(folder)
    try:
        cluster.add(workers)
        yield cluster
    finally:
        cluster.end()
