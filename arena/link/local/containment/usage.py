"""Measures the usage of a bot's processes together, for which the system has no limit."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.link.local.containment.activity import threads_below
from arena.link.local.containment.namespaces import SCRATCH
from arena.link.local.containment.restrictions import Restrictions

_BLOCK = 512  # bytes, the unit of st_blocks
_KIB = 1 << 10
_DEEPEST = 100  # nested folders
_PIPE = 1 << 16  # bytes in a full pipe
_SEND_BUFFER = 212_992  # unread bytes in a full socket, if the system does not say how many
_MAPS = 1 << 23  # bytes that are read of a process's list of mapped files

# A deleted file in that list: the range, its beginning in the file, the file's device and number.
# A "deleted /dev/zero" is shared memory, which is counted as such.
_DELETED = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) (\S+ [1-9][0-9]*) +(?!/dev/zero )\S.* \(deleted\)$",
    re.MULTILINE,
)


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
        self.memory = 0
        self._socket = 2 * _send_buffer()  # a message that begins below the limit may exceed it
        self._sending: set[str] = set()  # the sockets that held open files

    @property
    def is_unsure(self) -> bool:
        """Whether the next measurement is needed to tell, as open files are in a socket."""
        return bool(self._sending)

    def excess(self) -> str | None:
        """What the bot uses too much of now, for people; None if nothing."""
        try:
            self._look()
        except _TooMuch as problem:
            return str(problem)
        return None

    def _look(self) -> None:
        limits = self._limits
        processes = list(threads_below(self._supervisor))
        if len(processes) > limits.processes:
            raise _TooMuch(f"it is {len(processes)} processes, and {limits.processes} are allowed")
        threads = memory = 0
        for process in processes:
            status = _status(process)
            threads += status.get(b"Threads:", 0)
            memory += _memory(status)
        if threads > limits.threads:
            raise _TooMuch(f"it has {threads} threads, and {limits.threads} are allowed")
        buffers, deleted = self._open(processes)
        memory += buffers
        self.memory = memory
        if memory > limits.memory:
            raise _TooMuch(
                f"it uses {memory // _KIB:,} KiB of memory, and {limits.memory // _KIB:,} are allowed"
            )
        files, disk = _in_scratch(processes) if limits.isolated else 0, sum(deleted.values())
        for folder in limits.writable:
            for size in _written(folder):
                files, disk = files + 1, disk + size
                if files > limits.files:
                    break
        if files > limits.files:
            raise _TooMuch(f"it keeps more than {limits.files:,} files")
        if disk > limits.disk:
            raise _TooMuch(f"it keeps {disk // _KIB:,} KiB in files, and {limits.disk // _KIB:,} are allowed")

    def _open(self, processes: list[int]) -> tuple[int, dict[str, int]]:
        """The bytes that may wait in the processes' sockets and pipes.

        And the sizes of the files that are deleted but still open or mapped.
        """
        ways: dict[str, int] = {}
        deleted: dict[str, int] = {}
        sending = set()
        for process in processes:
            for name in self._descriptors(process):
                path = f"/proc/{process}/fd/{name}"
                with contextlib.suppress(OSError):
                    leads_to = os.readlink(path)
                    if leads_to.startswith("pipe:"):
                        ways[leads_to] = _PIPE
                    elif leads_to.startswith("socket:"):
                        ways[leads_to] = self._socket
                        if _descriptors_under_way(process, name):
                            sending.add(leads_to)
                    elif leads_to.endswith(" (deleted)"):
                        identity, size = _file(path)
                        deleted[identity] = size
            for identity, size in _mapped(process):
                deleted[identity] = max(size, deleted.get(identity, 0))
        if sending & self._sending:
            raise _TooMuch("it hides open files in a socket")
        self._sending = sending
        return sum(ways.values()), deleted

    def _descriptors(self, process: int) -> list[str]:
        """The numbers of a process's open files; none if it has ended."""
        try:
            return os.listdir(f"/proc/{process}/fd")
        except PermissionError:
            # It has ended but for its exit code; or its program is executable but unreadable, which hides it.
            if b"VmSize:" in _status(process) and not self._limits.uid:
                raise _TooMuch("it hides what it has open: its program must be readable") from None
        except OSError:
            pass
        return []


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
    return sum(_memory(_status(each)) for each in threads_below(process))


def _memory(status: dict[bytes, int]) -> int:
    """The memory of a process in bytes, without what it shares with files, from its numbers in /proc."""
    return _KIB * sum(status.get(name, 0) for name in (b"RssAnon:", b"RssShmem:", b"VmPTE:"))


def _send_buffer() -> int:
    with contextlib.suppress(OSError), open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:
        return int(file.read())
    return _SEND_BUFFER


def _status(process: int) -> dict[bytes, int]:
    """A process's numbers in /proc, by their names; none if it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status", "rb") as status:
        lines = [line.split() for line in status.read().splitlines()]
        return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}
    return {}


def _descriptors_under_way(process: int, name: str) -> bool:
    """Whether a socket holds open files that were sent and not yet received."""
    with open(f"/proc/{process}/fdinfo/{name}", "rb") as file:
        return bool(re.search(rb"^scm_fds:\s*[1-9]", file.read(), re.MULTILINE))


def _file(path: str) -> tuple[str, int]:
    """A file's device and number, as in the list of mapped files, and its size. Raises OSError."""
    status = os.stat(path)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    return f"{device} {status.st_ino}", status.st_blocks * _BLOCK


def _mapped(process: int) -> Iterator[tuple[str, int]]:
    """The deleted files that a process has mapped, and their sizes as far as this user may know."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{process}/maps", "rb") as file:
            maps = file.read(_MAPS)
        for begin, end, start, identity in _DELETED.findall(maps):
            try:  # as root
                yield _file(f"/proc/{process}/map_files/{int(begin, 16):x}-{int(end, 16):x}")
            except OSError:
                yield identity.decode(), int(start, 16) + int(end, 16) - int(begin, 16)


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
