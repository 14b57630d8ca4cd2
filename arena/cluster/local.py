"""A cluster on this machine: a scheduler and workers in processes of their own.

Their output is dropped, and a Ctrl-C at the terminal reaches the referee alone. All of them end when the
referee does, in whatever way.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import subprocess
import sys
from typing import Any

from arena.loading import await_end, program_of

_END_LIMIT = 10.0  # seconds
_POLL = 0.1  # seconds
_ANYWHERE = "127.0.0.1:0"  # a port that nobody else has


class LocalCluster:
    """A cluster on this machine, in processes that `close` ends. Waits until it can be connected to.

    Args:
        workers: how many workers it has.

    Attributes:
        address: where the scheduler listens.
        security: what a client needs to connect, a `distributed.Security`.

    Raises OSError where it does not come up.
    """

    def __init__(self, workers: int) -> None:
        self._process = subprocess.Popen(
            program_of(__name__, workers),
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
            raise OSError("its processes do not come up") from None

    def close(self) -> None:
        """Ends it; workers end by themselves if their scheduler is killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        await_end(self._process, _END_LIMIT)


def main(workers: int = 0) -> None:
    """Runs a scheduler with some workers until standard input ends; or, with none, is one of the workers.

    The scheduler's address and security go to standard output, and come to a worker's standard input.
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
    asyncio.run(_schedule(workers, output))


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
                    return  # the end of the output says so
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
    """Runs a worker in a process of its own until it is cancelled, and another one whenever it ends.

    Returns where one goes wrong by itself before all were `up`, as another one would.
    dask's own keeper of workers (`Nanny`) waits for ever for one that ends while it comes up.
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
            await asyncio.sleep(_POLL)  # so that those that cannot come up leave the machine to others
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
