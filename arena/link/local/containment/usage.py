"""Measures the usage of a bot's processes together, for which the system has no limit."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from arena.link.local.containment.activity import threads_below
from arena.link.local.containment.held import Held, Hidden, held, memory_of
from arena.link.local.containment.namespaces import SCRATCH
from arena.link.local.containment.restrictions import Restrictions

_BLOCK = 512  # bytes, the unit of st_blocks
_KIB = 1 << 10
_LITTLE = 1 << 22  # bytes: who keeps no more does not fill a disk
_DEEPEST = 100  # nested folders
_ENTRIES = 10_000  # of epoll sets, which the system limits for all programs of a user together, and locks


class _TooMuch(Exception):
    """The bot uses too much of something, which the text names."""


def missing() -> list[str]:
    """The counters that this system does not offer, for people."""
    if os.path.exists(f"/proc/self/task/{threading.get_native_id()}/children"):
        return []
    return ["a list of a process's children (kernels with CONFIG_PROC_CHILDREN have it)"]


class Usage:
    """Compares a bot's usage with its limits, again and again.

    Args:
        limits: the limits.
        supervisor: the process from which all the bot's processes descend.

    Attributes:
        memory: the memory of the bot at the last look, in bytes, as it is compared with the limit.
    """

    def __init__(self, limits: Restrictions, supervisor: int) -> None:
        self._limits = limits
        self._supervisor = supervisor
        self._folders = [path for path in limits.writable if os.path.isdir(path) or not os.path.exists(path)]
        self.memory = 0
        self._sends = False  # whether sockets held open files

    @property
    def is_unsure(self) -> bool:
        """Whether only another measurement can tell the usage, because a socket held open files."""
        return self._sends

    def excess(self) -> str | None:
        """What the bot uses too much of now, for people; None if nothing."""
        try:
            self._look()
        except (_TooMuch, Hidden) as problem:
            return str(problem)
        return None

    def _look(self) -> None:
        limits = self._limits
        processes = list(threads_below(self._supervisor))
        if len(processes) > limits.processes:
            raise _TooMuch(f"it is {len(processes)} processes, and {limits.processes} are allowed")
        locks = limits.locks or limits.building
        every = (held(process, bool(limits.uid), locks) for process in processes)
        found = [each for each in every if each is not None]
        threads = sum(each.threads for each in found)
        if threads > limits.threads:
            raise _TooMuch(f"it has {threads} threads, and {limits.threads} are allowed")
        self.memory = memory = _memory(found)
        if memory > limits.memory:
            raise _TooMuch(
                f"it uses {memory // _KIB:,} KiB of memory, and {limits.memory // _KIB:,} are allowed"
            )
        entries = sum(each.entries for each in found)
        if entries > _ENTRIES:
            what = "its epoll sets and locks have"
            raise _TooMuch(f"{what} {entries:,} entries, and {_ENTRIES:,} are allowed")
        sent, self._sends = self._sends, any(each.sends for each in found)
        if sent and self._sends:
            raise _TooMuch("it hides open files in a socket")
        unlinked = sum(_largest(each.deleted for each in found).values())
        files, disk = _in_scratch(processes) if limits.isolated else 0, unlinked
        for folder in self._folders:
            kept = unlinked
            for size in _written(folder):
                files, disk, kept = files + 1, disk + size, kept + size
                if files > limits.files:
                    break
            left = _left(folder)
            if kept > max(left, _LITTLE) and not limits.building:
                raise _TooMuch(f"it keeps {kept // _KIB:,} KiB on a disk with only {left // _KIB:,} KiB left")
        if files > limits.files:
            raise _TooMuch(f"it keeps more than {limits.files:,} files")
        if disk > limits.disk:
            raise _TooMuch(f"it keeps {disk // _KIB:,} KiB in files, and {limits.disk // _KIB:,} are allowed")


def _left(folder: str) -> int:
    """How many bytes are free on the disk of a folder; very many for what is no folder, or is gone."""
    with contextlib.suppress(OSError):
        if os.path.isdir(folder):
            told = os.statvfs(folder)
            return told.f_bavail * told.f_frsize
    return sys.maxsize


class Peak:
    """The most memory that a bot has used, in a file beside its log: for the bot's author.

    The file has two numbers: the bytes, and the limit, which is 0 for none. It outlives this process.

    Args:
        log: the bot's log.
        limit: its limit in bytes; 0 for none.
    """

    def __init__(self, log: Path, limit: int) -> None:
        self._file, self._limit = log.with_suffix(".memory"), limit
        self._most = 0
        with contextlib.suppress(OSError, ValueError, IndexError):
            self._most = int(self._file.read_text(encoding="ascii").split()[0])

    def saw(self, memory: int) -> None:
        """Tells how much memory the bot uses now, in bytes."""
        if memory > self._most:
            self._most = memory
            with contextlib.suppress(OSError):
                self._file.write_text(f"{memory} {self._limit}\n", encoding="ascii")


def memory_below(process: int) -> int:
    """The memory of a process's descendants together, in bytes; 0 where the system has no /proc."""
    return sum(map(memory_of, threads_below(process)))


def _memory(processes: Iterable[Held]) -> int:
    """The memory of some processes in bytes, with all that may wait in their sockets and pipes.

    Memory that they share may be in no process's tables, and be mapped without being used. So the larger
    number counts.
    """
    processes = list(processes)
    own = sum(each.memory for each in processes)
    shared = max(
        sum(each.shared for each in processes), sum(_largest(each.segments for each in processes).values())
    )
    return own + shared + sum(_largest(each.ways for each in processes).values())


def _largest(sizes: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The size of each object, the largest where several processes tell it."""
    found: dict[str, int] = {}
    for each in sizes:
        for name, size in each.items():
            found[name] = max(size, found.get(name, 0))
    return found


def _in_scratch(processes: Iterable[int]) -> int:
    """How many files the processes keep in `SCRATCH`, whose mount limits only their size."""
    for process in processes:
        with contextlib.suppress(OSError):
            scratch = f"/proc/{process}/root{SCRATCH}"
            if os.stat(scratch).st_dev != os.stat(SCRATCH).st_dev:  # not if this process is inside itself
                status = os.statvfs(scratch)
                return status.f_files - status.f_ffree
    return 0


def _written(name: str, parent: int | None = None, depth: int = 1) -> Iterator[int]:
    """The sizes of all files in a folder, in bytes; read by descriptors, because a path may be too long."""
    if depth > _DEEPEST:
        raise _TooMuch(f"it keeps folders more than {_DEEPEST} deep")
    with contextlib.suppress(OSError):  # it is gone
        folder = _opened(name, parent)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        yield status.st_blocks * _BLOCK
                        if stat.S_ISDIR(status.st_mode):
                            yield from _written(entry.name, folder, depth + 1)
        finally:
            os.close(folder)


def _opened(name: str, parent: int | None) -> int:
    """A folder's descriptor, even if its owner may not read it. Raises OSError."""
    place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    path = f"/proc/self/fd/{place}"
    try:
        mode = os.fstat(place).st_mode
        if mode & 0o500 != 0o500:
            os.chmod(path, stat.S_IMODE(mode) | 0o700)
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(place)
