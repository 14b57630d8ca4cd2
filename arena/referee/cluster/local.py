"""Runs a cluster on this machine: dask's scheduler and workers, each a process as it is on other machines.

Their output is dropped, and Ctrl-C at the terminal reaches only the referee. All of them end when the referee
ends, however it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
from typing import Any

from arena.processes.loading import await_end, program_of

_END_LIMIT = 10.0  # seconds
_POLL = 0.1  # seconds
_ANYWHERE = "127.0.0.1:0"  # any free port


class LocalCluster:
    """A cluster on this machine, until `close`. The constructor waits until the scheduler listens.

    Args:
        workers: how many workers it has.

    Attributes:
        address: where the scheduler listens.
        security: what a client needs to connect, a `distributed.Security`.

    Raises OSError if it does not start.
    """

    def __init__(self, workers: int) -> None:
        self._process = subprocess.Popen(
            program_of(__name__, str(workers)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        try:
            self.address, self.security = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            self.close()
            raise OSError("its processes do not start") from None

    def close(self) -> None:
        """Ends the cluster; workers end by themselves if their scheduler is killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        await_end(self._process, _END_LIMIT)


def main(workers: str = "") -> None:
    """Runs a scheduler and workers until standard input ends; without their number this process is a worker.

    The scheduler writes its address and security to standard output; a worker reads them from standard input.
    """
    import dask

    dask.config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.scheduler.worker-ttl": "15s",
            "distributed.scheduler.allowed-failures": 1,  # workers do not end here by accident
        }
    )
    if not workers:
        asyncio.run(_work(*pickle.load(sys.stdin.buffer)))
        return
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    asyncio.run(_schedule(int(workers), output))


async def _schedule(workers: int, output: Any) -> None:
    import distributed

    # Without TLS any program of this machine could command it.
    security = distributed.Security.temporary()  # type: ignore[no-untyped-call]
    async with distributed.Scheduler(
        host="127.0.0.1", protocol="tls", security=security, dashboard=False, dashboard_address=_ANYWHERE
    ) as scheduler:
        place = pickle.dumps((scheduler.address, security))
        up = asyncio.Event()
        keepers = [asyncio.create_task(_keep_worker(place, up)) for _ in range(workers)]
        try:
            while len(scheduler.workers) < workers:
                if any(each.done() for each in keepers):
                    return  # the closed output tells the referee
                await asyncio.sleep(_POLL)
            up.set()
            with output:
                output.write(place)
            await asyncio.to_thread(sys.stdin.buffer.read)
        finally:
            for each in keepers:
                each.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)


async def _keep_worker(place: bytes, up: asyncio.Event) -> None:
    """Runs a worker process until cancelled, and starts a new one whenever it ends.

    Returns if a worker fails before all were `up`: another one would fail too. dask's own
    `Nanny` is not used, because it waits for ever for a worker that ends while it starts.
    """
    while True:
        worker = await asyncio.create_subprocess_exec(
            *program_of(__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert worker.stdin is not None
        worker.stdin.write(place)
        worker.stdin.close()
        try:
            if await worker.wait() > 0 and not up.is_set():
                return
            await asyncio.sleep(_POLL)  # so that failing workers do not take all of the machine
        finally:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
            await worker.wait()


async def _work(address: str, security: Any) -> None:
    import distributed

    async with distributed.Worker(
        address, security=security, nthreads=1, memory_limit=0, dashboard_address=_ANYWHERE
    ) as worker:
        await worker.finished()
