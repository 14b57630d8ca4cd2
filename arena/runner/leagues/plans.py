"""The plan of a stored tournament, whichever version of the arena began it."""

from __future__ import annotations

from datetime import datetime

from arena.link.local.sandbox import Level, Trust
from arena.runner.leagues.latecomers import late_entrant
from arena.runner.tournament_file import TournamentFile, contained, read_bots, read_trust
from arena.store import League, StoredTournament
from arena.tournament.effects import Effects
from arena.tournament.first_release import plan_of_file
from arena.tournament.plan import Plan, read_plan
from arena.tournament.rulings import Admit, Ruling, effects_of, read_ruling


def stored_tournament(league: League, stored: StoredTournament) -> TournamentFile:
    """A tournament of a league that goes on: its plan, and its bots where they were when they came.

    They are contained as they were last, also where the command line had said so. Raises UnknownPlan,
    SandboxMissing, and TournamentFileError where its bots are not there any more.
    """
    plan = plan_of(stored)
    concurrency, first, trust = read_bots(stored.file_text, stored.file_path, plan.games)
    admitted = [ruling for ruling in rulings_of(league, stored.id) if isinstance(ruling, Admit)]
    entrants = first + tuple(late_entrant(each, plan.games, trust) for each in admitted)
    file = TournamentFile(stored.file_path, stored.file_text, plan, concurrency, entrants, trust)
    return contained(file, noted_level(league, stored))


def noted_level(league: League, stored: StoredTournament) -> Level | None:
    """The level at which all bots that were started were contained last.

    None where they differ, or where nobody asked for it, so that the machine need not have all of it.
    """
    effects = stored_effects(league, stored.id)
    levels = set(effects.contained) - {""}
    if len(levels) != 1 or (effects.lacking and levels == {Level.BASIC}):
        return None
    return Level(levels.pop())


def rulings_of(league: League, tournament: int, at: datetime | None = None) -> list[Ruling]:
    """The rulings about a tournament, or those by a moment `at`. Raises WrongRuling, UnknownTournament."""
    return [read_ruling(each.decision) for each in league.decisions(tournament, at)]


def stored_effects(league: League, tournament: int, at: datetime | None = None) -> Effects:
    """What all these rulings mean together. Raises WrongRuling, UnknownTournament."""
    entrants = len(league.tournament(tournament).first_entrants)
    return effects_of(entrants, rulings_of(league, tournament, at))


def trust_of(league: League, stored: StoredTournament) -> Trust:
    """What the bots of a tournament are allowed by now. Raises TournamentFileError."""
    trust = read_trust(stored.file_text, stored.file_path)
    return trust._replace(level=noted_level(league, stored) or trust.level)


def plan_of(stored: StoredTournament) -> Plan:
    """What a tournament was when it began. Raises UnknownPlan."""
    if stored.plan is not None:
        return read_plan(stored.plan)
    return plan_of_file(stored.file_text, len(stored.first_entrants))


def season_of(league: League) -> list[StoredTournament]:
    """The tournaments of a league that count in its season: those finished, but for comparisons.

    Raises UnknownPlan.
    """
    return [
        stored
        for stored in league.tournaments()
        if stored.finished is not None and not plan_of(stored).compares
    ]
