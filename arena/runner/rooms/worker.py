"""What a process does in which tables are played: a room, without bots and network.

The referee's process, at the other end of a socket, tells it what happens and
passes on what it sends (see `apart`). It ends when the referee does, in
whatever way.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from multiprocessing.connection import Connection

from arena.link.moments import Moment
from arena.runner.garbage import rare_collections
from arena.runner.rooms import frames
from arena.runner.rooms.frames import Report, Sending
from arena.runner.rooms.room import HOLD, Played, Room, Seating


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
    """A room, and the referee that it talks to.

    Args:
        referee: the connection.
        number: which worker this is, from 0.
        workers: how many there are. Their tables have different numbers: the
            worker of table t is (t - 1) modulo `workers`.
        bots: how many bots there are.
    """

    def __init__(self, referee: Connection, number: int, workers: int, bots: int) -> None:
        self._referee = referee
        self._sendings: list[Sending] = []
        self._played: list[Played] = []
        self._void: list[Seating] = []
        self._on_the_way: dict[int, _Batch] = {}  # batches that were not handed over yet, by number
        self._numbers = itertools.count()
        tables = itertools.count(number + 1, workers)
        self._room = Room(bots, self._played.append, self._void.append, self._now, tables)
        self._lag = 0

    def run(self) -> None:
        """Plays until the referee hangs up."""
        try:
            self._play()
        finally:  # what is over is to be stored, whatever went wrong after it
            with contextlib.suppress(OSError):
                self._report()

    def _play(self) -> None:
        holds = False
        with contextlib.suppress(EOFError, OSError):  # it is gone
            while True:
                if not holds or self._referee.poll(HOLD / 1e9):
                    decisions = self._room.decisions
                    self._hear()
                    # What came up together travels together, but the bots are not to wait for all of it.
                    while self._room.decisions - decisions < self._room.tables // 4 and self._referee.poll():
                        self._hear()
                holds = self._room.flush()
                self._report()

    def _now(self) -> Moment:
        return Moment(time.perf_counter_ns(), self._lag)

    def send(self, stream: int, data: bytes, turns: int) -> _Batch:
        """Has an encoded PlayRequest passed on."""
        number = next(self._numbers)
        self._sendings.append(Sending(stream, number, data, turns))
        batch = self._on_the_way[number] = _Batch()
        return batch

    def connect(self, player: int, stream: int) -> None:
        """See `Room.connect`."""
        self._room.connect(player, _Stream(self, stream))

    def _hear(self) -> None:
        heard = frames.receive(self._referee)
        self._lag = heard.lag
        for number, queued, sent in heard.stamps:
            batch = self._on_the_way[number]
            batch.queued, batch.sent = queued, sent
            if sent is not None:
                del self._on_the_way[number]
        for method, arguments in heard.calls:
            getattr(self if method == "connect" else self._room, method)(*arguments)

    def _report(self) -> None:
        if self._sendings or self._played or self._void:
            cpu = time.process_time_ns()
            report = Report(self._room.decisions, cpu, self._sendings, self._played, self._void)
            frames.send(self._referee, report)
            self._sendings.clear()
            self._played.clear()
            self._void.clear()


def main(descriptor: int, number: int, workers: int, bots: int) -> None:
    """Runs a worker whose referee is at the other end of a socket with this descriptor (see `Worker`)."""
    with rare_collections():
        Worker(Connection(descriptor), number, workers, bots).run()
