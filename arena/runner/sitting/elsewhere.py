"""Other machines that play games, as the rest of the runner sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from arena.runner.entrants import Entrant
from arena.runner.rooms.reception import Rooms
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.dialler import Dialler
from arena.runner.sitting.keeper import Attendance

Opening: TypeAlias = Callable[[Callable[[Played], None], Callable[[Seating], None]], Rooms]
"""What makes rooms: takes what is called with every finished game, and with every void one."""


class ElsewhereLost(Exception):
    """The other machines cannot be reached any more; the text is one sentence without its end."""


class Labour(NamedTuple):
    """What a worker has done so far.

    Attributes:
        name: the worker.
        here: whether it is there.
        games, batches: how many it played.
        busy: the share of its time in which it played, from 0 to 1.
        lost: how often it was lost.
    """

    name: str
    here: bool
    games: int
    batches: int
    busy: float
    lost: int


class Labours(NamedTuple):
    """What other machines do.

    Attributes:
        workers: all that there were.
        batches: how many batches of games they have at the moment.
        rate: how many games a second they played lately.
        at_home: how many games were played here, for bots that dial in.
    """

    workers: Sequence[Labour]
    batches: int
    rate: float
    at_home: int


class Elsewhere(Protocol):
    """Other machines that play games, for one tournament."""

    def rooms(
        self, here: Opening, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> Rooms:
        """Rooms that have games played on other machines, and here where a bot plays that dials in.

        Args:
            here: makes the rooms of this machine.
            on_played, on_void: see `Rooms`.
        """

    def keeper(
        self,
        player: int,
        entrant: Entrant,
        tell: Callable[[Attendance], None],
        log: Path,
        processors: Sequence[int],
    ) -> Dialler:
        """Who keeps a bot that is started or dialled there; see `Dialler`. To be asked after `rooms`."""

    def labours(self) -> Labours:
        """What they have done so far, and do at the moment."""
