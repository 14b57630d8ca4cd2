"""Estimates how long the rest of a tournament will take, from what it took so far."""

from __future__ import annotations

from collections import Counter
from statistics import median

from arena.tournament.course import Course

_ENOUGH = 20
"""After so many games, or a quarter of all, there is something to go by."""

_ENOUGH_OF_ONE = 3
"""The same for the games of an entrant that is behind the others."""


class Pace:
    """How fast a tournament is played.

    Args:
        course: the tournament as it stood when the clock was started; None for its beginning.
    """

    def __init__(self, course: Course | None = None) -> None:
        self._played = course.tally.played if course else 0
        self._games, self._times = _games_and_times(course) if course else (Counter[int](), Counter[int]())

    def time_left(self, course: Course, spent: float) -> float | None:
        """How many seconds the rest takes; None if nothing is left, or there is too little to go by.

        That is as long as the games took so far, all together. The games of an entrant that is far behind
        the others, such as a person, are played beside theirs: if those alone take longer, it is as long.

        Args:
            course: the tournament as it stands.
            spent: the seconds since the clock was started.
        """
        played, left = course.tally.played - self._played, course.games_left()
        if not left or course.paused or played < max(1, min(_ENOUGH, (played + left) // 4)):
            return None
        longest = spent * left / played
        stage = course.stages[-1]
        if stage.depends_on_results or course.plan.compares:
            return longest
        games, times = _games_and_times(course)
        here, _ = _games_and_times(course, stage.number)
        match = stage.seats * course.plan.boards * len(course.plan.games)
        typical = median(games[entrant] - self._games[entrant] for entrant in stage.entrants)
        for entrant in set(stage.entrants) - set(course.withdrawn):
            to_come = float(stage.matches_of(entrant)) * match - here[entrant]
            over = games[entrant] - self._games[entrant]
            if to_come <= 0 or 2 * (over + match) >= typical:
                continue  # it is through, or not far behind
            if over < _ENOUGH_OF_ONE:
                return None
            thought = (times[entrant] - self._times[entrant]) / 1e6
            longest = max(longest, min(spent, thought) * to_come / over)
        return longest


def _games_and_times(course: Course, stage: int | None = None) -> tuple[Counter[int], Counter[int]]:
    """How many games each entrant has played, in all or in a stage, and how many microseconds it thought."""
    entrants = course.tally.totals(stage).entrants
    return (
        Counter({entrant: totals.games for entrant, totals in entrants.items()}),
        Counter({entrant: totals.time for entrant, totals in entrants.items()}),
    )
