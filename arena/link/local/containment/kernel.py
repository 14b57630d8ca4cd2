"""Landlock and seccomp: limits that a process sets on itself and all that it starts, for ever.

Landlock takes away files, TCP and signals (landlock(7), Documentation/userspace-api/landlock.rst). It needs
no privileges. The kernel's ABI version says what it can do.

A system call filter (seccomp(2), Documentation/userspace-api/seccomp_filter.rst) allows the calls that the
runtimes of bots need (`system_calls`), as far as Landlock sees what they do, and refuses all others. It is a
small program for the kernel's classic BPF machine.
A refused call returns an error as if it were not permitted, or did not exist. Libraries that only try such a
call then go on without it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, NoReturn

from arena.link.local.containment.system_calls import ALLOWED, INVALID, OF_BUILDS, UNKNOWN, Numbers

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

NO_NEW_PRIVS = 38
"""The `prctl` option after which no program that this process starts can gain privileges."""

MACHINE = os.uname().machine if sys.platform == "linux" else ""
"""The processor's family, such as x86_64."""


def prctl(option: int, *values: int) -> None:
    """Changes a setting of this process. Raises OSError."""
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if _LIBC is None or _LIBC.prctl(option, *arguments) != 0:
        fail(f"prctl {option}")


def syscall(number: int, *arguments: object) -> int:
    """Makes a system call; returns -1 if it fails."""
    if _LIBC is None:
        return -1
    _LIBC.syscall.restype = ctypes.c_long
    return int(_LIBC.syscall(ctypes.c_long(number), *arguments))


def fail(what: str) -> NoReturn:
    """Raises the OSError of the last system call."""
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


def missing() -> list[str]:
    """The limits that the running kernel does not offer, for people."""
    offered = landlock_abi()
    lacking = [what for version, what in _BROUGHT.items() if version > offered]
    known = MACHINE in _FAMILIES
    return lacking if known else [*lacking, f"a filter for system calls (it is not known for {MACHINE})"]


# --- Landlock ---

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

# The limits that each ABI version brought, as the end of a sentence about what is missing.
_BROUGHT = {
    1: "containment of files (Linux 5.13 has it)",
    3: "containment against shortening others' files (Linux 6.2 has it)",
    4: "containment of TCP (Linux 6.7 has it)",
    6: "containment of signals and abstract sockets (Linux 6.12 has it)",
}


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def landlock_abi() -> int:
    """The running kernel's version of Landlock, 0 if it has none."""
    return max(0, syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)))


def restrict_files(readable: Iterable[str], writable: Iterable[str], network: bool) -> None:
    """Lets this process, for ever, read only some files and write fewer; after no-new-privileges.

    Args:
        readable: files and folders that it may read, and run programs in; missing ones are left out.
        writable: files and folders in which it may do all but make devices.
        network: whether it may bind and connect TCP.

    Does nothing if the kernel has no Landlock. Raises OSError.
    """
    offered = landlock_abi()
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
            _allow_path(descriptor, path, _READ & files, os.O_PATH)
        for path in writable:
            # A link at its end may lead anywhere.
            _allow_path(descriptor, path, files & ~_MAKE_DEVICES, os.O_PATH | os.O_NOFOLLOW)
        if syscall(_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0)) != 0:
            fail("landlock_restrict_self")
    finally:
        os.close(descriptor)


def _allow_path(ruleset: int, path: str, access: int, how: int) -> None:
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


# --- The filter for system calls ---

_SET_SECCOMP, _FILTER = 22, 2  # for prctl

# struct seccomp_data: the number at 0, the processor's family at 4, six arguments of 8 bytes from 16 on.
_NUMBER, _FAMILY = 0, 4

# Instructions of classic BPF: load a word, compare, end.
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_GREATER_OR_EQUAL, _IF_ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000

_NEW_NAMESPACES = 0x7E020080  # the bits of clone's flags that make any
_UNIX, _IPV4, _IPV6, _NETLINK = 1, 2, 10, 16
_ROUTING = 0  # the protocol of NETLINK that tells which addresses there are
_STREAM, _SEQUENCED = 1, 5
_SOCKET_KIND = 0xF  # without the flags beside it
_OF_SOCKETS, _SEND_BUFFER = 1, 7  # a level and an option of setsockopt
_SOCKET_FILTERS = (26, 50, 51, 52)  # options that give a socket a program, which nobody counts
_THREAD, _ITS_FILES = 1 << 16, 1 << 10 | 1 << 9  # bits of clone's flags
_APART = (_THREAD, _THREAD | 1 << 10, _THREAD | 1 << 9)  # a thread with open files, or a folder, of its own
_ON_EXEC = 4  # a flag of close_range; another one gives a thread open files of its own

# Options of prctl that a program may use: signals at its parent's end, names, children of children,
# privileges that it gives up, timers, large pages, and what its processor can do. The others hide it from the
# processes that measure its usage, or make objects of the system that nobody counts, such as filters.
_OPTIONS = (
    1, 2, 3, 7, 8, 15, 16, 21, 23, 27, 29, 30, 36, 37, 38, 39, 40, 41, 42, 45, 46, 50, 51, 52, 53, 54, 55, 56,
    60, 61, 63, 64, 65, 66, 0x53564D41,
)  # fmt: skip
_SET_DUMPABLE = 4

# Commands of fcntl: the locks, and the others that a bot needs. The rest reserve a file, tell what others do
# with it, make a pipe larger, or lock for an open file, which may be mapped alone and then tells its locks to
# nobody.
_LOCKS = (5, 6, 7)
_COMMANDS = (0, 1, 2, 3, 4, 8, 9, 10, 11, 15, 16, 1027, 1030, 1032)
_SET_PIPE_SIZE = 1031

# Kinds of ioctl that change a file's attributes, or a file system, by the second byte of their number.
_OF_FILE_SYSTEMS = (ord("f"), ord("v"), ord("X"), 0x94)


class _Family(NamedTuple):
    """A family of processors: its number in filters, its column in the tables, its last own call."""

    number: int
    column: int
    last: int


_FAMILIES = {"x86_64": _Family(0xC000003E, 0, 334), "aarch64": _Family(0xC00000B7, 1, 294)}

# The calls that have the same number in all families: the first, and the last that this filter knows.
# A bot does not have the later ones.
_FIRST_COMMON, _LAST_KNOWN = 424, 466


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_ushort),
        ("then", ctypes.c_ubyte),
        ("otherwise", ctypes.c_ubyte),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction))]


_Step = tuple[int, int, int, int]


def filter_system_calls(network: bool, building: bool, locks: bool, isolated: bool) -> None:
    """Filters this process's system calls, for ever; after no-new-privileges. Raises OSError.

    Does nothing if the machine's processor is not known.

    Args:
        network: whether the internet's sockets may be used, and services of this machine dialled.
        building: whether files may be locked, and get another mode, owner and time.
        locks: whether files may be locked.
        isolated: whether a build sees only its own Unix sockets; else it may make none.
    """
    if MACHINE in _FAMILIES:
        steps = list(_steps(_FAMILIES[MACHINE], network, building, locks, isolated))
        instructions = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
        argument = _Program(len(steps), ctypes.cast(instructions, ctypes.POINTER(_Instruction)))
        prctl(_SET_SECCOMP, _FILTER, ctypes.addressof(argument))


def _steps(family: _Family, network: bool, building: bool, locks: bool, isolated: bool) -> Iterator[_Step]:
    yield _load(_FAMILY)
    yield _IF_EQUAL, 1, 0, family.number
    yield _RETURN, 0, 0, _KILL  # a program for another processor, whose numbers mean other calls
    yield _load(_NUMBER)
    yield _IF_GREATER_OR_EQUAL, 0, 3, family.last + 1
    yield _IF_GREATER_OR_EQUAL, 0, 1, _FIRST_COMMON
    yield _IF_GREATER_OR_EQUAL, 0, 1, _LAST_KNOWN + 1
    yield _refuse(errno.ENOSYS)
    for calls, error in ((INVALID, errno.EINVAL), (UNKNOWN, errno.ENOSYS)):
        yield from _every(family, calls, _refuse(error))
    namespaces = [_argument(0), (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM)]
    apart = [(_AND, 0, 0, _THREAD | _ITS_FILES), *_cases(_APART, errno.EINVAL)]
    yield from _at(family, "clone", [*namespaces, *apart])
    yield from _at(family, "close_range", [_argument(2), *_cases((0, _ON_EXEC), None), _refuse(errno.EINVAL)])
    for call in ("prlimit64", "sched_setaffinity"):  # of this process, not of others
        yield from _at(family, call, [_argument(0), (_IF_EQUAL, 1, 0, 0), _refuse(errno.EPERM)])
    own = [_argument(0), (_IF_EQUAL, 0, 2, 0), _argument(1), (_IF_EQUAL, 1, 0, 0), _refuse(errno.EPERM)]
    yield from _at(family, "setpriority", own)
    if not building:
        yield from _of_a_bot(family, locks)
    elif not isolated:  # other programs' sockets are in reach, which Landlock does not see
        own = [_argument(0), (_IF_EQUAL, 0, 1, _UNIX), _refuse(errno.EAFNOSUPPORT)]
        yield from _at(family, "socket", own)
    yield from _sockets(family, network)
    options = [*_OPTIONS, *((_SET_DUMPABLE,) if building else ())]
    yield from _at(family, "prctl", [_argument(0), *_cases(options, None), _refuse(errno.EINVAL)])
    for calls in (ALLOWED, OF_BUILDS) if building else (ALLOWED,):
        yield from _every(family, calls, (_RETURN, 0, 0, _ALLOW))
    yield _IF_GREATER_OR_EQUAL, 0, 1, _FIRST_COMMON
    yield _refuse(errno.ENOSYS)  # as on an older system
    yield _refuse(errno.EPERM)


def _of_a_bot(family: _Family, locks: bool) -> Iterator[_Step]:
    """The steps that refuse a bot what a build may do."""
    if not locks:
        yield from _every(family, {"flock": ALLOWED["flock"]}, _refuse(errno.ENOLCK))
    commands = [
        _argument(1),
        *_cases(_LOCKS, None if locks else errno.ENOLCK),
        *_cases(_COMMANDS, None),
        *_cases((_SET_PIPE_SIZE,), errno.EPERM),
        _refuse(errno.EINVAL),
    ]
    yield from _at(family, "fcntl", commands)
    kinds = _cases([kind << 8 for kind in _OF_FILE_SYSTEMS], errno.ENOTTY)
    yield from _at(family, "ioctl", [_argument(1), (_AND, 0, 0, 0xFF00), *kinds])
    # The first seems to succeed: a socket's buffer counts as memory, with its default size.
    larger = [_argument(2), *_cases((_SEND_BUFFER,), 0), *_cases(_SOCKET_FILTERS, errno.EPERM)]
    yield from _at(family, "setsockopt", [_argument(1), (_IF_EQUAL, 0, len(larger), _OF_SOCKETS), *larger])


def _sockets(family: _Family, network: bool) -> Iterator[_Step]:
    """Steps for sockets: without the network only pairs between its own processes, and no dialling."""
    if network:
        protocol = [_argument(2), *_cases((_ROUTING,), None), _refuse(errno.EPROTONOSUPPORT)]
        kinds = [
            _argument(0),
            *_cases((_UNIX, _IPV4, _IPV6), None),
            (_IF_EQUAL, 1, 0, _NETLINK),
            _refuse(errno.EAFNOSUPPORT),
            *protocol,
        ]
    else:
        yield from _every(family, {"connect": ALLOWED["connect"]}, _refuse(errno.EACCES))
        kinds = [
            _argument(0),
            (_IF_EQUAL, 1, 0, _UNIX),
            _refuse(errno.EAFNOSUPPORT),
            _argument(1),
            (_AND, 0, 0, _SOCKET_KIND),
            *_cases((_STREAM, _SEQUENCED), None),
            _refuse(errno.EACCES),
        ]
    for call in ("socket", "socketpair"):
        yield from _at(family, call, kinds)


def _cases(values: Iterable[int], error: int | None) -> Iterator[_Step]:
    """Refuses the loaded word if it is one of these values, or allows it if `error` is None."""
    for value in values:
        yield _IF_EQUAL, 0, 1, value
        yield (_RETURN, 0, 0, _ALLOW) if error is None else _refuse(error)


def _every(family: _Family, calls: Mapping[str, Numbers], end: _Step) -> Iterator[_Step]:
    """One end for all of these calls."""
    for numbers in calls.values():
        if (number := numbers[family.column]) is not None:
            yield _IF_EQUAL, 0, 1, number
            yield end


def _at(family: _Family, call: str, steps: list[_Step]) -> Iterator[_Step]:
    """Steps that are taken for one call only, which is allowed if they do not refuse it."""
    number = ALLOWED[call][family.column]
    assert number is not None
    yield _IF_EQUAL, 0, len(steps) + 1, number
    yield from steps
    yield _RETURN, 0, 0, _ALLOW


def _load(offset: int) -> _Step:
    return _LOAD, 0, 0, offset


def _argument(number: int) -> _Step:
    return _load(16 + 8 * number)  # its lower half, on these processors


def _refuse(error: int) -> _Step:
    return _RETURN, 0, 0, _REFUSE | error
