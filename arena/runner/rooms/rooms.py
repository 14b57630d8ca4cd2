"""The interface of rooms: where bots come, answer and go, and where games are opened."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Protocol

import trio

from arena.link.streams.bot_fault import Excused
from arena.link.streams.dial import BotFault
from arena.link.streams.moments import Moment, RefereeClock
from arena.link.streams.trio_thread import Failure, in_trio
from arena.link.wire.messages import Decision
from arena.runner.rooms.deltas import Delta
from arena.runner.rooms.messages import (
    Abandon,
    CollectDeltas,
    Connect,
    Cut,
    Decided,
    GiveUp,
    Lost,
    Message,
    Open,
    Tick,
)
from arena.runner.rooms.room import OURS, TICK, Played, Seating, Stream


class Reception(Protocol):
    """Where bots come, answer and go; `Room` says what each of these does."""

    def connect(self, player: int, stream: Stream) -> None:
        """A bot is there; in trio's thread."""

    def lost(self, player: int, fault: BotFault) -> None:
        """A bot's connection is gone; in trio's thread."""

    def cut(self, player: int, fault: BotFault) -> None:
        """A bot was cut off; in trio's thread."""

    def give_up(self, player: int, fault: BotFault) -> None:
        """A bot is not waited for; in trio's thread."""

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """Decisions of a bot were read; in any thread."""

    def now(self) -> Moment:
        """The present moment; in any thread."""


class Rooms(abc.ABC):
    """Where games are played, wherever that is. To be made in trio's thread.

    Args:
        on_played: called in trio's thread with every finished game.
        on_void: called there with the seating of every game that was void.

    Attributes:
        on_deltas: called there with what `collect_deltas` asked for, and how tables ended of which it told.
    """

    def __init__(self, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]) -> None:
        self._on_played = on_played
        self._on_void = on_void
        self.on_deltas: Callable[[Sequence[Delta]], None] = lambda deltas: None
        self._failure = Failure()
        # For any thread: each is called in trio's, in the same order.
        self._played_in_trio = in_trio(self._noting(on_played))
        self._void_in_trio = in_trio(self._noting(on_void))
        self._deltas_in_trio = in_trio(self._noting(lambda deltas: self.on_deltas(deltas)))
        self._clock = RefereeClock(TICK)
        self.now = self._clock.now
        """The present moment; in any thread."""

    @property
    @abc.abstractmethod
    def decisions(self) -> int:
        """How many turns were answered so far."""

    @property
    @abc.abstractmethod
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""

    def open(self, seating: Seating) -> None:
        """Opens a table (see `Room.open`); in trio's thread."""
        self._tell(Open(seating))

    def tables(self, concurrency: int) -> int:
        """How many tables are to be open where so many are to be played at once; in trio's thread."""
        return concurrency

    def recall(self) -> list[Seating]:
        """Takes back the tables that were opened and have not begun; in trio's thread."""
        return []

    def collect_deltas(self, anew: bool) -> None:
        """Has onlookers told what was played (see `Deltas.look`); in trio's thread."""
        self._tell(CollectDeltas(anew))

    def abandon(self) -> None:
        """Ends all running games without a result; in trio's thread."""
        self._tell(Abandon())

    def connect(self, player: int, stream: Stream) -> None:
        """See `Reception`."""
        self._tell(Connect(player, stream))

    def lost(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        reason = OURS if isinstance(fault, Excused) else fault.reason
        self._tell(Lost(player, reason, fault.message))

    def cut(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        self._tell(Cut(player, fault.reason, fault.message))

    def give_up(self, player: int, fault: BotFault) -> None:
        """See `Reception`."""
        self._tell(GiveUp(player, fault.reason, fault.message))

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `Reception`."""
        self._tell(Decided(player, decisions, read))

    async def keep(self) -> None:
        """Keeps the clocks, for ever.

        Raises RefereeBug where the referee itself goes wrong, in whatever thread
        or process: then nothing more is played, and what is not over is void.
        Raises WorkerDied where a process that plays was ended.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            nursery.start_soon(self._failure.wait)

    @abc.abstractmethod
    def close(self) -> None:
        """Ends what plays."""

    def hear(self, message: Message) -> None:
        """Has whoever it concerns hear what others heard first; in any thread."""
        self._tell(message)

    @abc.abstractmethod
    def _tell(self, message: Message) -> None:
        """Has whoever it concerns hear a message; in any thread."""

    def _noting(self, function: Callable[..., None]) -> Callable[..., None]:
        """A function that calls another; what that raises `keep` raises."""

        def call(*arguments: object) -> None:
            try:
                function(*arguments)
            except Exception as error:  # noqa: BLE001 - `keep` raises it
                self._failure.note(error)

        return call

    async def _tick(self) -> None:
        self._clock.tick()
        try:
            while True:
                await trio.sleep(TICK / 1e9)
                self._tell(Tick(self._clock.tick()))
        finally:
            self._clock.rest()
