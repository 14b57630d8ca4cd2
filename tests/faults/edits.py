"""Edits of a league file, one for each stage of its check."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import apsw

EDITS = int(os.environ.get("ARENA_EDITS", "150"))
SEED = os.environ.get("ARENA_EDITS_SEED", "edits")
STAGES = '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\n'
TABLES = ("tournament", "entrant", "game", "seat", "chain")


def rng_of(kind: str) -> random.Random:
    return random.Random(f"{SEED} {kind}")


def edit_row(path: Path, rng: random.Random) -> str:
    """Makes one random edit of one row (or an exchange of two) as far as the tables allow it; tells it."""
    db = apsw.Connection(str(path))
    db.pragma("foreign_keys", False)
    table = rng.choice(TABLES)
    info = [(name, bool(key)) for _, name, _, _, _, key in db.execute(f"PRAGMA table_info({table})")]
    columns = [name for name, _ in info]
    keys = [name for name, key in info if key]
    rows = db.execute(f"SELECT * FROM {table}").fetchall()
    one, other = rng.sample(rows, 2)
    way = rng.choice(("change", "change", "change", "delete", "insert", "swap"))
    where = " AND ".join(f"{key} = ?" for key in keys)
    ids = [one[columns.index(key)] for key in keys]
    column = rng.randrange(len(columns))
    told = f"{way} {table} {ids}"
    try:
        if way == "delete":
            db.execute(f"DELETE FROM {table} WHERE {where}", ids)
        elif way == "change":
            value = changed(one[column], [row[column] for row in rows], rng)
            told += f" {columns[column]} = {value!r}"
            db.execute(f"UPDATE {table} SET {columns[column]} = ? WHERE {where}", (value, *ids))
        elif way == "insert":
            row = list(one)
            for at in {column, *(columns.index(key) for key in keys)}:
                row[at] = changed(row[at], [other[at]], rng)
            told += f" {row}"
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        else:
            told += f" with {other}: {columns[column]}"
            others = [other[columns.index(key)] for key in keys]
            space = {int: -1, str: "~", bytes: bytes(32)}.get(type(other[column]))
            with db:
                steps: list[tuple[Any, list[Any]]] = [(space, others), (other[column], ids)]
                moved = [
                    space if key == columns[column] else value
                    for key, value in zip(keys, others, strict=True)
                ]
                for value, of in (*steps, (one[column], moved)):
                    db.execute(f"UPDATE {table} SET {columns[column]} = ? WHERE {where}", (value, *of))
    except (apsw.ConstraintError, apsw.BindingsError):
        told += " (refused)"
    db.close()
    return told


def changed(value: Any, others: list[Any], rng: random.Random) -> Any:
    """Another value of the same type: a small change, another row's, or something far off."""
    if rng.random() < 0.3:
        return rng.choice(others)
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -value, 0, 1, rng.getrandbits(40), 2**63 - 1, -(2**63)))
    if isinstance(value, bytes):
        return bytes(changed_text(list(value), range(256), rng))
    if isinstance(value, str):
        return "".join(changed_text(list(value), ' 0179aZ/.+:="[]\n\0é', rng))
    return "2026-01-01T00:00:00+00:00"


def changed_text(items: list[Any], alphabet: Any, rng: random.Random) -> list[Any]:
    at = rng.randrange(len(items) + 1)
    way = rng.randrange(3)
    return [*items[:at], *([] if way == 0 else [rng.choice(alphabet)]), *items[at + (way < 2) :]]
