"""Checks the integrity of a league file: whether it still holds what was stored in it.

The hash chain covers the stored values. It does not cover the file's structure, nor columns that repeat
others. So the database checks its file, and the rows must fit each other. For a part of a league its
links are recomputed as well. This is less than a verification: no deal is derived and no record replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from arena.league.store import chain
from arena.league.store.errors import UnknownTournament
from arena.league.store.places import latecomer_of
from arena.league.store.reading import LeagueReader
from arena.league.store.values import ChainEntry

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
    """Yields the damage that the database finds in its own file, at most a hundred problems.

    After any damage, nothing that is read from the file can be trusted.
    """
    for (line,) in db.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield " ".join(line.split())  # some are of two lines


def misfits(db: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Yields rows of a sound file that do not fit each other: where, and what is wrong."""
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"table {table}", f"a row is of a {parent} that is not there"
    for thing, what, query in _MISFITS:
        for (number,) in db.execute(query):
            yield f"{thing} {number}", what
    yield from _misfits_of_latecomers(db)
    # The chain covers only the meaning of these texts, and other texts have the same meaning.
    for number, path, *times in db.execute("SELECT id, file_path, started, finished FROM tournament"):
        if str(Path(path)) != path or any(time is not None and not _is_moment(time) for time in times):
            yield f"tournament {number}", "its path or its times are not written as arena writes them"


def _is_moment(text: str) -> bool:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment.isoformat() == text


_EXTENT = """
    SELECT (SELECT position FROM chain WHERE thing = 'tournament' AND id = ?1),
           ifnull((SELECT position FROM chain WHERE thing = 'end' AND id = ?1),
                  (SELECT max(position) FROM chain))
"""


_GAME = """
    SELECT (SELECT position FROM chain WHERE thing = 'tournament' AND id = game.tournament)
    FROM game WHERE number = ?1 UNION ALL
    SELECT (SELECT position FROM chain WHERE thing = 'game' AND id = number) FROM game WHERE number = ?1
"""


def of_file(league: LeagueReader, db: apsw.Connection) -> Iterator[str]:
    """Yields damage of the file, rows that do not fit each other, and rows outside of the chain."""
    yield from file_damage(db)
    for where, what in misfits(db):
        yield f"{where}: {what}"
    counts = league.counts()
    if (
        dict.fromkeys(counts, 0) | dict(db.execute("SELECT thing, count(*) FROM chain GROUP BY thing"))
        != counts
    ):
        yield "what is stored is not all that its hash chain has"


def of_tournament(league: LeagueReader, db: apsw.Connection, tournament: int) -> Iterator[str]:
    """Yields the problems of a tournament, its games and its rulings."""
    extent: list[Any] = db.execute(_EXTENT, (tournament,)).fetchall()
    ((first, last),) = extent
    if first is None:
        yield f"tournament {tournament} is not in the hash chain"
        return
    games = decisions = 0
    for entry in _checked(league, db, first, last):
        if isinstance(entry, str):
            yield entry
        else:
            games += entry.game is not None and entry.game.tournament == tournament
            decisions += entry.ruling is not None and entry.ruling.tournament == tournament
    if decisions != db.execute("SELECT count(*) FROM decision WHERE tournament = ?", (tournament,)).get:
        yield f"decisions about tournament {tournament} are not in its part of the hash chain"
    if games != db.execute("SELECT count(*) FROM game WHERE tournament = ?", (tournament,)).get:
        yield f"games of tournament {tournament} are not in its part of the hash chain"


def of_game(league: LeagueReader, db: apsw.Connection, number: int) -> Iterator[str]:
    """Yields the problems of one game, if there is one."""
    positions: list[Any] = db.execute(_GAME, (number,)).fetchall()
    for (position,) in positions:
        if position is None:
            yield f"game {number} or its tournament is not in the hash chain"
            return
        yield from (what for what in _checked(league, db, position, position) if isinstance(what, str))


def _checked(league: LeagueReader, db: apsw.Connection, first: int, last: int) -> Iterator[ChainEntry | str]:
    """Yields the chain's entries at some positions, and a sentence after each that has changed."""
    head = db.execute("SELECT link FROM chain WHERE position = ?", (first - 1,)).get or chain.FIRST
    for position, entry in enumerate(league.chain(first, last), first):
        yield entry
        try:
            fields = league.fields(entry)
        except UnknownTournament:
            fields = None
        if entry.position != position or fields is None or chain.link(head, fields) != entry.link:
            yield f"{entry.thing} {entry.id} is not as it was stored"
        head = entry.link


def _misfits_of_latecomers(db: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Yields rulings whose admitted entrants are missing or differ: where, and what is wrong."""
    sql = "SELECT number, tournament, decision FROM decision ORDER BY number"
    rows: list[Any] = db.execute(sql).fetchall()
    for number, tournament, decision in rows:
        late = latecomer_of(decision)
        if late is None:
            continue
        row = db.execute(
            "SELECT name, bot, version, author FROM entrant WHERE tournament = ? AND number = ?",
            (tournament, late[0]),
        ).fetchone()
        if row != tuple(late[1]):
            yield f"decision {number}", "the entrant that it admits is not there as it says"
