"""Restrictions: what one program may reach and use, and how a process restricts itself.

A process that is about to become a bot, or a bot's build, calls `enter`. From then on the restrictions hold
for it and all that it starts, whatever these do. An isolated program also gets its own namespaces and control
group. There this module is the first program (`main`): it restricts itself and becomes the bot.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from arena.link.local.containment import cgroup, kernel, namespaces
from arena.link.local.containment.kernel import NO_NEW_PRIVS, fail, prctl, syscall
from arena.link.local.containment.starting import CANNOT_START, EXIT_CODE, why_not

_SET_SECUREBITS, _AMBIENT, _AMBIENT_RAISE, _BOUNDING_DROP = 28, 47, 2, 24
_NO_SETUID_FIXUP = 1 << 2
_OVERRIDE, _READ_SEARCH = 1, 2  # to write, and to read, other users' files, which Landlock limits
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES_3 = 0x20080522
_LAST_CAPABILITY = 63

_THREADS = 16  # for each process, on average
_FOR_ALL_BOTS = 3072  # threads for all bots of one user, or a build
_OPEN_FILES, _OPEN_FILES_OF_A_BUILD = 512, 4096  # fewer than most users may have open: see `passing`
_OF_STACKS = 512 << 20  # the stacks of threads in a process's data limit, though they use little


class Restrictions(NamedTuple):
    """The files, network and resources that a program may use.

    Attributes:
        readable: files and folders that it may read, and run programs in.
        writable: files and folders in which it may write.
        network: whether it may use the internet's sockets, and dial others.
        memory: how much memory it may use, in bytes.
        disk: how much it may write into `writable`, in bytes.
        files: how many files it may keep there.
        processes: how many processes it may have.
        overrides: whether, with a uid of its own, it may also write other users' files in `writable`.
        building: whether it may lock files, and change their modes, owners and times.
        isolated: whether it is in namespaces of its own, and in a control group if possible.
        processors: how many processors all its processes may use at once, if it has a control group.
        uid: the user and group that it becomes, which nobody else has; 0 to stay the same user.
        locks: whether it may lock files.
        proxy: the file descriptor of the channel to its proxy (`build_proxy`), if it has one; else -1.
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
    isolated: bool = False
    processors: int = 0
    uid: int = 0
    locks: bool = False
    proxy: int = -1

    @property
    def threads(self) -> int:
        """How many threads all its processes may have."""
        return _THREADS * self.processes

    @property
    def open_files(self) -> int:
        """How many files each process may have open."""
        return _OPEN_FILES_OF_A_BUILD if self.building else _OPEN_FILES

    @property
    def scratch(self) -> int:
        """How many bytes an isolated program may keep in files in memory."""
        return self.memory // 4 if self.building else self.disk


def enter(limits: Restrictions) -> None:
    """Restricts this process for ever; it must have no threads. Raises OSError."""
    if limits.proxy >= 0:
        from arena.link.local.containment import build_proxy  # only here: it loads much, and few need it

        build_proxy.enter_network(limits.proxy, limits.isolated)
    _limit(limits)
    prctl(NO_NEW_PRIVS, 1)
    if limits.uid:
        _become(limits.uid, _capabilities(limits))
    writable = (*limits.writable, namespaces.SCRATCH) if limits.isolated else limits.writable
    kernel.restrict_files(limits.readable, writable, limits.network)
    kernel.filter_system_calls(limits.network, limits.building, limits.locks, limits.isolated)


def _limit(limits: Restrictions) -> None:
    import resource  # here: some systems on which authors check their bots do not have it

    values = {
        resource.RLIMIT_DATA: limits.memory + _OF_STACKS,
        resource.RLIMIT_FSIZE: limits.disk,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NICE: 0,
        resource.RLIMIT_RTPRIO: 0,
    }
    if limits.uid or limits.isolated:
        values[resource.RLIMIT_NPROC] = limits.threads
    else:  # all threads of the user count: other programs must go on, and other bots begin later
        values[resource.RLIMIT_NPROC] = _threads_of_user() + _FOR_ALL_BOTS
    for which, value in values.items():
        most = resource.getrlimit(which)[1]
        if most != resource.RLIM_INFINITY:
            value = min(value, most)
        resource.setrlimit(which, (value, value))


def lift() -> None:
    """Lets this process take as much memory as its user may, whatever limit the arena gave to its own."""
    import resource  # here: some systems on which authors check their bots do not have it

    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _threads_of_user() -> int:
    """How many threads this process's user has now."""
    threads = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid():
                threads += len(os.listdir(f"/proc/{name}/task"))
    return threads


def _capabilities(limits: Restrictions) -> tuple[int, ...]:
    """The capabilities with which another uid may read what this user may, perhaps also write.

    Landlock limits them. An isolated program gets none to read, because it sees only what it may read.
    """
    if not kernel.landlock_abi():
        return ()
    if limits.overrides:
        return _READ_SEARCH, _OVERRIDE
    return () if limits.isolated else (_READ_SEARCH,)


def _become(uid: int, keeps: tuple[int, ...]) -> None:
    """Becomes another user, with some capabilities."""
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in keeps:
            with contextlib.suppress(OSError):  # the kernel has fewer
                prctl(_BOUNDING_DROP, capability)
    prctl(_SET_SECUREBITS, _NO_SETUID_FIXUP)  # else `access`, which gcc calls, ignores the capabilities
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    held = sum(1 << capability for capability in keeps)
    # The lower 32 capabilities: effective, permitted, inheritable; then the upper ones.
    data = struct.pack("6I", held, held, held, 0, 0, 0)
    header = struct.pack("Ii", _CAPABILITIES_3, 0)
    if syscall(_CAPSET[os.uname().machine], ctypes.c_char_p(header), ctypes.c_char_p(data)) != 0:
        fail("capset")
    for capability in keeps:
        prctl(_AMBIENT, _AMBIENT_RAISE, capability)


def refusal(limits: Restrictions, folder: str) -> str | None:
    """Why a folder's programs cannot be run isolated, for people; None if they can."""
    if not limits.uid or limits.overrides or os.stat(folder).st_mode & 0o005 == 0o005:
        return None
    return (
        "only this user may read its folder, but at level strict it runs as another user without rights: "
        "let everybody read it (chmod -R go+rX)"
    )


def command_in(limits: Restrictions, folder: str, command: Sequence[str]) -> list[str]:
    """The command that runs another command isolated, in a folder."""
    network = limits.network and limits.proxy < 0
    return namespaces.inside(
        command_of(limits, command),
        folder,
        limits.readable,
        limits.writable,
        network,
        limits.scratch,
    )


def own_group(limits: Restrictions) -> cgroup.Group | None:
    """A control group for a program, if possible."""
    places = cgroup.places()
    if places is None:
        return None
    # Its files in memory count too.
    most = cgroup.Limits(limits.memory + limits.scratch, limits.threads, limits.processors)
    with contextlib.suppress(OSError):  # another process has changed the folders
        return cgroup.Group(places, most)
    return None


def command_of(limits: Restrictions, command: Sequence[str]) -> list[str]:
    """The command that restricts itself and becomes another command."""
    root = str(Path(__file__).resolve().parents[4])
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from arena.processes.loading import loaded; "
        "loaded('arena.link.local.containment.restrictions').main()"
    )
    return [sys.executable, "-I", "-S", "-c", code, json.dumps(limits._asdict()), *command]


def main() -> NoReturn:
    """Enters the restrictions in the first argument, and becomes the command in the others."""
    limits, command = Restrictions(**json.loads(sys.argv[1])), sys.argv[2:]
    try:
        enter(limits)
        os.execvp(command[0], command)
    except OSError as error:
        why = why_not(command, os.getcwd(), os.environ.get("PATH", os.defpath), error, contained=True)
        sys.stderr.write(f"{CANNOT_START}{command[0]}: {why}\n")
        sys.stderr.flush()
    os._exit(EXIT_CODE)
