"""What of a league may be seen by all: without the games that the host has not shown yet (`reveal = "host"`).

This is the one place that keeps results back. A connection that `only_shown` has prepared sees views instead
of the tables: each statement, of whatever page, finds the league as if the hidden games had not been played.
So no address can forget it. A tournament that is finished hides nothing.

`CROSS JOIN` keeps SQLite from reading all games to find those of the few staged tournaments.

A withdrawal by the rules follows from games. So it is hidden until all games of the entrant are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import apsw

from arena.league.store.schema import LUCK_TABLES

_TABLES = {
    "game": "number NOT IN hidden_game",
    "seat": "game NOT IN hidden_game",
    **dict.fromkeys(LUCK_TABLES.values(), "game NOT IN hidden_game"),
    "thought": "game NOT IN hidden_game",
    "decision": "number NOT IN hidden_decision",
    "chain": "NOT (thing = 'game' AND id IN hidden_game OR thing = 'decision' AND id IN hidden_decision)",
}
"""By the name of each table that tells results: which of its rows are shown."""

_HIDDEN = """
    CREATE TEMP VIEW staged AS
        SELECT id, json_extract(plan, '$.reveal') AS first FROM main.tournament
        WHERE NOT shows_all() AND finished IS NULL
        AND iif(json_valid(plan), json_extract(plan, '$.reveal') IS NOT NULL, 0);

    CREATE TEMP VIEW ruling AS
        SELECT number, id AS tournament, decision AS told, json_extract(decision, '$.kind') AS kind, decided
        FROM staged CROSS JOIN main.decision AS decision ON decision.tournament = id
        WHERE json_valid(decision);

    CREATE TEMP VIEW show AS
        SELECT tournament, told FROM ruling WHERE kind = 'show'
        AND unixepoch(decided, 'subsec') + json_extract(told, '$.countdown') <= shown_at();

    CREATE TEMP VIEW hidden_game AS
        SELECT number FROM staged CROSS JOIN main.game AS game ON game.tournament = id
        WHERE game.stage >= first
        AND id NOT IN (SELECT tournament FROM show WHERE json_extract(told, '$.rest'))
        AND (id, json_array(game.stage, round, match)) NOT IN
            (SELECT tournament, value FROM show JOIN json_each(told, '$.matches'));

    CREATE TEMP VIEW hidden_decision AS
        SELECT number FROM ruling
        WHERE kind = 'withdraw' AND json_extract(told, '$.request') IS NULL
        AND EXISTS (
            SELECT 1 FROM main.seat AS seat WHERE seat.tournament = ruling.tournament
            AND entrant = json_extract(told, '$.entrant') AND seat.game IN hidden_game
        );
"""


class Shown:
    """Lets a connection for reading see only what may be seen.

    Attributes:
        now: the moment as of which something is shown, in seconds since 1970.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self.look()
        self._all = False
        db.create_scalar_function("shown_at", lambda *_: self.now, 0)
        db.create_scalar_function("shows_all", lambda *_: self._all, 0)
        db.pragma("query_only", False)
        db.execute(_HIDDEN)
        for table, shown in _TABLES.items():
            db.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE {shown}")
        db.pragma("query_only", True)
        self._db = db

    def look(self) -> None:
        """Shows what may be seen now."""
        self.now = datetime.now(UTC).timestamp()

    @contextmanager
    def all(self) -> Iterator[None]:
        """Lets the connection see everything: only for finding out whether the file is as it was stored."""
        self._all = True
        try:
            yield
        finally:
            self._all = False

    def length(self) -> int:
        """The length of the hash chain without what is hidden; it also grows when something is shown."""
        return int(
            self._db.execute(
                "SELECT (SELECT coalesce(max(position), 0) FROM main.chain)"
                " - (SELECT count(*) FROM hidden_game) - (SELECT count(*) FROM hidden_decision)"
            ).get
        )
