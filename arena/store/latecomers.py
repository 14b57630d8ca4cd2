"""Entrants that came when their tournament had begun: the decision that admitted one says who it is.

Such a decision is a JSON object whose `kind` is `admit`; `entrant` is the number,
`name`, `source`, `version` and `author` are what `EntrantInfo` has. The row of the
entrant repeats it, since seats refer to that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw

from arena.store.values import EntrantInfo


class Latecomer(NamedTuple):
    """An entrant that came late, with its number."""

    number: int
    info: EntrantInfo


def latecomer_of(decision: str) -> Latecomer | None:
    """Whom a stored decision admits; None where it is another decision, or none at all."""
    try:
        values: Any = json.loads(decision)
        if values["kind"] != "admit":
            return None
        texts = [str(values[name]) for name in ("name", "source", "version", "author")]
        return Latecomer(int(values["entrant"]), EntrantInfo(*texts))
    except (LookupError, TypeError, ValueError, RecursionError):
        return None


def latecomers(db: apsw.Connection, tournament: int) -> list[Latecomer]:
    """Those of a tournament, in the order in which they came."""
    rows = db.execute("SELECT decision FROM decision WHERE tournament = ? ORDER BY number", (tournament,))
    return [late for (decision,) in rows if (late := latecomer_of(decision)) is not None]


def misfits(db: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Decisions whose entrants are not there as they say: where, and what is wrong."""
    sql = "SELECT number, tournament, decision FROM decision ORDER BY number"
    rows: list[Any] = db.execute(sql).fetchall()
    for number, tournament, decision in rows:
        late = latecomer_of(decision)
        if late is None:
            continue
        row = db.execute(
            "SELECT name, bot, version, author FROM entrant WHERE tournament = ? AND number = ?",
            (tournament, late.number),
        ).fetchone()
        if row != tuple(late.info):
            yield f"decision {number}", "the entrant that it admits is not there as it says"
