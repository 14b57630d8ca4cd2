"""Opening a league file: for the one writer, or for a reader; each refuses what is not a league."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from arena.store import schema
from arena.store.errors import (
    DamagedLeague,
    LeagueBusy,
    LeagueNotFound,
    LeagueNotWritable,
    NotALeague,
    OldLeague,
    WrongLeagueVersion,
)

BUSY_TIMEOUT = 5000
"""How long to wait for a lock that another connection holds for a moment, in milliseconds."""


def open_writer(path: Path) -> apsw.Connection:
    """A connection that writes, to a league that is made or brought up to date if need be.

    The caller holds the lock of `take_lock`.
    """
    _make_private(path)
    db = _connect(path.as_uri(), apsw.SQLITE_OPEN_READWRITE)
    try:
        if not schema.is_empty(db):
            _check(db, path)
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "full")
        db.pragma("foreign_keys", True)
        schema.migrate(db)
        _check_tables(db, path)
    except apsw.SQLError as problem:  # the tables, or the marks of the file, are not what they were
        db.close()
        raise _damaged(path, str(problem)) from None
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path) -> apsw.Connection:
    """A connection that only reads. Raises OldLeague where the file must be brought up to date first."""
    if not path.is_file():
        raise LeagueNotFound(f"there is no league file {path}; give the path of one that was run")
    db = _connect_reader(path)
    try:
        _check(db, path)
        if schema.version(db) < len(schema.MIGRATIONS):
            raise OldLeague(f"{path} was written by an older version of arena")
        _check_tables(db, path)
    except apsw.SQLError as problem:
        db.close()
        raise _damaged(path, str(problem)) from None
    except BaseException:
        db.close()
        raise
    return db


def take_lock(path: Path) -> apsw.Connection:
    """Makes this process the only writer until the connection returned is closed, or the process ends.

    The lock is that of an empty database beside the league: it works wherever
    SQLite does, falls with its process however that ends, and no reader needs it.
    """
    lock = apsw.Connection(f"{path}-lock")
    try:
        lock.pragma("journal_mode", "memory")  # so that one file is all it needs
        lock.execute("BEGIN EXCLUSIVE")
    except apsw.BusyError:
        lock.close()
        raise LeagueBusy(
            f"{path} is being written by another process; wait for it, stop it, or use another file"
        ) from None
    except BaseException:
        lock.close()
        raise
    return lock


def _connect(uri: str, flags: int) -> apsw.Connection:
    db = apsw.Connection(uri, flags=flags | apsw.SQLITE_OPEN_URI)
    db.set_busy_timeout(BUSY_TIMEOUT)
    return db


def _connect_reader(path: Path) -> apsw.Connection:
    """Connects also where the folder is read-only.

    Beside a file that is being written there are two more, through which
    readers and writer know of each other. Where these are not there and cannot
    be made nobody writes, so the file is read as one that does not change.
    """
    db = _connect(path.as_uri(), apsw.SQLITE_OPEN_READONLY)
    try:
        schema.version(db)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        if os.path.exists(f"{path}-wal"):
            raise
        return _connect(f"{path.as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY)
    except BaseException:
        db.close()
        raise
    return db


def _make_private(path: Path) -> None:
    """Makes the file, if it is not there, readable by its owner only: it holds the secret key."""
    try:
        # Never opens a file that is there: closing it would drop the locks that
        # other connections of this process hold on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return
    except OSError as problem:
        raise LeagueNotWritable(
            f"{path} cannot be written: {problem.strerror}; choose a file in a folder of yours"
        ) from None


def _check(db: apsw.Connection, path: Path) -> None:
    """Raises NotALeague, WrongLeagueVersion or DamagedLeague where the file cannot be used."""
    if not schema.is_league(db):
        raise NotALeague(f"{path} is not a league file; give the path of one, or of a new file")
    if schema.version(db) > len(schema.MIGRATIONS):
        raise WrongLeagueVersion(f"{path} was written by a newer version of arena; update arena to use it")
    if schema.version(db) < 1:
        raise _damaged(path, f"it has version {schema.version(db)}")


def _check_tables(db: apsw.Connection, path: Path) -> None:
    if not schema.is_intact(db):
        raise _damaged(path, "its tables are not those of a league")


def _damaged(path: Path, what: str) -> DamagedLeague:
    return DamagedLeague(f"{path} is damaged ({what}); go back to a copy of it")
