"""The tally of a tournament, from its league."""

from __future__ import annotations

from datetime import datetime

from arena.runner.garbage import rare_collections
from arena.runner.tournament_file import TournamentFile
from arena.standings.tally import Tally
from arena.store import League


def tally_of(league: League, tournament: int, file: TournamentFile, at: datetime | None = None) -> Tally:
    """The tally of a tournament's finished games, or of those finished by a moment `at`.

    Raises UnknownTournament.
    """
    tally = Tally(file.games, file.boards)
    with league.snapshot(), rare_collections():
        for board in league.boards(tournament, at):
            tally.add_board(board)
        for conduct in league.conducts(tournament, at):
            tally.add_conduct(conduct)
    return tally
