"""Control groups (cgroups): limits for all processes of a bot together, if this process may make a group.

Two versions of the kernel's interface are in use: see its
Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst. In version 1 each controller has a
tree of its own. In version 2 there is one tree. There the group is made beside this
process's group, because a group with processes can have no limited groups below it. An ordinary
user may do so if systemd has given him the folder, as `systemd-run --user --scope` does. Where only this
process's own group is his, as in a unit with `Delegate=yes` and in a container, `become_parent` moves its
processes down, so that groups can be made beside them.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_NAME = "arena-"
_PERIOD = 100_000  # microseconds; a group's share of the processors is counted for each
_POLL, _POLLS = 0.005, 200  # seconds between checks whether a group is empty, and how many
_CONTROLLERS = ("memory", "pids", "cpu")
_DOWN = "league"  # the group below the own one, into which processes move
_ROUNDS = 10  # in which they are moved: others may be started meanwhile


class Limits(NamedTuple):
    """The limits of all processes of a group together.

    Attributes:
        memory: in bytes, files in memory included.
        processes: how many there may be, threads included.
        processors: how many they may use.
    """

    memory: int
    processes: int
    processors: int

    def version_1(self, controller: str) -> dict[str, str]:
        """The files of a controller's group and their contents."""
        return {
            "memory": {
                "memory.limit_in_bytes": str(self.memory),
                "memory.memsw.limit_in_bytes": str(self.memory),  # with swap; must follow the limit without
            },
            "pids": {"pids.max": str(self.processes)},
            "cpu": {"cpu.cfs_period_us": str(_PERIOD), "cpu.cfs_quota_us": str(_PERIOD * self.processors)},
        }[controller]

    def version_2(self) -> dict[str, str]:
        """The files of a group and their contents."""
        return {
            "memory.max": str(self.memory),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": str(self.processes),
            "cpu.max": f"{_PERIOD * self.processors} {_PERIOD}",
        }


class Places(NamedTuple):
    """The folders in which this process can make groups.

    Attributes:
        version: 1 or 2.
        folders: the folder of each controller; version 2 has one for all.
    """

    version: int
    folders: dict[str, Path]

    def __str__(self) -> str:
        return f"cgroup v{self.version}"


@cache
def places() -> Places | None:
    """Where this process may make groups, for memory and processes at least; None if it may not."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
        own = Path("/proc/self/cgroup").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for found in (_version_2(mounts, own), _version_1(mounts, own)):
        if found and {"memory", "pids"} <= found.folders.keys():
            return found
    return None


def _version_1(mounts: str, own: str) -> Places:
    at = {}
    for line in mounts.splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup":
            at.update({name: folder for name in options.split(",") if name in _CONTROLLERS})
    folders = {}
    for line in own.splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            place = Path(at[name] + path) if name in at else None
            if place is not None and _takes_groups(place):
                folders[name] = place
    return Places(1, folders)


def become_parent() -> None:
    """Moves the processes of this process's group into a group below it, if groups are possible only so.

    It does nothing where groups are possible already, where none are, and for the group of a whole machine.
    """
    if sys.platform != "linux" or places() is not None:
        return
    with contextlib.suppress(OSError):
        own = _own_group(
            Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace"),
            Path("/proc/self/cgroup").read_text(encoding="utf-8", errors="replace"),
        )
        if own is None or not (own / "cgroup.events").exists():  # only a whole machine's group has none
            return
        offered = (own / "cgroup.controllers").read_text(encoding="ascii").split()
        if not {"memory", "pids"} <= set(offered) or not os.access(own / "cgroup.subtree_control", os.W_OK):
            return
        down = own / _DOWN
        down.mkdir(exist_ok=True)
        for _ in range(_ROUNDS):
            for process in _processes(own):
                with contextlib.suppress(ProcessLookupError):
                    (down / "cgroup.procs").write_text(str(process), encoding="ascii")
        handed_on = " ".join(f"+{name}" for name in _CONTROLLERS if name in offered)
        (own / "cgroup.subtree_control").write_text(handed_on, encoding="ascii")
    places.cache_clear()


def _own_group(mounts: str, own: str) -> Path | None:
    """The folder of this process's group in version 2."""
    path = re.search(r"^0::(/.*)$", own, re.MULTILINE)
    at = re.search(r"^\S+ (\S+) cgroup2 ", mounts, re.MULTILINE)
    return Path(at[1] + path[1]) if path and at else None


def _version_2(mounts: str, own: str) -> Places:
    group = _own_group(mounts, own)
    if group is None or re.search(r"^0::/$", own, re.MULTILINE):  # none is beside the root
        return Places(2, {})
    place = group.parent
    try:
        handed_on = (place / "cgroup.subtree_control").read_text(encoding="ascii").split()
    except OSError:
        return Places(2, {})
    if not _takes_groups(place) or not os.access(place / "cgroup.procs", os.W_OK):
        return Places(2, {})
    return Places(2, {name: place for name in _CONTROLLERS if name in handed_on})


def _takes_groups(folder: Path) -> bool:
    """Whether a group can be made in a folder; permissions alone do not tell, it may be mounted read-only."""
    trial = folder / f"{_NAME}{os.getpid()}-trial"
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True


class Group:
    """A control group; raises OSError if it cannot be made.

    Args:
        places: the folders to make it in.
        limits: its limits.
    """

    def __init__(self, places: Places, limits: Limits) -> None:
        self._version = places.version
        name = f"{_NAME}{os.getpid()}"
        self._folders = [folder / name for folder in dict.fromkeys(places.folders.values())]
        for folder in self._folders:
            _sweep(folder.parent)
            folder.mkdir()
        for controller, parent in places.folders.items():
            files = limits.version_1(controller) if places.version == 1 else limits.version_2()
            for file, value in files.items():
                with contextlib.suppress(FileNotFoundError, PermissionError):  # this kernel has no such limit
                    (parent / name / file).write_text(value, encoding="ascii")

    def join(self) -> None:
        """Puts this process into the group, and so all that it starts. Raises OSError."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text("0", encoding="ascii")

    def ran_out(self) -> str | None:
        """The resource that ran out, for people; None if none did."""
        for folder in self._folders:
            for file, pattern in (
                ("memory.oom_control", r"oom_kill (\d+)"),
                ("memory.events", r"oom_kill (\d+)"),
            ):
                with contextlib.suppress(OSError):
                    found = re.search(pattern, (folder / file).read_text(encoding="ascii"))
                    if found and int(found[1]):
                        return "memory"
        return None

    def end(self) -> None:
        """Kills all processes of the group, and removes it."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1", encoding="ascii")
            for _ in range(_POLLS):
                for process in _processes(folder):
                    with contextlib.suppress(OSError):
                        os.kill(process, signal.SIGKILL)
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:  # a process is not gone yet; a later `_sweep` removes the group
                    time.sleep(_POLL)


def _processes(folder: Path) -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from map(int, (folder / "cgroup.procs").read_text(encoding="ascii").split())


def _sweep(folder: Path) -> None:
    """Removes groups that were left by processes which were killed."""
    for group in folder.glob(f"{_NAME}*"):
        owner = group.name.removeprefix(_NAME).partition("-")[0]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            with contextlib.suppress(OSError):
                group.rmdir()
