"""What dask calls at a worker. What travels is bytes, so that the scheduler need not load the arena.

Importing this loads nothing else of the arena, so that gRPC is set up before it is loaded.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from distributed import WorkerPlugin, get_worker

from arena.link import use_grpc_settings

bundles: dict[str, bytes] = {}
"""The bundles that were sent to this worker and are not unpacked yet, by their digests."""


async def facts() -> bytes:
    """What the referee needs to know of this worker: pickled `WorkerInfo`."""
    result: bytes = await asyncio.to_thread(lambda: _sittings().facts())
    return result


def ask(data: bytes) -> bytes:
    """Plays a pickled `Batch`; returns a pickled `Answer`."""
    result: bytes = _sittings().answer(data, get_worker().address)
    return result


def leave(run: str) -> None:
    """Lets the bots of a run go."""
    _sittings().leave(run)


class BundlePlugin(WorkerPlugin):
    """Sends a bundle (digest and data) to every worker that is there, or comes later."""

    def __init__(self, digest: str, data: bytes) -> None:
        self._digest = digest
        self._data = data

    def setup(self, worker: Any) -> None:
        """Keeps the bundle until a batch needs it."""
        bundles[self._digest], self._data = self._data, b""


def _sittings() -> Any:
    use_grpc_settings()
    return importlib.import_module("arena.cluster.worker_sitting")
