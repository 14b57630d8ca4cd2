"""Notices whether a bot may have taken much since its usage was last measured.

To measure a bot's usage (`usage`) takes a millisecond or two, and most bots wait most of the time. What a bot
takes leaves traces that cost next to nothing to read: new processes and threads, processor time, memory, and
disk space that is gone. Without such a trace a bot has taken next to nothing, and is measured again only
after `RARELY`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence

from arena.link.local.containment.held import running_thread

RARELY = 10.0
"""After so many seconds a bot is measured again without a trace: for what leaves none."""

SPARE_TIME = 0.01
"""How much processor time leaves no trace, in seconds. In that time a bot can fill some tens of MiB of
buffers of sockets and pipes, or of files in memory; other memory is noticed by itself."""

SPARE_MEMORY = 8 << 20
"""How many bytes of memory leave no trace."""

SPARE_DISK = 16 << 20
"""How many bytes less of free disk space are no trace, as others write there too; fewer if fewer are left."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
_CPU_CLOCK = 0b010  # of all threads of a process, by the scheduler


class Activity:
    """The traces of a bot's processes.

    Args:
        supervisor: the process from which all the bot's processes descend.
        folders: the folders in which the bot may write.
        now: returns the present time, in seconds.
    """

    def __init__(
        self, supervisor: int, folders: Sequence[str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._supervisor = supervisor
        self._folders = _one_of_each_disk(folders)
        self._now = now
        self._load = _opened("/proc/loadavg")
        self._memory_files: dict[int, int] = {}  # the open file of a thread of each process
        self._until = 0.0
        self._newest = b""
        self._threads: dict[int, int] = {}
        self._traces = (0.0, 0, 0)

    def note(self) -> None:
        """Notes how things are; to be called just before the bot's usage is measured."""
        self._until = self._now() + RARELY
        self._newest = self._newest_process()
        self._threads = threads_below(self._supervisor)
        for process, file in [*self._memory_files.items()]:
            if process not in self._threads or not _pages(file):
                os.close(self._memory_files.pop(process))
        for process in self._threads.keys() - self._memory_files.keys():
            place = running_thread(process)
            if place and (opened := _opened(f"{place}/statm")) is not None:
                self._memory_files[process] = opened
        try:
            self._traces = self._measured()
        except OSError:
            self._until = 0.0

    @property
    def may_matter(self) -> bool:
        """Whether the bot may have taken much since `note`."""
        if self._now() >= self._until:
            return True
        newest = self._newest_process()
        if newest != self._newest or not newest:
            if threads_below(self._supervisor) != self._threads:
                return True
            self._newest = newest
        try:
            used, memory, free = self._measured()
        except OSError:
            return True  # a process has ended, or the system does not tell
        used_before, memory_before, free_before = self._traces
        return (
            used - used_before > SPARE_TIME
            or memory - memory_before > SPARE_MEMORY
            or free_before - free > min(SPARE_DISK, free)
        )

    def _newest_process(self) -> bytes:
        """The last id of a process or thread that the system gave to anybody; empty if it does not tell."""
        return b"" if self._load is None else os.pread(self._load, 128, 0).rpartition(b" ")[2]

    def _measured(self) -> tuple[float, int, int]:
        """The processor time of the bot's processes, their memory, and the free space where it may write.

        Raises OSError if one of them cannot be told.
        """
        used, memory, free = 0.0, 0, 0
        for process in self._threads:
            used += time.clock_gettime(~process << 3 | _CPU_CLOCK)
        for file in self._memory_files.values():
            pages = _pages(file)
            if not pages:
                raise ProcessLookupError("the thread that told it has ended")
            memory += pages
        for folder in self._folders:
            status = os.statvfs(folder)
            free += status.f_bavail * status.f_frsize
        return used, memory * _PAGE, free


def _pages(file: int) -> int:
    """The pages of a process, as an open file of one of its threads tells them; 0 if that has ended."""
    try:
        return int(os.pread(file, 128, 0).split(None, 2)[1])
    except OSError:
        return 0


def threads_below(process: int) -> dict[int, int]:
    """The number of threads of each descendant of a process; see `below`."""
    return dict(below(process))


def below(process: int) -> Iterator[tuple[int, int]]:
    """The descendants of a process and how many threads each has, each before its children are looked for.

    It does not read all processes of the machine, as `supervisor.descendants` does. It may miss descendants
    of a process that ends meanwhile.
    """
    frontier = [process]
    while frontier:
        at = frontier.pop()
        with contextlib.suppress(OSError):  # it has ended
            tasks = os.listdir(f"/proc/{at}/task")
            if at != process:
                yield at, len(tasks)
            for task in tasks:
                frontier += map(int, _content(f"/proc/{at}/task/{task}/children").split())


def _one_of_each_disk(folders: Sequence[str]) -> list[str]:
    """One folder of each file system that some folders are in."""
    found: dict[int, str] = {}
    for folder in folders:
        with contextlib.suppress(OSError):  # it is not there yet, and is measured with the others
            found.setdefault(os.stat(folder).st_dev, folder)
    return [*found.values()]


def _content(path: str) -> bytes:
    """The content of a file of /proc. Raises OSError. (`open` would take twice as long.)"""
    file = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(file, 1 << 16), b""))
    finally:
        os.close(file)


def _opened(path: str) -> int | None:
    """A file's descriptor; None if the system has no such file."""
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None
