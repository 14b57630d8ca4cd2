"""A cluster for tests whose scheduler, workers and referee are processes that may be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.arena_command import ARENA
from tests.patience import PATIENCE
from tests.referee.cluster.wire import Place
from tests.referee.nights import wait_for

_SETTINGS = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"}  # after which a silent worker is lost


class Machines:
    """A scheduler and its workers.

    Args:
        folder: of all that they write.
        at: where the scheduler is, if not simply here.
        first: what the scheduler's program does first, in Python.

    Attributes:
        address: the scheduler's.
        scheduler: its process.
        workers: the processes of those that were started.
    """

    def __init__(self, folder: Path, at: Place | None = None, first: str = "") -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder
        self._starts: list[Callable[[], subprocess.Popen[bytes]]] = []  # of the workers
        self.workers: list[subprocess.Popen[bytes]] = []
        host = at.address if at else "127.0.0.1"
        self.scheduler = self._start(at, first, "scheduler", "--host", host, "--port", "0", "--no-dashboard")
        wait_for(lambda: self._file.exists() and self._file.read_text())  # it is not written at once
        self.address = json.loads(self._file.read_text())["address"]

    def add(self, workers: int = 1, at: Place | None = None, first: str = "") -> None:
        """Starts workers, one process each, which do something first."""
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        start = partial(self._start, at, first, "worker", *options)
        self._starts += [start] * workers
        self.workers += [start() for _ in range(workers)]

    def restart(self) -> int:
        """Starts the workers again that have ended; how many. On a busy machine any may be taken for lost."""
        ended = [number for number, worker in enumerate(self.workers) if worker.poll() is not None]
        for number in ended:
            self.workers[number] = self._starts[number]()
        return len(ended)

    def end(self) -> None:
        """Ends all of it."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(PATIENCE)

    def _start(self, at: Place | None, first: str, kind: str, *options: str) -> subprocess.Popen[bytes]:
        program = f"from distributed.cli.dask_{kind} import main\n{first}\nmain()"
        command = [sys.executable, "-c", program, "--scheduler-file", str(self._file)]
        return subprocess.Popen(
            [*(at.inside if at else ()), *command, *options],
            cwd=self._folder,
            env={**os.environ, "XDG_CACHE_HOME": str(self._folder / "cache"), **_SETTINGS},
            stdout=subprocess.DEVNULL,  # what dask logs is told with a test that fails
        )


class Referee:
    """The command that plays a tournament, and what it says; `at` a place if not simply here."""

    def __init__(self, folder: Path, *arguments: object, at: Place | None = None) -> None:
        self.process = subprocess.Popen(
            [*(at.inside if at else ()), *ARENA, *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.said += line

    def ends(self, code: int) -> None:
        """Waits for its end."""
        assert self.process.wait(PATIENCE) == code, self.said
        self._thread.join()
        assert "Traceback" not in self.said


@contextlib.contextmanager
def machines(folder: Path, workers: int, at: Place | None = None, first: str = "") -> Iterator[Machines]:
    """A cluster with so many workers beside the scheduler, which does something first."""
    cluster = Machines(folder, at, first)
    try:
        cluster.add(workers, at)
        yield cluster
    finally:
        cluster.end()
