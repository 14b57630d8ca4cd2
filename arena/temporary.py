"""Folders for the arena's own sockets, temporary files and caches; paths short enough for a socket.

The path of a Unix socket has at most 103 bytes on some systems, and 107 on Linux. The folder for temporary
files, which TMPDIR may name, can be longer: then another one takes its place.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_LONGEST = 103  # bytes of the path of a socket
_OWN = len("/arena-12345678/lobby.sock")  # what follows the folder for temporary files
_OTHERS = ("/tmp", "/var/tmp")


class NoFolder(Exception):
    """No folder for temporary files can be used; the text is a sentence with the remedy."""


class NoRoom(NoFolder):
    """The disk with the folder for temporary files is full."""


def cache_folder() -> Path:
    """The folder for what the arena can make or fetch again; it may be deleted. Perhaps there is none yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"


def temporary_folder(others: Iterable[str] = _OTHERS) -> tempfile.TemporaryDirectory[str]:
    """A new folder for this user alone, to make sockets in; `tempfile.TemporaryDirectory` removes it.

    `others`: see `short_place`, which raises NoFolder. Raises NoRoom.
    """
    place = short_place(others=others)
    try:
        return tempfile.TemporaryDirectory(prefix="arena-", dir=place, ignore_cleanup_errors=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoRoom(
                f"no temporary folder can be made in {place}, the disk is full: make room there, "
                "or let TMPDIR name another folder"
            ) from None
        raise NoFolder(
            f"no temporary folder can be made in {place}: {error.strerror}; "
            "let TMPDIR name a folder in which you may write"
        ) from None


def short_place(inside: str = "", others: Iterable[str] = _OTHERS) -> str:
    """The folder for temporary files, or another one if its path is too long for sockets.

    Args:
        inside: the name of a folder in it that the sockets' own folders are made in; empty for none.
        others: folders that take its place.

    Raises NoFolder.
    """
    most = _LONGEST - _OWN - len(inside) - bool(inside)
    for place in map(os.path.abspath, (*_usual(), *others)):
        if len(os.fsencode(place)) <= most and os.access(place, os.W_OK | os.X_OK):
            return place
    raise NoFolder(
        f"there is no folder for temporary files whose path is short enough for a socket: let TMPDIR name a "
        f"folder with at most {most} bytes in its path, in which you may write"
    )


def _usual() -> Iterator[str]:
    with suppress(FileNotFoundError):  # there is none that can be written
        yield tempfile.gettempdir()
