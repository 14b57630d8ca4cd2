"""Landlock and seccomp: limits that a process sets on itself and all that it starts, for ever.

Landlock takes away files, TCP and signals (landlock(7), Documentation/userspace-api/landlock.rst). It needs
no privileges. The kernel's ABI version says what it can do.

A system call filter (seccomp(2), Documentation/userspace-api/seccomp_filter.rst) refuses calls that no bot
needs and Landlock does not see. It is a small program for the kernel's classic BPF machine.
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
from collections.abc import Iterable, Iterator
from typing import NamedTuple, NoReturn

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
_SET_DUMPABLE, _SET_MEMORY_MAP = 4, 35  # of prctl

# Commands of fcntl: the locks, and the others that a bot needs. The rest reserve a file, tell what others do
# with it, or make a pipe larger.
_LOCKS = (5, 6, 7, 36, 37, 38)
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

# Calls that are always refused; their numbers on x86_64 and aarch64.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # into other processes, or into the kernel
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
    "syslog": (103, 116),
    # watch what others do with files
    "fanotify_init": (300, 262), "inotify_add_watch": (254, 27),
    # evade the other restrictions
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "open_tree": (428, 428), "fsopen": (430, 430),
    "vmsplice": (278, 75),  # memory that no process owns
    # shared by all processes of an account, or of the machine
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186),
    "mq_open": (240, 180), "mq_unlink": (241, 181),
    # take more of the processors, or leave less for others
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}  # fmt: skip

# Calls that builds need, but no bot: they change the attributes of this account's files, which Landlock does
# not see, or make a new session, to which the scheduler gives as much time as to any other.
_OF_BUILDS: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setsid": (112, 157), "setpgid": (109, 154),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466),
}  # fmt: skip

# Calls that seem not to exist, so that libraries use others.
_UNKNOWN = {"clone3": (435, 435), "memfd_create": (319, 279), "memfd_secret": (447, 447)}

_CLONE, _SOCKET, _SOCKETPAIR, _CONNECT = (56, 220), (41, 198), (53, 199), (42, 203)
_PRLIMIT, _SETPRIORITY, _SETAFFINITY = (302, 261), (141, 140), (203, 122)
_FCNTL, _FLOCK, _IOCTL, _PRCTL, _SETSOCKOPT = (72, 25), (73, 32), (16, 29), (157, 167), (54, 208)


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
    for numbers in (*_REFUSED.values(), *(() if building else _OF_BUILDS.values())):
        if (number := numbers[family.column]) is not None:
            yield _IF_EQUAL, 0, 1, number
            yield _refuse(errno.EPERM)
    for numbers in _UNKNOWN.values():
        yield _IF_EQUAL, 0, 1, numbers[family.column]
        yield _refuse(errno.ENOSYS)
    yield from _at(family, _CLONE, [_argument(0), (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM)])
    for call in (_PRLIMIT, _SETAFFINITY):  # of this process, not of others
        yield from _at(family, call, [_argument(0), (_IF_EQUAL, 1, 0, 0), _refuse(errno.EPERM)])
    own = [_argument(0), (_IF_EQUAL, 0, 2, 0), _argument(1), (_IF_EQUAL, 1, 0, 0), _refuse(errno.EPERM)]
    yield from _at(family, _SETPRIORITY, own)
    if not building:
        yield from _of_a_bot(family, locks)
    elif not isolated:  # other programs' sockets are in reach, which Landlock does not see
        own = [_argument(0), (_IF_EQUAL, 0, 1, _UNIX), _refuse(errno.EAFNOSUPPORT)]
        yield from _at(family, _SOCKET, own)
    yield from _sockets(family, network)
    yield _RETURN, 0, 0, _ALLOW


def _of_a_bot(family: _Family, locks: bool) -> Iterator[_Step]:
    """The steps that refuse a bot what a build may do."""
    if not locks:
        yield _IF_EQUAL, 0, 1, _FLOCK[family.column]
        yield _refuse(errno.ENOLCK)
    commands = [
        _argument(1),
        *_cases(_LOCKS, None if locks else errno.ENOLCK),
        *_cases(_COMMANDS, None),
        *_cases((_SET_PIPE_SIZE,), errno.EPERM),
        _refuse(errno.EINVAL),
    ]
    yield from _at(family, _FCNTL, commands)
    kinds = _cases([kind << 8 for kind in _OF_FILE_SYSTEMS], errno.ENOTTY)
    yield from _at(family, _IOCTL, [_argument(1), (_AND, 0, 0, 0xFF00), *kinds])
    # These would hide it from the account's processes that measure its usage.
    yield from _at(family, _PRCTL, [_argument(0), *_cases((_SET_DUMPABLE, _SET_MEMORY_MAP), errno.EPERM)])
    # It seems to succeed: a socket's buffer counts as memory, with its default size.
    larger = [_argument(2), *_cases((_SEND_BUFFER,), 0)]
    yield from _at(family, _SETSOCKOPT, [_argument(1), (_IF_EQUAL, 0, len(larger), _OF_SOCKETS), *larger])


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
        yield _IF_EQUAL, 0, 1, _CONNECT[family.column]
        yield _refuse(errno.EACCES)
        kinds = [
            _argument(0),
            (_IF_EQUAL, 1, 0, _UNIX),
            _refuse(errno.EAFNOSUPPORT),
            _argument(1),
            (_AND, 0, 0, _SOCKET_KIND),
            *_cases((_STREAM, _SEQUENCED), None),
            _refuse(errno.EACCES),
        ]
    for call in (_SOCKET, _SOCKETPAIR):
        yield from _at(family, call, kinds)


def _cases(values: Iterable[int], error: int | None) -> Iterator[_Step]:
    """Refuses the loaded word if it is one of these values, or allows it if `error` is None."""
    for value in values:
        yield _IF_EQUAL, 0, 1, value
        yield (_RETURN, 0, 0, _ALLOW) if error is None else _refuse(error)


def _at(family: _Family, call: tuple[int, int], steps: list[_Step]) -> Iterator[_Step]:
    """Steps that are taken for one call only, which is allowed if they do not refuse it."""
    yield _IF_EQUAL, 0, len(steps) + 1, call[family.column]
    yield from steps
    yield _RETURN, 0, 0, _ALLOW


def _load(offset: int) -> _Step:
    return _LOAD, 0, 0, offset


def _argument(number: int) -> _Step:
    return _load(16 + 8 * number)  # its lower half, on these processors


def _refuse(error: int) -> _Step:
    return _RETURN, 0, 0, _REFUSE | error
