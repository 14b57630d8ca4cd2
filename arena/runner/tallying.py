"""The tally of a tournament, from its league."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from arena.runner.tournament_file import TournamentFile
from arena.standings.tally import Tally
from arena.store import League


@contextmanager
def _no_collections() -> Iterator[None]:
    """Does not look for cyclic garbage, which there is none of, in the millions of values that come up."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def tally_of(league: League, tournament: int, file: TournamentFile, at: datetime | None = None) -> Tally:
    """The tally of a tournament's finished games, or of those finished by a moment `at`.

    Raises UnknownTournament.
    """
    tally = Tally(file.games, file.boards)
    with league.snapshot(), _no_collections():
        for board in league.boards(tournament, at):
            tally.add_board(board)
        for conduct in league.conducts(tournament, at):
            tally.add_conduct(conduct)
    return tally
