"""A cluster on this machine: a scheduler and workers in processes apart from the referee's.

Whatever the engine has to say there goes nowhere, and a Ctrl-C at the terminal is for the referee alone. All
of it ends when the referee does, in whatever way.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from typing import Any, NamedTuple

_END_LIMIT = 10.0  # seconds


class Place(NamedTuple):
    """Where a scheduler listens, and what opens it: an address, and a `distributed.Security`."""

    address: str
    security: Any


class LocalCluster:
    """A cluster on this machine, in processes that are ended by `close`. Waits until it can be connected to.

    Args:
        workers: how many there are to be.

    Attributes:
        place: where it is.

    Raises OSError where it does not come up.
    """

    def __init__(self, workers: int) -> None:
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; from arena.cluster.local import main; main({workers})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],  # what lies in the current folder is no module of ours
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        try:
            self.place: Place = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            self.close()
            raise OSError("its processes do not come up") from None

    def close(self) -> None:
        """Ends it."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        try:
            self._process.wait(_END_LIMIT)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def main(workers: int) -> None:
    """Has a cluster on this machine, which standard output is told of, until standard input ends."""
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    asyncio.run(_live(workers, told))


async def _live(workers: int, told: Any) -> None:
    import dask
    import distributed

    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.scheduler.worker-ttl": "60s"})
    engine: Any = distributed  # which says little of its types
    security = engine.Security.temporary()  # else any program of this machine could command it
    async with engine.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address=None,
        security=security,
        asynchronous=True,
    ) as cluster:
        with told:
            pickle.dump(Place(cluster.scheduler_address, security), told)
        await asyncio.to_thread(sys.stdin.buffer.read)
