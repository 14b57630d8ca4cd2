"""The rooms of a tournament: what the runner does with them, wherever they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Protocol

from arena.link.dial import BotFault
from arena.link.messages import Decision
from arena.link.moments import Moment
from arena.runner.rooms.apart import RoomsApart
from arena.runner.rooms.here import RoomHere
from arena.runner.rooms.room import Played, Seating, Stream

_WORTH_A_WORKER = 16
"""From so many tables on a worker brings more than passing messages to it costs."""

_TABLES_OF_A_WORKER = 64
"""With fewer, its messages get small."""


class Reception(Protocol):
    """Where bots come, answer and go; `Room` says what each of these does."""

    def connect(self, player: int, stream: Stream) -> None:
        """A bot is there; in trio's thread."""

    def lost(self, player: int, fault: BotFault) -> None:
        """A bot's connection is gone; in trio's thread."""

    def give_up(self, player: int, fault: BotFault) -> None:
        """A bot is not waited for; in trio's thread."""

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """Decisions of a bot were read; in any thread."""

    def now(self) -> Moment:
        """The present moment; in any thread."""


class Rooms(Reception, Protocol):
    """Where games are played, for trio's thread."""

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""

    def open(self, seating: Seating) -> None:
        """Opens a table (see `Room.open`)."""

    async def keep(self) -> None:
        """Keeps the clocks, for ever.

        Raises RefereeBug where the referee itself goes wrong, in whatever thread
        or process: then nothing more is played, and what is not over is void.
        Raises WorkerDied where a process that plays was ended.
        """

    def close(self) -> None:
        """Ends what plays."""


def open_rooms(
    workers: int, bots: int, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
) -> Rooms:
    """Rooms for so many bots, in so many processes of their own, or here where that is 0.

    Args:
        on_played: called in trio's thread with every finished game.
        on_void: called there with the seating of every game that was void.
    """
    if workers:
        return RoomsApart(workers, bots, on_played, on_void)
    return RoomHere(bots, on_played, on_void)


def workers_for(tables: int, bots: int) -> int:
    """How many workers it is best to have for so many tables, and bots, on this machine."""
    if tables < max(_WORTH_A_WORKER, bots):  # with hardly a table for each bot no turns travel together
        return 0
    return min(max(1, tables // _TABLES_OF_A_WORKER), os.cpu_count() or 1)
