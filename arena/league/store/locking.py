"""The file lock that makes one process the only writer of a league.

On Linux the league file itself is locked. So the lock holds under every name of
the file, needs no other file, and ends with its process. It is an open file
description lock (`F_OFD_SETLK`) on a byte far beyond the data and SQLite's own
locks, so the two do not interfere. On other systems an empty database beside the
league is locked; it stays there.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

import apsw

from arena.league.store.errors import LeagueBusy, clear_system_errors

with suppress(ImportError):  # not everywhere; used on Linux only
    import fcntl

_BYTE = 1 << 62
"""The byte of the file that is locked."""

_unused: set[int] = set()
"""Unlocked handles that cannot be closed yet."""


def take_lock(path: Path) -> FileLock | DatabaseLock:
    """Makes this process the only writer of an existing file, until `release` or its end.

    Raises LeagueBusy if another process, or this one, writes it already; LeagueNotWritable.
    """
    return FileLock(path) if sys.platform == "linux" else DatabaseLock(path)


class FileLock:
    """The lock on the file itself; see `take_lock`."""

    def __init__(self, path: Path) -> None:
        with clear_system_errors(path):
            self._handle: int | None = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            _set(self._handle, path)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Lets others write; may be called again."""
        if self._handle is not None:
            _put_away(self._handle)
            self._handle = None


class DatabaseLock:
    """The lock of an empty database beside the file; see `take_lock`."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(f"{path}-lock")
        try:
            self._db.pragma("journal_mode", "memory")  # so it needs only one file
            self._db.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError:
            self._db.close()
            raise _busy(path) from None
        except BaseException:
            self._db.close()
            raise

    def release(self) -> None:
        """Lets others write; may be called again."""
        self._db.close()


def _busy(path: Path) -> LeagueBusy:
    return LeagueBusy(
        f"{path} is being written by another process; wait for it, stop it, or use another file"
    )


def _set(handle: int, path: Path) -> None:
    """Locks the file; raises LeagueBusy if another handle has done so."""
    try:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK))
    except BlockingIOError:
        raise _busy(path) from None


def _put_away(handle: int) -> None:
    """Unlocks the file, and closes the handles that may be closed.

    Closing any handle of a file releases all locks that SQLite holds on it in this
    process. So a handle stays open while other handles of the same file are open.
    """
    fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _request(fcntl.F_UNLCK))
    _unused.add(handle)
    in_use = set()
    for name in os.listdir("/proc/self/fd"):
        if (other := int(name)) not in _unused:
            with suppress(OSError):  # the handle of the listing itself
                in_use.add(_file_of(os.fstat(other)))
    for idle in [idle for idle in _unused if _file_of(os.fstat(idle)) not in in_use]:
        _unused.remove(idle)
        os.close(idle)


def _request(kind: int) -> bytes:
    """The system's `struct flock` for `_BYTE`."""
    return struct.pack("hhqqi", kind, os.SEEK_SET, _BYTE, 1, 0)


def _file_of(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
