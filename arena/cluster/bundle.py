"""A bot's folder as one value that travels, and is known by its digest.

What is in it does not depend on the machine, the time or the order of files, so
the same folder is always the same bundle. Where the bot has a build command it is
built at the worker, and what builds commonly leave behind does not travel; a bot
without one travels as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import shutil
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import STAMP

MOST_BYTES = 1 << 28
"""How many bytes a bundle may hold."""

KEPT_BYTES = 8 << 30
"""How many bytes of bundles a machine keeps, with what was built of them; those used lately aside."""

KEPT_DAYS = 30
"""For how many days a bundle is kept that nobody plays."""

_DAY = 86_400.0  # seconds: whatever was used within one may be in use
_NEVER = {STAMP, "__pycache__", ".git", ".hg", ".svn", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
_BUILT = {"build", "dist", "node_modules", "target"}  # folders that are made anew
_DEEPEST = 100

MOST_FILES = 200_000
"""How many files a bundle may hold."""


class CannotTravel(Exception):
    """A folder that cannot travel; the text is one sentence with the remedy."""


class Bundle(NamedTuple):
    """A folder: the digest of what is in it, and that itself."""

    digest: str
    data: bytes


def bundle_of(bot: BotManifest) -> Bundle:
    """A bot's folder as a bundle. Raises CannotTravel.

    Links that lead into the folder travel as links, so that a folder that holds itself is no larger for it;
    what others lead to travels.
    """
    buffer = io.BytesIO()
    left = MOST_BYTES
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, path, leads in _parts_of(bot):
                member = tarfile.TarInfo(name)
                if leads:
                    member.type, member.linkname = tarfile.SYMTYPE, leads
                    archive.addfile(member)
                    continue
                if path.is_dir():
                    member.type, member.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(member)
                    continue
                with open(path, "rb") as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise CannotTravel(_too_much(bot, f"{MOST_BYTES >> 20} MiB"))
                member.size = len(content)
                member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
                archive.addfile(member, io.BytesIO(content))
    except OSError as error:
        raise CannotTravel(
            f"{bot.name} cannot travel to a cluster, for {error.filename or bot.folder} cannot be read: "
            f"{error.strerror}"
        ) from None
    data = buffer.getvalue()
    return Bundle(hashlib.sha256(data).hexdigest(), zlib.compress(data, 6))


def _too_much(bot: BotManifest, most: str) -> str:
    return (
        f"the folder {bot.folder} of {bot.name} has more than {most}, which is too much to travel to a "
        "cluster: take out what the bot does not need"
    )


class _Part(NamedTuple):
    """A file or an empty folder: its name in the bundle, where it is, and where it leads if it is a link into
    the bot's folder."""

    name: str
    path: Path
    leads: str = ""


def _parts_of(bot: BotManifest) -> list[_Part]:
    """What travels of a folder, in order. Raises CannotTravel, OSError."""
    without = _NEVER | (_BUILT if bot.build else set())
    parts = _files(bot.folder, Path(os.path.realpath(bot.folder)), "", without, 0)
    found = list(itertools.islice(parts, MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise CannotTravel(_too_much(bot, f"{MOST_FILES:,} files"))
    return sorted(found)


def _files(folder: Path, root: Path, place: str, without: set[str], depth: int) -> Iterator[_Part]:
    """The files below a folder with their names in it, and the folders in which there are none."""
    for entry in os.listdir(folder):
        path, name = folder / entry, f"{place}{entry}"
        if entry in (without if path.is_dir() else _NEVER):
            continue
        if leads := _leads(path, root):
            yield _Part(name, path, leads)
        elif path.is_dir():
            if depth < _DEEPEST:
                empty = True
                for part in _files(path, root, f"{name}/", without, depth + 1):
                    empty = False
                    yield part
                if empty:
                    yield _Part(name, path)
        elif path.is_file():
            yield _Part(name, path)


def _leads(path: Path, root: Path) -> str:
    """Where a link into the folder leads, from where it lies; empty for everything else."""
    if not path.is_symlink():
        return ""
    target = Path(os.path.realpath(path))
    if not target.exists() or not target.is_relative_to(root):
        return ""
    return os.path.relpath(target, os.path.realpath(path.parent))


class BundleCache:
    """The bundles that a machine has, unpacked; all workers of a user share them.

    Args:
        folder: where they lie.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder() / "bundles"

    def find(self, digest: str) -> Path | None:
        """The folder of a bundle, which is used now; None where it is not there."""
        folder = self._folder / digest
        try:
            os.utime(folder)
        except OSError:
            return None
        return folder

    def keep(self, digest: str, data: bytes) -> None:
        """Unpacks a bundle unless it is there, and removes old ones.

        Raises ValueError where it is not what its digest says; OSError.
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
        clear(self._folder, KEPT_BYTES)


def clear(folder: Path, most: int) -> None:
    """Removes the folders in a folder that were not used for `KEPT_DAYS`, and of the others as many of the
    longest unused as are too much; none that may be in use.

    Args:
        folder: theirs; each one's time of change is when it was used last.
        most: how many bytes may stay.
    """
    now, left = time.time(), most
    for used, path in sorted(_folders(folder), reverse=True):
        left -= _size(path)
        if now - used > _DAY and (left < 0 or now - used > KEPT_DAYS * _DAY):
            with contextlib.suppress(OSError):  # somebody else removes it
                gone = Path(tempfile.mkdtemp(dir=folder, prefix="old-"))
                path.rename(gone)  # so that nobody finds half of it
                shutil.rmtree(gone, ignore_errors=True)


def _folders(folder: Path) -> Iterator[tuple[float, Path]]:
    """The folders in a folder with the times at which they were changed."""
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # it was removed just now
            if path.is_dir():
                yield path.stat().st_mtime, path


def _size(folder: Path) -> int:
    """How many bytes are in a folder, as far as can be seen."""
    size = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def cache_folder() -> Path:
    """Where a worker keeps what it may lose."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "arena" / "cluster"
