"""The bundles that a worker has received, and the plugin by which dask sends them to every worker."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin

bundles: dict[str, bytes] = {}
"""The bundles that this worker has received and not yet unpacked, by digest."""


class BundlePlugin(WorkerPlugin):
    """Sends a bundle (digest and data) to every worker, including later ones."""

    def __init__(self, digest: str, data: bytes) -> None:
        self._digest = digest
        self._data = data

    def setup(self, worker: Any) -> None:
        """Keeps the bundle until a batch needs it."""
        bundles[self._digest], self._data = self._data, b""
