"""The course of a stored tournament: its plan, and all that its league holds of it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from arena.runner.garbage_collection import rare_collections
from arena.runner.leagues.plans import plan_of
from arena.store import League
from arena.tournament.course import Course, Due
from arena.tournament.decisions import Decision, read_decision


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
        decisions = decisions_of(league, tournament, at)
        course = Course(plan_of(stored), len(stored.first_entrants), decisions, playing)
        for board in league.boards(tournament, at):
            course.tell_board(board)
        for conduct in league.conducts(tournament, at):
            course.tally.add_conduct(conduct)
    course.settle()
    return course


def decisions_of(league: League, tournament: int, at: datetime | None = None) -> list[Decision]:
    """What was decided about a tournament, or by a moment `at`. Raises WrongDecision, UnknownTournament."""
    return [read_decision(each.decision) for each in league.decisions(tournament, at)]
