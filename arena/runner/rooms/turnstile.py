"""Things from many threads that are done one after the other, without threads waiting for each other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from arena.link.trio_thread import in_trio

T = TypeVar("T")


class Turnstile(Generic[T]):
    """Has all things done in the order in which they come, several at once where several have come.

    Whoever brings a thing does it, and what came meanwhile is left to trio's
    thread: with a lock instead, hundreds of threads would stand in line for it
    (D. Hendler and others, "Flat combining and the synchronization-parallelism
    tradeoff", SPAA 2010). To be made in trio's thread.

    Args:
        do: does things; never called again before it has returned.
    """

    def __init__(self, do: Callable[[list[T]], None]) -> None:
        self._do = do
        self._things: deque[T] = deque()
        self._lock = threading.Lock()
        self._do_rest = in_trio(self._pass)

    def put(self, thing: T) -> None:
        """Has a thing done, at once or soon; in any thread."""
        self._things.append(thing)
        self._pass()

    def _pass(self) -> None:
        if not self._lock.acquire(blocking=False):
            return  # who is in there sees what is left
        try:
            # So many are there at least: nobody else takes any.
            things = [self._things.popleft() for _ in range(len(self._things))]
            if things:
                self._do(things)
        finally:
            self._lock.release()
        if self._things:
            self._do_rest()
