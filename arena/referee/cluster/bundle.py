"""Packs a bot's folder into one archive (a bundle), named by its digest, and caches bundles at a worker.

A bundle does not depend on the machine, the time or the order of files: the same folder always gives the
same bundle. A bot with a build command is built at the worker, so the usual folders of build results are left
out. A bot without a build command is packed as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import STAMP
from arena.link.local.submitted import DEEPEST

MOST_BYTES = 1 << 28
"""How many bytes a bundle may hold."""

MOST_FILES = 200_000
"""How many files and folders a bundle may hold."""

KEPT = 32
"""How many unpacked (and built) bundles a machine keeps, and how many runs' logs."""

_DAY = 86_400.0  # seconds; what was used within a day may be in use
_NEVER = {STAMP, "__pycache__", ".git", ".hg", ".svn", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
_BUILT = {"build", "dist", "node_modules", "target"}  # folders that a build makes


class CannotTravel(Exception):
    """The folder cannot be packed; the text is one sentence with the remedy."""


class Bundle(NamedTuple):
    """A packed folder: the digest of its content, and the compressed content."""

    digest: str
    data: bytes


def bundle_of(bot: BotManifest, most_files: int = MOST_FILES) -> Bundle:
    """A bot's folder as a bundle. Raises CannotTravel, also where it holds more than so many files.

    A link into the folder is packed as a link; of any other link the target is packed.
    """
    buffer = io.BytesIO()
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            _add(archive, bot, bot.folder, "", most_files)
    except OSError as error:
        raise CannotTravel(
            f"{bot.name} cannot travel to a cluster, because {error.filename or bot.folder} cannot be read: "
            f"{error.strerror or error}"
        ) from None
    data = buffer.getvalue()
    return Bundle(hashlib.sha256(data).hexdigest(), zlib.compress(data, 6))


def _add(archive: tarfile.TarFile, bot: BotManifest, folder: Path, place: str, most_files: int) -> None:
    """Adds the content of a folder; `place` is its path in the archive and ends with a slash, or is empty."""
    root = os.path.realpath(bot.folder)
    for entry in sorted(os.listdir(folder)):
        path, name = folder / entry, place + entry
        if entry in _NEVER or (entry in _BUILT and bot.build and path.is_dir()) or not path.exists():
            continue
        member, content = tarfile.TarInfo(name), b""
        if path.is_symlink() and (target := path.resolve()).is_relative_to(root):
            member.type, member.linkname = tarfile.SYMTYPE, os.path.relpath(target, path.parent.resolve())
        elif path.is_dir():
            member.type, member.mode = tarfile.DIRTYPE, 0o755
        elif path.is_file():
            left = MOST_BYTES - archive.offset
            with path.open("rb") as file:
                content = file.read(max(0, left) + 1)
            if len(content) > left:
                raise _too_much(bot, f"{MOST_BYTES >> 20} MiB")
            member.size, member.mode = len(content), 0o755 if os.access(path, os.X_OK) else 0o644
        else:
            continue
        archive.addfile(member, io.BytesIO(content))
        if member.isdir():
            if name.count("/") == DEEPEST:
                raise _too_much(bot, f"{DEEPEST} folders in each other")
            _add(archive, bot, path, f"{name}/", most_files)
        if len(archive.getmembers()) > most_files:
            raise _too_much(bot, f"{most_files:,} files")


def _too_much(bot: BotManifest, most: str) -> CannotTravel:
    return CannotTravel(
        f"the folder {bot.folder} of {bot.name} has more than {most}, which is too much for a "
        "cluster: take out what the bot does not need"
    )


class BundleCache:
    """A cache of unpacked bundles in a folder; all workers of a user share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder() / "bundles"

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
        unpacked_data = zlib.decompressobj().decompress(data, 2 * MOST_BYTES)
        if hashlib.sha256(unpacked_data).hexdigest() != digest:
            raise ValueError(f"the bundle is not {digest}")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        unpacked = Path(tempfile.mkdtemp(dir=self._folder, prefix="new-"))
        try:
            with tarfile.open(fileobj=io.BytesIO(unpacked_data)) as archive:
                # The first Pythons 3.11 have no filters; the referee has packed what comes here.
                archive.extraction_filter = getattr(tarfile, "data_filter", None)
                archive.extractall(unpacked)
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


def cache_folder() -> Path:
    """The folder of a worker's caches."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "arena" / "cluster"
