"""A local cluster keeps its number of workers, whatever kills them."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")

from arena.referee.cluster.local import LocalCluster  # noqa: E402 - which it is for
from tests.patience import PATIENCE  # noqa: E402
from tests.referee.nights import wait_for  # noqa: E402


def workers_of(cluster: LocalCluster) -> list[int]:
    """The processes that it has started."""
    tasks = Path(f"/proc/{cluster._process.pid}/task").glob("*/children")
    return [int(child) for children in tasks for child in children.read_text().split()]


@pytest.mark.campaign
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list processes so")
def test_workers_that_end_as_soon_as_they_are_there_come_back():
    with closing(LocalCluster(2)) as cluster:
        ended: set[int] = set()
        for _ in range(2):
            wait_for(lambda: len(set(workers_of(cluster)) - ended) == 2)
            for worker in set(workers_of(cluster)) - ended:
                os.kill(worker, signal.SIGKILL)
                ended.add(worker)
        with distributed.Client(cluster.address, security=cluster.security) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
            at_work = client.run(os.getpid)
        assert sorted(at_work.values()) == sorted(workers_of(cluster))
    assert not any(Path(f"/proc/{worker}").exists() for worker in at_work.values())


def test_workers_that_cannot_come_up_are_not_waited_for(monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", "['arena.no_such_module']")
    with pytest.raises(OSError, match="its processes do not start"):
        LocalCluster(2)
