"""What one process holds: its memory, and all that it keeps open or mapped, as /proc tells it.

A process is read by one of its threads that runs. Its first thread may have ended before the others, and
then the process's own files in /proc say nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
from functools import cache
from typing import NamedTuple

_KIB = 1 << 10
_BLOCK = 512  # bytes, the unit of st_blocks
_PIPE = 1 << 16  # bytes in a full pipe
_SEND_BUFFER = 212_992  # unread bytes in a full socket, if the system does not say how many
_DESCRIPTOR = 1 << 10  # bytes of the system's for an open file
_PROC_FILE = 1 << 20  # bytes that the system may keep of a file of /proc while it is open
_MAPPING = 2 << 10  # bytes of the system's for a mapping, with what leads to it from 24 processes
_ENTRY_BYTES = 256  # bytes of the system's for an entry of an epoll set, or a lock
_MAPS = 1 << 23  # bytes that are read of a process's list of mapped files
_TRIES = 50  # to read a process before its thread ends
_EXITING = 0x4  # a flag of a thread that runs no program any more

# Its own memory, and the system's tables for it; and memory that it shares with other processes.
_OWN = (b"RssAnon:", b"VmSwap:", b"HugetlbPages:", b"VmPTE:")
_SHARED = b"RssShmem:"

# A deleted file's line in that list: the range, its beginning in the file, the file's device and number, its
# name. Most lines are of other files: to look at their ends takes a tenth of the time.
_DELETED = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) (\S+ [1-9][0-9]*) +(\S.*) \(deleted\)")
_IS_DELETED = b" (deleted)"
_UNDER_WAY = re.compile(rb"^scm_fds:\s*[1-9]", re.MULTILINE)  # open files that were sent and not received
_ENTRY = re.compile(rb"^tfd:", re.MULTILINE)  # of an epoll set
_LOCK = re.compile(rb"^lock:", re.MULTILINE)
_EPOLL = "anon_inode:[eventpoll]"
_NO_FILE = b"/dev/zero"  # so the system calls memory that processes share


class Hidden(Exception):
    """A process hides what it holds; the text says how, for people."""


class Held(NamedTuple):
    """What one process holds.

    Attributes:
        threads: how many threads it has.
        memory: its own memory, with the system's tables for it and for what it has open and mapped, in bytes.
        shared: the memory in its tables that it shares with other processes, in bytes.
        segments: the shared memory that it has mapped, in its tables or not: the bytes of each segment.
        ways: the bytes that may wait in each of its sockets and pipes.
        deleted: the sizes of the deleted files that it has open or mapped, that are its program, or where
            it is.
        entries: how many entries its epoll sets have, and how many locks it has on its open files.
        sends: whether a socket of it holds open files.
    """

    threads: int
    memory: int
    shared: int
    segments: dict[str, int]
    ways: dict[str, int]
    deleted: dict[str, int]
    entries: int
    sends: bool


def held(process: int, other_user: bool, locks: bool) -> Held | None:
    """What a process holds now; None if it has ended.

    Args:
        process: its id.
        other_user: whether it is another user's, whose open files this process may be forbidden to read.
        locks: whether it may lock files.

    Raises Hidden.
    """
    for _ in range(_TRIES):
        if place := running_thread(process):
            found = _read(place, other_user, locks)
            if b"VmRSS:" in numbers(place):  # so it had not ended before all was read
                return found
        elif all(map(_is_ending, _threads(process))):
            return None
    raise Hidden("it hides what it uses: its threads end too fast")


def memory_of(process: int) -> int:
    """A process's memory in bytes, without what it shares with files; 0 if it has ended."""
    place = running_thread(process)
    status = numbers(place) if place else {}
    return _own(status) + _KIB * status.get(_SHARED, 0)


def running_thread(process: int) -> str | None:
    """The folder in /proc of a thread of a process, which runs; None if none does."""
    return next((place for place in _threads(process) if b"VmRSS:" in numbers(place)), None)


def numbers(place: str) -> dict[bytes, int]:
    """The numbers of a thread in its folder in /proc, by their names; none if it has ended."""
    with contextlib.suppress(OSError), open(f"{place}/status", "rb") as status:
        lines = [line.split() for line in status.read().splitlines()]
        return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}
    return {}


def _threads(process: int) -> list[str]:
    """The folders of a process's threads in /proc, the first thread's first."""
    place = f"/proc/{process}/task"
    with contextlib.suppress(OSError):
        return [f"{place}/{thread}" for thread in os.listdir(place)]
    return []


def _is_ending(place: str) -> bool:
    """Whether a thread is there but runs no program any more."""
    with contextlib.suppress(OSError), open(f"{place}/stat", "rb") as file:
        state, *rest = file.read().rpartition(b")")[2].split()
        return state in b"ZX" or bool(int(rest[5]) & _EXITING)
    return False


def _own(status: dict[bytes, int]) -> int:
    return _KIB * sum(status.get(name, 0) for name in _OWN)


def _read(place: str, other_user: bool, locks: bool) -> Held:
    """What a thread's process holds, as far as the thread does not end meanwhile."""
    status = numbers(place)
    segments, deleted, mappings = _mapped(place)
    ways: dict[str, int] = {}
    names = [f"fd/{name}" for name in _descriptors(place, other_user)]
    memory = _own(status) + _MAPPING * mappings + _DESCRIPTOR * len(names)
    entries, sends = 0, False
    for name in (*names, "cwd", "exe"):
        path, about = f"{place}/{name}", f"{place}/fdinfo/{name[3:]}"
        with contextlib.suppress(OSError):
            leads_to = os.readlink(path)
            if leads_to.startswith("pipe:"):
                ways[leads_to] = _PIPE
            elif leads_to.startswith("socket:"):
                ways[leads_to] = _socket_bytes()
                sends = sends or _found(_UNDER_WAY, about) > 0
            elif leads_to == _EPOLL:
                entries += _found(_ENTRY, about)
            elif leads_to.endswith(" (deleted)"):
                identity, size = _file(path)
                deleted[identity] = size
            elif leads_to.startswith("/proc/"):
                memory += _PROC_FILE
            if locks and leads_to.startswith("/"):
                entries += _found(_LOCK, about)
    memory += _ENTRY_BYTES * entries
    shared = _KIB * status.get(_SHARED, 0)
    return Held(status.get(b"Threads:", 0), memory, shared, segments, ways, deleted, entries, sends)


def _descriptors(place: str, other_user: bool) -> list[str]:
    """The numbers of the open files; none if the thread has ended. Raises Hidden."""
    try:
        return os.listdir(f"{place}/fd")
    except PermissionError:
        # It has ended but for its exit code; or its program is executable but unreadable, which hides it.
        if b"VmRSS:" in numbers(place) and not other_user:
            raise Hidden("it hides what it has open: its program must be readable") from None
    except OSError:
        pass
    return []


@cache
def _socket_bytes() -> int:
    """The most bytes that wait in a socket: a message that begins below the limit may exceed it."""
    with contextlib.suppress(OSError), open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:
        return 2 * int(file.read())
    return 2 * _SEND_BUFFER


def _found(line: re.Pattern[bytes], path: str) -> int:
    """How many such lines a file of /proc has. Raises OSError."""
    with open(path, "rb") as file:
        return len(line.findall(file.read()))


def _file(path: str) -> tuple[str, int]:
    """A file's device and number, as in the list of mapped files, and its size. Raises OSError."""
    status = os.stat(path)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    return f"{device} {status.st_ino}", status.st_blocks * _BLOCK


def _mapped(place: str) -> tuple[dict[str, int], dict[str, int], int]:
    """The segments of shared memory, and the deleted files, that a thread has mapped: the bytes of each.

    And how many mappings it has.

    An ordinary user is not told them: then they are as large as what is mapped of them. Raises Hidden.
    """
    segments: dict[str, int] = {}
    deleted: dict[str, int] = {}
    maps = b""
    with contextlib.suppress(OSError), open(f"{place}/maps", "rb") as file:
        maps = file.read(_MAPS)
    if len(maps) == _MAPS:
        raise Hidden("it hides what it has mapped: the list of that is too long to be read")
    for line in maps.split(b"\n"):
        if not line.endswith(_IS_DELETED) or not (told := _DELETED.fullmatch(line)):
            continue
        begin, end, start, identity, name = told.groups()
        try:  # as root
            found, size = _file(
                f"/proc/{os.path.basename(place)}/map_files/{int(begin, 16):x}-{int(end, 16):x}"
            )
        except OSError:
            found, size = identity.decode(), int(start, 16) + int(end, 16) - int(begin, 16)
        of_kind = segments if name == _NO_FILE else deleted
        of_kind[found] = max(size, of_kind.get(found, 0))
    return segments, deleted, maps.count(b"\n")
