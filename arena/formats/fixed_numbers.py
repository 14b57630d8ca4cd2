"""Numbers that look random and are always the same, for searches whose outcome must never change."""

from __future__ import annotations


class FixedNumbers:
    """Numbers as at random, but always the same (Knuth's MMIX generator), and so a search that uses them."""

    def __init__(self) -> None:
        self._state = 1

    def below(self, n: int) -> int:
        """The next number, from 0 to n - 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 33) * n >> 31
