"""Cuts the games of a tournament into batches, and plays these on a cluster.

All games of a board stay in one batch.

A batch is one dask task. dask chooses its worker, retries it on another one if that is lost, and gives
it up after several losses (`allowed-failures`). A game counts once, when its batch comes back.

If dask gives a batch up, one of its bots may be killing workers. The referee then submits no other batch.
When the running batches are over, it plays the batch once for each bot, with copies of that bot in all seats;
these games do not count. A bot whose games are given up again is asked no more. If no bot kills workers
alone, the games are played one by one, and a game that is given up again is played with none of its bots
asked.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

import trio

from arena.link.streams.dial import BotFault
from arena.referee.cluster.bots import ENDS_WORKERS, ClusterBot
from arena.referee.cluster.messages import Batch, BotUnavailable, Result
from arena.referee.cluster.workers import BatchGivenUp, Workers
from arena.tournament.seating import Played, Seating

WINDOW = 2
"""How many batches each worker has at once, including the one that it plays."""

TARGET = 10.0
"""How long a batch should take, in seconds."""

MOST_GAMES = 2_000
"""How many games a batch has at the most."""

_GROWTH = 4  # a batch may have this many times the games of the one before
_UNASKED = "crash", "this game ended every worker that played it, whichever of its bots was asked"


class Batches:
    """The queue of games for a cluster. To be used in trio's thread.

    Args:
        workers: the workers of the cluster.
        keepers: those of the bots of the cluster, by the bots' numbers.
        tables: how many games a worker plays at once.
        open_again: called with a game that was not played, because one of its bots now plays on this machine.
        on_played: called with every finished game.

    Attributes:
        at_workers: how many batches are at workers.
        decisions: how many turns were answered there so far.
        cpu: the CPU time of the workers so far, in nanoseconds.
    """

    def __init__(
        self,
        workers: Workers,
        keepers: Mapping[int, ClusterBot],
        tables: int,
        open_again: Callable[[Seating], None],
        on_played: Callable[[Played], None],
    ) -> None:
        self.at_workers = self.decisions = self.cpu = 0
        self._workers = workers
        self._keepers = keepers
        self._tables = tables
        self._open_again = open_again
        self._on_played = on_played
        self._waiting: deque[Seating] = deque()
        self._given_up: list[Sequence[Seating]] = []
        self._games = tables  # how many games a batch should have
        self._news = trio.Event()

    @property
    def capacity(self) -> int:
        """How many games can be queued or running at once."""
        return max(1, self._workers.number) * (WINDOW + 1) * self._games

    def open(self, seating: Seating) -> None:
        """Queues a game; the games of a board have to come one after another."""
        self._waiting.append(seating)
        self._news.set()

    def look_again(self) -> None:
        """Looks again which batches can be submitted; called when workers have come or gone."""
        self._news.set()

    def recall(self) -> list[Seating]:
        """Removes and returns the games that no worker has."""
        seatings = [*self._waiting, *itertools.chain.from_iterable(self._given_up)]
        self._waiting.clear()
        self._given_up.clear()
        return seatings

    async def run(self) -> None:
        """Plays the queued games until cancelled. Raises ClusterLost, and RefereeBug if workers fail."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._workers.lost)
            while True:
                while self._waiting and not self._given_up and (free := self._free) > 0:
                    self.at_workers += 1
                    nursery.start_soon(self._play, self._cut(free))
                if self._given_up and not self.at_workers:
                    await self._find_who_ends_workers(self._given_up.pop(0))
                else:
                    self._news = trio.Event()
                    await self._news.wait()

    @property
    def _free(self) -> int:
        return WINDOW * self._workers.number - self.at_workers

    def _cut(self, free: int) -> Sequence[Seating]:
        """Removes and returns the games of the next batch; `free` batches share the last games."""
        share = -(-len(self._waiting) // free)
        games = max(1, min(self._games, max(share, self._tables)))
        seatings: list[Seating] = []
        while self._waiting and (len(seatings) < games or _board(self._waiting[0]) == _board(seatings[-1])):
            seatings.append(self._waiting.popleft())
        return seatings

    async def _play(self, seatings: Sequence[Seating]) -> None:
        try:
            await self._play_through(seatings, _players(seatings))
        except BatchGivenUp:
            self._given_up.append(seatings)
        finally:
            self.at_workers -= 1
            self._news.set()

    async def _play_through(self, seatings: Sequence[Seating], asked: Iterable[int]) -> None:
        """Plays games at a worker, or here if one of their bots starts at no worker. Raises BatchGivenUp."""
        try:
            result = await self._ask(seatings, asked)
        except BotUnavailable as absent:
            self._keepers[absent.player].stay_home()
            for seating in [*seatings, *self.recall()]:
                self._open_again(seating)
        else:
            self._count(seatings, result)

    async def _ask(self, seatings: Sequence[Seating], asked: Iterable[int]) -> Result:
        """Plays games at a worker; only the bots `asked` are asked. Raises BatchGivenUp, BotUnavailable."""
        bots, absent = {}, {}
        for player in _players(seatings):
            keeper = self._keepers[player]
            if keeper.absent is not None or player not in asked:
                absent[player] = keeper.absent or _UNASKED
            else:
                bots[player] = keeper.bot
        return await self._workers.ask(Batch(self._workers.run, bots, absent, seatings, self._tables))

    def _count(self, seatings: Sequence[Seating], result: Result) -> None:
        self.decisions += result.decisions
        self.cpu += result.cpu
        for player, what in result.news:
            self._keepers[player].say(what)
        games = len(seatings)
        in_time = round(games * TARGET / max(result.seconds, 1e-6))
        self._games = max(self._tables, min(MOST_GAMES, max(self._games, _GROWTH * games), in_time))
        for seating, played in zip(seatings, result.games, strict=True):
            self._on_played(dataclasses.replace(played, seating=seating))

    async def _find_who_ends_workers(self, seatings: Sequence[Seating]) -> None:
        """Finds out which bot kills workers (see the module). Nothing else is at workers meanwhile."""
        suspects = [player for player in _players(seatings) if self._keepers[player].absent is None]
        guilty = [player for player in suspects if await self._is_given_up(seatings, player)]
        for player in guilty:
            self._keepers[player].dismiss(BotFault("crash", ENDS_WORKERS))
            self._keepers[player].say(f"is asked no more: {ENDS_WORKERS}")
        if guilty:  # others may have been given up only because they waited at the same workers
            self._waiting.extendleft(reversed([*seatings, *self.recall()]))
            return
        for seating in seatings:
            for asked in itertools.chain([seating.players], itertools.repeat(())):
                with contextlib.suppress(BatchGivenUp):
                    await self._play_through([seating], asked)
                    break

    async def _is_given_up(self, seatings: Sequence[Seating], player: int) -> bool:
        """Whether the batch is given up again when only copies of this bot play it."""
        bots = dict.fromkeys(_players(seatings), self._keepers[player].bot)
        with contextlib.suppress(BotUnavailable):
            try:
                await self._workers.ask(Batch(self._workers.run, bots, {}, seatings, self._tables))
            except BatchGivenUp:
                return True
        return False


def _players(seatings: Sequence[Seating]) -> list[int]:
    """The bots that sit in some games."""
    return sorted({player for seating in seatings for player in seating.players})


def _board(seating: Seating) -> object:
    """The same value for all games of a board."""
    key: object = seating.key[:5]
    return key
