"""What workers of the tests run."""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from typing import Any

from arena.processes.pool import Tell, do_jobs, told
from arena.processes.worker import receive, send


def describe(asker: Connection, *arguments: object) -> None:
    """Tells what it was told, and what process it is; then waits to be ended."""
    streams = [os.readlink(f"/proc/self/fd/{number}") for number in (0, 1)]
    own_group = os.getpgid(0) == os.getpid()
    send(asker, (arguments, streams, own_group, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)))
    receive(asker)


def wait(asker: Connection) -> None:
    """Tells its process id, and waits to be ended."""
    send(asker, os.getpid())
    receive(asker)


def stumble(asker: Connection) -> None:
    """Has a fault."""
    raise LookupError("lost\x1b[31m")


def halves(asker: Connection) -> None:
    """Halves numbers. It cannot halve odd ones; 0 kills it, 2 has a fault, and 4 takes for ever."""
    with told(asker, ValueError):
        do_jobs(asker, _half)


def _half(number: int, tell: Tell) -> Any:
    match number:
        case 0:
            os.kill(os.getpid(), signal.SIGKILL)
        case 2:
            raise LookupError("lost")
        case 4:
            tell(0.5)
            signal.pause()
    if number % 2:
        raise ValueError(f"{number} is odd")
    tell(0.5)
    return number // 2, os.getpid()
