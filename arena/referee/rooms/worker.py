"""What a worker runs that plays tables: a room, without a network.

The referee's process is at the other end of the connection: it sends messages, and passes
on what the worker sends to bots (see `RoomsInWorkers`).
"""

from __future__ import annotations

import itertools
import select
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import NamedTuple, TypeAlias

from arena.link.streams.moments import Moment
from arena.processes.tuning import rare_collections
from arena.processes.worker import receive, send
from arena.referee.rooms.room import HOLD, Connect, Message, Room
from arena.referee.rooms.room_state import Delta, OpenTurn
from arena.tournament.seating import Played, Seating


class ConnectNumbered(NamedTuple):
    """A bot has connected; the referee's process knows its stream by a number (see `Connect`)."""

    player: int
    stream: int


SendTimes: TypeAlias = tuple[int, Moment | None, Moment | None]
"""A request's number, when it was queued, and when the transport took it."""

Sending: TypeAlias = tuple[int, int, bytes, int]
"""A PlayRequest to be passed on: number of the stream, own number, encoded message, number of turns.

(Pickling a named tuple takes ten times as long as a plain one.)
"""


class WorkerInput(NamedTuple):
    """A message of the referee to a worker.

    Attributes:
        lag: the referee's own lag so far.
        send_times: the requests that were queued or sent since the last message.
        messages: the messages to the worker's room.
    """

    lag: int
    send_times: list[SendTimes]
    messages: list[Message | ConnectNumbered]


class WorkerOutput(NamedTuple):
    """A message of a worker to the referee.

    Attributes:
        decisions: how many turns were answered so far.
        cpu: the CPU time of the worker so far, in nanoseconds.
        sendings: the PlayRequests to be sent.
        closed: the numbers of the tables that were closed.
        strays: stray answers that could not be charged: the bot, and the number of the table.
        played: the games that are over.
        void: the games that are void.
        deltas: the actions for onlookers.
        open_turns: the open turns, once for each time that they were asked for.
    """

    decisions: int
    cpu: int
    sendings: list[Sending]
    closed: list[int]
    strays: list[tuple[int, int]]
    played: list[Played]
    void: list[Seating]
    deltas: list[Delta]
    open_turns: list[list[OpenTurn]]


class _SentRequest:
    """A PlayRequest that the referee's process passes on (see `room_state.SentRequest`)."""

    __slots__ = ("queued", "sent")

    def __init__(self) -> None:
        self.queued: Moment | None = None  # until then the referee takes the time
        self.sent: Moment | None = None


class _Stream:
    """A bot's stream, which the referee's process has (see `room_state.Stream`)."""

    def __init__(self, worker: RoomInWorker, number: int) -> None:
        self._worker = worker
        self._number = number

    def send(self, data: bytes, turns: int) -> _SentRequest:
        return self._worker.send(self._number, data, turns)


class RoomInWorker:
    """A room, and the connection to the referee's process.

    Args:
        referee: the connection.
    """

    def __init__(self, referee: Connection) -> None:
        self._referee = referee
        self._poll = select.poll()  # eight times as fast as `Connection.poll`, which makes one each time
        self._poll.register(referee, select.POLLIN)
        self._on_the_way: dict[int, _SentRequest] = {}  # not yet taken by the transport; by number
        self._numbers = itertools.count()
        self._lag = 0
        # What the next report will hold.
        self._sendings: list[Sending] = []
        self._closed: list[int] = []
        self._strays: list[tuple[int, int]] = []
        self._played: list[Played] = []
        self._void: list[Seating] = []
        self._deltas: list[Delta] = []
        self._open_turns: list[list[OpenTurn]] = []
        self._room = Room(
            self._played.append,
            self._void.append,
            self._now,
            on_closed=self._closed.append,
            on_stray=lambda player, number: self._strays.append((player, number)),
            on_deltas=self._deltas.extend,
            on_open_turns=self._open_turns.append,
        )

    def run(self) -> None:
        """Plays until the referee hangs up; after an error, finished games are still reported.

        Raises HungUp.
        """
        holds = False
        while True:
            heard = not holds or self._poll.poll(HOLD / 1e6)
            try:
                holds = self._room.hear(self._messages_in() if heard else ())
            finally:
                self._report()

    def send(self, stream: int, data: bytes, turns: int) -> _SentRequest:
        """Adds an encoded PlayRequest to the next report."""
        number = next(self._numbers)
        self._sendings.append((stream, number, data, turns))
        request = self._on_the_way[number] = _SentRequest()
        return request

    def _now(self) -> Moment:
        return Moment(time.perf_counter_ns(), self._lag)

    def _messages_in(self) -> Iterator[Message]:
        """Waits for messages and yields all that have come, up to a limit so that bots do not wait."""
        room = self._room
        before = room.decisions
        yield from self._receive()
        while room.decisions - before < room.tables // 4 and self._poll.poll(0):
            yield from self._receive()

    def _receive(self) -> Iterator[Message]:
        post: WorkerInput = receive(self._referee)
        self._lag = post.lag
        for number, queued, sent in post.send_times:
            request = self._on_the_way[number]
            request.queued, request.sent = queued, sent
            if sent is not None:
                del self._on_the_way[number]
        for message in post.messages:
            if isinstance(message, ConnectNumbered):
                yield Connect(message.player, _Stream(self, message.stream))
            else:
                yield message

    def _report(self) -> None:
        news = (
            self._sendings,
            self._closed,
            self._strays,
            self._played,
            self._void,
            self._deltas,
            self._open_turns,
        )
        if any(news):
            send(self._referee, WorkerOutput(self._room.decisions, time.process_time_ns(), *news))
            for each in news:
                each.clear()


def play(referee: Connection) -> None:
    """Plays in a worker. Raises HungUp when the referee's process hangs up.

    Args:
        referee: the connection to that process.
    """
    with rare_collections():
        RoomInWorker(referee).run()
