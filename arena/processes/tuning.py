"""Tunes this process: keeps its threads on one processor, and makes garbage collections rare."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_STAY = 10.0  # seconds on a processor, until the system chooses again
_LOOSE = 0.05  # seconds for the system to move the threads
_COLLECT_AFTER = 20_000  # new objects; Python's own 700 are a few turns


def usable_processors() -> frozenset[int]:
    """The numbers of the processors that this process may use when it is not pinned to one."""
    if sys.platform == "linux":
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


async def stay_on_one_processor(stay: float = _STAY) -> None:
    """Keeps all threads of this process on one processor until it is cancelled.

    Python runs one thread of a process at a time, so a second processor is of
    little use. But every message passes several threads, and waking a thread on
    another processor takes longer than most of its work. (Bots and workers may
    use all processors.)

    The system chooses the processor again every ten seconds, as it knows which
    ones are busy. Only Linux can do this; elsewhere nothing happens.
    """
    if sys.platform != "linux":
        return
    allowed = usable_processors()
    if len(allowed) == 1:
        return
    import trio  # only here: it loads much, and processes that only play or read leagues have no other use

    try:
        while True:
            _confine([_present_processor()])
            await trio.sleep(stay)
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
        """Restricts all threads of this process, present and future, to these processors."""
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):  # it has ended
                os.sched_setaffinity(int(thread), processors)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Makes garbage collections rare, for work that makes millions of values and no cycles.

    They took a tenth of the time, and found nothing.
    """
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
