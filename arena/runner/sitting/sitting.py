"""A sitting: bots at tables that play games as they come due, and what was played.

Whoever has games to be played and bots to play them does it by this: a tournament,
a checkup. What the games are for, and when there are enough of them, is not known here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio

from arena.runner.rooms.opening import open_rooms
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.dispatcher import Dispatcher, nothing_due
from arena.runner.sitting.elsewhere import Elsewhere
from arena.runner.sitting.keeper import Keeper

DEFAULT_CONCURRENCY = 16
"""How many tables are played at once where nobody says: enough to share messages, few enough
for the clocks of bots that think for a few milliseconds."""


class Sitting:
    """Bots at tables. To be made in trio's thread.

    Within `open` bots are seated, at any time, and `played` gives out the games
    that are over. A game that the referee's own trouble may have decided is
    void, and played again.

    Args:
        next_game: gives the next game that is due in which none of some bots
            plays, each once; None where there is none at the moment. Called in
            trio's thread, after the games that were given to `add`.
        workers: in how many processes besides this one tables are played.
        elsewhere: other machines that play as well.

    Attributes:
        rooms: where the bots play: the reception for their keepers.
        keepers: of those that were seated, by the bots' numbers.
    """

    def __init__(
        self,
        next_game: Callable[[Collection[int]], Seating | None] = nothing_due,
        workers: int = 0,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        if elsewhere is None:
            self.rooms = open_rooms(workers, self._on_played, self._on_void)
        else:
            self.rooms = elsewhere.rooms(partial(open_rooms, workers), self._on_played, self._on_void)
        self.keepers: dict[int, Keeper] = {}
        self._dispatcher = Dispatcher(self.rooms.open, self._limit, next_game)
        self._over: list[Played] = []  # and not given out
        self._given_out: list[Played] = []  # and perhaps not dealt with
        self._concurrency = 0
        self._keeps_clocks = False  # whether the rooms' clocks are kept, which they need when games begin
        self._ended = False
        self._news = trio.Event()

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self.rooms.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self.rooms.worker_cpu

    @property
    def unfinished(self) -> set[tuple[Any, tuple[int, ...]]]:
        """The keys of the games that are played, or are over and not dealt with, each with its players."""
        return set(self._dispatcher.unfinished)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Has the bots kept that are seated; lets them go within seconds, however it is left.

        Raises RefereeBug where the referee itself goes wrong, in whatever thread or process, and
        WorkerDied where a process that plays was ended; what was over by then is in `rest`.
        """
        async with trio.open_nursery() as self._bots:
            try:
                async with trio.open_nursery() as self._clocks:
                    yield
                    self._clocks.cancel_scope.cancel()
            finally:
                self.end()
            for keeper in self.keepers.values():
                keeper.close()

    def close(self) -> None:
        """Ends the processes that play; the last that is done with a sitting, whether it was open or not."""
        self.rooms.close()

    def seat(self, keeper: Keeper, late: Callable[[], Awaitable[None]] | None = None) -> None:
        """Has a bot kept at the tables from now on; its number may not have been seated yet.

        Args:
            keeper: who keeps it.
            late: for a bot that comes while others play: what brings and keeps it, instead of the
                keeper's `run`. Its games begin when it has come, or is given up.
        """
        self.keepers[keeper.player] = keeper
        keeper.on_lost = partial(self._dispatcher.bot_lost, keeper.player)
        keeper.on_settled = partial(self._dispatcher.bot_settled, keeper.player)
        self._bots.start_soon(late or keeper.run)
        if late is not None:
            self._dispatcher.await_bot(keeper.player)

    def played(self, concurrency: int) -> AsyncIterator[list[Played]]:
        """Plays what comes due, and gives out finished games: all that are over, as soon as there is one.

        To ask for more is to say that what was given out before is dealt with:
        while that takes too long, no further games begin. It goes on until `end`.
        Where it was left before, it can be asked for again.

        Args:
            concurrency: how many tables are played at once, at least 1.
        """
        self._concurrency = concurrency
        self._dispatcher.concurrency = self.rooms.tables(concurrency)
        if not self._keeps_clocks:
            self._keeps_clocks = True
            self._clocks.start_soon(self.rooms.keep)
        return _Batches(self._next_batch)

    def add(self, seatings: Iterable[Seating]) -> None:
        """Adds games that are due."""
        self._dispatcher.add(seatings)

    def begin(self) -> None:
        """Begins as many games as may be; to be called where games may have come due by themselves."""
        self._dispatcher.begin()

    def forget_due(self) -> None:
        """Lets go of the games that came due and have not begun; they are to come due again."""
        for seating in self.rooms.recall():
            self._dispatcher.taken_back(seating)
        self._dispatcher.forget_added()

    def end(self) -> None:
        """Plays no more: games that are not over by now end without a result."""
        if not self._ended:
            self._ended = True
            self._dispatcher.stop()
            self.rooms.abandon()
            self._news.set()

    def rest(self) -> list[Played]:
        """The games that are over and were not given out, without waiting; they are now."""
        over, self._over = self._over, []
        return over

    async def _next_batch(self) -> list[Played]:
        """The games that are over next; none where the sitting has ended."""
        self._dispatcher.dealt_with([played.seating for played in self._given_out])
        self._given_out = []
        await trio.lowlevel.checkpoint()
        while not self._over and not self._ended:
            self._news = trio.Event()
            await self._news.wait()
        self._given_out = self.rest()
        return self._given_out

    def _limit(self, player: int) -> int:
        """How many tables a bot can play at once; 0 for any number."""
        keeper = self.keepers.get(player)
        return keeper.limit if keeper is not None else 0

    def _on_played(self, played: Played) -> None:
        self._over.append(played)
        self._news.set()
        self._dispatcher.concurrency = self.rooms.tables(self._concurrency)
        self._dispatcher.ended(played.seating)

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)


class _Batches(AsyncIterator[list[Played]]):
    """What is left can be left at any point, other than an asynchronous generator."""

    def __init__(self, next_batch: Callable[[], Awaitable[list[Played]]]) -> None:
        self._next_batch = next_batch

    async def __anext__(self) -> list[Played]:
        batch = await self._next_batch()
        if not batch:
            raise StopAsyncIteration
        return batch
