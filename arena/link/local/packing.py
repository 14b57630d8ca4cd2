"""Packs a bot's folder into a zip, which is submitted or travels to a cluster, and hashes its content.

The hash of the content identifies a version: it depends on the paths, on which files may be executed, and on
their bytes, and on nothing else. Zips of the same content are the same wherever the zlib is the same.

`.arenaignore` in the folder says what is left out, in the patterns of a .gitignore; a line with `!` takes
something in again. Without such a file, a bot that is built leaves out what its .gitignore names.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import IO, NamedTuple

from arena.link.local.bot_manifest import FILE_NAME, read_bot_manifest
from arena.link.local.ignored import BUILT, NEVER, IgnoreList
from arena.link.local.submitted import DEEPEST, MOST
from arena.text import size_text

IGNORE = ".arenaignore"
"""The file in a bot's folder that says what is not packed."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first time that a zip can hold
_CHUNK = 1 << 18


class CannotPack(ValueError):
    """The folder cannot be packed; the text is one sentence with the remedy."""


class Packed(NamedTuple):
    """A packed folder.

    Attributes:
        digest: the SHA-256 of the zip, in hex.
        content: the hash of the content, in hex.
        size: the bytes of the zip.
        files: the paths in the zip, sorted, each with the bytes of its file.
    """

    digest: str
    content: str
    size: int
    files: tuple[tuple[str, int], ...]


class _File(NamedTuple):
    """What is packed: its path in the zip, where it is, and its kind and permissions as a mode.

    The path of a folder ends with a slash.
    """

    name: str
    path: Path
    mode: int


def pack(
    folder: Path, to: Path, *, as_is: bool = False, most_bytes: int | None = None, most_files: int = MOST
) -> Packed:
    """Packs a bot's folder into a zip.

    Args:
        folder: the bot's folder.
        to: the zip's path.
        as_is: whether links within the folder and empty folders are packed too, and what is neither a file
            nor a folder is left out. Otherwise the target of each link is packed in its place, and the
            folder must hold nothing but files and folders.
        most_bytes: how many bytes the files may have together.
        most_files: how many files and folders there may be.

    Raises BotManifestError if the folder has no good bot.toml, CannotPack, and OSError if the zip cannot
    be written.
    """
    manifest = read_bot_manifest(folder)
    folder = manifest.folder
    links = _Links.KEPT if as_is else _Links.FOLLOWED
    files = sorted(_files(folder, _ignored(folder, bool(manifest.build)), links, most_files))
    if FILE_NAME not in (file.name for file in files):
        raise CannotPack(
            f"{folder / IGNORE} leaves out {FILE_NAME}, without which there is no bot: let it in"
        )
    content, sizes, size = hashlib.sha256(), [], 0
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, _LONG_AGO)
            info.create_system = 3  # Unix, whatever this machine is
            info.external_attr = file.mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            if not stat.S_ISREG(file.mode):
                archive.writestr(info, _link_text(folder, file) if stat.S_ISLNK(file.mode) else "")
                continue
            with _opened(file) as source:
                info.file_size = os.fstat(source.fileno()).st_size
                size += info.file_size
                if most_bytes is not None and size > most_bytes:
                    raise _too_much(folder, size_text(most_bytes))
                with archive.open(info, "w") as target:
                    sizes.append((file.name, _add(content, file, source, target)))
    with to.open("rb") as whole:
        digest = hashlib.file_digest(whole, "sha256").hexdigest()
    return Packed(digest, content.hexdigest(), to.stat().st_size, tuple(sizes))


def _link_text(folder: Path, link: _File) -> str:
    """Where a link leads within the zip, from where it is there."""
    target = os.path.relpath(link.path.resolve(), folder.resolve())
    return os.path.relpath(target, os.path.dirname(link.name))


def content_hash(folder: Path) -> str:
    """The hash of all that a folder has, as `pack` gives it for what it packs.

    Raises CannotPack, also if there is anything but files and folders.
    """
    content = hashlib.sha256()
    for file in sorted(_files(folder, IgnoreList(()), _Links.REFUSED, MOST)):
        with _opened(file) as source:
            _add(content, file, source)
    return content.hexdigest()


def _opened(file: _File) -> IO[bytes]:
    try:
        return file.path.open("rb")
    except OSError as error:
        raise _unreadable(file.path, error) from None


def _add(content: hashlib._Hash, file: _File, source: IO[bytes], target: IO[bytes] | None = None) -> int:
    """Adds a file to the hash of the content, and copies it to a target; returns how many bytes it has."""
    digest, size = hashlib.sha256(), 0
    while chunk := _read(file, source):
        digest.update(chunk)
        size += len(chunk)
        if target is not None:
            target.write(chunk)
    runs = "x" if file.mode & stat.S_IXUSR else "-"
    content.update(f"{file.name}\0{runs}\0{digest.hexdigest()}\n".encode())
    return size


def _read(file: _File, source: IO[bytes]) -> bytes:
    try:
        return source.read(_CHUNK)
    except OSError as error:
        raise _unreadable(file.path, error) from None


class _Links(Enum):
    """What becomes of the links in a folder."""

    FOLLOWED = "followed"
    """Their targets are packed in their places."""

    KEPT = "kept"
    """Those into the folder are packed as links, and the targets of others in their places."""

    REFUSED = "refused"
    """There must be none."""


def _files(folder: Path, ignored: IgnoreList, links: _Links, most: int) -> Iterator[_File]:
    """What is in a folder and is not left out: all files; if links are kept, also links and folders.

    Args:
        folder: the folder.
        ignored: what is left out.
        links: what becomes of links. If they are kept, what is neither a file nor a folder is left out.
        most: how many files and folders there may be.
    """
    bot, top, left, count = folder, folder.resolve(), [(folder, "", 0)], 0
    while left:
        folder, place, depth = left.pop()
        for entry in _entries(folder):
            count += 1
            path, name = folder / entry, place + entry
            try:
                name.encode()
            except UnicodeEncodeError:
                raise CannotPack(f"the name {name!a} in {folder} is not UTF-8: rename it") from None
            try:
                status = path.stat(follow_symlinks=links is not _Links.REFUSED)
            except OSError as error:
                leads_nowhere = links is _Links.KEPT and path.is_symlink()
                if leads_nowhere or ignored.leaves_out(name, is_folder=False):
                    continue
                raise _unreadable(path, error) from None
            is_folder = stat.S_ISDIR(status.st_mode)
            if ignored.leaves_out(name, is_folder):
                continue
            if count > most:
                raise _too_much(bot, f"{most:,} files")
            if depth == DEEPEST:
                raise _too_much(bot, f"{DEEPEST} folders in each other")
            if links is _Links.KEPT and path.is_symlink() and path.resolve().is_relative_to(top):
                yield _File(name, path, stat.S_IFLNK | 0o777)
            elif is_folder:
                left.append((path, f"{name}/", depth + 1))
                if links is _Links.KEPT:
                    yield _File(f"{name}/", path, stat.S_IFDIR | 0o755)
            elif stat.S_ISREG(status.st_mode):
                runs = status.st_mode & stat.S_IXUSR
                yield _File(name, path, stat.S_IFREG | (0o755 if runs else 0o644))
            elif links is not _Links.KEPT:
                raise CannotPack(
                    f"{path} is neither a file nor a folder: leave it out with {IGNORE}, or remove it"
                )


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise _unreadable(folder, error) from None


def _unreadable(path: Path, error: OSError) -> CannotPack:
    return CannotPack(
        f"{path} cannot be read: {error.strerror or error}; repair it, or leave it out with {IGNORE}"
    )


def _too_much(folder: Path, most: str) -> CannotPack:
    return CannotPack(f"{folder} has more than {most}: leave out with {IGNORE} what the bot does not need")


def _ignored(folder: Path, built: bool) -> IgnoreList:
    """What is left out of a bot's folder; `built` says that the bot has a build command."""
    lines = [*NEVER, *(BUILT if built else ())]
    names = (IGNORE, ".gitignore") if built else (IGNORE,)
    chosen = next((folder / name for name in names if (folder / name).is_file()), None)
    if chosen is not None:
        try:
            lines += chosen.read_text("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise CannotPack(f"{chosen} is not a text in UTF-8: save it as UTF-8") from None
        except OSError as error:
            raise _unreadable(chosen, error) from None
    return IgnoreList(lines)
