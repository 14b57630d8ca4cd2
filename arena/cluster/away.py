"""Rooms on other machines: games go to workers, but those of somebody who cannot travel are played here."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.cluster.fleet import Fleet
from arena.runner.rooms.messages import Abandon, Connect, GiveUp, Message, Open
from arena.runner.rooms.reception import Rooms
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.room_state import player_of
from arena.runner.sitting.dispatcher import Dispatcher
from arena.runner.sitting.elsewhere import Opening


class RoomsAway(Rooms):
    """The rooms of a cluster, and those of this machine, as one. To be made in trio's thread.

    Args:
        fleet: makes what has the games on the cluster; takes what is called with every finished game,
            and with what goes wrong.
        here: makes the rooms of this machine.
        on_played, on_void: see `Rooms`.
        say: called with a line for people.
    """

    def __init__(
        self,
        fleet: Callable[[Callable[[Played], None], Callable[[Exception], None]], Fleet],
        here: Opening,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(on_played, on_void)
        self._say = say
        self._fleet = fleet(on_played, self._failure.note)
        self._fleet.on_home = self._open
        self._party = self._fleet.party
        self._here = here(self._played_here, self._void_here)
        # Onlookers are shown the tables that are here, and no others.
        self._here.on_glimpses = lambda glimpses: self.on_glimpses(glimpses)
        self.now = self._here.now  # by which the bots here are timed
        self._dispatcher = Dispatcher(self._here.open, self._party.limit_here)
        self._plays_here = False
        self._called: set[int] = set()  # bots that the arena brings here as well
        self._present: set[int] = set()  # bots that came here, or will not

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._here.decisions + self._fleet.decisions

    @property
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""
        return self._here.worker_cpu + self._fleet.cpu

    def tables(self, concurrency: int) -> int:
        """As many as the workers have use for, and as many more here."""
        self._dispatcher.concurrency = concurrency
        return concurrency + self._fleet.room

    def recall(self) -> list[Seating]:
        """See `Rooms.recall`."""
        return self._dispatcher.forget_added() + self._fleet.recall()

    def close(self) -> None:
        """Ends what plays here."""
        self._here.close()

    async def keep(self) -> None:
        """See `Rooms.keep`; raises ElsewhereLost as well, where the scheduler is gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._here.keep)
            nursery.start_soon(self._failure.wait)

    def _tell(self, message: Message) -> None:
        match message:
            case Open(seating):
                self._open(seating)
                return
            case Abandon():
                self._dispatcher.stop()
                self._fleet.abandon()
        self._here.hear(message)
        match message:
            case Connect(number) | GiveUp(number):
                player = player_of(number)
                if player not in self._present and self._party.has_come(player):
                    self._present.add(player)
                    if player in self._called:
                        self._dispatcher.bot_settled(player)

    def _open(self, seating: Seating) -> None:
        if self._party.travel(seating.players):
            self._fleet.open(seating)
            return
        if not self._plays_here:
            self._plays_here = True
            self._say("games of bots that dial in are played on this machine, all others on the cluster")
        for player in seating.players:
            if player not in self._called and self._party.call_home(player):
                self._called.add(player)
                if player not in self._present:
                    self._dispatcher.await_bot(player)
        self._dispatcher.add([seating])
        self._dispatcher.begin()

    def _played_here(self, played: Played) -> None:
        self._dispatcher.ended(played.seating)
        self._dispatcher.dealt_with([played.seating])
        self._fleet.at_home += 1
        self._on_played(played)

    def _void_here(self, seating: Seating) -> None:
        self._dispatcher.again(seating)
