"""Whether what is about to be read of a league is what was stored in it, as far as the file can tell.

The database checks its file, the rows must fit each other, and the links of all
that belongs to what is read are computed anew. Less than a verification: no
deal is derived and no record played again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arena.store import chain, damage
from arena.store.errors import UnknownTournament
from arena.store.values import ChainEntry

if TYPE_CHECKING:
    import apsw

    from arena.store.reading import Reading

_COUNTS = """
    SELECT (SELECT count(*) FROM chain WHERE thing = 'tournament') = (SELECT count(*) FROM tournament)
       AND (SELECT count(*) FROM chain WHERE thing = 'game') = (SELECT count(*) FROM game)
       AND (SELECT count(*) FROM chain WHERE thing = 'decision') = (SELECT count(*) FROM decision)
       AND (SELECT count(*) FROM chain WHERE thing = 'end')
         = (SELECT count(*) FROM tournament WHERE finished IS NOT NULL)
"""
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


def of_file(db: apsw.Connection) -> Iterator[str]:
    """What is wrong with the file, and with rows that do not fit each other or are not in the chain."""
    yield from damage.file_damage(db)
    for where, what in damage.misfits(db):
        yield f"{where}: {what}"
    if not db.execute(_COUNTS).get:
        yield "what is stored is not all that its hash chain has"


def of_tournament(league: Reading, db: apsw.Connection, tournament: int) -> Iterator[str]:
    """What is wrong with a tournament, its games, and what was decided about it."""
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
            decisions += entry.decision is not None and entry.decision.tournament == tournament
    if decisions != db.execute("SELECT count(*) FROM decision WHERE tournament = ?", (tournament,)).get:
        yield f"decisions about tournament {tournament} are not in its part of the hash chain"
    if games != db.execute("SELECT count(*) FROM game WHERE tournament = ?", (tournament,)).get:
        yield f"games of tournament {tournament} are not in its part of the hash chain"


def of_game(league: Reading, db: apsw.Connection, number: int) -> Iterator[str]:
    """What is wrong with one game, if it is there, or with what is stored of its tournament."""
    positions: list[Any] = db.execute(_GAME, (number,)).fetchall()
    for (position,) in positions:
        if position is None:
            yield f"game {number} or its tournament is not in the hash chain"
            return
        yield from (what for what in _checked(league, db, position, position) if isinstance(what, str))


def _checked(league: Reading, db: apsw.Connection, first: int, last: int) -> Iterator[ChainEntry | str]:
    """The entries of the chain at some positions, with a sentence after each that is not as it was stored."""
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
