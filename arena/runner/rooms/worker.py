"""What a process does in which tables are played: a room, without bots and network.

The referee's process, at the other end of a socket, tells it what happens and
passes on what it sends (see `in_workers`). It ends when the referee does, in
whatever way, and at any error of its own, with the traceback on standard error.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

from arena.link.streams.moments import Moment
from arena.runner.garbage_collection import rare_collections
from arena.runner.rooms import worker_wire
from arena.runner.rooms.glimpses import Glimpse
from arena.runner.rooms.messages import Connect, Message
from arena.runner.rooms.room import HOLD, Played, Seating
from arena.runner.rooms.room_loop import RoomLoop
from arena.runner.rooms.worker_wire import ConnectNumbered, Post, Report, Sending


class _Batch:
    """A batch on its way through the referee's process (see `room.Batch`)."""

    __slots__ = ("queued", "sent")

    def __init__(self) -> None:
        self.queued: Moment | None = None  # until then it is the referee's processes that take their time
        self.sent: Moment | None = None


class _Stream:
    """A bot's stream, which is in the referee's process (see `room.Stream`)."""

    def __init__(self, worker: Worker, number: int) -> None:
        self._worker = worker
        self._number = number

    def send(self, data: bytes, turns: int) -> _Batch:
        return self._worker.send(self._number, data, turns)


class Worker:
    """A room's loop, and the referee that it talks to.

    Args:
        referee: the connection.
        number: which worker this is, from 0.
        workers: how many there are. Their tables have different numbers: the
            worker of table t is (t - 1) modulo `workers`.
    """

    def __init__(self, referee: Connection, number: int, workers: int) -> None:
        self._referee = referee
        self._sendings: list[Sending] = []
        self._on_the_way: dict[int, _Batch] = {}  # batches that were not handed over yet, by number
        self._numbers = itertools.count()
        self._lag = 0
        tables = itertools.count(number + 1, workers)
        self._loop = RoomLoop(self._now, self._report, tables)

    def run(self) -> None:
        """Plays until the referee hangs up."""
        holds = False
        with contextlib.suppress(EOFError, OSError):  # it is gone
            while True:
                heard = not holds or self._referee.poll(HOLD / 1e9)
                holds = self._loop.round(self._arrivals() if heard else ())

    def send(self, stream: int, data: bytes, turns: int) -> _Batch:
        """Has an encoded PlayRequest passed on."""
        number = next(self._numbers)
        self._sendings.append(Sending(stream, number, data, turns))
        batch = self._on_the_way[number] = _Batch()
        return batch

    def _now(self) -> Moment:
        return Moment(time.perf_counter_ns(), self._lag)

    def _arrivals(self) -> Iterator[Message]:
        """Waits for messages; what came up together travels together, but bots do not wait for all of it."""
        room = self._loop.room
        before = room.decisions
        yield from self._receive()
        while room.decisions - before < room.tables // 4 and self._referee.poll():
            yield from self._receive()

    def _receive(self) -> Iterator[Message]:
        post: Post = worker_wire.receive(self._referee)
        self._lag = post.lag
        for number, queued, sent in post.stamps:
            batch = self._on_the_way[number]
            batch.queued, batch.sent = queued, sent
            if sent is not None:
                del self._on_the_way[number]
        for message in post.messages:
            if isinstance(message, ConnectNumbered):
                yield Connect(message.player, _Stream(self, message.stream))
            else:
                yield message

    def _report(self, played: list[Played], void: list[Seating], glimpses: list[Glimpse]) -> None:
        if self._sendings or played or void or glimpses:
            decisions = self._loop.room.decisions
            report = Report(decisions, time.process_time_ns(), self._sendings, played, void, glimpses)
            worker_wire.send(self._referee, report)
            self._sendings.clear()


def main(descriptor: int, number: int, workers: int) -> None:
    """Runs a worker whose referee is at the other end of a socket with this descriptor (see `Worker`)."""
    with rare_collections():
        Worker(Connection(descriptor), number, workers).run()
