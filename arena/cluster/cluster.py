"""A cluster as the rest of the arena sees it: other machines that play a tournament's games."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from arena.cluster.away import RoomsAway
from arena.cluster.engine import Engine
from arena.cluster.fleet import Fleet
from arena.cluster.keeper import Traveller
from arena.runner.entrants import Entrant
from arena.runner.labours import Labours
from arena.runner.rooms.reception import Rooms
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.dialler import Dialler
from arena.runner.sitting.elsewhere import Opening
from arena.runner.sitting.keeper import Attendance


class Cluster:
    """A cluster that plays for one tournament: see `Elsewhere`.

    Args:
        engine: the connection to it.
        tables: how many games a worker plays at once.
        say: called with a line for people, in trio's thread.
    """

    def __init__(self, engine: Engine, tables: int, say: Callable[[str], None]) -> None:
        self._engine = engine
        self._tables = tables
        self._say = say
        self._fleet: Fleet | None = None
        self._reception: Rooms | None = None

    def rooms(
        self, here: Opening, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """See `Elsewhere`."""

        def fleet(on_played: Callable[[Played], None], fail: Callable[[Exception], None]) -> Fleet:
            self._fleet = Fleet(self._engine, self._tables, on_played, fail, self._say)
            return self._fleet

        self._reception = RoomsAway(fleet, here, on_played, on_void, self._say)
        return self._reception

    def keeper(
        self,
        player: int,
        entrant: Entrant,
        tell: Callable[[Attendance], None],
        log: Path,
        processors: Sequence[int],
        instances: int,
    ) -> Dialler:
        """See `Elsewhere`."""
        assert self._fleet is not None
        assert self._reception is not None
        party = self._fleet.party
        keeper = Traveller(
            partial(party.introduce, player, entrant, instances),
            partial(party.exclude, player),
            player,
            entrant,
            self._reception,
            tell,
            log,
            None,
            processors,
            instances,
        )
        party.keepers[player] = keeper
        return keeper

    def labours(self) -> Labours:
        """See `Elsewhere`."""
        return Labours() if self._fleet is None else self._fleet.labours()

    def lacking(self) -> list[str]:
        """See `Elsewhere`."""
        return [] if self._fleet is None else self._fleet.lacking()

    def leave(self) -> bytes:
        """What workers are told when all is over."""
        return pickle.dumps("" if self._fleet is None else self._fleet.party.run)


@contextlib.contextmanager
def cluster(where: str, tables: int, say: Callable[[str], None]) -> Iterator[Cluster]:
    """A cluster that plays for one tournament, as long as the context is entered.

    Args:
        where: the address of a dask scheduler, or `local:N` for N processes of this machine.
        tables: how many games a worker plays at once.
        say: called with a line for people, in trio's thread.

    Raises Unreachable.
    """
    engine = Engine(where)
    there = Cluster(engine, tables, say)
    try:
        yield there
    finally:
        engine.close(there.leave())
