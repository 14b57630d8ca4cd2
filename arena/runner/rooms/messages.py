"""The messages that a room hears, from other threads of its process or through a socket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from arena.link.streams.moments import Moment
from arena.runner.rooms.room_state import Seating, Stream


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


class CollectDeltas(NamedTuple):
    """Onlookers are to be told what was played; `anew` for those who were told nothing yet."""

    anew: bool


class Abandon(NamedTuple):
    """All games end without a result."""


Message: TypeAlias = Open | Connect | Lost | Cut | GiveUp | Decided | Tick | Flush | CollectDeltas | Abandon
