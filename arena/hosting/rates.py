"""How often each person or address may do something: a token bucket for each."""

from __future__ import annotations

import time
from collections.abc import Hashable

from arena.token_bucket import TokenBucket

_MOST = 10_000  # buckets; beyond it the oldest are forgotten


class Rates:
    """Token buckets by key. Used in one thread.

    Args:
        most: how often in a row.
        rate: how often per second in the long run.
    """

    def __init__(self, most: float, rate: float) -> None:
        self._most, self._rate = most, rate
        self._buckets: dict[Hashable, TokenBucket] = {}

    def take(self, key: Hashable) -> bool:
        """Does it once, if it may be done now; returns whether it may. Nothing is taken otherwise."""
        now = time.monotonic()
        if key not in self._buckets:
            while len(self._buckets) >= _MOST:
                del self._buckets[next(iter(self._buckets))]
            self._buckets[key] = TokenBucket(self._most - 1, self._rate, now)
        bucket = self._buckets[key]
        return bucket.spend(0, 0, now) and (bucket.spend(1, 0, now) or True)
