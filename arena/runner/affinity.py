"""Keeping the referee's threads together on one processor.

Python runs one thread of a process at a time, so a second processor is of
little use to its threads; but every message passes several of them, and to
wake one on another processor, which may sleep as well, takes longer than most
of what it then does. (Bots and workers have all processors.)
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import trio

STAY = 10.0
"""How long the threads stay on a processor, in seconds."""

_LOOSE = 0.05  # seconds for the system to bring them elsewhere


def usable_processors() -> frozenset[int]:
    """The numbers of the processors that this process may use, as long as it does not keep to one of them."""
    if sys.platform == "linux":
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


async def stay_on_one_processor() -> None:
    """Keeps all threads of this process on one processor until it is cancelled.

    On which is the system's choice, and anew every ten seconds: it knows which
    are busy. Does nothing where that cannot be had (it can on Linux).
    """
    if sys.platform != "linux":
        return
    allowed = usable_processors()
    if len(allowed) == 1:
        return
    try:
        while True:
            _confine([_present_processor()])
            await trio.sleep(STAY)
            _confine(allowed)
            await trio.sleep(_LOOSE)
    finally:
        _confine(allowed)


if sys.platform == "linux":

    def _present_processor() -> int:
        """The number of the processor that runs this thread."""
        stat = Path("/proc/thread-self/stat").read_text()
        return int(stat.rpartition(")")[2].split()[36])  # field 39 in proc(5); the third follows the bracket

    def _confine(processors: Iterable[int]) -> None:
        """Lets all threads of this process run on these processors only, and those that they begin."""
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):  # it has ended
                os.sched_setaffinity(int(thread), processors)
