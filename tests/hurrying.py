"""A clock for tests of what is waited for in vain: once nothing else can happen, the wait is short."""

from __future__ import annotations

import math
import time

import trio

_TIMES_AS_FAST = 1000


class Hurrying(trio.abc.Clock):
    """The time of this machine, but for some seconds that pass a thousand times as fast, when told to."""

    def __init__(self) -> None:
        self._since = math.inf
        self._seconds = 0.0

    def hurry(self, seconds: float) -> None:
        """Lets the next seconds pass fast, once."""
        self._since, self._seconds = time.perf_counter(), seconds

    @property
    def _gained(self) -> float:
        return min(max(0.0, time.perf_counter() - self._since) * _TIMES_AS_FAST, self._seconds)

    def start_clock(self) -> None:
        """Does nothing: it runs already."""

    def current_time(self) -> float:
        """See `trio.abc.Clock`."""
        return time.perf_counter() + self._gained

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """See `trio.abc.Clock`; what wakes too early is put to sleep again."""
        left = deadline - self.current_time()
        return left / _TIMES_AS_FAST if self._gained < self._seconds else left
