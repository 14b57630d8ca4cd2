"""One worker: what it is told, how it is found out why it ended, and that it ends with its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from arena.processes.tuning import usable_processors
from arena.processes.worker import HungUp, Worker, WorkerDied, WorkerFault, receive, send
from tests.link.local.pids import alive
from tests.processes import programs
from tests.referee.nights import wait_for


@contextmanager
def working(function: Callable[..., None], *arguments: object, **how: Any) -> Iterator[Worker]:
    worker = Worker("tests", function, *arguments, **how)
    try:
        yield worker
    finally:
        worker.end()


def test_a_worker_gets_its_arguments_a_session_and_nothing_of_the_terminal():
    few = [min(usable_processors())]
    own = os.getpriority(os.PRIO_PROCESS, 0)
    with working(programs.describe, "a", {1: None}, niceness=3, processors=few) as worker:
        told = receive(worker.connection)
    assert told == (("a", {1: None}), [os.devnull] * 2, True, min(19, own + 3), {*few})
    with working(programs.describe) as worker:
        told = receive(worker.connection)
    assert told == ((), [os.devnull] * 2, True, own, {*usable_processors()})


def test_a_worker_that_is_killed_is_told_from_one_with_a_fault():
    with working(programs.wait) as worker:
        os.kill(receive(worker.connection), signal.SIGKILL)
        with pytest.raises(HungUp):
            receive(worker.connection)
        death = worker.death()
    assert isinstance(death, WorkerDied)
    assert str(death) == "a process that tests was ended: see that nothing kills it"
    with working(programs.stumble) as worker:
        death = worker.death()
        with pytest.raises(HungUp):
            send(worker.connection, 1)
    assert isinstance(death, WorkerFault)
    assert str(death) == r"a process that tests has a fault (LookupError: lost\x1b[31m): report it"
    assert "in stumble" in death.__notes__[0]


def test_a_worker_ends_with_its_process_however_that_ends():
    program = (
        "from arena.processes.worker import Worker, receive; from tests.processes import programs; "
        "worker = Worker('tests', programs.wait); print(receive(worker.connection), flush=True); input()"
    )
    command = [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {program}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        worker = int(starter.stdout.readline())
        assert alive(worker)
        starter.kill()
    wait_for(lambda: not alive(worker))
