"""Unpacks a submitted zip. An upload is hostile: nothing that its headers say is believed.

Only files and folders are made, all of them new, below one new folder. Bytes are counted as they
are written. The time and the memory that a zip takes grow in proportion to its bytes and to the bytes that it
may unpack to: its names, its folders and the overlap of its entries are bounded before anything is written. A
zip that is refused has one sentence that says why, with the remedy.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

from arena.link.local.bot_manifest import FILE_NAME
from arena.link.local.ignored import STAMP
from arena.link.local.submitted import DEEPEST
from arena.names import same_name
from arena.text import size_text

MOST_FILES = 20_000
"""How many entries a zip may have, and how many folders it may unpack to."""

MOST_NAMES = 4 << 20
"""How many bytes the names in a zip, and what programs add to them, may have together."""

RATIO, FREE = 100, 64 << 20
"""How many times its size a zip may unpack to, beyond the bytes that every zip may unpack to."""

_CHUNK = 1 << 18
_ENTRY = re.compile(rb"PK\x01\x02")  # begins each entry of a zip's directory
_LENGTHS, _LENGTHS_AT = struct.Struct("<HHH"), 28  # of an entry's name, extra field and comment
_LONGEST, _LONGEST_PART = 2000, 255  # bytes of a path and of a name in it; the same again once normalised
_UTF8, _ENCRYPTED = 0x800, 0x1
_AGAIN = "pack the bot's folder with arena submit FOLDER"
_TOO_LARGE = "the zip unpacks to more than this host allows: leave out what the bot does not need"
_BROKEN = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError),
    *(ValueError, LookupError, OverflowError, NotImplementedError, RuntimeError),
)


class BadUpload(Exception):
    """The zip is refused; the text is one sentence with the remedy."""


class _Member(NamedTuple):
    """A file or folder of a zip, with its path below the bot's folder."""

    path: str
    info: zipfile.ZipInfo


def unpack(upload: Path, to: Path, most_bytes: int) -> None:
    """Unpacks a zip into a new folder.

    A zip with nothing but one folder, the bot's, is unpacked as if it held what is in that folder.

    Args:
        upload: the zip.
        to: the folder to make.
        most_bytes: how many bytes the files may have together.

    Raises BadUpload, and OSError for trouble of this machine's own.
    """
    to.mkdir()
    left = _most(upload, most_bytes)
    with upload.open("rb") as file:
        _check_directory(file)
        try:
            with zipfile.ZipFile(file) as archive:
                members = _members(archive)
                if sum(member.info.compress_size for member in members) > upload.stat().st_size:
                    raise BadUpload(f"the zip is broken (its entries overlap): {_AGAIN}")
                for member in members:
                    left -= _write(archive, member, to, left)
        except _BROKEN as problem:
            raise BadUpload(f"the zip is broken ({type(problem).__name__}): {_AGAIN}") from None
        except OSError as problem:
            if problem.errno == errno.EINVAL:  # a place in the zip that cannot be
                raise BadUpload(f"the zip is broken: {_AGAIN}") from None
            raise


def check_packed(upload: Path, most_bytes: int) -> None:
    """Checks a zip of this machine's own before it is uploaded: whether `unpack` would take it.

    Raises BadUpload.
    """
    with upload.open("rb") as file:
        _check_directory(file)
        with zipfile.ZipFile(file) as archive:
            if sum(member.info.file_size for member in _members(archive)) > _most(upload, most_bytes):
                raise BadUpload(_TOO_LARGE)


def _most(upload: Path, most_bytes: int) -> int:
    """How many bytes the files of a zip may have together."""
    return min(most_bytes, FREE + RATIO * upload.stat().st_size)


def _check_directory(file: BinaryIO) -> None:
    """Raises BadUpload if the directory of a zip may be too large to be read, whatever its headers say."""
    size = os.fstat(file.fileno()).st_size
    if not size:
        raise BadUpload(f"the zip is empty: {_AGAIN}")
    count = names = 0
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for entry in _ENTRY.finditer(data):
            count += 1
            if entry.start() + _LENGTHS_AT + _LENGTHS.size <= size:
                names += sum(_LENGTHS.unpack_from(data, entry.start() + _LENGTHS_AT))
    if count > MOST_FILES:
        raise BadUpload(f"the zip has more than {MOST_FILES:,} files: leave out what the bot does not need")
    if names > MOST_NAMES:
        raise BadUpload(f"the names in the zip have more than {size_text(MOST_NAMES)} in all: shorten them")


def _members(archive: zipfile.ZipFile) -> list[_Member]:
    """All that is to be unpacked. Raises BadUpload."""
    members = [_Member(_path(info), info) for info in archive.infolist()]
    members = [each for each in members if each.path.split("/")[0] != "__MACOSX"]
    names = {member.path for member in members}
    tops = {name.split("/")[0] for name in names}
    if FILE_NAME not in names and len(tops) == 1 and f"{(top := tops.pop())}/{FILE_NAME}" in names:
        members = [
            member._replace(path=member.path.removeprefix(top).lstrip("/"))
            for member in members
            if member.path != top
        ]
    if FILE_NAME not in (member.path for member in members):
        raise BadUpload(f"the zip has no {FILE_NAME}: pack the folder in which it lies")
    _check_names(members)
    return [member for member in members if member.path != STAMP]


def _path(info: zipfile.ZipInfo) -> str:
    """The path of an entry, without a slash at its end. Raises BadUpload."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8 and not name.isascii():
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode()  # many programs write UTF-8 without saying so
    shown = ascii(name[:100])
    parts = name.removesuffix("/").split("/")
    if "\0" in name or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise BadUpload(f"the name {shown} in the zip does not lead into the bot's folder: {_AGAIN}")
    if len(parts) > DEEPEST or len(name.encode(errors="replace")) > _LONGEST:
        raise BadUpload(f"the name {shown} in the zip is too deep or too long: shorten it")
    if any(len(part.encode(errors="replace")) > _LONGEST_PART for part in parts):
        raise BadUpload(f"the name {shown} in the zip is too long: shorten it")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise BadUpload(f"{shown} in the zip is a link: put the file itself into the folder")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadUpload(f"{shown} in the zip is neither a file nor a folder: take it out")
    if info.flag_bits & _ENCRYPTED:
        raise BadUpload(f"{shown} in the zip is encrypted: pack it without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadUpload(f"{shown} in the zip is compressed in a way that is not taken: {_AGAIN}")
    return "/".join(parts)


class _Node:
    """A file or a folder to be made.

    Attributes:
        path: its path.
        inside: what is in a folder, by the names as the system may hold them for the same; None for a file.
    """

    __slots__ = ("inside", "path")

    def __init__(self, path: str, is_folder: bool) -> None:
        self.path = path
        self.inside: dict[str, _Node] | None = {} if is_folder else None


def _check_names(members: list[_Member]) -> None:
    """Raises BadUpload if two names are the same, perhaps but for case, or a file is a folder too.

    Each part of a path is normalised once.
    """
    top, folders = _Node("", True), 0
    for path, info in members:
        at, length, normal_length = top, 0, 0
        for part in path.split("/"):
            length += len(part) + 1
            place, normal = path[: length - 1], same_name(part)
            normal_length += len(normal) + 1
            if len(normal) > _LONGEST_PART or normal_length > _LONGEST:
                raise BadUpload(
                    f"the name {path[:100]!a} in the zip is too long for systems that write its "
                    "characters out: shorten it"
                )
            is_folder = length <= len(path) or info.is_dir()
            assert at.inside is not None
            node = at.inside.get(normal)
            if node is not None and (node.path != place or node.inside is None or not is_folder):
                raise BadUpload(
                    f"the zip has {node.path[:100]!a} and {place[:100]!a}, which some systems hold "
                    "for the same: rename one of them"
                )
            if node is None:
                node = at.inside[normal] = _Node(place, is_folder)
                folders += is_folder
            at = node
        if folders > MOST_FILES:
            raise BadUpload(
                f"the zip has more than {MOST_FILES:,} folders: leave out what the bot does not need"
            )


def _write(archive: zipfile.ZipFile, member: _Member, to: Path, left: int) -> int:
    """Writes one file or folder; returns its bytes."""
    path = to / member.path
    if member.info.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o755 if (member.info.external_attr >> 16) & stat.S_IXUSR else 0o644
    size = 0
    with (
        archive.open(member.info) as source,
        open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb") as target,
    ):
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > left:
                raise BadUpload(_TOO_LARGE)
            target.write(chunk)
        os.fchmod(target.fileno(), mode)
    return size
