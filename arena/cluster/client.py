"""The connection to a dask scheduler: which workers are there, and calls of functions at workers.

dask's client needs asyncio, so it lives in a thread of its own. It knows nothing of games.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from concurrent.futures import CancelledError
from importlib.metadata import version
from typing import Any, TypeVar

import dask
import distributed
import trio
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker, NoValidWorkerError

from arena.cluster import worker
from arena.cluster.address import Unreachable, local_workers, require_cluster
from arena.cluster.bundle import Bundle
from arena.cluster.local import LocalCluster, Place
from arena.cluster.messages import Facts, versions
from arena.cluster.probe import REACH, gone, probe, unreachable, words_of
from arena.link.streams.trio_thread import in_trio
from arena.runner.sitting.sitting import ElsewhereLost

_T = TypeVar("_T")

_LOOK = 0.5  # seconds between looks at the workers
_ANSWER = 60.0  # seconds in which the scheduler has to answer
_AGAIN = 2.0  # seconds after which a call is repeated that was lost with the connection
_CLOSING = 10.0  # seconds
_LOST = (CancelledError, CommClosedError, NoValidWorkerError, OSError)  # raised with the connection lost

_CONFIGURATION = {
    "distributed.admin.large-graph-warning-threshold": "1GiB",
    "distributed.comm.timeouts.connect": f"{REACH:.0f}s",
}


class Killed(Exception):
    """Workers were lost with a call again and again, and dask gave it up."""


class WorkersGone(Exception):
    """None of the workers to which a call was restricted is there any more."""


class Client:
    """A connection to a cluster. To be made outside of trio, and closed there.

    Args:
        where: the scheduler's address, or `local:N`.

    Attributes:
        run: a name for this connection, which no other has.
        workers: the workers that are there and can be used.
        gone: what is raised instead of calling anything, once the scheduler is gone.
        on_change: called, in the client's thread, when one of these has changed.
        on_say: called there with a line for people.

    Raises Unreachable.
    """

    def __init__(self, where: str) -> None:
        require_cluster(where)
        self.where = where
        self.run = uuid.uuid4().hex
        self.workers: Mapping[str, Facts] = {}
        self.gone: ElsewhereLost | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.on_say: Callable[[str], None] = lambda line: None
        self._facts: dict[str, Facts] = {}
        self._refused: set[str] = set()  # workers that cannot be used
        self._meeting: dict[str, asyncio.Task[None]] = {}
        self._calls: dict[asyncio.Future[Exception], Collection[str]] = {}  # with the workers allowed
        self._numbers = itertools.count()
        self._bundles: list[str] = []  # the names of the plugins that have them kept
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="arena-dask", daemon=True)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()
        except BaseException:
            self._stop()
            raise

    def close(self) -> None:
        """Lets the bots at the workers go, and ends the connection and what was started for it."""
        asyncio.run_coroutine_threadsafe(self._disconnect(), self._loop).result()
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- In trio's thread ---

    async def call(self, function: Callable[..., bytes], data: bytes, workers: Iterable[str]) -> bytes:
        """Has one of some workers call a function, and returns what it returned. dask chooses the worker.

        Raises Killed, WorkersGone, ElsewhereLost, and what the function raised. A call that is cancelled
        is not begun any more.
        """
        return await self._awaited(self._call(function, (data,), tuple(workers)))

    async def keep(self, bundle: Bundle) -> None:
        """Has all workers keep a bundle, those that come later too; some may still unpack it then."""
        await self._awaited(self._keep(bundle))

    async def _awaited(self, work: Coroutine[Any, Any, _T]) -> _T:
        """What a coroutine of the client's thread returns; it is cancelled with the caller."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        over = trio.Event()
        tell = in_trio(over.set)
        future.add_done_callback(lambda _: tell())
        try:
            await over.wait()
        finally:
            future.cancel()
        return future.result()

    # --- In the client's thread ---

    async def _connect(self) -> None:
        _silence()
        dask.config.set(_CONFIGURATION)
        async with contextlib.AsyncExitStack() as stack:
            if workers := local_workers(self.where):
                try:
                    there = await asyncio.to_thread(LocalCluster, workers)
                except OSError as error:
                    raise unreachable(self.where, error) from None
                stack.push_async_callback(asyncio.to_thread, there.close)
                place = there.place
            else:
                await probe(self.where)
                place = Place(self.where, None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as of versions that differ
                try:
                    client = distributed.Client(  # type: ignore[no-untyped-call]
                        place.address, security=place.security, asynchronous=True, timeout=REACH,
                        set_as_default=False,
                    )  # fmt: skip
                    self._dask: Any = await stack.enter_async_context(client)
                    engine = (await self._dask.scheduler.versions())["packages"].get("distributed")
                except Exception as error:  # noqa: BLE001 - whatever dask raises
                    raise unreachable(self.where, error) from None
            if engine != (own := version("distributed")):
                raise Unreachable(
                    f"the scheduler of the cluster {self.where} has distributed {engine}, and here is {own}: "
                    f"install distributed=={own} there, and at its workers"
                )
            self._watching = asyncio.create_task(self._watch())
            self._open = stack.pop_all()

    async def _disconnect(self) -> None:
        tasks = (self._watching, *self._meeting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.gone is None:
            with contextlib.suppress(Exception):  # such as of workers that cannot be used, or end
                await asyncio.wait_for(self._leave(), _CLOSING)
        await self._open.aclose()

    async def _leave(self) -> None:
        for name in self._bundles:
            await self._dask.unregister_worker_plugin(name)
        if self.workers:
            await self._dask.run(worker.leave, self.run, workers=list(self.workers), on_error="ignore")

    async def _watch(self) -> None:
        """Looks for the workers that are there, until the scheduler is gone."""
        try:
            while True:
                identity = await asyncio.wait_for(self._dask.scheduler.identity(), _ANSWER)
                self._here(
                    {
                        address
                        for address, each in identity["workers"].items()
                        if each.get("status") in (None, "running")
                    }
                )
                await asyncio.sleep(_LOOK)
        except Exception as error:  # noqa: BLE001 - whatever dask raises
            self.gone = ElsewhereLost(gone(self.where, error))
            for lost in self._calls:
                if not lost.done():
                    lost.set_result(self.gone)
            self.on_change()

    def _here(self, addresses: set[str]) -> None:
        """These workers are there."""
        for address in addresses - self._facts.keys() - self._refused - self._meeting.keys():
            self._meeting[address] = asyncio.create_task(self._meet(address))
        for lost, allowed in self._calls.items():
            if addresses.isdisjoint(allowed) and not lost.done():
                lost.set_result(WorkersGone())
        workers = {address: facts for address, facts in self._facts.items() if address in addresses}
        if workers != self.workers:
            self.workers = workers
            self.on_change()

    async def _meet(self, address: str) -> None:
        """Asks a new worker what it is; one that cannot be used is not used, and people are told."""
        own = versions()
        try:
            facts: Facts = pickle.loads(await self._call(worker.facts, (), (address,)))
            different = [name for name, there in facts.versions.items() if there != own.get(name)]
        except (WorkersGone, Killed):  # dask ends a worker that lacks what it is asked to load
            host = address.rpartition(":")[0]
            if host not in self._refused:  # people are told once, though it may be started again and again
                self._refused.add(host)
                self._refuse(address, "ended when it was asked what it is")
            return
        except Exception as error:  # noqa: BLE001 - whatever another installation raises
            self._refuse(address, f"has no arena that can be used ({words_of(error)})")
            return
        finally:
            del self._meeting[address]
        if different:
            there, here = (_listed(different, each) for each in (facts.versions, own))
            self._refuse(address, f"has {there}, and here is {here}")
        else:
            self._facts[address] = facts

    def _refuse(self, address: str, why: str) -> None:
        self._refused.add(address)
        own = versions()
        self.on_say(
            f"the worker {address} is not used: it {why}; have Python {own['Python']} there, the arena "
            f"{own['arena']} with its extra cluster, and distributed {own['distributed']}"
        )

    async def _call(
        self, function: Callable[..., bytes], arguments: tuple[object, ...], workers: tuple[str, ...]
    ) -> bytes:
        """See `call`; what is lost with the connection alone is called again."""
        while True:
            if self.gone is not None:
                raise self.gone
            key = f"arena-{self.run}", next(self._numbers)
            job = self._dask.submit(function, *arguments, key=key, pure=False, workers=list(workers))
            answer = asyncio.ensure_future(job)
            lost: asyncio.Future[Exception] = self._loop.create_future()
            self._calls[lost] = workers
            try:
                await asyncio.wait({answer, lost}, return_when=asyncio.FIRST_COMPLETED)
                if lost.done():
                    raise lost.result()
                result: bytes = answer.result()
                return result
            except KilledWorker:
                raise Killed from None
            except _LOST:
                pass
            finally:
                del self._calls[lost]
                answer.cancel()
                job.release()
            await asyncio.sleep(_AGAIN)

    async def _keep(self, bundle: Bundle) -> None:
        name = f"arena-{self.run}-{bundle.digest}"
        self._bundles.append(name)
        # A worker that ends, stands still or cannot be used keeps nothing; the others get it all the same.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._dask.register_plugin(worker.BundlePlugin(*bundle), name), _ANSWER)


def _silence() -> None:
    """Has dask log nothing: the arena says what goes wrong in its own words."""
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # some have levels of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _listed(names: Iterable[str], versions: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {versions.get(name, 'none')}" for name in names)
