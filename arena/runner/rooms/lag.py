"""The referee's own lag: how late it runs what is due."""

from __future__ import annotations

from arena.table.clock import MILLISECOND

TICK = 20 * MILLISECOND
"""How often the referee looks for turns whose time is over."""


class LagMeter:
    """Adds up how much later than planned the referee came to its regular tick.

    A turn's share of it is the difference between two readings of `total`; it
    is never charged to a bot. All times are nanoseconds.

    Attributes:
        total: the lag so far.
    """

    __slots__ = ("_due", "_tick", "total")

    def __init__(self, tick: int, now: int) -> None:
        self._tick = tick
        self._due = now + tick
        self.total = 0

    def tick(self, now: int) -> None:
        """The regular tick has come; the next is due one tick from now."""
        self.total += max(0, now - self._due)
        self._due = now + self._tick
