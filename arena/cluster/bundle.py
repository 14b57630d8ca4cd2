"""A bot's folder as one value that travels, and is known by its digest.

What is in it does not depend on the machine, the time or the order of files, so
the same folder is always the same bundle. Where the bot has a build command it is
built at the worker, and what builds commonly leave behind does not travel; a bot
without one travels as it is.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import STAMP

MOST_BYTES = 1 << 28
"""How many bytes a bundle may hold."""

_NEVER = {STAMP, "__pycache__", ".git", ".hg", ".svn", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
_BUILT = {"build", "dist", "node_modules", "target"}  # folders that are made anew
_DEEPEST = 100


class TooLarge(Exception):
    """A folder that cannot travel; the text is one sentence with the remedy."""


class Bundle(NamedTuple):
    """A folder: the digest of what is in it, and that itself."""

    digest: str
    data: bytes


def bundle_of(bot: BotManifest) -> Bundle:
    """A bot's folder as a bundle; links are followed. Raises TooLarge."""
    buffer = io.BytesIO()
    left = MOST_BYTES
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in sorted(_files(bot.folder, "", _NEVER | (_BUILT if bot.build else set()), 0)):
            member = tarfile.TarInfo(name)
            with open(path, "rb") as file:
                content = file.read(left + 1)
            left -= len(content)
            if left < 0:
                raise TooLarge(
                    f"the folder {bot.folder} of {bot.name} has more than {MOST_BYTES >> 20} MiB, which is "
                    "too much to travel to a cluster: take out what the bot does not need"
                )
            member.size = len(content)
            member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
            archive.addfile(member, io.BytesIO(content))
    data = buffer.getvalue()
    return Bundle(hashlib.sha256(data).hexdigest(), zlib.compress(data, 6))


def _files(folder: Path, place: str, without: set[str], depth: int) -> Iterator[tuple[str, Path]]:
    """The files below a folder with their names in it."""
    for entry in os.listdir(folder):
        path, name = folder / entry, f"{place}{entry}"
        if path.is_dir():
            if entry not in without and depth < _DEEPEST:
                yield from _files(path, f"{name}/", without, depth + 1)
        elif path.is_file() and entry not in _NEVER:
            yield name, path


class Shelf:
    """The bundles that a machine has, unpacked; all workers of a user share it.

    Args:
        folder: where they lie.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder() / "bundles"

    def find(self, digest: str) -> Path | None:
        """The folder of a bundle; None where it is not there."""
        folder = self._folder / digest
        return folder if folder.is_dir() else None

    def keep(self, bundle: Bundle) -> None:
        """Unpacks a bundle. Raises ValueError where it is not what its digest says; OSError."""
        if self.find(bundle.digest) is not None:
            return
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(bundle.data, 2 * MOST_BYTES)
        if hashlib.sha256(data).hexdigest() != bundle.digest:
            raise ValueError(f"the bundle is not {bundle.digest}")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        unpacked = Path(tempfile.mkdtemp(dir=self._folder, prefix="new-"))
        try:
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                archive.extractall(unpacked, filter="data")
            unpacked.rename(self._folder / bundle.digest)
        except OSError:
            if self.find(bundle.digest) is None:  # else another worker was faster
                raise
        finally:
            shutil.rmtree(unpacked, ignore_errors=True)


def cache_folder() -> Path:
    """Where a worker keeps what it may lose."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "arena" / "cluster"
