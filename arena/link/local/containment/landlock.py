"""Landlock: a process gives up, for itself and all it starts, what it does not need.

See landlock(7) and the kernel's Documentation/userspace-api/landlock.rst. It
takes no privileges; what it can do depends on the kernel (its ABI version).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
from collections.abc import Iterable

from arena.link.local.containment.linux import fail, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on all processors
_VERSION = 1  # the flag that asks for the ABI version
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_OF_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_MAKE_DEVICES = 1 << 6 | 1 << 11  # character and block devices

_TCP = 1 << 0 | 1 << 1  # bind and connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets and signals

# What each ABI version brought that containment wants, as a sentence goes on that it is missing.
_BROUGHT = {
    1: "a wall around files (Linux 5.13 has it)",
    3: "a wall against shortening others' files (Linux 6.2 has it)",
    4: "a wall around TCP (Linux 6.7 has it)",
    6: "a wall around signals and abstract sockets (Linux 6.12 has it)",
}


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def abi() -> int:
    """The version of Landlock that the running kernel offers, 0 where it has none."""
    return max(0, syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)))


def missing() -> list[str]:
    """What the running kernel does not offer of what containment wants, for people."""
    offered = abi()
    return [what for version, what in _BROUGHT.items() if version > offered]


def restrict(readable: Iterable[str], writable: Iterable[str], network: bool) -> None:
    """Lets this process, for ever, read only some files and write fewer; after no-new-privileges.

    Args:
        readable: files and folders that it may read, and run programs in; what is not there is left out.
        writable: files and folders in which it may do all but make devices.
        network: whether it may bind and connect TCP.

    Where the kernel has no Landlock, nothing. Raises OSError.
    """
    offered = abi()
    if not offered:
        return
    files = _ALL_OF_ABI_1
    files |= (_REFER if offered >= 2 else 0) | (_TRUNCATE if offered >= 3 else 0)
    files |= _IOCTL_DEV if offered >= 5 else 0
    ruleset = _Ruleset(files, 0 if network or offered < 4 else _TCP, _SCOPES if offered >= 6 else 0)
    size = 8 if offered < 4 else 16 if offered < 6 else 24
    descriptor = syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if descriptor < 0:
        fail("landlock_create_ruleset")
    try:
        for path in readable:
            _allow(descriptor, path, _READ & files, os.O_PATH)
        for path in writable:
            # A link at its end leads where whoever made it wants.
            _allow(descriptor, path, files & ~_MAKE_DEVICES, os.O_PATH | os.O_NOFOLLOW)
        if syscall(_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0)) != 0:
            fail("landlock_restrict_self")
    finally:
        os.close(descriptor)


def _allow(ruleset: int, path: str, access: int, how: int) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        parent = os.open(path, how | os.O_CLOEXEC)
        try:
            if stat.S_ISLNK(os.fstat(parent).st_mode):
                return
            if not stat.S_ISDIR(os.fstat(parent).st_mode):
                access &= _OF_FILES
            rule = _PathBeneath(access, parent)
            if (
                syscall(
                    _ADD_RULE,
                    ctypes.c_int(ruleset),
                    ctypes.c_int(_PATH_BENEATH),
                    ctypes.byref(rule),
                    ctypes.c_uint32(0),
                )
                != 0
            ):
                fail(f"landlock_add_rule for {path}")
        finally:
            os.close(parent)
