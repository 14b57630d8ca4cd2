"""Helpers for tests of damaged leagues: a tournament, and an edit of a stored league."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from arena.league.store import League
from arena.league.store.chain import FIRST, link

FOUR_SEATS = 'name = "tables"\ngames = ["nur-mut", "nyuri"]\nseats = 3\n'


def edit(path: Path, *statements: str) -> None:
    db = apsw.Connection(str(path))
    db.pragma("foreign_keys", False)
    for statement in statements:
        db.execute(statement)
        assert db.changes() > 0
    db.close()


def mend_chain(path: Path) -> None:
    """Makes the hash chain fit what is stored, as somebody would who has edited that."""
    links, head = [], FIRST
    with League.read(path) as league:
        for entry in league.chain():
            fields = league.fields(entry)
            assert fields is not None
            head = link(head, fields)
            links.append((head, entry.position))
    with closing(apsw.Connection(str(path))) as db:
        db.executemany("UPDATE chain SET link = ? WHERE position = ?", links)
