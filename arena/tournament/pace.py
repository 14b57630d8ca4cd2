"""Estimates how long the rest of a tournament will take, from what it took so far."""

from __future__ import annotations

from collections import Counter
from statistics import median

from arena.tournament.course import Course

_ENOUGH = 20
"""An estimate needs so many games, or a quarter of all."""

_ENOUGH_OF_ONE = 3
"""An estimate for an entrant that is behind the others needs so many of its games."""


class Pace:
    """The speed of a tournament.

    Args:
        course: the tournament when the measurement began; None for its beginning.
    """

    def __init__(self, course: Course | None = None) -> None:
        self._played = course.tally.played if course else 0
        self._games, self._times = _games_and_times(course) if course else (Counter[int](), Counter[int]())

    def time_left(self, course: Course, spent: float) -> float | None:
        """Estimates the seconds until the end; None if nothing is left, or too few games were played.

        The estimate assumes that games go on as fast as so far. The games of an entrant that is far behind,
        such as a person, run beside the others: if they alone take longer, their time is the estimate.

        Args:
            course: the tournament as it stands.
            spent: the seconds since the measurement began.
        """
        played, left = course.tally.played - self._played, course.games_left()
        if (
            not left
            or course.effects.paused
            or course.total is None
            or played < max(1, min(_ENOUGH, (played + left) // 4))
        ):
            return None
        longest = spent * left / played
        stage = course.stages[-1]
        if not course.knows_matches:
            return longest
        games, times = _games_and_times(course)
        here, _ = _games_and_times(course, stage.number)
        match = stage.seats * course.plan.boards * len(course.plan.games)
        typical = median(games[entrant] - self._games[entrant] for entrant in stage.entrants)
        for entrant in set(stage.entrants) - set(course.effects.withdrawn):
            to_come = float(stage.matches_of(entrant)) * match - here[entrant]
            over = games[entrant] - self._games[entrant]
            if to_come <= 0 or 2 * (over + match) >= typical:
                continue  # it is done, or not far behind
            if over < _ENOUGH_OF_ONE:
                return None
            thought = (times[entrant] - self._times[entrant]) / 1e6
            longest = max(longest, min(spent, thought) * to_come / over)
        return longest


def _games_and_times(course: Course, stage: int | None = None) -> tuple[Counter[int], Counter[int]]:
    """The number of games of each entrant, in all or in a stage, and its thinking time in microseconds."""
    entrants = course.tally.totals(stage).entrants
    return (
        Counter({entrant: totals.games for entrant, totals in entrants.items()}),
        Counter({entrant: totals.time for entrant, totals in entrants.items()}),
    )
