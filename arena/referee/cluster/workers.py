"""Submits batches to the workers of a cluster, watches which workers there are, and counts what they do."""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import CancelledError
from functools import partial
from typing import TypeVar

import trio
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker, NoValidWorkerError

from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.referee.cluster.address import local_workers
from arena.referee.cluster.bundle import Bundle
from arena.referee.cluster.client import Client, words_of
from arena.referee.cluster.messages import Answer, Batch, BotUnavailable, Result, WorkerInfo, versions
from arena.referee.cluster_statistics import ClusterStatistics, WorkerStatistics
from arena.referee.sitting.sitting import ClusterLost

_T = TypeVar("_T")

ATTEMPTS = 3
"""How often workers may fail with a batch, and a bot may fail to start."""

_POLL = 0.5  # seconds between two requests for the list of workers
_FETCH = 30.0  # seconds in which an answer comes; if its worker is lost just then, it never does
_AGAIN = 2.0  # seconds after which a batch that was lost with the connection is sent again
_LOST = (CancelledError, CommClosedError, NoValidWorkerError, OSError)  # if a connection or an answer is lost
_MOST_THREADS = 1000  # that wait for dask
_SOON = 5.0  # seconds in which workers may come before people are told that there are none
_LATELY = 60.0  # seconds over which the rate is told


class BatchGivenUp(Exception):
    """dask gave a batch up, because several workers were lost while they played it."""


@dataclasses.dataclass(slots=True)
class _KnownWorker:
    """A usable worker, and its statistics."""

    name: str  # its machine and port
    facts: WorkerInfo
    since: float  # when it came
    games: int = 0
    batches: int = 0
    seconds: float = 0.0
    troubled: bool = False  # whether people know that it goes wrong


class Workers:
    """The workers of a cluster. To be made in trio's thread.

    Args:
        client: the connection to them.
        say: called with a line for people.
        on_missed: called with a bot that does not start at one worker, and a text for people.
        on_change: called when workers have come or gone.

    Attributes:
        alone: held while a bot is asked that may kill workers.
    """

    def __init__(
        self,
        client: Client,
        say: Callable[[str], None],
        on_missed: Callable[[int, str], None],
        on_change: Callable[[], None],
    ) -> None:
        self._on_missed, self._on_change = on_missed, on_change
        self.alone = trio.Lock()
        self._client = client
        self._say = say
        self._workers: dict[str, _KnownWorker] = {}  # all so far, by address
        self._here: set[str] = set()  # the addresses of those that run
        self._met: set[str] = set()  # the addresses of all that were asked for their versions
        self._missed: dict[int, list[str]] = {}  # the workers at which a bot did not start
        self._came: set[int] = set()  # the bots that started at some worker
        self._told_none = False
        self._lately: deque[tuple[float, int]] = deque()  # when games came back, and how many
        self._gone: ClusterLost | None = None  # why nothing can be asked any more
        self._news = trio.Event()  # of workers, of batches that are over, or that the scheduler is gone
        self._wake = in_trio(self._tell_news)
        self._threads = trio.CapacityLimiter(_MOST_THREADS)
        trio.lowlevel.spawn_system_task(self._watch)

    @property
    def run(self) -> str:
        """The unique name of this run."""
        return self._client.run

    @property
    def number(self) -> int:
        """The number of running workers."""
        return len(self._here)

    def lacking(self) -> list[str]:
        """The parts of the sandbox that some running workers do not have, for people."""
        return sorted({each for address in self._here for each in self._workers[address].facts.lacking})

    def cluster_statistics(self, batches: int, at_home: int) -> ClusterStatistics:
        """The statistics of the workers; `batches` and `at_home` are passed on."""
        now = time.monotonic()
        while self._lately and self._lately[0][0] < now - _LATELY:
            self._lately.popleft()
        workers = [
            WorkerStatistics(
                each.name,
                address in self._here,
                each.games,
                each.batches,
                min(1.0, each.seconds / max(now - each.since, 1e-3)),
            )
            for address, each in self._workers.items()
        ]
        first = min([now - 1.0, *(each.since for each in self._workers.values())])
        rate = sum(games for _, games in self._lately) / min(_LATELY, now - first)
        return ClusterStatistics(workers, batches, rate, at_home)

    async def lost(self) -> None:
        """Waits until the scheduler is gone. Raises ClusterLost."""
        while self._gone is None:
            await self._news.wait()
        raise self._gone

    async def keep(self, bundle: Bundle) -> None:
        """See `Client.keep`."""
        await self._in_thread(partial(self._client.keep, bundle))

    async def ask(self, batch: Batch) -> Result:
        """Lets a worker play a batch; dask chooses the worker.

        Raises BatchGivenUp, BotUnavailable, ClusterLost, and RefereeBug if workers fail with it repeatedly.
        """
        data = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
        avoided: list[str] = []  # the workers that failed with it
        losses = 0
        while losses < ATTEMPTS:
            await self._some()
            barred = set(avoided).union(*(self._missed.get(player, ()) for player in batch.bots))
            answer = await self._answer(data, self._here - barred or self._here)
            if answer is None:
                losses += 1
                continue
            match answer.what:
                case BotUnavailable() as absent:
                    self._miss(answer.worker, absent)
                case str(report):
                    avoided.append(answer.worker)
                    self._trouble(self._workers[answer.worker], report, len(avoided) == ATTEMPTS)
                case result:
                    for player in batch.bots:
                        self._came.add(player)
                        self._missed.pop(player, None)
                    return self._counted(self._workers[answer.worker], result)
        raise BatchGivenUp

    async def _answer(self, data: bytes, allowed: Collection[str]) -> Answer | None:
        """The answer of one of some workers; None if all of these workers are gone.

        If only the connection was lost, the batch is sent again. Raises BatchGivenUp, ClusterLost.
        """
        while True:
            future = self._client.begin(data, allowed)
            future.add_done_callback(lambda _: self._wake())
            try:
                while future.status == "pending":
                    if self._gone is not None:
                        raise self._gone
                    if self._here.isdisjoint(allowed):
                        return None
                    await self._news.wait()
                answer: Answer = pickle.loads(await self._in_thread(partial(future.result, _FETCH)))
                return answer
            except KilledWorker:
                raise BatchGivenUp from None
            except _LOST:
                await trio.sleep(_AGAIN)
            finally:
                future.release()  # one that has not begun does not begin any more

    async def _some(self) -> None:
        """Waits until there is a worker. Raises ClusterLost."""
        while not self._here:
            if self._gone is not None:
                raise self._gone
            with trio.move_on_after(_SOON) as waiting:
                await self._news.wait()
            if waiting.cancelled_caught and not self._told_none:
                self._told_none = True
                where = self._client.where
                hint = "" if local_workers(where) else f"; start some by dask worker {where}"
                self._say(f"the cluster has no worker yet{hint}")

    def _miss(self, address: str, absent: BotUnavailable) -> None:
        """Notes that a bot did not start at a worker. Raises `absent` if the bot is tried no more."""
        player, absent.message = absent.player, f"{absent.message} ({self._workers[address].name})"
        missed = self._missed.setdefault(player, [])
        missed.append(address)
        everywhere = self._here <= set(missed)
        if player in self._came:
            over = everywhere and len(missed) >= ATTEMPTS
            if missed.count(address) == 1:
                self._on_missed(player, f"is not played at one worker: {absent.message}")
        else:  # a program that builds need may be at few workers only
            over = everywhere or (absent.built and len(missed) >= ATTEMPTS)
        if over:
            raise absent

    def _trouble(self, there: _KnownWorker, report: str, last: bool) -> None:
        """Notes that a worker failed with a batch. Raises RefereeBug if that was the last attempt."""
        bug = RefereeBug.from_report(report)
        if last:
            raise bug
        if not there.troubled:
            there.troubled = True
            self._say(f"the worker {there.name} itself went wrong ({bug.what}): others play its games")

    def _counted(self, there: _KnownWorker, result: Result) -> Result:
        """Counts a result, and adds the worker's name to its news."""
        if result.games:
            there.batches += 1
            there.games += len(result.games)
            there.seconds += result.seconds
            self._lately.append((time.monotonic(), len(result.games)))
        return result._replace(news=[(player, f"{what} ({there.name})") for player, what in result.news])

    async def _watch(self) -> None:
        """Keeps the list of running workers, until the scheduler is gone."""
        async with trio.open_nursery() as nursery:
            while self._gone is None:
                try:
                    addresses = await self._in_thread(self._client.addresses)
                except Exception as error:  # noqa: BLE001 - whatever dask raises
                    self._gone = ClusterLost(_gone(self._client.where, error))
                    nursery.cancel_scope.cancel()
                else:
                    for address in addresses - self._met:
                        self._met.add(address)
                        nursery.start_soon(self._meet, address)
                    self._update(addresses & self._workers.keys())
                self._tell_news()
                await trio.sleep(_POLL)

    async def _meet(self, address: str) -> None:
        """Asks a new worker for its versions. Tells people if the worker cannot be used."""
        own = versions()
        try:
            facts = await self._in_thread(partial(self._client.facts, address))
            different = [name for name, there in facts.versions.items() if there != own.get(name)]
        except OSError:  # it has ended; or the connection was lost, and it is asked again
            self._met.discard(address)
            return
        except Exception as error:  # noqa: BLE001 - whatever another installation raises
            why = f"has no arena that can be used ({words_of(error)})"
        else:
            if not different:
                name = f"{facts.host}:{address.rpartition(':')[2]}"
                self._workers[address] = _KnownWorker(name, facts, time.monotonic())
                return
            there, here = (_listed(different, each) for each in (facts.versions, own))
            why = f"has {there}, and here is {here}"
        self._say(
            f"the worker {address} is not used: it {why}; have Python {own['Python']} there, the arena "
            f"{own['arena']} with its extra cluster, and distributed {own['distributed']}"
        )

    def _update(self, here: set[str]) -> None:
        """Notes which workers run now."""
        gone, self._here = self._here - here, here
        for address in sorted(gone):
            self._say(f"the worker {self._workers[address].name} is lost: other workers play its games")
        if gone and not here:
            self._say("no worker is left: the games wait for one")

    def _tell_news(self) -> None:
        self._news.set()
        self._news = trio.Event()
        self._on_change()

    async def _in_thread(self, function: Callable[[], _T]) -> _T:
        """Calls a function that waits for dask in a thread, and returns its result."""
        return await trio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=self._threads)


def _gone(where: str, error: BaseException) -> str:
    """The sentence about a scheduler that is gone, without its end."""
    # A RuntimeError of dask, after it gave the connection up, says nothing useful.
    why = "" if isinstance(error, RuntimeError) else f" ({words_of(error)})"
    then = "look at what has ended it" if local_workers(where) else "start it again"
    return f"the scheduler of the cluster {where} is gone{why}: {then}"


def _listed(names: Collection[str], versions: Mapping[str, str]) -> str:
    return " and ".join(f"{name} {versions.get(name, 'none')}" for name in names)
