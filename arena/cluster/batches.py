"""The games of one tournament that a cluster plays, in batches of whole boards.

A batch is one dask task: dask places it, plays it elsewhere when its worker is lost, and gives it up when
several workers were lost with it (`allowed-failures`). A game counts once, when its batch comes back.

Where dask gives a batch up, a bot may end its workers. Then no other batch is handed out. When those at
workers are over, each bot of the batch plays its games alone, while nobody else is asked; what comes of that
does not count. A bot whose games are given up again is asked no more. Where no bot ends workers alone, the
games are played one by one, and a game that is given up once more is played with none of its bots asked.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Sequence

import trio

from arena.cluster.bots import ENDS_WORKERS, Bots
from arena.cluster.client import Killed
from arena.cluster.messages import Order, Result
from arena.cluster.workers import NotThere, Workers
from arena.link.streams.dial import BotFault
from arena.runner.rooms.room import Played, Seating

WINDOW = 2
"""How many batches there are for each worker, the one that it plays among them."""

TARGET = 10.0
"""How long a batch should take, in seconds."""

MOST_GAMES = 2_000
"""How many games a batch has at the most."""

_GROWTH = 4  # how many times as many games as the largest one before a batch may have
_WEIGHT = 0.3  # of the last batch in what is expected of the next
_UNASKED = "crash", "this game ended every worker that played it, whoever of its bots was asked"


class Batches:
    """The games that a cluster plays. To be used in trio's thread.

    Args:
        workers, bots: those of the cluster.
        tables: how many games a worker plays at once.
        open_again: called with a game that was not played, because one of its bots plays here from now on.
        on_played: called with every finished game.

    Attributes:
        at_workers: how many batches are at workers.
        decisions: how many turns were answered there so far.
        cpu: the CPU time of the workers so far, in nanoseconds.
    """

    def __init__(
        self,
        workers: Workers,
        bots: Bots,
        tables: int,
        open_again: Callable[[Seating], None],
        on_played: Callable[[Played], None],
    ) -> None:
        self.at_workers = self.decisions = self.cpu = 0
        self._workers = workers
        self._bots = bots
        self._tables = tables
        self._open_again = open_again
        self._on_played = on_played
        self._waiting: deque[Seating] = deque()
        self._given_up: list[Sequence[Seating]] = []
        self._seconds = 0.0  # that a game takes, as far as was measured
        self._largest = 0  # how many games the largest batch had that was played
        self._news = trio.Event()
        workers.on_change = lambda: self._news.set()

    @property
    def room(self) -> int:
        """For how many games at once there is use."""
        return max(1, self._workers.number) * (WINDOW + 1) * self._batch_games

    @property
    def _batch_games(self) -> int:
        """How many games a batch should have."""
        if not self._seconds:
            return self._tables
        most = min(MOST_GAMES, _GROWTH * self._largest, round(TARGET / self._seconds))
        return max(most, self._tables)

    def open(self, seating: Seating) -> None:
        """A game is to be played; those of a board are to come one after another."""
        self._waiting.append(seating)
        self._news.set()

    def recall(self) -> list[Seating]:
        """Takes back the games that no worker has."""
        seatings = [*self._waiting, *itertools.chain.from_iterable(self._given_up)]
        self._waiting.clear()
        self._given_up.clear()
        return seatings

    async def run(self) -> None:
        """Has games played, for ever. Raises ElsewhereLost, and RefereeBug where workers go wrong."""
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
        """The next batch of those that wait, of which so many are wanted: the last games are shared out."""
        share = -(-len(self._waiting) // free)
        games = max(1, min(self._batch_games, max(share, self._tables)))
        seatings: list[Seating] = []
        while self._waiting and (len(seatings) < games or _board(self._waiting[0]) == _board(seatings[-1])):
            seatings.append(self._waiting.popleft())
        return seatings

    async def _play(self, batch: Sequence[Seating]) -> None:
        try:
            await self._settle(batch, _players(batch))
        except Killed:
            self._given_up.append(batch)
        finally:
            self.at_workers -= 1
            self._news.set()

    async def _settle(self, batch: Sequence[Seating], asked: Sequence[int]) -> None:
        """Has a batch played, on this machine where one of its bots comes up at no worker. Raises Killed."""
        try:
            result = await self._ask(batch, asked)
        except NotThere as problem:
            self._bots.keepers[problem.absent.player].stay_home()
            for seating in [*batch, *self.recall()]:
                self._open_again(seating)
        else:
            self._count(batch, result)

    async def _ask(self, batch: Sequence[Seating], asked: Sequence[int]) -> Result:
        """Has a batch played, in which no others than some bots are asked. Raises Killed, NotThere."""
        absent = dict.fromkeys((player for player in _players(batch) if player not in asked), _UNASKED)
        absent |= {player: why for player, why in self._bots.absent.items() if player in _players(batch)}
        bots = {player: self._bots.bots[player] for player in asked if player not in absent}
        order = Order(self._bots.run, bots, absent, batch, self._tables)
        result = await self._workers.ask(order, bots.keys())
        assert isinstance(result, Result)
        return result

    def _count(self, batch: Sequence[Seating], result: Result) -> None:
        self.decisions += result.decisions
        self.cpu += result.cpu
        for player, what in result.news:
            self._bots.keepers[player].say(what, here=True)
        games = len(batch)
        took = max(result.seconds, 1e-6) / games
        self._largest = max(self._largest, games)
        self._seconds = took if not self._seconds else (1 - _WEIGHT) * self._seconds + _WEIGHT * took
        for seating, told in zip(batch, result.games, strict=True):
            self._on_played(Played(seating, *told))

    async def _find_who_ends_workers(self, batch: Sequence[Seating]) -> None:
        """A batch was given up: see the module's text. Nothing else is at workers meanwhile."""
        suspects = [player for player in _players(batch) if player not in self._bots.absent]
        guilty = [player for player in suspects if await self._is_given_up(batch, [player])]
        for player in guilty:
            self._bots.keepers[player].say(f"is asked no more: {ENDS_WORKERS}")
            self._bots.keepers[player].dismiss(BotFault("crash", ENDS_WORKERS))
        if guilty:  # others may have been given up only because they waited at the same workers
            self._waiting.extendleft(reversed([*batch, *self.recall()]))
            return
        for seating in batch:
            for asked in itertools.chain([seating.players], itertools.repeat(())):
                with contextlib.suppress(Killed):
                    await self._settle([seating], asked)
                    break

    async def _is_given_up(self, batch: Sequence[Seating], asked: Sequence[int]) -> bool:
        try:
            await self._ask(batch, asked)
        except Killed:
            return True
        except NotThere:
            return False
        return False


def _players(batch: Sequence[Seating]) -> list[int]:
    """The bots that sit in some games."""
    return sorted({player for seating in batch for player in seating.players})


def _board(seating: Seating) -> object:
    """What the games of a board have in common."""
    key: object = seating.key[:5]
    return key
