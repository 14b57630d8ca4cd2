"""The plan of a stored tournament, whichever version of the arena began it."""

from __future__ import annotations

from arena.runner.leagues.latecomers import late_entrants
from arena.runner.tournament_file import TournamentFile, read_bots
from arena.store import League, StoredTournament
from arena.tournament.decisions import read_decision
from arena.tournament.first_release import plan_of_file
from arena.tournament.plan import Plan, read_plan


def stored_tournament(league: League, stored: StoredTournament) -> TournamentFile:
    """A tournament of a league that goes on: its plan, and its bots where they were when they came.

    Raises UnknownPlan, and TournamentFileError where its bots are not there any more.
    """
    plan = plan_of(stored)
    concurrency, first, trust = read_bots(stored.file_text, stored.file_path, plan.games)
    decisions = [read_decision(each.decision) for each in league.decisions(stored.id)]
    entrants = first + late_entrants(decisions, plan.games, trust)
    return TournamentFile(stored.file_path, stored.file_text, plan, concurrency, entrants, trust)


def plan_of(stored: StoredTournament) -> Plan:
    """What a tournament was when it began. Raises UnknownPlan."""
    if stored.plan is not None:
        return read_plan(stored.plan)
    return plan_of_file(stored.file_text, len(stored.first_entrants))
