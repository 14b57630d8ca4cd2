"""The outcome of a stored tournament of either kind: standings, or the answers of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from arena.formats.comparison import ComparisonFormat
from arena.league.compared import ComparisonSummary, summarize_comparison
from arena.league.store import League
from arena.league.stored import plan_of
from arena.league.summary import Summary, summarize
from arena.report.comparison_text import comparison_json, comparison_rows, comparison_text
from arena.report.standings_data import summary_json, summary_rows
from arena.report.standings_text import summary_text
from arena.report.tables import WIDTH

Outcome = Summary | ComparisonSummary


def outcome_of(
    league: League,
    tournament: int,
    at: datetime | None = None,
    *,
    intervals: bool = True,
    less_luck: bool = False,
) -> Outcome:
    """The outcome of a tournament so far, or at a moment `at`. Raises UnknownTournament, UnknownPlan.

    `intervals`, `less_luck`: see `summarize`.
    """
    if isinstance(plan_of(league.tournament(tournament)).first, ComparisonFormat):
        return summarize_comparison(league, tournament, at, less_luck=less_luck)
    return summarize(league, tournament, at, intervals=intervals)


def outcome_text(outcome: Outcome, width: int = WIDTH) -> str:
    """Its tables and sentences, in lines of so many cells."""
    if isinstance(outcome, ComparisonSummary):
        return comparison_text(outcome, width)
    return summary_text(outcome, width)


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data."""
    return comparison_json(outcome) if isinstance(outcome, ComparisonSummary) else summary_json(outcome)


def outcome_rows(outcome: Outcome) -> Iterator[list[str]]:
    """The outcome as rows of a spreadsheet."""
    return comparison_rows(outcome) if isinstance(outcome, ComparisonSummary) else summary_rows(outcome)
