"""Which rooms a tournament has: here, or in processes of their own."""

from __future__ import annotations

import os
from collections.abc import Callable

from arena.runner.rooms.in_process import RoomInProcess
from arena.runner.rooms.in_workers import RoomsInWorkers
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.rooms import Rooms

_WORTH_A_WORKER = 16
"""From so many tables on a worker brings more than passing messages to it costs."""

_TABLES_OF_A_WORKER = 64
"""With fewer, its messages get small."""


def open_rooms(
    workers: int, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
) -> Rooms:
    """Rooms in so many processes of their own, or here where that is 0.

    Args:
        on_played, on_void: see `Rooms`.
    """
    if workers:
        return RoomsInWorkers(workers, on_played, on_void)
    return RoomInProcess(on_played, on_void)


def workers_for(tables: int, bots: int) -> int:
    """How many workers it is best to have for so many tables, and bots, on this machine."""
    if tables < max(_WORTH_A_WORKER, bots):  # with hardly a table for each bot no turns travel together
        return 0
    return min(max(1, tables // _TABLES_OF_A_WORKER), os.cpu_count() or 1)
