"""A sitting: runs the games that are due between bots, and gives out the finished games.

Tournaments, friendly games, `arena check-bot` and the workers of a cluster play by a sitting. It does not
know what the games are for, nor how many there will be. Its `Dispatcher` decides when each game begins.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import trio

from arena.league.entrants import Entrant
from arena.link.streams.moments import RefereeClock
from arena.referee.cluster_statistics import ClusterStatistics
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange, BotEvents, RoomInProcess, Rooms, open_rooms
from arena.referee.sitting.keeper import Keeper, Start, Tell
from arena.referee.sitting.sharing import LEAST, Sharing
from arena.table.clock import SECOND
from arena.tournament.backlog import Backlog, Hindrances
from arena.tournament.seating import Played, Seating

DEFAULT_CONCURRENCY = 16
"""How many tables are played at once by default: enough for turns to share messages, and few enough
for the clocks of bots that think for a few milliseconds."""

_NOT_DEALT_WITH = 4
"""No further game begins while so many finished games per table are not yet dealt with."""

_LOOK = 0.25  # seconds between two looks at what time alone has changed

NextGame: TypeAlias = Callable[[Hindrances], Seating | None]
"""Returns the next due game that nothing hinders, each game once; None if there is none now."""


class Dispatcher:
    """Decides when each due game begins, within the limits of the host and of each bot (see `Sharing`).

    Args:
        open_table: opens a table.
        limit: returns how many tables each instance of a bot can play at once, by the bot's number; 0 for any
            number.
        next_game: returns further games, after those that were added.
        instances: returns how many instances a bot has.
        bots: returns among how many bots the tables are shared; by default, all that have played.
        now: returns the time in seconds.

    Attributes:
        sharing: which bots sit where, and who may sit down.
        unfinished: the key and players of each game that runs, or is over and not dealt with.
    """

    def __init__(
        self,
        open_table: Callable[[Seating], None],
        limit: Callable[[int], int],
        next_game: NextGame = lambda hindrances: None,
        *,
        instances: Callable[[int], int] = lambda player: 1,
        bots: Callable[[], int] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_table = open_table
        self._next_game = next_game
        self._added = Backlog[Seating]()
        self._seen: set[int] = set()  # the bots that have played
        self.sharing = Sharing(limit, instances, bots or (lambda: len(self._seen)), now)
        self.unfinished: Counter[tuple[Any, tuple[int, ...]]] = Counter()
        self._over = 0  # how many are over and not dealt with
        self._stopped = False

    @property
    def concurrency(self) -> int:
        """How many tables are played at once, besides those of slow bots; 0 at first."""
        return self.sharing.concurrency

    @concurrency.setter
    def concurrency(self, tables: int) -> None:
        self.sharing.concurrency = tables

    @property
    def running(self) -> int:
        """How many games run."""
        return self.sharing.running

    def tables_of(self, player: int) -> int:
        """How many tables a bot plays at."""
        return self.sharing.tables_of(player)

    def begin(self) -> None:
        """Begins as many games as possible; to be called whenever games may have come due."""
        while (
            self.sharing.has_table
            and self._over < _NOT_DEALT_WITH * self.concurrency
            and not self._stopped
            and (seating := self._first()) is not None
        ):
            self.unfinished[seating.key, seating.players] += 1
            self._seen.update(seating.players)
            self.sharing.sat_down(seating)
            self._open_table(seating)

    def add(self, seatings: Iterable[Seating]) -> None:
        """Adds due games; they begin when `begin` is called."""
        for seating in seatings:
            self._added.add(seating, seating.numbers)

    def forget_added(self) -> list[Seating]:
        """Removes and returns the added games that have not begun, void ones included."""
        games = list(self._added)
        self._added.clear()
        return games

    def bot_is(self, player: int, state: State) -> None:
        """Notes that the presence of a bot has changed. Its games begin, unless they have to wait for it."""
        self.sharing.bot_is(player, state)
        if not state.awaited:
            self.begin()

    def bot_thinks(self, player: int, seconds: float) -> None:
        """Notes that a bot has thought so long for a turn that is not answered."""
        self.sharing.thinks(player, seconds)
        self.begin()

    def stop(self) -> None:
        """Begins no more games."""
        self._stopped = True

    def again(self, seating: Seating) -> None:
        """Plays a void game once more."""
        self.sharing.got_up(seating)
        self._forget(seating)
        self.add([seating])
        self.begin()

    def ended(self, seating: Seating, thought: Sequence[float] = ()) -> None:
        """Notes that a game is over: its table is free.

        Args:
            seating: the game.
            thought: how long the bot of each seat has thought, in seconds; empty if that is not known.
        """
        self.sharing.got_up(seating)
        for player, seconds in zip(seating.players, thought, strict=False):
            self.sharing.thought(player, seconds)
        self._over += 1
        self.begin()

    def taken_back(self, seating: Seating) -> None:
        """Notes that an opened game was taken back before it began: it will come due again."""
        self.sharing.got_up(seating)
        self._forget(seating)

    def dealt_with(self, seatings: Sequence[Seating]) -> None:
        """Notes that finished games are dealt with, such as stored."""
        self._over -= len(seatings)
        for seating in seatings:
            self._forget(seating)
        self.begin()

    def _forget(self, seating: Seating) -> None:
        game = seating.key, seating.players
        self.unfinished[game] -= 1
        if not self.unfinished[game]:
            del self.unfinished[game]

    def _first(self) -> Seating | None:
        """The first due game, added or not, that may begin now."""
        for hindrances in self.sharing.hindrances():
            added = self._added.take(hindrances)
            seating = self._next_game(hindrances) if added is None else added.item
            if seating is not None:
                return seating
        return None


MakeRooms: TypeAlias = Callable[[Callable[[Played], None], Callable[[Seating], None]], Rooms]
"""Makes rooms from two callbacks: for every finished game, and for every void one."""


MakeKeeper: TypeAlias = Callable[[int, Entrant, BotEvents, Tell, Path, Start], Keeper]
"""Makes a keeper from the arguments of `Dialler`."""


class ClusterLost(Exception):
    """The cluster cannot be reached any more; the text is one sentence without its end."""


class Cluster(Protocol):
    """A cluster of machines that plays the games of one tournament (see `arena.referee.cluster`)."""

    def rooms(
        self, here: MakeRooms, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """Makes rooms that play games on the cluster, and here if one of the bots dials in.

        Args:
            here: makes the rooms of this machine.
            on_played, on_void: see `Rooms`.
        """

    def keeper(
        self, player: int, entrant: Entrant, events: BotEvents, tell: Tell, log: Path, start: Start
    ) -> Keeper:
        """Makes the keeper of a bot that the cluster starts or dials (see `Dialler`), after `rooms`."""

    def lacking(self) -> Sequence[str]:
        """The parts of the sandbox that some of its machines do not have, for people."""

    def cluster_statistics(self) -> ClusterStatistics:
        """What its workers have done so far."""


class Sitting:
    """Runs games between bots. To be made in trio's thread.

    Within `open`, bots can be added at any time, and `played` gives out the finished
    games. A game that trouble of the referee's own may have decided is void, and is
    played again.

    Args:
        next_game: returns games, after those of `add`; called in trio's thread.
        workers: how many worker processes to start; 0 to play in this process.
        cluster: a cluster that plays as well.
        clock: tells the time at the tables of this process, if not the referee's usual clock does.

    A sitting gets the events of its bots (see `BotEvents`): their keepers are made with it.

    Attributes:
        rooms: where the bots play.
        decided, now: see `BotEvents`.
        keepers: the keepers of the bots that were added, by the bots' numbers.
        granted: at how many tables each instance of a bot may play at once, where the host has limited it.
    """

    def __init__(
        self,
        next_game: NextGame = lambda hindrances: None,
        workers: int = 0,
        cluster: Cluster | None = None,
        clock: RefereeClock | None = None,
    ) -> None:
        if clock is not None:
            self.rooms: Rooms = RoomInProcess(self._on_played, self._on_void, clock)
        elif cluster is None:
            self.rooms = open_rooms(workers, self._on_played, self._on_void)
        else:
            self.rooms = cluster.rooms(partial(open_rooms, workers), self._on_played, self._on_void)
        self.decided, self.now = self.rooms.decided, self.rooms.now
        self.keepers: dict[int, Keeper] = {}
        self.granted: Mapping[int, int] = {}
        self._dispatcher = Dispatcher(
            self.rooms.open, self._limit, next_game, instances=self._instances, bots=self._bots_here
        )
        self._over: list[Played] = []  # finished games that were not given out
        self._given_out: list[Played] = []  # those that are perhaps not dealt with
        self._concurrency = 0
        self._keeps_clocks = False  # whether the clocks of the rooms tick
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
        """The key and players of each game that runs, or is over and not dealt with."""
        return set(self._dispatcher.unfinished)

    @property
    def running(self) -> int:
        """How many games run."""
        return self._dispatcher.running

    def tables_of(self, player: int) -> int:
        """How many tables a bot plays at."""
        return self._dispatcher.tables_of(player)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Runs the keepers of the bots; releases the bots within seconds when it is left.

        Raises RefereeBug if the referee itself fails, in any thread or process, and
        WorkerDied if something killed a worker; `rest` has what was over by then.
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
        """Ends the worker processes. It is the last call to a sitting, whether that was open or not."""
        self.rooms.close()

    def add_bot(self, keeper: Keeper, run: Callable[[], Awaitable[None]] | None = None) -> None:
        """Adds a bot with a new number, and runs its keeper. Its games begin when it is here or is given up.

        Args:
            keeper: the bot's keeper.
            run: called instead of the keeper's `run`.
        """
        self.keepers[keeper.player] = keeper
        self._dispatcher.bot_is(keeper.player, keeper.presence.state)
        self._bots.start_soon(run or keeper.run)

    def bot_changed(self, change: BotChange) -> None:
        """See `BotEvents`."""
        self.rooms.bot_changed(change)  # first, so that games that begin find a bot that has come
        self._dispatcher.bot_is(change.player, change.state)

    def played(self, concurrency: int) -> AsyncIterator[list[Played]]:
        """Plays what comes due until `end`, and yields the finished games, as soon as there are some.

        To ask for the next ones says that those before are dealt with: while that
        takes too long, no further games begin. After a break out of the loop it can
        be called again.

        Args:
            concurrency: how many tables are played at once, at least 1.
        """
        self._concurrency = concurrency
        self._dispatcher.concurrency = self.rooms.tables(concurrency)
        if not self._keeps_clocks:
            self._keeps_clocks = True
            self._clocks.start_soon(self.rooms.keep)
            self._clocks.start_soon(self._look)
        return _FinishedGames(self._next_finished)

    def add(self, seatings: Iterable[Seating]) -> None:
        """Adds due games."""
        self._dispatcher.add(seatings)

    def begin(self) -> None:
        """Begins as many games as possible; to be called when games may have come due by themselves."""
        self._dispatcher.begin()

    def forget_due(self) -> None:
        """Forgets the due games that have not begun; they will come due again."""
        for seating in self.rooms.recall():
            self._dispatcher.taken_back(seating)
        self._dispatcher.forget_added()

    def end(self) -> None:
        """Ends all play: games that are not over end without a result."""
        if not self._ended:
            self._ended = True
            self._dispatcher.stop()
            self.rooms.abandon()
            self._news.set()

    def rest(self) -> list[Played]:
        """Gives out, without waiting, the finished games that were not given out."""
        over, self._over = self._over, []
        return over

    async def _next_finished(self) -> list[Played]:
        """Waits for the next finished games; empty if the sitting has ended."""
        self._dispatcher.dealt_with([played.seating for played in self._given_out])
        self._given_out = []
        await trio.lowlevel.checkpoint()
        while not self._over and not self._ended:
            self._news = trio.Event()
            await self._news.wait()
        self._given_out = self.rest()
        return self._given_out

    async def _look(self) -> None:
        """Begins games whose time has come, and notes which bots think long, until cancelled."""
        while True:
            await trio.sleep(_LOOK)
            self._dispatcher.begin()
            if self._dispatcher.sharing.oldest > LEAST:
                for turn in await self.rooms.open_turns(one_of_each=True):
                    self._dispatcher.bot_thinks(turn.player, turn.waited / SECOND)

    def _limit(self, player: int) -> int:
        """How many tables each instance of a bot can play at once; 0 for any number."""
        keeper = self.keepers.get(player)
        limits = [0 if keeper is None else keeper.limit, self.granted.get(player, 0)]
        return min(filter(None, limits), default=0)

    def _instances(self, player: int) -> int:
        """How many instances a bot has."""
        keeper = self.keepers.get(player)
        return keeper.instances if keeper is not None else 1

    def _bots_here(self) -> int:
        """How many bots play: those that are here, and those that may come back."""
        states = (keeper.presence.state for keeper in self.keepers.values())
        return sum(state in (State.HERE, State.LOST) for state in states)

    def _on_played(self, played: Played) -> None:
        self._over.append(played)
        self._news.set()
        self._dispatcher.concurrency = self.rooms.tables(self._concurrency)
        self._dispatcher.ended(played.seating, [each / SECOND for each in played.seat_times])

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)


class _FinishedGames(AsyncIterator[list[Played]]):
    """An iterator that, other than an asynchronous generator, can be left at any point."""

    def __init__(self, next_finished: Callable[[], Awaitable[list[Played]]]) -> None:
        self._next_finished = next_finished

    async def __anext__(self) -> list[Played]:
        games = await self._next_finished()
        if not games:
            raise StopAsyncIteration
        return games
