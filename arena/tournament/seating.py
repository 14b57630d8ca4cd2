"""Who sits where in a game."""

from __future__ import annotations

from arena.results import GameKey, Match


def seated(match: Match, key: GameKey) -> tuple[int, ...]:
    """The entrants of a game by seat: in rotation r entrant i of the match sits at seat (i + r) mod n."""
    entrants = match.entrants
    return tuple(entrants[(seat - key.rotation) % len(entrants)] for seat in range(len(entrants)))
