"""Games of the bot under check with the house, until all are over or the first thing goes wrong."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import NamedTuple

from arena.link.streams.house_player import HousePlayer
from arena.runner.checkup.interruption import Interruption
from arena.runner.rooms.reception import Rooms
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.sitting import Sitting
from arena.runner.tournament_file import MAX_SEATS
from arena.table.record import Fault

BOT = 0
"""The number of the bot under check; the others are the house."""

HOUSE = range(BOT + 1, MAX_SEATS)
"""The numbers of the house's players."""


class Trouble(NamedTuple):
    """The first thing that went wrong in games of a checkup.

    Attributes:
        where: the setting, and the turn where there is one.
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong.
    """

    where: str
    reason: str
    message: str


class Session(NamedTuple):
    """How games went.

    Attributes:
        played: the finished games, in the order in which they ended.
        trouble: what ended the session early; None where all games were played.
        seconds: how long it took.
    """

    played: Sequence[Played]
    trouble: Trouble | None
    seconds: float


class Company:
    """The house at its tables, and a place for the bot under check. To be made in trio's thread.

    Attributes:
        sitting: where they play.
        reception: where the bot under check plays, and can be interrupted.
    """

    def __init__(self) -> None:
        self._trouble: Trouble | None = None
        self.sitting = Sitting()
        self.reception = Interruption(self.sitting.rooms)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Has the house there; lets everybody go, however it is left. Raises RefereeBug."""
        with closing(self.sitting):
            seat_house(self.sitting.rooms)
            async with self.sitting.open():
                yield

    async def play(
        self, games: Sequence[Seating], tables: int, trouble_in: Callable[[Played], Trouble | None]
    ) -> Session:
        """Plays games, until all are over or something goes wrong; after that nothing more is played.

        Args:
            games: the games.
            tables: how many are played at once, as far as the bot wants that.
            trouble_in: tells what went wrong in a game, if anything did.
        """
        played: list[Played] = []
        began = time.perf_counter()
        self.sitting.add(games)
        async for batch in self.sitting.played(tables):
            for game in batch:
                if self._trouble is None:
                    played.append(game)
                    self.note(trouble_in(game))
            if len(played) == len(games):
                break
        return Session(played, self._trouble, time.perf_counter() - began)

    def note(self, trouble: Trouble | None) -> None:
        """Ends the session where something went wrong, also besides its games; the first trouble counts."""
        if trouble is not None and self._trouble is None:
            self._trouble = trouble
            self.sitting.end()


def seat_house(rooms: Rooms) -> None:
    """Has the house's players at the tables."""
    for player in HOUSE:
        rooms.connect(player, HousePlayer(partial(rooms.decided, player), rooms.now))


def faults(played: Played) -> Iterable[Fault]:
    """The faults of the bot in a game."""
    seat = played.seating.players.index(BOT)
    return (fault for holder, _, fault in played.record.faults if holder == seat)
