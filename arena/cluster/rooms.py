"""The rooms of a cluster: games go to workers, but games of bots that cannot be there are played here."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.cluster.batches import Batches
from arena.cluster.bots import Bots
from arena.cluster.workers import Workers
from arena.runner.rooms.room import Abandon, Connect, GiveUp, Message, Open, Played, Seating
from arena.runner.rooms.room_state import player_of
from arena.runner.rooms.rooms import Rooms
from arena.runner.sitting.sitting import Dispatcher, Opening


class ClusterRooms(Rooms):
    """The rooms of a cluster, and those of this machine, as one. To be made in trio's thread.

    Args:
        workers, bots: those of the cluster.
        tables: how many games a worker plays at once.
        here: makes the rooms of this machine.
        on_played, on_void: see `Rooms`.
        say: called with a line for people.

    Attributes:
        batches: the games that are played on the cluster.
        at_home: how many games were played here.
    """

    def __init__(
        self,
        workers: Workers,
        bots: Bots,
        tables: int,
        here: Opening,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(on_played, on_void)
        self.batches = Batches(workers, bots, tables, self._open, on_played)
        self.at_home = 0
        self._say = say
        self._bots = bots
        self._here = here(self._played_here, self._void_here)
        # Onlookers are shown the tables that are here, and no others.
        self._here.on_deltas = lambda deltas: self.on_deltas(deltas)
        self.now = self._here.now  # by which the bots here are timed
        self._dispatcher = Dispatcher(self._here.open, self._limit_here)
        self._called: set[int] = set()  # bots of the cluster that play here as well
        self._present: set[int] = set()  # bots that came here, or will not

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._here.decisions + self.batches.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self._here.worker_cpu + self.batches.cpu

    def tables(self, concurrency: int) -> int:
        """As many as the workers have use for, and as many more here."""
        self._dispatcher.concurrency = concurrency
        return concurrency + self.batches.room

    def recall(self) -> list[Seating]:
        """See `Rooms.recall`."""
        return self._dispatcher.forget_added() + self.batches.recall()

    def close(self) -> None:
        """Ends what plays here."""
        self._here.close()

    async def keep(self) -> None:
        """See `Rooms.keep`; raises ElsewhereLost as well, where the scheduler is gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._here.keep)
            nursery.start_soon(self.batches.run)

    def _tell(self, message: Message) -> None:
        match message:
            case Open(seating):
                self._open(seating)
                return
            case Abandon():
                self._dispatcher.stop()
                self.batches.recall()
        self._here.hear(message)
        match message:
            case Connect(number) | GiveUp(number):
                player = player_of(number)
                keeper = self._bots.keepers.get(player)
                if player not in self._present and (keeper is None or keeper.came):
                    self._present.add(player)
                    if player in self._called:
                        self._dispatcher.bot_settled(player)

    def _open(self, seating: Seating) -> None:
        if self._bots.travel(seating.players):
            self.batches.open(seating)
            return
        if not self._dispatcher.unfinished and not self.at_home:
            self._say("games of bots that dial in are played on this machine, all others on the cluster")
        for player in seating.players:
            if player in self._bots.keepers and player not in self._called:
                self._called.add(player)
                self._bots.keepers[player].call_home()
                if player not in self._present:
                    self._dispatcher.await_bot(player)
        self._dispatcher.add([seating])
        self._dispatcher.begin()

    def _limit_here(self, player: int) -> int:
        """At how many tables a bot of the cluster can play here at once; 0 for any number."""
        keeper = self._bots.keepers.get(player)
        return 0 if keeper is None else keeper.limit_here

    def _played_here(self, played: Played) -> None:
        self._dispatcher.ended(played.seating)
        self._dispatcher.dealt_with([played.seating])
        self.at_home += 1
        self._on_played(played)

    def _void_here(self, seating: Seating) -> None:
        self._dispatcher.again(seating)
