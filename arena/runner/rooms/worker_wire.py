"""What the referee and its workers send each other, and how."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from arena.link.streams.moments import Moment
from arena.runner.rooms.glimpses import Glimpse
from arena.runner.rooms.messages import Message
from arena.runner.rooms.room import Played, Seating


class ConnectNumbered(NamedTuple):
    """A bot is there, whose stream the referee's process knows by a number (see `Connect`)."""

    player: int
    stream: int


class Stamp(NamedTuple):
    """How far a batch of a worker has come.

    Attributes:
        number: the batch's number there.
        queued: when the transport's queue got it.
        sent: when the transport got it; None if it did not yet.
    """

    number: int
    queued: Moment | None
    sent: Moment | None


class Post(NamedTuple):
    """What the referee tells a worker.

    Attributes:
        lag: the referee's own lag so far.
        stamps: the batches that came further since the last post.
        messages: what the worker's room is to hear.
    """

    lag: int
    stamps: list[Stamp]
    messages: list[Message | ConnectNumbered]


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
        glimpses: what onlookers are told of running tables.
    """

    decisions: int
    cpu: int
    sendings: list[Sending]
    played: list[Played]
    void: list[Seating]
    glimpses: list[Glimpse]


def send(connection: Connection, frame: Post | Report) -> None:
    """Sends a frame; the other end is this program as well. Raises OSError where that is gone."""
    connection.send_bytes(pickle.dumps(frame, pickle.HIGHEST_PROTOCOL))


def receive(connection: Connection) -> Any:
    """Waits for a frame. Raises EOFError or OSError where the other end is gone."""
    return pickle.loads(connection.recv_bytes())
