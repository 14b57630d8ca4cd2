"""The processor time that threads spend on Python's garbage collections.

Python collects in whichever thread makes the next object. In a large process that takes a second, and it is
no work for the bot whose connection the thread serves.
"""

from __future__ import annotations

import gc
import threading
import time

_spent: dict[int, float] = {}  # by the native id of each thread that is followed
_began = threading.local()


def follow_collections(thread: int) -> None:
    """Begins to count a thread's collections, from 0, by its native id."""
    if _note not in gc.callbacks:
        gc.callbacks.append(_note)
    _spent[thread] = 0.0


def forget_collections(thread: int) -> None:
    """Counts a thread's collections no more."""
    _spent.pop(thread, None)


def time_of_collections(thread: int) -> float:
    """The processor time of a thread's collections since `follow_collections`, in seconds."""
    return _spent.get(thread, 0.0)


def _note(phase: str, info: dict[str, int]) -> None:
    """Python calls this in the thread that collects, before and after."""
    thread = threading.get_native_id()
    if thread not in _spent:
        return
    if phase == "start":
        _began.at = time.thread_time()
    else:
        _spent[thread] += time.thread_time() - getattr(_began, "at", time.thread_time())
