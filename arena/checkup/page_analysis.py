"""The process that analyses one game of a league for the page, and tells how far it is."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.analysis.game import CannotAnalyse, require_analysable
from arena.checkup.analysed import Wanted, analyse_games
from arena.checkup.analysis_processes import ProcessLost
from arena.league.store import League, StoreError
from arena.table.record import BrokenRecord
from arena.text import one_line

_BUG = "the analysis stopped because of a bug in it"


def wanted_of(league: League, number: int, seats: Sequence[int] | None = None) -> Wanted:
    """A game by its running number, with the seats whose decisions are judged; None for all.

    Raises UnknownGame, StoreError.
    """
    league.require_sound(game=number)
    stored = league.game(number)
    entrants = league.tournament(stored.tournament).entrants
    names = tuple(entrants[seat.entrant].name for seat in stored.result.seats)
    return Wanted(stored, names, frozenset(range(len(names)) if seats is None else seats))


def is_analysable(game: str) -> bool:
    """Whether the games of this id can be analysed."""
    try:
        require_analysable(game)
    except CannotAnalyse:
        return False
    return True


def main(path: str, number: int, seats: Sequence[int]) -> None:
    """Analyses a game, and keeps what was found beside the league.

    Again and again it writes a line of JSON: `{"share": 0.4}` of the work is done. If the game cannot be
    analysed, the last line is `{"wrong": "..."}` with the reason.

    Args:
        path: the league.
        number: the running number of the game.
        seats: the seats whose decisions are judged.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its own processes end first
    try:
        with League.read(Path(path)) as league:
            wanted = wanted_of(league, number, seats)
        analyse_games(Path(path), [wanted], None, "", lambda share: _tell({"share": share}))
    except (CannotAnalyse, BrokenRecord, ProcessLost, StoreError) as problem:
        _tell({"wrong": str(problem)})
    except Exception as bug:  # noqa: BLE001 - of any kind: the page goes on
        place = traceback.extract_tb(bug.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        sys.stderr.write(one_line(f"page: an analysis failed: {type(bug).__name__}: {bug} ({where})") + "\n")
        _tell({"wrong": _BUG})


def _tell(news: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(news) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the page has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
