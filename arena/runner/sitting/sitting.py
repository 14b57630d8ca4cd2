"""A sitting: bots at tables, the games that are due, and what was played.

A tournament and a checkup play their games by a sitting. It does not know what the games are for, nor when
there are enough. Its `Dispatcher` decides which game begins when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import trio

from arena.runner.cluster_statistics import ClusterStatistics
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.rooms import BotEvents, Rooms, open_rooms
from arena.runner.sitting.keeper import Keeper, Start, Tell
from arena.tournament.backlog import Backlog

DEFAULT_CONCURRENCY = 16
"""How many tables are played at once by default: enough to share messages, few enough
for the clocks of bots that think for a few milliseconds."""

_NOT_DEALT_WITH = 4
"""How many games per table may be over and not yet dealt with before no further one begins."""

NextGame: TypeAlias = Callable[[Collection[int]], Seating | None]
"""Gives the next game that is due in which none of some bots plays, each once; None for no game now."""


class Dispatcher:
    """Opens games as they come due: never more tables than wished, nor than a bot can play.

    Games begin in their order as far as their bots are free. A bot is busy while it plays as many
    tables as it can, and until it has come; a game that waits for it leaves free tables to all others.
    The games of a bot that was lost begin when it is back, or when nothing else is left to be played.

    Args:
        open_table: opens one.
        limit: how many tables a bot, given by its number, can play at once; 0 for any number.
        next_game: gives further games, after those that were added.

    Attributes:
        concurrency: how many tables are played at once; none at first.
        unfinished: the keys of the games that run, or are over and not dealt with, each with its players.
    """

    def __init__(
        self,
        open_table: Callable[[Seating], None],
        limit: Callable[[int], int],
        next_game: NextGame = lambda busy: None,
    ) -> None:
        self._open_table = open_table
        self._limit = limit
        self._next_game = next_game
        self._added = Backlog[Seating]()
        self._coming: set[int] = set()  # bots that are on their way
        self._lost: set[int] = set()  # bots that were there, and may come back
        self._running = 0
        self.concurrency = 0
        self.unfinished: Counter[tuple[Any, tuple[int, ...]]] = Counter()
        self._tables: Counter[int] = Counter()  # at how many each bot sits
        self._over = 0  # how many are over and not dealt with
        self._stopped = False

    def begin(self) -> None:
        """Begins as many games as may be; to be called whenever games may have come due."""
        alone = not self._running  # whether no game runs but those of bots that were lost
        while (
            self._running < self.concurrency
            and self._over < _NOT_DEALT_WITH * self.concurrency
            and not self._stopped
        ):
            busy = self._busy()
            seating = self._first(busy | self._lost)
            if seating is not None:
                alone = False
            elif alone and self._lost:
                seating = self._first(busy)
            if seating is None:
                break
            self._running += 1
            self.unfinished[seating.key, seating.players] += 1
            self._tables.update(seating.players)
            self._open_table(seating)

    def add(self, seatings: Iterable[Seating]) -> None:
        """Adds games that are due; they begin when `begin` is called."""
        for seating in seatings:
            self._added.add(seating, seating.players)

    def forget_added(self) -> list[Seating]:
        """Lets go of the games that were added, or are to be played again, and have not begun; those."""
        games = list(self._added)
        self._added.clear()
        return games

    def await_bot(self, player: int) -> None:
        """Begins no game of a bot that is on its way."""
        self._coming.add(player)

    def bot_lost(self, player: int) -> None:
        """A bot that was there is not, and may come back."""
        self._lost.add(player)

    def bot_settled(self, player: int) -> None:
        """A bot has come, or will not: its games begin."""
        self._coming.discard(player)
        self._lost.discard(player)
        self.begin()

    def stop(self) -> None:
        """Begins no games any more."""
        self._stopped = True

    def again(self, seating: Seating) -> None:
        """Lets a game that was void be played once more."""
        self._close(seating)
        self._forget(seating)
        self.add([seating])
        self.begin()

    def ended(self, seating: Seating) -> None:
        """A game is over: its place is free."""
        self._close(seating)
        self._over += 1
        self.begin()

    def taken_back(self, seating: Seating) -> None:
        """A game that was opened has not begun, and is not to: it is to come due again."""
        self._close(seating)
        self._forget(seating)

    def dealt_with(self, seatings: Sequence[Seating]) -> None:
        """Games that were over are dealt with, such as stored."""
        self._over -= len(seatings)
        for seating in seatings:
            self._forget(seating)
        self.begin()

    def _close(self, seating: Seating) -> None:
        self._running -= 1
        for player in seating.players:
            self._tables[player] -= 1
            if not self._tables[player]:
                del self._tables[player]

    def _forget(self, seating: Seating) -> None:
        game = seating.key, seating.players
        self.unfinished[game] -= 1
        if not self.unfinished[game]:
            del self.unfinished[game]

    def _first(self, busy: Collection[int]) -> Seating | None:
        """The first game that is due, added or not, in which none of some bots plays."""
        added = self._added.take(busy)
        return self._next_game(busy) if added is None else added.item

    def _busy(self) -> set[int]:
        """The bots that play as many tables as they can, or have not come."""
        full = {player for player, tables in self._tables.items() if 0 < self._limit(player) <= tables}
        return full | self._coming


MakeRooms: TypeAlias = Callable[[Callable[[Played], None], Callable[[Seating], None]], Rooms]
"""What makes rooms: takes what is called with every finished game, and with every void one."""


MakeKeeper: TypeAlias = Callable[[int, Entrant, BotEvents, Tell, Path, Start], Keeper]
"""What makes keepers, as `Dialler` does."""


class ClusterLost(Exception):
    """The other machines cannot be reached any more; the text is one sentence without its end."""


class Cluster(Protocol):
    """Other machines that play games, for one tournament."""

    def rooms(
        self, here: MakeRooms, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """Rooms that have games played on other machines, and here where a bot plays that dials in.

        Args:
            here: makes the rooms of this machine.
            on_played, on_void: see `Rooms`.
        """

    def keeper(
        self, player: int, entrant: Entrant, events: BotEvents, tell: Tell, log: Path, start: Start
    ) -> Keeper:
        """Who keeps a bot that is started or dialled there; see `Dialler`. To be asked after `rooms`."""

    def lacking(self) -> Sequence[str]:
        """What some of those machines lack to contain bots, for people."""

    def cluster_statistics(self) -> ClusterStatistics:
        """What they have done so far, and do at the moment."""


class Sitting:
    """Bots at tables. To be made in trio's thread.

    Within `open` bots are seated, at any time, and `played` gives out the games
    that are over. A game that the referee's own trouble may have decided is
    void, and played again.

    Args:
        next_game: gives games, after those that were given to `add`; called in trio's thread.
        workers: in how many processes besides this one tables are played.
        cluster: other machines that play as well.

    Attributes:
        rooms: where the bots play: the events for their keepers.
        keepers: of the bots that were seated, by their numbers.
    """

    def __init__(
        self,
        next_game: NextGame = lambda busy: None,
        workers: int = 0,
        cluster: Cluster | None = None,
    ) -> None:
        if cluster is None:
            self.rooms = open_rooms(workers, self._on_played, self._on_void)
        else:
            self.rooms = cluster.rooms(partial(open_rooms, workers), self._on_played, self._on_void)
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

        Raises RefereeBug where the referee itself goes wrong, in any thread or process, and
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

    def add_bot(self, keeper: Keeper, late: Callable[[], Awaitable[None]] | None = None) -> None:
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
        return _FinishedGames(self._next_finished)

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

    async def _next_finished(self) -> list[Played]:
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


class _FinishedGames(AsyncIterator[list[Played]]):
    """What is left can be left at any point, other than an asynchronous generator."""

    def __init__(self, next_finished: Callable[[], Awaitable[list[Played]]]) -> None:
        self._next_finished = next_finished

    async def __anext__(self) -> list[Played]:
        batch = await self._next_finished()
        if not batch:
            raise StopAsyncIteration
        return batch
