"""What a room is told, whether from other threads of its process or through a socket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from arena.link.streams.moments import Moment
from arena.runner.rooms.room import Room, Seating, Stream


class Open(NamedTuple):
    """A table is to be opened."""

    seating: Seating


class Connect(NamedTuple):
    """A bot is there."""

    player: int
    stream: Stream


class Lost(NamedTuple):
    """A bot's connection is gone; `reason` is one of `arena.results.FAULT_REASONS`."""

    player: int
    reason: str
    message: str


class Cut(NamedTuple):
    """A bot was cut off."""

    player: int
    reason: str
    message: str


class GiveUp(NamedTuple):
    """A bot is not waited for."""

    player: int
    reason: str
    message: str


class Decided(NamedTuple):
    """Decisions of a bot were read; each is a Decision, or was one before it went through a socket.

    (Pickled, a named tuple takes ten times as long as the plain one.)
    """

    player: int
    decisions: Sequence[tuple[int, int, int]]
    read: Moment


class Tick(NamedTuple):
    """Time has passed."""

    now: Moment


class Flush(NamedTuple):
    """What was held back has been for long enough."""


class Glance(NamedTuple):
    """Onlookers are to be told what was played; `anew` for those who were told nothing yet."""

    anew: bool


class Abandon(NamedTuple):
    """All games end without a result."""


Message: TypeAlias = Open | Connect | Lost | Cut | GiveUp | Decided | Tick | Flush | Glance | Abandon


def tell(room: Room, message: Message) -> None:
    """Has a room hear a message; see the method of `Room` that each calls."""
    match message:
        case Decided():
            room.decided(*message)
        case Tick():
            room.expire(*message)
        case Open():
            room.open(*message)
        case Connect():
            room.connect(*message)
        case Lost():
            room.lost(*message)
        case Cut():
            room.cut(*message)
        case GiveUp():
            room.give_up(*message)
        case Glance():
            room.glance(*message)
        case Abandon():
            room.abandon()
        case Flush():
            pass  # which follows every message
