"""A queue whose messages are handled by whoever brings them, without threads waiting for each other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from arena.link.streams.trio_thread import in_trio

T = TypeVar("T")


class CombiningQueue(Generic[T]):
    """Has everything handled in the order in which it comes, several at once where several have come.

    Whoever brings something handles it, and what came meanwhile is left to trio's
    thread: with a lock instead, hundreds of threads would stand in line for it
    (D. Hendler and others, "Flat combining and the synchronization-parallelism
    tradeoff", SPAA 2010). To be made in trio's thread.

    Args:
        handle: handles what came; never called again before it has returned.
    """

    def __init__(self, handle: Callable[[list[T]], None]) -> None:
        self._handle = handle
        self._things: deque[T] = deque()
        self._lock = threading.Lock()
        self._handle_rest = in_trio(self._pass)

    def put(self, thing: T) -> None:
        """Has a thing handled, at once or soon; in any thread."""
        self._things.append(thing)
        self._pass()

    def _pass(self) -> None:
        if not self._lock.acquire(blocking=False):
            return  # who is in there sees what is left
        try:
            # So many are there at least: nobody else takes any.
            things = [self._things.popleft() for _ in range(len(self._things))]
            if things:
                self._handle(things)
        finally:
            self._lock.release()
        if self._things:
            self._handle_rest()
