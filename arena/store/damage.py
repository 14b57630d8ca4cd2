"""What is wrong with a league file that its hash chain does not tell: a damaged file, rows that do not fit.

The chain covers what was stored, not how the file keeps it, nor the columns
that repeat what others say. Both are looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import apsw

from arena.store import latecomers

_MISFITS = (
    (
        "game",
        "a seat of it names another tournament",
        "SELECT DISTINCT game.number FROM seat JOIN game ON game.number = seat.game "
        "WHERE seat.tournament <> game.tournament",
    ),
    (
        "game",
        "its seats are not numbered from 0 on",
        "SELECT game FROM seat GROUP BY game HAVING min(seat) <> 0 OR max(seat) <> count(*) - 1",
    ),
    (
        "tournament",
        "its entrants are not numbered from 0 on",
        "SELECT tournament FROM entrant GROUP BY tournament "
        "HAVING min(number) <> 0 OR max(number) <> count(*) - 1",
    ),
)


def file_damage(db: apsw.Connection) -> Iterator[str]:
    """What the database finds wrong with its own file, a hundred things at most.

    Where there is any of it, nothing that is read from the file can be trusted.
    """
    for (line,) in db.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield " ".join(line.split())  # some are of two lines


def misfits(db: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Rows of a sound file that do not fit each other: where, and what is wrong."""
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"table {table}", f"a row is of a {parent} that is not there"
    for thing, what, query in _MISFITS:
        for (number,) in db.execute(query):
            yield f"{thing} {number}", what
    yield from latecomers.misfits(db)
    # The chain covers what these mean, which several texts can mean.
    for number, path, *times in db.execute("SELECT id, file_path, started, finished FROM tournament"):
        if str(Path(path)) != path or any(time is not None and not _is_moment(time) for time in times):
            yield f"tournament {number}", "its path or its times are not written as arena writes them"


def _is_moment(text: str) -> bool:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment.isoformat() == text
