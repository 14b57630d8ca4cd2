"""The cluster as dask.distributed has it: which workers are there, and work handed to one of them.

It lives in a thread of its own with an asyncio loop, and knows nothing of games.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
import traceback
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from importlib.metadata import version
from typing import Any

from arena.cluster import worker
from arena.cluster.arrivals import facts_in
from arena.cluster.desk import Facts, versions
from arena.cluster.local import LocalCluster, Place
from arena.cluster.parcels import Trouble
from arena.cluster.reach import REACH, gone, knock, unreachable, words_of
from arena.cluster.where import Unreachable, local_workers, require_cluster

SILENCE = 15.0
"""After so many seconds without a sign of life a worker is taken for lost."""

_LOOK = 0.5  # seconds between looks at the workers
_STALL = 5.0  # a look that took so long says nothing about how long workers were silent
_ANSWER = 60.0  # seconds in which it has to answer later
_CLOSING = 10.0  # seconds

_CONFIGURATION = {
    "distributed.admin.large-graph-warning-threshold": "1GiB",  # a bundle is one, and is meant to be
    "distributed.comm.timeouts.connect": f"{REACH:.0f}s",
}


class Engine:
    """A connection to a cluster. To be made in any thread, and closed by whoever made it.

    Args:
        where: the scheduler's address, or `local:N`.

    Attributes:
        on_answer: called, in the engine's thread, with a job's number and what its `look` made of what it
            returned; a Trouble where it raised something, None where the engine has lost it.
        on_workers: called there with the addresses of all workers that are there, when that changed.
        on_lost: called there with one sentence, when the scheduler is gone.
        on_word: called there with a line for people.
        facts: what is known of each worker that ever was there.

    Raises Unreachable.
    """

    def __init__(self, where: str) -> None:
        require_cluster(where)
        self.where = where
        self.facts: dict[str, Facts] = {}
        self.on_answer: Callable[[str, Any], None] = lambda number, answer: None
        self.on_workers: Callable[[frozenset[str]], None] = lambda addresses: None
        self.on_lost: Callable[[str], None] = lambda why: None
        self.on_word: Callable[[str], None] = lambda line: None
        self.workers: frozenset[str] = frozenset()
        self._name = uuid.uuid4().hex
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._refused: set[str] = set()  # workers that are not fit
        self._meeting: dict[str, asyncio.Task[None]] = {}
        self._signs: dict[str, tuple[object, float]] = {}  # of life: each worker's last, and when it came
        self._losses: tuple[type[Exception], ...] = ()  # what is raised where work was lost
        connected: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(connected,), name="arena-engine", daemon=True)
        self._thread.start()
        connected.result()

    # --- In any thread ---

    def run(
        self,
        number: str,
        address: str,
        function: Callable[[bytes], bytes],
        data: bytes,
        look: Callable[[object], object],
    ) -> None:
        """Has a worker call a function; `on_answer` is told what `look`, in a thread of its own, makes of
        what it returns."""
        self._soon(self._begin, number, address, function, data, look)

    def cancel(self, numbers: Iterable[str]) -> None:
        """Wants no answer to some jobs any more; those that did not begin are not done."""
        self._soon(self._cancel, list(numbers))

    def close(self, data: bytes) -> None:
        """Ends the connection, and what was started for it.

        Args:
            data: what `worker.leave` is called with at all workers.
        """
        self._soon(self._closing.set_result, data)
        self._thread.join(2 * _CLOSING)

    def _soon(self, function: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
            self._loop.call_soon_threadsafe(function, *arguments)

    # --- In the engine's thread ---

    def _run(self, connected: Future[None]) -> None:
        try:
            asyncio.run(self._live(connected))
        except Exception as error:  # noqa: BLE001 - whoever waits for the connection raises it
            if connected.done():
                self.on_lost(gone(self.where, error))
            else:
                connected.set_exception(error)

    async def _live(self, connected: Future[None]) -> None:
        import dask
        import distributed
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker, NoValidWorkerError

        _silence()
        self._losses = (CancelledError, CommClosedError, KilledWorker, NoValidWorkerError, OSError)
        dask.config.set(_CONFIGURATION)
        self._loop = asyncio.get_running_loop()
        self._closing: asyncio.Future[Any] = self._loop.create_future()
        async with contextlib.AsyncExitStack() as stack:
            self._looking = ThreadPoolExecutor(1, "arena-looking")
            stack.callback(self._looking.shutdown, cancel_futures=True)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # such as of versions that differ
                    self._client: Any = await self._connect(distributed, stack)
                    await self._require_same_engine()
            except Unreachable:
                raise
            except Exception as error:  # noqa: BLE001 - whatever the engine raises where it is not met
                raise unreachable(self.where, error) from None
            connected.set_result(None)
            watching = asyncio.ensure_future(self._watch())
            await asyncio.wait({watching, self._closing}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                self.on_lost(gone(self.where, watching.exception()))
            else:
                watching.cancel()
                with contextlib.suppress(OSError, asyncio.TimeoutError):
                    await asyncio.wait_for(self._leave(self._closing.result()), _CLOSING)
            for task in (*self._jobs.values(), *self._meeting.values()):
                task.cancel()

    async def _connect(self, distributed: Any, stack: contextlib.AsyncExitStack) -> Any:
        """A client of the cluster, which is started where it is to be."""
        if workers := local_workers(self.where):
            there = await asyncio.to_thread(LocalCluster, workers)
            stack.push_async_callback(asyncio.to_thread, there.close)
            place = there.place
        else:
            await knock(self.where)
            place = Place(self.where, None)
        client = distributed.Client(
            place.address, security=place.security, asynchronous=True, timeout=REACH, set_as_default=False
        )
        return await stack.enter_async_context(client)

    async def _require_same_engine(self) -> None:
        """Raises Unreachable where the scheduler has another version of the engine."""
        there = (await self._client.scheduler.versions())["packages"].get("distributed")
        if there != (own := version("distributed")):
            raise Unreachable(
                f"the scheduler of the cluster {self.where} has distributed {there}, and here is {own}: "
                f"install distributed=={own} there, and at its workers"
            )

    async def _watch(self) -> None:
        """Looks for the workers that are there, for ever. Raises OSError where the scheduler is gone."""
        looked = time.monotonic()
        while True:
            identity = await asyncio.wait_for(self._client.scheduler.identity(), _ANSWER)
            now = time.monotonic()
            if now - looked > _STALL:
                self._signs = {address: (sign, now) for address, (sign, _) in self._signs.items()}
            looked = now
            here = {
                address for address, each in identity["workers"].items() if self._lives(address, each, now)
            }
            for address in here - self._refused - set(self.facts) - set(self._meeting):
                self._meeting[address] = asyncio.create_task(self._meet(address))
            fit = frozenset(here & set(self.facts))
            if fit != self.workers:
                self.workers = fit
                self.on_workers(fit)
            await asyncio.sleep(_LOOK)

    def _lives(self, address: str, identity: dict[str, Any], now: float) -> bool:
        """Whether a worker gave a sign of life lately; the scheduler's clock is only compared with itself."""
        sign = identity.get("last_seen")
        if self._signs.get(address, (None, now))[0] != sign:
            self._signs[address] = sign, now
        return identity.get("status") in (None, "running") and now - self._signs[address][1] < SILENCE

    async def _meet(self, address: str) -> None:
        """Asks a new worker what it is; one that is not fit is not used, and that is said."""
        future = self._client.submit(worker.facts, key=f"arena-{self._name}-{address}", **_at(address))
        own = versions()
        try:
            facts = facts_in(await future)
            others = [name for name, there in facts.versions.items() if there != own.get(name)]
        except self._losses:
            await asyncio.sleep(REACH)  # it is asked again, where it is still there
            return
        except Exception as error:  # noqa: BLE001 - whatever another installation raises, or returns
            self._refuse(address, f"has no arena that can be used ({words_of(error)})")
            return
        finally:
            del self._meeting[address]
        if others:
            there, here = (_listed(others, each) for each in (facts.versions, own))
            self._refuse(address, f"has {there}, and here is {here}")
        else:
            self.facts[address] = facts

    def _refuse(self, address: str, why: str) -> None:
        self._refused.add(address)
        own = versions()
        self.on_word(
            f"the worker {address} is not used: it {why}; have Python {own['Python']} there, the arena "
            f"{own['arena']} with its extra cluster, and distributed {own['distributed']}"
        )

    def _begin(
        self,
        number: str,
        address: str,
        function: Callable[[bytes], bytes],
        data: bytes,
        look: Callable[[object], object],
    ) -> None:
        future = self._client.submit(function, data, key=f"arena-{self._name}-{number}", **_at(address))
        self._jobs[number] = asyncio.create_task(self._job(number, future, look))

    async def _job(self, number: str, future: Any, look: Callable[[object], object]) -> None:
        answer: object = None
        try:
            answer = await self._loop.run_in_executor(self._looking, look, await future)
        except self._losses:
            await asyncio.sleep(4 * _LOOK)  # by then it is known whether its worker died, or the scheduler
        except Exception:  # noqa: BLE001 - the referee is told
            answer = Trouble(traceback.format_exc())
        finally:
            del self._jobs[number]
            future.release()
        self.on_answer(number, answer)

    def _cancel(self, numbers: list[str]) -> None:
        for number in numbers:
            job = self._jobs.get(number)
            if job is not None:
                job.cancel()

    async def _leave(self, data: bytes) -> None:
        if self.workers:
            await self._client.run(worker.leave, data, workers=list(self.workers), on_error="ignore")


def _silence() -> None:
    """Has the engine log nothing: what goes wrong is said in our own words."""
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # some have levels of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _listed(names: Iterable[str], versions: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {versions.get(name, 'none')}" for name in names)


def _at(address: str) -> dict[str, Any]:
    """How work is handed to one worker and no other, after what it has."""
    return {"workers": [address], "allow_other_workers": False, "pure": False, "fifo_timeout": 0}
