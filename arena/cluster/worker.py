"""What dask calls at a worker. What travels is bytes, so that the scheduler need not load the arena.

Importing this loads nothing else of the arena, so that gRPC is set up before it is loaded.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from distributed import WorkerPlugin, get_worker

from arena.link import use_grpc_settings


def facts() -> bytes:
    """What the referee needs to know of this worker: pickled `Facts`."""
    result: bytes = _sittings().facts()
    return result


def ask(data: bytes) -> bytes:
    """Answers a pickled Order or Introduction by a pickled `Answer`."""
    result: bytes = _sittings().answer(data, get_worker().address)
    return result


def leave(run: str) -> None:
    """Lets the bots of a run go."""
    _sittings().leave(run)


class BundlePlugin(WorkerPlugin):
    """Has every worker that is there, or comes later, keep a bot's folder; it is unpacked once on a machine.

    Args:
        digest: the bundle's.
        data: what is in it.
    """

    def __init__(self, digest: str, data: bytes) -> None:
        self._digest = digest
        self._data = data

    async def setup(self, worker: Any) -> None:
        """Unpacks it, unless it is there already."""
        data, self._data = self._data, b""
        await asyncio.to_thread(lambda: _sittings().keep(self._digest, data))


def _sittings() -> Any:
    use_grpc_settings()
    return importlib.import_module("arena.cluster.worker_sitting")
