"""A cluster on this machine: a scheduler and workers in processes apart from the referee's.

Their output is dropped, and a Ctrl-C at the terminal reaches the referee alone. All of them end when the
referee does, in whatever way.
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
_LOOK = 0.1  # seconds
_ANYWHERE = "127.0.0.1:0"  # a port that nobody else has


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
        self._process = subprocess.Popen(
            _program(f"main({workers})"),
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
    distributed = _dask()
    security = distributed.Security.temporary()  # else any program of this machine could command it
    async with distributed.Scheduler(
        host="127.0.0.1", protocol="tls", security=security, dashboard=False, dashboard_address=_ANYWHERE
    ) as scheduler:
        place = Place(scheduler.address, security)
        up = asyncio.Event()
        keepers = [asyncio.create_task(_keep(place, up)) for _ in range(workers)]
        try:
            while len(scheduler.workers) < workers:
                if any(each.done() for each in keepers):
                    return  # which whoever waits is told by the end of the output
                await asyncio.sleep(_LOOK)
            up.set()
            with told:
                pickle.dump(place, told)
            await asyncio.to_thread(sys.stdin.buffer.read)
        finally:
            for each in keepers:
                each.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)


async def _keep(place: Place, up: asyncio.Event) -> None:
    """Has one worker, in a process of its own, until it is cancelled: another one whenever it ends.

    Returns where one goes wrong by itself before all were `up`, as another one would.
    dask's own keeper of workers (`Nanny`) waits for ever for one that ends while it comes up.
    """
    while True:
        worker = await asyncio.create_subprocess_exec(
            *_program("work()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert worker.stdin is not None
        worker.stdin.write(pickle.dumps(place))
        worker.stdin.close()
        try:
            if await worker.wait() > 0 and not up.is_set():
                return
            await asyncio.sleep(_LOOK)  # so that those that cannot come up leave the machine to others
        finally:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
            await worker.wait()


def work() -> None:
    """Is a worker of the cluster that standard input tells of, until its scheduler is gone."""
    asyncio.run(_work(pickle.load(sys.stdin.buffer)))


async def _work(place: Place) -> None:
    async with _dask().Worker(
        place.address, security=place.security, nthreads=1, memory_limit=0, dashboard_address=_ANYWHERE
    ) as worker:
        await worker.finished()


def _dask() -> Any:
    """The library, of whose types nothing is known, set up."""
    import dask
    import distributed

    dask.config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.scheduler.worker-ttl": "15s",
            "distributed.scheduler.allowed-failures": 1,  # workers do not end here by accident
        }
    )
    return distributed


def _program(call: str) -> list[str]:
    """The command that calls a function of this module, in a process like this one."""
    program = f"import sys; sys.path[:] = {sys.path!r}; from arena.cluster import local; local.{call}"
    return [sys.executable, "-P", "-c", program]  # what lies in the current folder is no module of ours
