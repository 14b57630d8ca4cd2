"""The company that bots keep at tables of three and more, from the games in the league file."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from arena.runner.leagues.courses import course_of
from arena.standings.company import CompanyReport, company
from arena.store import League


class CompanySummary(NamedTuple):
    """A tournament's report on company.

    Attributes:
        tournament: its name.
        names: those of the entrants.
        seats: the size of the largest tables that were planned.
        report: what was found.
    """

    tournament: str
    names: tuple[str, ...]
    seats: int
    report: CompanyReport


def company_of(league: League, tournament: int, at: datetime | None = None) -> CompanySummary:
    """The report on company of a tournament, finished or running. Raises UnknownTournament, UnknownPlan.

    Where a moment `at` is given, as it stood then.
    """
    course = course_of(league, tournament, at)
    return CompanySummary(
        course.plan.name,
        tuple(entrant.name for entrant in league.tournament(tournament).entrants),
        max(stage.seats for stage in course.plan.stages),
        company(course.tally.groups),
    )
