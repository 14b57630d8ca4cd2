"""Timestamps that leave out the time in which the referee itself did not run.

A referee that was stopped, or that the machine did not let run, reads
answers late. So every moment has the referee's own lag until then, and
the time between two moments leaves out the lag between them. The clock reads
both together: an answer that is read right after a standstill is judged
with that standstill included.

All times are whole nanoseconds.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

_NEVER = 1 << 64


@dataclasses.dataclass(slots=True)  # named tuples and frozen classes take twice as long, every turn
class Moment:
    """A moment; not to be changed.

    Attributes:
        time: by a monotonic clock.
        lag: the referee's own lag until then.
    """

    time: int
    lag: int

    def __reduce__(self) -> tuple[type[Moment], tuple[int, int]]:
        return Moment, (self.time, self.lag)  # half as long, pickled

    def since(self, earlier: Moment) -> int:
        """The time since another moment without the referee's lag; never negative."""
        return max(0, self.time - earlier.time - (self.lag - earlier.lag))

    def after(self, nanoseconds: int) -> Moment:
        """The moment so much later, if the referee does not lag meanwhile."""
        return Moment(self.time + nanoseconds, self.lag)


class RefereeClock:
    """Tells the moment, in any thread; a late regular tick shows the referee's lag.

    Args:
        tick: the time from one tick to the next.
        read: reads a monotonic clock.
    """

    __slots__ = ("_due_and_lag", "_read", "_tick")

    def __init__(self, tick: int, read: Callable[[], int] = time.perf_counter_ns) -> None:
        self._tick = tick
        self._read = read
        self._due_and_lag = (_NEVER, 0)  # when the next tick is due, and the lag up to the last

    def now(self) -> Moment:
        """The present moment."""
        due, lag = self._due_and_lag  # before the time is read: a tick in between would hide a standstill
        now = self._read()
        return Moment(now, lag if now < due else lag + now - due)

    def tick(self) -> Moment:
        """Notes that the regular tick has come; the next is due one tick from now.

        To be called by one thread. Returns the present moment.
        """
        now = self.now()
        self._due_and_lag = (now.time + self._tick, now.lag)
        return now

    def rest(self) -> None:
        """Expects no more ticks, so that nothing counts as lag."""
        self._due_and_lag = (_NEVER, self._due_and_lag[1])
