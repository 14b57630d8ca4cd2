"""Computes the luck of finished games while the referee goes on: each takes up to .3 s of a processor."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

import trio

from arena.league.stored import luck_in
from arena.link.streams.trio_thread import RefereeBug
from arena.processes.pool import Pool, do_jobs
from arena.processes.worker import WorkerFault
from arena.results import GameKey

Wanted: TypeAlias = tuple[GameKey, bytes, str]
"""Of a finished game: its key, its encoded record, and the baseline for its luck."""

LuckPool: TypeAlias = Pool[Wanted, float]


def luck_pool() -> LuckPool:
    """A pool that finds the luck of the match's first entrant in games."""
    return Pool("computes luck", _compute)


async def lucks_in(wanted: Sequence[Wanted], pool: LuckPool) -> list[float]:
    """The luck of the match's first entrant in each game. Raises WorkerDied, RefereeBug."""

    def found() -> dict[int, float]:
        return dict(pool.do(wanted))

    try:
        lucks = await trio.to_thread.run_sync(found, abandon_on_cancel=True)
    except WorkerFault as fault:
        raise RefereeBug.of(fault) from None
    return [lucks[number] for number in range(len(wanted))]


def _compute(asker: Connection) -> None:
    do_jobs(asker, lambda wanted, tell: luck_in(*wanted))
