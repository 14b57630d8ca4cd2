"""A token bucket: how much somebody may use of something, and whether they used more."""

from __future__ import annotations


class TokenBucket:
    """It fills with the time and with what is earned, up to a limit.

    Args:
        most: the limit, and what there is at first.
        rate: what comes to it in a second.
        now: the present time, in seconds.
    """

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most = most
        self._rate = rate
        self._balance = most
        self._then = now

    def spend(self, amount: float, earned: float, now: float) -> bool:
        """Takes an amount out of it, after what was earned meanwhile came in; whether there was so much.

        Whoever uses no more than comes in is never found out, however rarely it is asked.
        """
        income = (now - self._then) * self._rate + earned
        self._then = now
        self._balance = min(self._most, self._balance + income - amount)
        return self._balance >= 0
