"""A log file of limited length: it keeps the beginning and the end of what is written, and drops the middle.

A log that grows too long is `HEAD` bytes, a line that says how many bytes are left out, and the end. All of
it is in the file at any moment, so nothing is lost if the writer is killed, and the next writer goes on. The
module needs only the standard library, because the supervisor writes logs.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

LOG_LIMIT = 1 << 20
"""The most bytes of a log."""

HEAD = LOG_LIMIT // 4
"""How many bytes a long log keeps of its beginning."""

TAIL = LOG_LIMIT // 4
"""How many bytes a long log keeps of its end, at least."""

_MARK_LENGTH = 70
_MARK = re.compile(rb"\n\[\.+ ([0-9][0-9,]*) bytes are left out here \.+\]\n")
_LINE = 1 << 12
_PART = LOG_LIMIT // 8  # bytes that are written at once


class LogNotWritable(Exception):
    """A log cannot be written; the text is one sentence with the remedy."""


def require_writable(log: Path) -> None:
    """Makes a log if there is none, and its folder. Raises LogNotWritable, unless the disk is full."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.open("ab").close()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return
        raise LogNotWritable(
            f"what the bots print cannot be kept in {log}: {error.strerror}; "
            f"let this user write there, or move {log.parent} away"
        ) from None


class BoundedLog:
    """A log file that is open for writing, at its end.

    If the disk is full, what is written is lost without an error: no bot ends for that.

    Args:
        path: the file, which is made if there is none. Nobody else may write it at the same time.

    Raises OSError if it cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open(path, "r+b", buffering=0, opener=_made)  # noqa: SIM115 - until `close`
        self._left_out = _left_out(self._file)
        self._size = self._file.seek(0, os.SEEK_END)

    def write(self, data: bytes) -> int:
        """Adds bytes at the end; returns how many found room."""
        done = 0
        with suppress(OSError):
            while part := data[done : done + _PART]:
                if self._size + len(part) > LOG_LIMIT:
                    self._shorten()
                done += self._file.write(part)
                self._size = self._file.tell()
        return done

    def _shorten(self) -> None:
        """Drops the middle of the log, up to the end of a line if one is near."""
        self._file.seek(-TAIL, os.SEEK_END)
        end = self._file.read(TAIL)
        end = end[end.find(b"\n", 0, _LINE) + 1 :]
        left_out = self._size - HEAD - len(end) + self._left_out - (_MARK_LENGTH if self._left_out else 0)
        mark = f"\n[{f' {left_out:,} bytes are left out here ':.^{_MARK_LENGTH - 4}}]\n".encode()
        self._file.seek(HEAD)
        self._file.write(mark + end)
        self._size = self._file.truncate()
        self._left_out = left_out

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def written(log: Path) -> int:
    """How many bytes were written to a log in all; 0 if there is no such file."""
    if not log.exists():
        return 0
    with log.open("rb", buffering=0) as file:
        left_out = _left_out(file)
        return file.seek(0, os.SEEK_END) + left_out - (_MARK_LENGTH if left_out else 0)


def end_of(log: Path, most: int) -> str:
    """The end of a log, at most so many bytes of it; empty if it cannot be read."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - most))
        return file.read(most).decode("utf-8", "replace")
    return ""


def _made(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _left_out(file: BinaryIO) -> int:
    """How many bytes the mark in a log says are left out; 0 if there is no mark."""
    file.seek(HEAD)
    mark = _MARK.fullmatch(file.read(_MARK_LENGTH))
    return int(mark[1].replace(b",", b"")) if mark else 0
