"""A cluster as the rest of the arena sees it: other machines that play a tournament's games."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.cluster.bots import Bots, ClusterBot
from arena.cluster.client import Client
from arena.cluster.rooms import ClusterRooms
from arena.cluster.workers import Workers
from arena.runner.cluster_statistics import ClusterStatistics
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.rooms import Reception, Rooms
from arena.runner.sitting.keeper import Start, Tell
from arena.runner.sitting.sitting import Opening


class Cluster:
    """A cluster that plays for one tournament: see `Elsewhere`.

    Args:
        client: the connection to it.
        tables: how many games a worker plays at once.
        say: called with a line for people, in trio's thread.
    """

    def __init__(self, client: Client, tables: int, say: Callable[[str], None]) -> None:
        self._client = client
        self._tables = tables
        self._say = say
        self._workers: Workers | None = None  # which is made in trio's thread

    def rooms(
        self, here: Opening, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """See `Elsewhere`."""
        self._workers = Workers(self._client, self._say)
        self._bots = Bots(self._client, self._workers)
        self._rooms = ClusterRooms(
            self._workers, self._bots, self._tables, here, on_played, on_void, self._say
        )
        return self._rooms

    def keeper(
        self, player: int, entrant: Entrant, reception: Reception, tell: Tell, log: Path, start: Start
    ) -> ClusterBot:
        """See `Elsewhere`."""
        keeper = ClusterBot(self._bots, player, entrant, reception, tell, log, start)
        self._bots.keepers[player] = keeper
        return keeper

    def cluster_statistics(self) -> ClusterStatistics:
        """See `Elsewhere`."""
        if self._workers is None:
            return ClusterStatistics()
        return self._workers.cluster_statistics(self._rooms.batches.at_workers, self._rooms.at_home)

    def lacking(self) -> list[str]:
        """See `Elsewhere`."""
        return [] if self._workers is None else self._workers.lacking()


@contextlib.contextmanager
def cluster(where: str, tables: int, say: Callable[[str], None]) -> Iterator[Cluster]:
    """A cluster that plays for one tournament, as long as the context is entered.

    Args:
        where: the address of a dask scheduler, or `local:N` for N processes of this machine.
        tables: how many games a worker plays at once.
        say: called with a line for people, in trio's thread.

    Raises Unreachable.
    """
    with contextlib.closing(Client(where)) as client:
        yield Cluster(client, tables, say)
