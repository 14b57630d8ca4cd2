"""What a bot uses as it runs, all its processes together, where no limit of the system counts that."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator

from arena.link.local.cage.walls import Walls

_BLOCK = 512  # bytes, what st_blocks counts in
_KIB = 1 << 10


def missing() -> list[str]:
    """What this system does not offer for counting, for people."""
    if os.path.exists(f"/proc/self/task/{threading.get_native_id()}/children"):
        return []
    return ["a list of a process's children (kernels with CONFIG_PROC_CHILDREN have it)"]


def excess(walls: Walls, supervisor: int) -> str | None:
    """What a bot uses too much of, for people; None where that is nothing.

    Args:
        walls: what it may use.
        supervisor: the process below which all of its own are.
    """
    processes = list(below(supervisor))
    if len(processes) > walls.processes:
        return f"it is {len(processes)} processes, and {walls.processes} are allowed"
    memory = sum(map(_resident, processes))
    if memory > walls.memory:
        return f"it uses {memory // _KIB:,} KiB of memory, and {walls.memory // _KIB:,} are allowed"
    disk = 0
    for files, size in enumerate(_written(walls.writable, processes), start=1):
        disk += size
        if files > walls.files:
            return f"it keeps more than {walls.files:,} files"
    if disk > walls.disk:
        return f"it keeps {disk // _KIB:,} KiB in files, and {walls.disk // _KIB:,} are allowed"
    return None


def below(process: int) -> Iterator[int]:
    """The ids of the processes below one, parents first.

    Asked twice a second for each bot, so not by reading all processes of the machine, as
    `supervisor.descendants` does: that misses none that ends meanwhile, which here may be.
    """
    frontier = [process]
    while frontier:
        at = frontier.pop()
        with contextlib.suppress(OSError):  # it has ended
            for task in os.listdir(f"/proc/{at}/task"):
                with open(f"/proc/{at}/task/{task}/children", encoding="ascii") as children:
                    found = [int(child) for child in children.read().split()]
                frontier += found
                yield from found


def _resident(process: int) -> int:
    """How much memory a process has that is no file's, in bytes."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status", "rb") as status:
        lines = [line.split() for line in status.read().splitlines()]
        return sum(int(line[1]) * _KIB for line in lines if line[0] in (b"RssAnon:", b"RssShmem:"))
    return 0


def _written(folders: Iterable[str], processes: Iterable[int]) -> Iterator[int]:
    """The sizes of all files in some folders, and of those that have no name but are still held open."""
    for folder in folders:
        for root, names, files in os.walk(folder):
            for name in (*names, *files):
                with contextlib.suppress(OSError):
                    yield os.lstat(os.path.join(root, name)).st_blocks * _BLOCK
    for process in processes:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{process}/fd"):
                path = f"/proc/{process}/fd/{name}"
                with contextlib.suppress(OSError):
                    if os.readlink(path).endswith(" (deleted)"):
                        yield os.stat(path).st_blocks * _BLOCK
