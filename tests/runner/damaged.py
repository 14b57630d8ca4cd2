"""What tests of damaged leagues share: an edit of a stored league, the problems that verify finds."""

from __future__ import annotations

from pathlib import Path

import apsw

from arena.runner.leagues.verification import Verification
from arena.store import League

FOUR_SEATS = 'name = "tables"\ngames = ["nur-mut", "nyuri"]\nseats = 3\n'


def problems(path: Path) -> list[str]:
    with League.read(path) as league:
        found = [problem for problem in Verification(league).problems() if problem is not None]
    return [f"{problem.where}: {problem.what}" for problem in found]


def edit(path: Path, *statements: str) -> None:
    db = apsw.Connection(str(path))
    db.pragma("foreign_keys", False)
    for statement in statements:
        db.execute(statement)
        assert db.changes() > 0
    db.close()
