"""The pool: each job is done once, and one that fails ends all of its workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from arena.processes.pool import Pool
from arena.processes.tuning import usable_processors
from arena.processes.worker import WorkerDied, WorkerFault
from tests.link.local.pids import alive
from tests.processes import programs
from tests.referee.nights import wait_for


@pytest.fixture
def pool() -> Iterator[Pool[int, tuple[int, int]]]:
    with closing(Pool[int, tuple[int, int]]("tests", programs.halves)) as made:
        yield made


def test_each_job_is_done_at_low_priority_and_the_workers_stay(pool):
    jobs = [8, 6, 100, 20, 12]
    shares: list[tuple[int, float]] = []
    found = dict(pool.do(jobs, lambda *share: shares.append(share)))
    assert {number: half for number, (half, _) in found.items()} == {
        number: job // 2 for number, job in enumerate(jobs)
    }
    assert sorted(shares) == [(number, share) for number in range(len(jobs)) for share in (0.5, 1.0)]
    workers = {worker for _, worker in found.values()}
    assert len(workers) <= min(len(jobs), len(usable_processors()))
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert {os.getpriority(os.PRIO_PROCESS, worker) for worker in workers} == {min(19, own + 10)}
    [(_, (half, worker))] = pool.do([10])
    assert half == 5
    assert worker in workers
    assert [*pool.do([])] == []


@pytest.mark.parametrize(
    ("job", "error", "text"),
    [
        (7, ValueError, "7 is odd"),
        (2, WorkerFault, "a process that tests has a fault (LookupError: lost): report it"),
        (0, WorkerDied, "a process that tests was ended: see that nothing kills it"),
    ],
)
def test_a_job_that_fails_ends_the_workers(pool, job, error, text):
    [(_, (_, worker))] = pool.do([8])
    with pytest.raises(error) as told:
        dict(pool.do([job, 4, 4]))
    assert str(told.value) == text
    assert not alive(worker)
    with pytest.raises(WorkerDied, match="closed"):
        dict(pool.do([8]))


def test_who_ends_early_ends_the_workers(pool):
    found = pool.do([8, 4])
    _, (_, worker) = next(found)
    found.close()
    wait_for(lambda: not alive(worker))


def test_a_pool_that_is_closed_elsewhere_ends_the_jobs(pool):
    def close(*_: object) -> None:
        thread = threading.Thread(target=pool.close)
        thread.start()
        thread.join()

    with pytest.raises(WorkerDied):
        dict(pool.do([4], close))
