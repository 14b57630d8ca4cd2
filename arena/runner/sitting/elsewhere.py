"""Other machines that play games, as the rest of the runner sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from arena.runner.cluster_statistics import ClusterStatistics
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.rooms import Rooms
from arena.runner.sitting.dialler import Dialler
from arena.runner.sitting.keeper import Attendance

Opening: TypeAlias = Callable[[Callable[[Played], None], Callable[[Seating], None]], Rooms]
"""What makes rooms: takes what is called with every finished game, and with every void one."""


class ElsewhereLost(Exception):
    """The other machines cannot be reached any more; the text is one sentence without its end."""


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
        instances: int,
    ) -> Dialler:
        """Who keeps a bot that is started or dialled there; see `Dialler`. To be asked after `rooms`."""

    def lacking(self) -> Sequence[str]:
        """What some of them lack to contain bots, for people; of those that are there."""

    def cluster_statistics(self) -> ClusterStatistics:
        """What they have done so far, and do at the moment."""
