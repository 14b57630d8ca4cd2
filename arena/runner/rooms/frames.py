"""What the referee and its workers tell each other, and how it is sent."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from arena.link.moments import Moment
from arena.runner.rooms.room import Played, Seating


class Calls(NamedTuple):
    """What the referee tells a worker: methods of its room to be called.

    Attributes:
        lag: the referee's own lag so far.
        stamps: the numbers of batches, when the transport's queue got each, and
            when the transport, None where it did not yet.
        calls: the name and the arguments of each; a stream is given as its number.
    """

    lag: int
    stamps: list[tuple[int, Moment, Moment | None]]
    calls: list[tuple[str, tuple[Any, ...]]]


class Loss(NamedTuple):
    """Why a bot was lost (see `room.Fault`)."""

    reason: str
    message: str


class Sending(NamedTuple):
    """An encoded PlayRequest to be passed on.

    Attributes:
        stream: the number of the stream on which.
        number: the number of this batch of the worker.
        data: the encoded message.
        turns: how many turns it asks.
    """

    stream: int
    number: int
    data: bytes
    turns: int


class Report(NamedTuple):
    """What a worker tells the referee.

    Attributes:
        decisions: how many turns were answered so far.
        cpu: the CPU time of the worker so far, in nanoseconds.
        sendings: what is to be sent.
        played: the games that are over.
        void: the games that are void.
    """

    decisions: int
    cpu: int
    sendings: list[Sending]
    played: list[Played]
    void: list[Seating]


def send(connection: Connection, frame: Calls | Report) -> None:
    """Sends a frame; the other end is this program as well. Raises OSError where that is gone."""
    connection.send_bytes(pickle.dumps(frame, pickle.HIGHEST_PROTOCOL))


def receive(connection: Connection) -> Any:
    """Waits for a frame. Raises EOFError or OSError where the other end is gone."""
    return pickle.loads(connection.recv_bytes())
