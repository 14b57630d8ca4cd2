"""The functions that dask calls at a worker. They take and return bytes, so the scheduler needs no arena.

This module imports little of the arena, so that gRPC is configured before it is loaded.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from distributed import WorkerPlugin, get_worker

from arena.link import use_library_settings

bundles: dict[str, bytes] = {}
"""The bundles that this worker has received and not yet unpacked, by digest."""


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


class BundlePlugin(WorkerPlugin):
    """Sends a bundle (digest and data) to every worker, including later ones."""

    def __init__(self, digest: str, data: bytes) -> None:
        self._digest = digest
        self._data = data

    def setup(self, worker: Any) -> None:
        """Keeps the bundle until a batch needs it."""
        bundles[self._digest], self._data = self._data, b""


def _sittings() -> Any:
    use_library_settings()
    return importlib.import_module("arena.referee.cluster.worker_sitting")
