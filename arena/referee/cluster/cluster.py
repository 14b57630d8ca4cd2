"""A dask cluster that plays the games of a tournament: its rooms, and the keepers of its bots.

Games go to workers. A game is played on this machine if one of its bots has to play here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import trio

from arena.league.entrants import Entrant
from arena.link.streams.moments import Moment
from arena.link.wire.messages import Decision
from arena.referee.cluster.batches import Batches
from arena.referee.cluster.bots import ClusterBot
from arena.referee.cluster.client import Client
from arena.referee.cluster.workers import Workers
from arena.referee.cluster_statistics import ClusterStatistics
from arena.referee.rooms.room import Abandon, Message
from arena.referee.rooms.room_state import Delta, OpenTurn
from arena.referee.rooms.rooms import BotChange, BotEvents, Rooms
from arena.referee.sitting.keeper import Start, Tell
from arena.referee.sitting.sitting import Dispatcher, MakeRooms
from arena.tournament.seating import Played, Seating


@contextlib.contextmanager
def cluster(where: str, tables: int, say: Callable[[str], None]) -> Iterator[DaskCluster]:
    """A cluster that plays for one tournament, until the context is left.

    Args:
        where: the address of a dask scheduler, or `local:N` for N processes of this machine.
        tables: how many games a worker plays at once.
        say: called with a line for people, in trio's thread.

    Raises Unreachable.
    """
    with contextlib.closing(Client(where)) as client:
        yield DaskCluster(client, tables, say)


class DaskCluster:
    """A dask cluster that plays for one tournament: see `Cluster`, and `cluster` for the arguments."""

    def __init__(self, client: Client, tables: int, say: Callable[[str], None]) -> None:
        self.client = client
        self.tables = tables
        self.say = say
        self._rooms: ClusterRooms | None = None  # which is made in trio's thread

    def rooms(
        self, here: MakeRooms, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """See `Cluster`."""
        self._rooms = ClusterRooms(self, here, on_played, on_void)
        return self._rooms

    def keeper(
        self, player: int, entrant: Entrant, events: BotEvents, tell: Tell, log: Path, start: Start
    ) -> ClusterBot:
        """See `Cluster`."""
        rooms = self._rooms
        assert rooms is not None
        keeper = ClusterBot(rooms.workers, rooms, player, entrant, events, tell, log, start)
        rooms.add(keeper)
        return keeper

    def cluster_statistics(self) -> ClusterStatistics:
        """See `Cluster`."""
        if self._rooms is None:
            return ClusterStatistics()
        return self._rooms.workers.cluster_statistics(self._rooms.batches.at_workers, self._rooms.at_home)

    def lacking(self) -> list[str]:
        """See `Cluster`."""
        return [] if self._rooms is None else self._rooms.workers.lacking()


class ClusterRooms(Rooms):
    """The rooms of a cluster and the rooms of this machine together. To be made in trio's thread.

    Args:
        cluster: the cluster.
        here: makes the rooms of this machine.
        on_played, on_void: see `Rooms`.

    Attributes:
        workers: the workers of the cluster.
        keepers: of the bots that workers start or dial, by the bots' numbers.
        batches: the games that are played on the cluster.
        at_home: how many games were played here.
    """

    def __init__(
        self,
        cluster: DaskCluster,
        here: MakeRooms,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
    ) -> None:
        super().__init__(on_played, on_void)
        self.keepers: dict[int, ClusterBot] = {}
        self.workers = Workers(
            cluster.client,
            cluster.say,
            lambda player, what: self.keepers[player].say(what),
            lambda: self.batches.look_again(),
        )
        self.batches = Batches(self.workers, self.keepers, cluster.tables, self.open, on_played)
        self.at_home = 0
        self._say = cluster.say
        self._here = here(self._played_here, self._void_here)
        self.now = self._here.now  # by which the bots here are timed
        self._dispatcher = Dispatcher(self._here.open, self._limit_here)

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._here.decisions + self.batches.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self._here.worker_cpu + self.batches.cpu

    def tables(self, concurrency: int) -> int:
        """As many games as the workers can take, and `concurrency` more here."""
        self._dispatcher.concurrency = concurrency
        return concurrency + self.batches.capacity

    def recall(self) -> list[Seating]:
        """See `Rooms.recall`."""
        return self._dispatcher.forget_added() + self.batches.recall()

    def close(self) -> None:
        """Ends what plays here."""
        self._here.close()

    def take_deltas(self) -> list[Delta]:
        """See `Rooms.take_deltas`. Onlookers are shown the tables that are here, and no others."""
        return self._here.take_deltas()

    async def open_turns(self, one_of_each: bool = False) -> list[OpenTurn]:
        """The open turns at the tables that are here, where all people sit."""
        return await self._here.open_turns(one_of_each)

    async def keep(self) -> None:
        """See `Rooms.keep`. Also raises ClusterLost if the scheduler is gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._here.keep)
            nursery.start_soon(self.batches.run)

    def add(self, keeper: ClusterBot) -> None:
        """Adds a bot of the cluster. Its games on this machine begin when it is here or is given up here."""
        self.keepers[keeper.player] = keeper
        self._dispatcher.bot_is(keeper.player, keeper.home.presence.state)

    def open(self, seating: Seating) -> None:
        """See `Rooms.open`."""
        keepers = {player: self.keepers[player] for player in seating.players if player in self.keepers}
        if len(keepers) == len(seating.players) and not any(each.at_home for each in keepers.values()):
            self.batches.open(seating)
            return
        if not self._dispatcher.unfinished and not self.at_home:
            self._say("games of bots that dial in are played on this machine, all others on the cluster")
        for keeper in keepers.values():
            keeper.call_home()
        self._dispatcher.add([seating])
        self._dispatcher.begin()

    def bot_changed(self, change: BotChange) -> None:
        """See `BotEvents`."""
        super().bot_changed(change)
        if change.numbers and change.player in self.keepers:  # it has changed on this machine
            self._dispatcher.bot_is(change.player, change.state)

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `BotEvents`."""
        self._here.decided(player, decisions, read)

    def _tell(self, message: Message) -> None:
        if isinstance(message, Abandon):
            self._dispatcher.stop()
            self.batches.recall()
        self._here.hear(message)

    def _limit_here(self, player: int) -> int:
        """How many tables a bot of the cluster can play here at once; 0 for any number."""
        keeper = self.keepers.get(player)
        return 0 if keeper is None else keeper.limit_here

    def _played_here(self, played: Played) -> None:
        self._dispatcher.ended(played.seating)
        self._dispatcher.dealt_with([played.seating])
        self.at_home += 1
        self._on_played(played)

    def _void_here(self, seating: Seating) -> None:
        self._dispatcher.again(seating)
