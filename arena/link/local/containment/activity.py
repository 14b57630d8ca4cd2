"""Notices whether a bot may have taken much since its usage was last measured.

To measure a bot's usage (`usage`) takes a millisecond or two, and most bots wait most of the time. What a bot
takes leaves traces that cost next to nothing to read: new processes and threads, processor time, memory, and
disk space that is gone. Without such a trace a bot has taken next to nothing, and is measured again only
after `RARELY`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence

from arena.link.local.containment.held import running_thread

RARELY = 10.0
"""After so many seconds a bot is measured again without a trace: for what leaves none."""

OFTEN, AT_REST = 0.5, 1.0
"""The seconds between two looks for a trace: often, and once `RARELY` has passed without one. A look wakes a
process, which costs more than all that it reads, and the bots of a league may wait for hours."""

SPARE_TIME = 0.01
"""How much processor time leaves no trace, in seconds. In that time a bot can fill some tens of MiB of
buffers of sockets and pipes, or of files in memory; other memory is noticed by itself."""

SPARE_MEMORY = 8 << 20
"""How many bytes of memory leave no trace."""

SPARE_DISK = 16 << 20
"""How many bytes less of free disk space are no trace, as others write there too; fewer if fewer are left."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
_OPEN = 256  # files of /proc that stay open: one for each process, and one for each thread
_CHILDREN = 2000  # bytes of the list of a thread's children
_CPU_CLOCK = 0b010  # of all threads of a process, by the scheduler


class Activity:
    """The traces of a bot's processes.

    Args:
        supervisor: the process from which all the bot's processes descend.
        folders: the folders in which the bot may write.
        now: returns the present time, in seconds.

    Attributes:
        pause: after how many seconds `may_matter` is to be asked again.
    """

    def __init__(
        self, supervisor: int, folders: Sequence[str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._descendants = _Descendants(supervisor)
        self._disks = _opened_disks(folders)
        self._now = now
        self._load = _opened("/proc/loadavg")
        self._memory_files: dict[int, int] = {}  # the open file of a thread of each process
        self._until = 0.0
        self._newest = b""
        self._traces = (0.0, 0, 0)
        self.pause = OFTEN

    def note(self) -> None:
        """Notes how things are; to be called just before the bot's usage is measured."""
        self._until = self._now() + RARELY
        self._newest = self._newest_process()
        try:
            self._descendants.find()
            self._open_memory_files(self._descendants.processes)
            self._traces = self._measured()
        except OSError:
            self._until = 0.0

    @property
    def may_matter(self) -> bool:
        """Whether the bot may have taken much since `note`."""
        left_trace = self._has_left_trace
        rested = self._now() >= self._until
        if left_trace or rested:
            self.pause = OFTEN if left_trace else AT_REST
        return left_trace or rested

    @property
    def _has_left_trace(self) -> bool:
        newest = self._newest_process()
        if newest != self._newest or not newest:
            if not self._descendants.are_the_same:
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

    def _open_memory_files(self, processes: Sequence[int]) -> None:
        """Opens a file that tells the memory of each process that runs, and closes those of others."""
        for process, file in [*self._memory_files.items()]:
            if process not in processes or not _pages(file):
                os.close(self._memory_files.pop(process))
        for process in processes:
            if process not in self._memory_files and (place := running_thread(process)):
                self._memory_files[process] = os.open(f"{place}/statm", os.O_RDONLY)

    def _newest_process(self) -> bytes:
        """The last id of a process or thread that the system gave to anybody; empty if it does not tell."""
        return b"" if self._load is None else os.pread(self._load, 128, 0).rpartition(b" ")[2]

    def _measured(self) -> tuple[float, int, int]:
        """The processor time of the bot's processes, their memory, and the free space where it may write.

        Raises OSError if one of them cannot be told.
        """
        used, memory, free = 0.0, 0, 0
        for process in self._descendants.processes:
            used += time.clock_gettime(~process << 3 | _CPU_CLOCK)
        for file in self._memory_files.values():
            pages = _pages(file)
            if not pages:
                raise ProcessLookupError("the thread that told it has ended")
            memory += pages
        for disk in self._disks:
            status = os.fstatvfs(disk)
            free += status.f_bavail * status.f_frsize
        return used, memory * _PAGE, free


class _Descendants:
    """The descendants of a process, and whether they and their threads are still the same.

    Files of /proc stay open for that: to open one takes several times as long as to read it.

    Args:
        ancestor: the process.

    Attributes:
        processes: those that were found last.
    """

    def __init__(self, ancestor: int) -> None:
        self._ancestor = ancestor
        self.processes: list[int] = []
        self._threads: dict[int, list[str]] = {}  # by the open folder of a process's threads
        self._children: dict[int, bytes] = {}  # by the open file that tells a thread's children

    def find(self) -> None:
        """Finds them. Raises OSError if they are too many to be remembered, or one ends meanwhile."""
        for file in (*self._threads, *self._children):
            os.close(file)
        self._threads, self._children = {}, {}
        found = [self._ancestor]
        for process in found:  # which grows
            folder = os.open(f"/proc/{process}/task", os.O_RDONLY)
            self._threads[folder] = []
            self._threads[folder] = os.listdir(folder)
            for thread in self._threads[folder]:
                file = os.open(f"{thread}/children", os.O_RDONLY, dir_fd=folder)
                self._children[file] = children = os.pread(file, _CHILDREN, 0)
                if len(children) == _CHILDREN or len(self._threads) + len(self._children) >= _OPEN:
                    raise OSError(errno.EMFILE, "there are too many")
                found += map(int, children.split())
        self.processes = found[1:]

    @property
    def are_the_same(self) -> bool:
        """Whether they and their threads are those that were found last."""
        try:
            return all(os.listdir(folder) == threads for folder, threads in self._threads.items()) and all(
                os.pread(file, _CHILDREN, 0) == children for file, children in self._children.items()
            )
        except OSError:
            return False


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


def _opened_disks(folders: Sequence[str]) -> list[int]:
    """An open folder of each file system in which some folders are."""
    found: dict[int, int] = {}
    for folder in folders:
        with contextlib.suppress(OSError):  # it is not there yet, and is measured with the others
            if os.path.isdir(folder) and (device := os.stat(folder).st_dev) not in found:
                found[device] = os.open(folder, os.O_PATH)
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
