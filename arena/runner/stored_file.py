"""The tournament file of a tournament that a league holds, as that tournament was begun."""

from __future__ import annotations

import dataclasses

from arena.runner.tournament_file import TournamentFile, parse_tournament
from arena.store import League, StoredTournament


def stored_file(league: League, stored: StoredTournament, *, find_bots: bool = True) -> TournamentFile:
    """The tournament file of a stored tournament; `find_bots` as in `parse_tournament`.

    One at tables of three or more whose games all have the cyclic seating was
    begun when there was no other.

    Raises TournamentFileError.
    """
    file = parse_tournament(stored.file_text, stored.file_path, find_bots=find_bots)
    if any(stage.seats > 2 for stage in file.stages) and not league.has_special_seatings(stored.id):
        return dataclasses.replace(file, seating="cyclic")
    return file
