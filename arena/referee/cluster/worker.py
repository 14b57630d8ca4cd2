"""The functions that dask calls at a worker. They take and return bytes, so the scheduler needs no arena.

This module imports little of the arena, so that gRPC is configured before it is loaded.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from distributed import get_worker

from arena.link import use_library_settings


async def facts() -> bytes:
    """The versions and the machine of this worker: a pickled `WorkerInfo`."""
    result: bytes = await asyncio.to_thread(lambda: _sittings().facts())
    return result


def ask(data: bytes) -> bytes:
    """Plays a pickled `Batch`; returns a pickled `Answer`."""
    result: bytes = _sittings().answer(data, get_worker().address)
    return result


def leave(run: str) -> None:
    """Releases the bots of a run."""
    _sittings().leave(run)


def _sittings() -> Any:
    use_library_settings()
    return importlib.import_module("arena.referee.cluster.worker_sitting")
