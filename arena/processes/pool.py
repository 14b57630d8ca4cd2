"""A pool of workers that do jobs at low priority, so that bots, whose clocks run, come first.

A program of the pool is a function that calls `do_jobs`. What is found depends on the job alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from arena.processes.tuning import usable_processors
from arena.processes.worker import HungUp, Worker, WorkerDied, receive, send

Job = TypeVar("Job")
Found = TypeVar("Found")
Tell = Callable[[float], None]
"""Tells the process that asks which share of a job is done."""

_MOST = 8  # workers
_NICENESS = 10


class Pool(Generic[Job, Found]):
    """A pool, whose workers start when they are needed first.

    Make it before this process keeps itself on one processor.

    Args:
        does: what the workers do, in words for people, such as "computes luck".
        program: what each worker runs, with the connection to this process and `arguments`.
        arguments: the other arguments.
    """

    def __init__(self, does: str, program: Callable[..., None], *arguments: object) -> None:
        processors = sorted(usable_processors())
        self._most = min(len(processors), _MOST)
        self._start = partial(Worker, does, program, *arguments, niceness=_NICENESS, processors=processors)
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._closed = False

    def do(
        self, jobs: Sequence[Job], tell: Callable[[int, float], None] = lambda number, share: None
    ) -> Iterator[tuple[int, Found]]:
        """Does jobs, and gives the number of each with what was found, in any order. Blocks.

        If the caller ends early, or a job fails, the pool is closed. Only one thread may call it at a time.

        Args:
            jobs: the jobs.
            tell: called with the number of a job and the share of it that is done.

        Raises WorkerDied, WorkerFault, and the errors that the program tells of (see `told`).
        """
        left = iter(enumerate(jobs))
        busy: dict[Connection, tuple[Worker, int]] = {}

        def begin(worker: Worker) -> None:
            for number, job in left:
                busy[worker.connection] = worker, number
                send(worker.connection, job)
                return

        asked = None
        try:
            for asked in self._workers_for(len(jobs)):
                begin(asked)
            while busy:
                for ready in wait([*busy]):
                    assert isinstance(ready, Connection)
                    asked, number = busy[ready]
                    what, value = receive(ready)
                    if what == "wrong":
                        raise value
                    if what == "share":
                        tell(number, value)
                        continue
                    del busy[ready]
                    begin(asked)
                    tell(number, 1.0)
                    yield number, value
        except HungUp:
            assert asked is not None
            death = asked.death()
            self.close()
            raise death from None
        except BaseException:
            self.close()
            raise

    def _workers_for(self, jobs: int) -> list[Worker]:
        with self._lock:
            if self._closed:
                raise WorkerDied("the pool of processes is closed")
            while len(self._workers) < min(jobs, self._most):
                self._workers.append(self._start())
            return self._workers[:jobs]

    def close(self) -> None:
        """Ends the workers; a thread that waits for jobs gets WorkerDied."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.end()


@contextlib.contextmanager
def told(asker: Connection, *errors: type[Exception]) -> Iterator[None]:
    """Tells the process that asks of an error of these kinds in here; its `Pool.do` raises the error."""
    try:
        yield
    except errors as problem:
        send(asker, ("wrong", problem))


def do_jobs(asker: Connection, do: Callable[[Any, Tell], object]) -> None:
    """Does jobs, one after another, for the process that asks.

    Args:
        asker: the connection to that process.
        do: finds what a job asks for; it is called with the job, and with a function that may be told again
            and again which share of the job is done.

    Raises HungUp when that process does not ask any more.
    """
    while True:
        job = receive(asker)
        send(asker, ("found", do(job, lambda share: send(asker, ("share", share)))))
