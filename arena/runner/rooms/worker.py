"""A worker: a process in which tables are played, in a room without bots and network.

The referee's process, at the other end of a socket, tells it what happens and
passes on what it sends (see `RoomsInWorkers`). It ends when the referee does,
and at any error of its own, with the traceback on standard error.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import select
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, TypeAlias

from arena.link.streams.moments import Moment
from arena.runner.process import rare_collections
from arena.runner.rooms.room import HOLD, Connect, Message, Played, Room, Seating
from arena.runner.rooms.room_state import Delta


class ConnectNumbered(NamedTuple):
    """A bot is there, whose stream the referee's process knows by a number (see `Connect`)."""

    player: int
    stream: int


SendTimes: TypeAlias = tuple[int, Moment | None, Moment | None]
"""How far a batch has come: its number, when the transport's queue got it, when the transport did."""

Sending: TypeAlias = tuple[int, int, bytes, int]
"""A PlayRequest to be passed on: the stream's number, the batch's, the encoded message, its turns.

(Pickled, a named tuple takes ten times as long as a plain one.)
"""


class WorkerInput(NamedTuple):
    """What the referee tells a worker.

    Attributes:
        lag: the referee's own lag so far.
        stamps: the batches that came further since the last post.
        messages: what the worker's room is to hear.
    """

    lag: int
    stamps: list[SendTimes]
    messages: list[Message | ConnectNumbered]


class WorkerOutput(NamedTuple):
    """What a worker tells the referee.

    Attributes:
        decisions: how many turns were answered so far.
        cpu: the CPU time of the worker so far, in nanoseconds.
        sendings: what is to be sent.
        played: the games that are over.
        void: the games that are void.
        deltas: what onlookers are told of running tables.
    """

    decisions: int
    cpu: int
    sendings: list[Sending]
    played: list[Played]
    void: list[Seating]
    deltas: list[Delta]


def send_frame(connection: Connection, frame: WorkerInput | WorkerOutput) -> None:
    """Sends a frame; the other end is this program as well. Raises OSError where that is gone."""
    connection.send_bytes(pickle.dumps(frame, pickle.HIGHEST_PROTOCOL))


def receive_frame(connection: Connection) -> Any:
    """Waits for a frame. Raises EOFError or OSError where the other end is gone."""
    return pickle.loads(connection.recv_bytes())


class _SentRequest:
    """A batch on its way through the referee's process (see `room.SentRequest`)."""

    __slots__ = ("queued", "sent")

    def __init__(self) -> None:
        self.queued: Moment | None = None  # until then it is the referee's processes that take their time
        self.sent: Moment | None = None


class _Stream:
    """A bot's stream, which is in the referee's process (see `room.Stream`)."""

    def __init__(self, worker: Worker, number: int) -> None:
        self._worker = worker
        self._number = number

    def send(self, data: bytes, turns: int) -> _SentRequest:
        return self._worker.send(self._number, data, turns)


class Worker:
    """A room, and the referee's process that it talks to.

    Args:
        referee: the connection.
        number: which worker this is, from 0.
        workers: how many there are. Their tables have different numbers: the
            worker of table t is (t - 1) modulo `workers`.
    """

    def __init__(self, referee: Connection, number: int, workers: int) -> None:
        self._referee = referee
        self._poll = select.poll()  # `Connection.poll` makes one each time, which takes eight times as long
        self._poll.register(referee, select.POLLIN)
        self._on_the_way: dict[int, _SentRequest] = {}  # batches that were not handed over yet, by number
        self._numbers = itertools.count()
        self._lag = 0
        # What came up, to be told the referee.
        self._sendings: list[Sending] = []
        self._played: list[Played] = []
        self._void: list[Seating] = []
        self._deltas: list[Delta] = []
        tables = itertools.count(number + 1, workers)
        self._room = Room(
            self._played.append, self._void.append, self._now, tables, on_deltas=self._deltas.extend
        )

    def run(self) -> None:
        """Plays until the referee hangs up; games that were over are reported also where an error ends it."""
        holds = False
        with contextlib.suppress(EOFError, OSError):  # it is gone
            while True:
                heard = not holds or self._poll.poll(HOLD / 1e6)
                try:
                    holds = self._room.hear(self._messages_in() if heard else ())
                finally:
                    self._report()

    def send(self, stream: int, data: bytes, turns: int) -> _SentRequest:
        """Has an encoded PlayRequest passed on."""
        number = next(self._numbers)
        self._sendings.append((stream, number, data, turns))
        batch = self._on_the_way[number] = _SentRequest()
        return batch

    def _now(self) -> Moment:
        return Moment(time.perf_counter_ns(), self._lag)

    def _messages_in(self) -> Iterator[Message]:
        """Waits for messages; what came up together travels together, but bots do not wait for all of it."""
        room = self._room
        before = room.decisions
        yield from self._receive()
        while room.decisions - before < room.tables // 4 and self._poll.poll(0):
            yield from self._receive()

    def _receive(self) -> Iterator[Message]:
        post: WorkerInput = receive_frame(self._referee)
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

    def _report(self) -> None:
        news = (self._sendings, self._played, self._void, self._deltas)
        if any(news):
            send_frame(self._referee, WorkerOutput(self._room.decisions, time.process_time_ns(), *news))
            for each in news:
                each.clear()


def main(descriptor: int, number: int, workers: int) -> None:
    """Runs a worker whose referee is at the other end of a socket with this descriptor (see `Worker`)."""
    with rare_collections():
        Worker(Connection(descriptor), number, workers).run()
