"""The statistics of a cluster and its workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class WorkerStatistics(NamedTuple):
    """The statistics of one worker.

    Attributes:
        name: the worker's name.
        here: whether it is connected.
        games, batches: how many it has played.
        busy: the share of its time in which it played, from 0 to 1.
    """

    name: str
    here: bool
    games: int
    batches: int
    busy: float


class ClusterStatistics(NamedTuple):
    """The statistics of a cluster.

    Attributes:
        workers: all workers so far.
        batches: how many batches of games are at workers.
        rate: how many games a second they played lately.
        at_home: how many games were played on the referee's machine, for bots that cannot travel.
    """

    workers: Sequence[WorkerStatistics] = ()
    batches: int = 0
    rate: float = 0.0
    at_home: int = 0
