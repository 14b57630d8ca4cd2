"""The restrictions of one program: what it may reach and use, and the step that takes them on.

A process that is about to become a bot, or a bot's build, calls `enter`; from
then on the walls hold for it and all that it starts, whatever these do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from typing import NamedTuple

from arena.link.local.containment import build_proxy, landlock, seccomp
from arena.link.local.containment.linux import NO_NEW_PRIVS, fail, prctl, syscall
from arena.link.local.containment.namespaces import SCRATCH

_SET_SECUREBITS, _AMBIENT, _AMBIENT_RAISE, _BOUNDING_DROP = 28, 47, 2, 24
_NO_SETUID_FIXUP = 1 << 2
_OVERRIDE, _READ_SEARCH = 1, 2  # to write, and to read, what belongs to others: the walls say what of it
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES_3 = 0x20080522
_LAST_CAPABILITY = 63

_THREADS = 16  # that each process may have, on average
_FOR_ALL_BOTS = 3072  # threads that all bots of one user may have, or a build
_OPEN_FILES, _OPEN_FILES_OF_A_BUILD = 1024, 4096
_OF_STACKS = 512 << 20  # what the stacks of threads take of a process's data, though they use little of it


class Walls(NamedTuple):
    """What a program may reach and use.

    Attributes:
        readable: files and folders that it may read, and run programs in.
        writable: files and folders in which it may write.
        network: whether it may use the internet's sockets, and dial others.
        memory: how much memory it may use, in bytes.
        disk: how much it may write into `writable`, in bytes.
        files: how many files it may keep there.
        processes: how many processes it may be.
        overrides: whether, with a uid of its own, it may write in `writable` also what belongs to others.
        building: whether it may lock files, and change their modes, owners and times.
        apart: whether it is in namespaces of its own, and in a control group where one can be had.
        processors: how many processors all its processes may use at once, as far as a control group says.
        uid: the user and group that it becomes, which nobody else is; 0 where it stays what it is.
        locks: whether it may lock files.
        gate: the number of the channel to its way out, where its network is its own (`build_proxy`); else -1.
    """

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    network: bool
    memory: int
    disk: int
    files: int
    processes: int
    overrides: bool = False
    building: bool = False
    apart: bool = False
    processors: int = 0
    uid: int = 0
    locks: bool = False
    gate: int = -1

    @property
    def threads(self) -> int:
        """How many threads all its processes may have."""
        return _THREADS * self.processes


def missing() -> list[str]:
    """What this system does not offer of these walls, for people; empty where they are whole."""
    return [*landlock.missing(), *seccomp.missing()]


def enter(walls: Walls) -> None:
    """Steps behind the walls, for ever. For a process without threads. Raises OSError."""
    if walls.gate >= 0:
        build_proxy.go_in(walls.gate, walls.apart)
    _limit(walls)
    prctl(NO_NEW_PRIVS, 1)
    if walls.uid:
        _become(walls.uid, _capabilities(walls))
    writable = (*walls.writable, SCRATCH) if walls.apart else walls.writable
    landlock.restrict(walls.readable, writable, walls.network)
    seccomp.restrict(walls.network, walls.building, walls.locks, walls.apart)


def _limit(walls: Walls) -> None:
    import resource  # here, for there are systems without it, on which authors check their bots

    limits = {
        resource.RLIMIT_DATA: walls.memory + _OF_STACKS,
        resource.RLIMIT_FSIZE: walls.disk,
        resource.RLIMIT_NOFILE: _OPEN_FILES_OF_A_BUILD if walls.building else _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    if walls.uid or walls.apart:
        limits[resource.RLIMIT_NPROC] = walls.threads
    else:  # those of all its user's programs count, which must go on, and other bots begin later
        limits[resource.RLIMIT_NPROC] = _threads_of_user() + _FOR_ALL_BOTS
    for which, value in limits.items():
        most = resource.getrlimit(which)[1]
        if most != resource.RLIM_INFINITY:
            value = min(value, most)
        resource.setrlimit(which, (value, value))


def _threads_of_user() -> int:
    """How many threads this process's user has now."""
    threads = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid():
                threads += len(os.listdir(f"/proc/{name}/task"))
    return threads


def _capabilities(walls: Walls) -> tuple[int, ...]:
    """What another user keeps who may read what this one may, perhaps also write, if Landlock lets it.

    In namespaces of its own there is nothing but what it may read, and it has none to read more.
    """
    if not landlock.abi():
        return ()
    if walls.overrides:
        return _READ_SEARCH, _OVERRIDE
    return () if walls.apart else (_READ_SEARCH,)


def _become(uid: int, keeps: tuple[int, ...]) -> None:
    """Becomes another user, with some capabilities."""
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in keeps:
            with contextlib.suppress(OSError):  # the kernel does not know so many
                prctl(_BOUNDING_DROP, capability)
    prctl(_SET_SECUREBITS, _NO_SETUID_FIXUP)  # or `access` would not count what it keeps, and gcc asks it
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    held = sum(1 << capability for capability in keeps)
    # Of the lower 32 capabilities: effective, permitted, inheritable; then of the upper.
    data = struct.pack("6I", held, held, held, 0, 0, 0)
    header = struct.pack("Ii", _CAPABILITIES_3, 0)
    if syscall(_CAPSET[os.uname().machine], ctypes.c_char_p(header), ctypes.c_char_p(data)) != 0:
        fail("capset")
    for capability in keeps:
        prctl(_AMBIENT, _AMBIENT_RAISE, capability)
