"""Packs a bot's folder into a bundle, which is named by its digest, and caches bundles at a worker.

`arena.link.local.packing` says what is left out. The referee makes each bundle, so the same folder always has
the same digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import stat
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.packing import pack
from arena.temporary import cache_folder

MOST_BYTES = 1 << 28
"""How many bytes the files in a bundle may have together."""

KEPT = 32
"""How many unpacked (and built) bundles a machine keeps, and how many runs' logs."""

_DAY = 86_400.0  # seconds; what was used within a day may be in use


class Bundle(NamedTuple):
    """A bot's folder as a zip, and the digest of the zip."""

    digest: str
    data: bytes


def bundle_of(bot: BotManifest) -> Bundle:
    """A bot's folder as a bundle. Raises as `pack`."""
    with tempfile.TemporaryDirectory(prefix="arena-bundle-") as place:
        path = Path(place, "bot.zip")
        packed = pack(bot.folder, path, as_is=True, most_bytes=MOST_BYTES)
        return Bundle(packed.digest, path.read_bytes())


def _unpack(data: bytes, to: Path) -> None:
    """Unpacks a zip that `pack` made into an empty folder."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if stat.S_ISLNK(mode):
                (to / info.filename).symlink_to(archive.read(info).decode())
            else:
                Path(archive.extract(info, to)).chmod(stat.S_IMODE(mode))


class BundleCache:
    """A cache of unpacked bundles in a folder; all workers of a user share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or worker_caches() / "bundles"

    def find(self, digest: str) -> Path | None:
        """The folder of a bundle, marked as used now; None if it is not in the cache."""
        folder = self._folder / digest
        try:
            os.utime(folder)
        except OSError:
            return None
        return folder

    def keep(self, digest: str, data: bytes) -> None:
        """Unpacks a bundle unless it is there, and removes old ones.

        Raises ValueError if its content does not have the digest; OSError.
        """
        if self.find(digest) is not None:
            return
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError(f"the bundle is not {digest}")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        unpacked = Path(tempfile.mkdtemp(dir=self._folder, prefix="new-"))
        try:
            _unpack(data, unpacked)
            unpacked.rename(self._folder / digest)
        except OSError:
            if self.find(digest) is None:  # else another worker was faster
                raise
        finally:
            shutil.rmtree(unpacked, ignore_errors=True)
        clear(self._folder)


def clear(folder: Path) -> None:
    """Removes the subfolders of a folder, except the `KEPT` used last and those used within a day.

    The modification time of a subfolder is when it was used last.
    """
    with contextlib.suppress(OSError):  # another worker removes them
        for path in sorted(folder.iterdir(), key=os.path.getmtime, reverse=True)[KEPT:]:
            if time.time() - os.path.getmtime(path) > _DAY:
                gone = tempfile.mkdtemp(dir=folder, prefix="old-")
                os.rename(path, gone)  # so nobody finds half of it
                shutil.rmtree(gone, ignore_errors=True)


def worker_caches() -> Path:
    """The folder of a worker's caches."""
    return cache_folder() / "cluster"
