"""Statistics of a cluster's workers, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class WorkerStatistics(NamedTuple):
    """What a worker has done so far.

    Attributes:
        name: the worker.
        here: whether it is there.
        games, batches: how many it played.
        busy: the share of its time in which it played, from 0 to 1.
    """

    name: str
    here: bool
    games: int
    batches: int
    busy: float


class ClusterStatistics(NamedTuple):
    """What other machines have done, and do at the moment.

    Attributes:
        workers: all that there were.
        batches: how many batches of games they have.
        rate: how many games a second they played lately.
        at_home: how many games were played on the referee's machine, for bots that cannot travel.
    """

    workers: Sequence[WorkerStatistics] = ()
    batches: int = 0
    rate: float = 0.0
    at_home: int = 0
