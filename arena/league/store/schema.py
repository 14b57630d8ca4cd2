"""The SQL schema of a league file, as an ordered list of migrations.

A file's `user_version` counts the migrations it has had. A migration is never
changed once released; a new need is a new function at the end of `MIGRATIONS`.
Standings are not in here: they are computed from the results.
"""

from __future__ import annotations

from collections.abc import Callable

import apsw

APPLICATION_ID = int.from_bytes(b"Aren")
"""Marks a SQLite file as a league."""


def _m001_tournaments_and_games(db: apsw.Connection) -> None:
    db.execute(
        """
        CREATE TABLE tournament (
            id             INTEGER PRIMARY KEY,
            name           TEXT NOT NULL,
            file_path      TEXT NOT NULL,
            file_text      TEXT NOT NULL,
            key            BLOB NOT NULL CHECK (length(key) = 32),
            key_commitment TEXT NOT NULL,
            started        TEXT NOT NULL,  -- times are UTC, ISO 8601
            finished       TEXT            -- the key is secret until then
        ) STRICT;

        CREATE TABLE entrant (
            tournament INTEGER NOT NULL REFERENCES tournament,
            number     INTEGER NOT NULL,   -- from 0, in the order of the tournament file
            name       TEXT NOT NULL,
            bot        TEXT NOT NULL,
            version    TEXT NOT NULL,
            author     TEXT NOT NULL,
            PRIMARY KEY (tournament, number),
            UNIQUE (tournament, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE game (
            number     INTEGER PRIMARY KEY,  -- running, over the whole league
            tournament INTEGER NOT NULL REFERENCES tournament,
            stage      INTEGER NOT NULL,
            round      INTEGER NOT NULL,
            match      INTEGER NOT NULL,
            game       TEXT NOT NULL,
            board      INTEGER NOT NULL,
            rotation   INTEGER NOT NULL,
            reason     TEXT NOT NULL,
            record     BLOB NOT NULL,
            times      BLOB NOT NULL,
            recorded   TEXT NOT NULL,
            UNIQUE (tournament, stage, round, match, game, board, rotation)
        ) STRICT;

        CREATE TABLE seat (
            game           INTEGER NOT NULL REFERENCES game,
            seat           INTEGER NOT NULL,
            tournament     INTEGER NOT NULL,
            entrant        INTEGER NOT NULL,
            place          INTEGER NOT NULL,
            points         INTEGER NOT NULL,
            forfeit        INTEGER NOT NULL CHECK (forfeit IN (0, 1)),
            timeout        INTEGER NOT NULL,  -- faults by kind
            illegal_action INTEGER NOT NULL,
            unknown_turn   INTEGER NOT NULL,
            crash          INTEGER NOT NULL,
            disconnect     INTEGER NOT NULL,
            protocol       INTEGER NOT NULL,
            decisions      INTEGER NOT NULL,
            time           INTEGER NOT NULL,  -- microseconds
            PRIMARY KEY (game, seat),
            FOREIGN KEY (tournament, entrant) REFERENCES entrant (tournament, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE chain (                 -- see chain.py
            position INTEGER PRIMARY KEY,    -- from 1
            thing    TEXT NOT NULL CHECK (thing IN ('tournament', 'game', 'end')),
            id       INTEGER NOT NULL,       -- of the tournament, or the number of the game
            link     BLOB NOT NULL CHECK (length(link) = 32),
            UNIQUE (thing, id)
        ) STRICT;
        """
    )


def _m002_plans_decisions_and_seatings(db: apsw.Connection) -> None:
    db.execute(
        """
        -- Which of the match's entrants sits there, by its position in the match: before, the rotation told.
        ALTER TABLE seat ADD COLUMN match_entrant INTEGER NOT NULL DEFAULT 0;
        UPDATE seat
        SET match_entrant = (seat.seat + size.seats - game.rotation % size.seats) % size.seats
        FROM game, (SELECT game, count(*) AS seats FROM seat GROUP BY game) AS size
        WHERE game.number = seat.game AND size.game = seat.game;

        ALTER TABLE tournament ADD COLUMN plan TEXT;  -- JSON; NULL where only the file was kept

        CREATE TABLE decision (
            number     INTEGER PRIMARY KEY,  -- running, over the whole league
            tournament INTEGER NOT NULL REFERENCES tournament,
            decision   TEXT NOT NULL,        -- JSON
            reason     TEXT NOT NULL,
            decided    TEXT NOT NULL         -- UTC, ISO 8601
        ) STRICT;

        CREATE TABLE new_chain (             -- see chain.py
            position INTEGER PRIMARY KEY,    -- from 1
            thing    TEXT NOT NULL CHECK (thing IN ('tournament', 'game', 'decision', 'end')),
            id       INTEGER NOT NULL,       -- of the tournament, or the number of the game or decision
            link     BLOB NOT NULL CHECK (length(link) = 32),
            UNIQUE (thing, id)
        ) STRICT;
        INSERT INTO new_chain SELECT * FROM chain;
        DROP TABLE chain;
        ALTER TABLE new_chain RENAME TO chain;
        """
    )


KEEP_FACES = """
    CREATE TABLE IF NOT EXISTS face (      -- decorates an entrant's name; in no link of the hash chain
        tournament INTEGER NOT NULL,
        entrant    INTEGER NOT NULL,
        language   TEXT NOT NULL,          -- may be empty
        emblem     TEXT NOT NULL,          -- may be empty; see arena/face.py
        PRIMARY KEY (tournament, entrant),
        FOREIGN KEY (tournament, entrant) REFERENCES entrant (tournament, number)
    ) STRICT, WITHOUT ROWID
"""
"""Makes the table of faces where it is missing.

It is made when the first face is kept, and is no migration: a league without it is read as it is, also where
it cannot be written, and an earlier arena reads a league with it.
"""

LUCK_TABLES = {"greedy": "luck", "thoughtful": "thoughtful_luck"}
"""The table of the lucks by each baseline (`arena/comparison/baseline.py`)."""

KEEP_LUCKS = """
    CREATE TABLE IF NOT EXISTS {table} (   -- follows from the game's record; in no link of the hash chain
        game INTEGER PRIMARY KEY REFERENCES game,
        luck REAL NOT NULL                 -- of the match's first entrant; see arena/comparison/luck.py
    ) STRICT
"""
"""Makes such a table where it is missing, when the first luck is kept, as that of faces."""

KEEP_THOUGHTS = """
    CREATE TABLE IF NOT EXISTS thought (   -- what the bots thought; in no link of the hash chain
        game     INTEGER PRIMARY KEY REFERENCES game,
        thoughts BLOB NOT NULL             -- GameThoughts of record.proto
    ) STRICT
"""
"""Makes the table of thoughts where it is missing, when the first thoughts are kept, as that of faces."""

MIGRATIONS: list[Callable[[apsw.Connection], None]] = [
    _m001_tournaments_and_games,
    _m002_plans_decisions_and_seatings,
]


def is_league(db: apsw.Connection) -> bool:
    """Whether the database is marked as a league."""
    return bool(db.pragma("application_id") == APPLICATION_ID)


def is_empty(db: apsw.Connection) -> bool:
    """Whether the database holds nothing and has no mark: a new file."""
    tables = db.execute("SELECT count(*) FROM sqlite_schema").get
    return bool(tables == 0 and db.pragma("application_id") == 0)


def is_intact(db: apsw.Connection) -> bool:
    """Whether the tables of a league of today's version are there, as they were made."""
    new = apsw.Connection(":memory:")
    try:
        migrate(new)
        return _tables(new) <= _tables(db)
    finally:
        new.close()


def _tables(db: apsw.Connection) -> set[tuple[str, ...]]:
    return set(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def version(db: apsw.Connection) -> int:
    """How many migrations the database has had."""
    return int(db.pragma("user_version"))


def migrate(db: apsw.Connection) -> None:
    """Applies the migrations that are missing, each in a transaction of its own: all of it or nothing."""
    db.pragma("secure_delete", True)  # no old tables are left in the file to be mistaken for its own
    for number in range(version(db), len(MIGRATIONS)):
        with db:
            db.pragma("application_id", APPLICATION_ID)
            MIGRATIONS[number](db)
            db.pragma("user_version", number + 1)
