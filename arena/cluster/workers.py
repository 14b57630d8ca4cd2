"""The workers of a cluster as the referee uses them: what they are asked, and what they have done."""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections import deque
from collections.abc import Callable, Collection

import trio

from arena.cluster import worker
from arena.cluster.client import Client, Killed, WorkersGone
from arena.cluster.messages import Absent, Answer, Introduction, Order, Result, Trouble
from arena.cluster.probe import none_yet
from arena.link.streams.dial import BotInfo
from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.runner.cluster_statistics import ClusterStatistics, WorkerStatistics

ATTEMPTS = 3
"""How often workers may fail with a batch, and a bot may fail to come up."""

_SOON = 5.0  # seconds in which workers may come before people are told that there are none
_LATELY = 60.0  # seconds over which the rate is told


class NotThere(Exception):
    """A bot comes up at no worker.

    Attributes:
        absent: what the last one said.
        place: which worker that was.
    """

    def __init__(self, absent: Absent, place: str) -> None:
        super().__init__(absent.message)
        self.absent = absent
        self.place = place


@dataclasses.dataclass(slots=True)
class _Done:
    """What a worker has done."""

    since: float  # when it came
    games: int = 0
    batches: int = 0
    seconds: float = 0.0


class Workers:
    """The workers of a cluster. To be made in trio's thread.

    Args:
        client: the connection to them.
        say: called with a line for people.

    Attributes:
        on_change: called when workers have come or gone.
        on_missed: called with a bot that does not come up at one worker, and what people are told of it.
    """

    def __init__(self, client: Client, say: Callable[[str], None]) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self.on_missed: Callable[[int, str], None] = lambda player, what: None
        self._client = client
        self._say = say
        self._here: set[str] = set()
        self._names: dict[str, str] = {}
        self._done: dict[str, _Done] = {}  # of all that there ever were
        self._missed: dict[int, list[str]] = {}  # the workers at which a bot did not come up
        self._came: set[int] = set()  # the bots that came up at some worker
        self._troubled: set[str] = set()  # the workers of which people know that they go wrong
        self._told_none = False
        self._lately: deque[tuple[float, int]] = deque()  # when games came back, and how many
        self._changed = trio.Event()
        client.on_say = in_trio(say)
        client.on_change = in_trio(self._workers_changed)
        self._workers_changed()  # some may have come before

    @property
    def number(self) -> int:
        """How many workers are there."""
        return len(self._here)

    def place(self, address: str) -> str:
        """What people call a worker: its machine, and its port there."""
        return self._names.get(address, address)

    def lacking(self) -> list[str]:
        """What some of the workers that are there lack to contain bots, for people."""
        return sorted({each for facts in self._client.workers.values() for each in facts.lacking})

    def cluster_statistics(self, batches: int, at_home: int) -> ClusterStatistics:
        """What the workers have done; the numbers are told as they are."""
        now = time.monotonic()
        while self._lately and self._lately[0][0] < now - _LATELY:
            self._lately.popleft()
        first = min([now - 1.0, *(done.since for done in self._done.values())])
        workers = [
            WorkerStatistics(
                self.place(address),
                address in self._here,
                done.games,
                done.batches,
                min(1.0, done.seconds / max(now - done.since, 1e-3)),
            )
            for address, done in self._done.items()
        ]
        rate = sum(games for _, games in self._lately) / min(_LATELY, now - first)
        return ClusterStatistics(workers, batches, rate, at_home)

    async def some(self) -> None:
        """Waits until there is a worker. Raises ElsewhereLost."""
        while not self._here:
            if self._client.gone is not None:
                raise self._client.gone
            with trio.move_on_after(_SOON) as waiting:
                await self._changed.wait()
            if waiting.cancelled_caught and not self._told_none:
                self._told_none = True
                self._say(none_yet(self._client.where))

    async def lost(self) -> None:
        """Waits until the scheduler is gone. Raises ElsewhereLost."""
        while self._client.gone is None:
            await self._changed.wait()
        raise self._client.gone

    async def ask(self, order: Order | Introduction, players: Collection[int]) -> Result | BotInfo:
        """Has a worker play a batch, or ask a bot what it is. dask chooses the worker.

        Args:
            players: the bots that have to come up there.

        Raises Killed, NotThere, RefereeBug where workers go wrong with it again and again, and ElsewhereLost.
        """
        data = pickle.dumps(order, pickle.HIGHEST_PROTOCOL)
        avoided: set[str] = set()
        losses = reports = 0
        while True:
            await self.some()
            barred = avoided.union(*(self._missed.get(player, ()) for player in players))
            allowed = self._here - barred or self._here
            try:
                answer: Answer = pickle.loads(await self._client.call(worker.ask, data, allowed))
            except WorkersGone:
                losses += 1
                if losses == ATTEMPTS:
                    raise Killed from None
                continue
            match answer.what:
                case Absent() as absent:
                    self._miss(answer.worker, absent)
                case Trouble(report):
                    reports += 1
                    avoided.add(answer.worker)
                    self._trouble(answer.worker, report, last=reports == ATTEMPTS)
                case what:
                    for player in players:
                        self._came.add(player)
                        self._missed.pop(player, None)
                    return self._counted(answer.worker, what) if isinstance(what, Result) else what

    def _miss(self, address: str, absent: Absent) -> None:
        """A bot did not come up at a worker. Raises NotThere where it is tried no more."""
        player, place = absent.player, self.place(address)
        missed = self._missed.setdefault(player, [])
        missed.append(address)
        everywhere = self._here <= set(missed)
        if player in self._came:
            over = everywhere and len(missed) >= ATTEMPTS
            if missed.count(address) == 1:
                self.on_missed(player, f"is not played at one worker: {absent.message} ({place})")
        else:  # a program that builds need may be at few workers only
            over = everywhere or (absent.built and len(missed) >= ATTEMPTS)
        if over:
            raise NotThere(absent, place)

    def _trouble(self, address: str, report: str, last: bool) -> None:
        """A worker went wrong with a batch. Raises RefereeBug where that was the last of them."""
        bug = RefereeBug.from_report(report)
        if last:
            raise bug
        if address not in self._troubled:
            self._troubled.add(address)
            self._say(
                f"the worker {self.place(address)} itself went wrong ({bug.what}): others play its games"
            )

    def _counted(self, address: str, result: Result) -> Result:
        """A result that has come; its news say at which worker."""
        done = self._done.setdefault(address, _Done(time.monotonic()))
        done.batches += 1
        done.games += len(result.games)
        done.seconds += result.seconds
        self._lately.append((time.monotonic(), len(result.games)))
        place = self.place(address)
        return result._replace(news=[(player, f"{what} ({place})") for player, what in result.news])

    def _workers_changed(self) -> None:
        here = set(self._client.workers)
        for address in sorted(here - self._here):
            facts = self._client.workers[address]
            self._names[address] = f"{facts.host}:{address.rpartition(':')[2]}"
            self._done.setdefault(address, _Done(time.monotonic()))
        gone, self._here = self._here - here, here
        for address in sorted(gone):
            self._say(f"the worker {self.place(address)} is lost: what it had is played elsewhere")
        if gone and not here:
            self._say("no worker is there any more: the games wait for one")
        self._changed.set()
        self._changed = trio.Event()
        self.on_change()
