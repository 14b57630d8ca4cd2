"""Helpers for tests of damaged leagues: a tournament, and an edit of a stored league."""

from __future__ import annotations

from pathlib import Path

import apsw

FOUR_SEATS = 'name = "tables"\ngames = ["nur-mut", "nyuri"]\nseats = 3\n'


def edit(path: Path, *statements: str) -> None:
    db = apsw.Connection(str(path))
    db.pragma("foreign_keys", False)
    for statement in statements:
        db.execute(statement)
        assert db.changes() > 0
    db.close()
