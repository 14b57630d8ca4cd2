"""The course of a stored tournament: its plan, and all that its league holds of it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from arena.runner.leagues.plans import plan_of, stored_effects
from arena.runner.process import rare_collections
from arena.store import League
from arena.tournament.course import Course, Due


def course_of(
    league: League, tournament: int, at: datetime | None = None, playing: Collection[Due] = ()
) -> Course:
    """The course of a tournament as far as it is stored, or was by a moment `at`.

    Args:
        league: the league.
        tournament: the tournament's id.
        at: the moment; None for now.
        playing: games that are being played.

    Raises UnknownTournament, UnknownPlan.
    """
    with league.snapshot(), rare_collections():
        stored = league.tournament(tournament)
        course = Course(plan_of(stored), stored_effects(league, tournament, at), playing)
        for board in league.boards(tournament, at):
            course.tell_board(board)
        for conduct in league.conducts(tournament, at):
            course.tally.add_conduct(conduct)
    course.settle()
    return course
