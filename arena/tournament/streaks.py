"""Who is as good as gone: games forfeited in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from arena.results import GameResult


class Streaks:
    """How many games in a row each entrant has forfeited, to withdraw those who are as good as gone.

    Args:
        limit: after so many an entrant is to be withdrawn; 0 for never.
        so_far: the forfeits in a row up to now.
    """

    def __init__(self, limit: int, so_far: Mapping[int, int]) -> None:
        self._limit = limit
        self._counts = Counter(so_far)

    def add(self, result: GameResult) -> None:
        """Counts a game."""
        for seat in result.seats:
            self._counts[seat.entrant] = self._counts[seat.entrant] + 1 if seat.forfeit else 0

    def forget(self, entrant: int) -> None:
        """Begins anew for an entrant, whose last game is excused."""
        self._counts[entrant] = 0

    def to_withdraw(self) -> list[int]:
        """The entrants that have forfeited too many."""
        return [entrant for entrant, count in self._counts.items() if 0 < self._limit <= count]
