"""Token buckets: how much somebody may take in a row, and in the long run."""

from __future__ import annotations

import math


class TokenBucket:
    """A token bucket, which fills with time and with earnings, up to a limit.

    Args:
        most: the limit, and the content at first.
        rate: what is added per second.
        now: the present time, in seconds.
        least: the lowest content, so that a large debt is soon forgotten.
    """

    def __init__(self, most: float, rate: float, now: float, least: float = -math.inf) -> None:
        self._most = most
        self._least = least
        self._rate = rate
        self._balance = most
        self._then = now

    def spend(self, amount: float, earned: float, now: float) -> bool:
        """Adds what was earned meanwhile, then takes an amount out; returns whether there was enough.

        It is always enough for a user that takes no more than is added, however rarely this is called.
        """
        income = (now - self._then) * self._rate + earned
        self._then = now
        self._balance = max(self._least, min(self._most, self._balance + income - amount))
        return self._balance >= 0
