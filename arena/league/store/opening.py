"""Opens connections to a league file, for its writer or a reader; copies the games if the file is moved.

A file that is not a league is refused. If the file of an open league is deleted, moved or replaced, its data
still exists while it is open; it is copied into a new file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import apsw

from arena.league.store import schema
from arena.league.store.errors import (
    EmptyLeague,
    LeagueMoved,
    LeagueNotFound,
    LeagueNotWritable,
    NotALeague,
    OldLeague,
    StoreError,
    WrongLeagueVersion,
    clear_system_errors,
    damaged,
)
from arena.text import shell_word

BUSY_TIMEOUT = 5000
"""How long to wait for a lock that another connection holds for a moment, in milliseconds."""


def open_writer(path: Path) -> apsw.Connection:
    """Opens a connection for the writer; makes or migrates the league if needed.

    The caller must hold the lock (see `locking`).
    """
    db = _connect(path.as_uri(), apsw.SQLITE_OPEN_READWRITE)
    with _closed_on_error(db, path):
        if not schema.is_empty(db):
            _check(db, path)
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "full")
        db.pragma("foreign_keys", True)
        schema.migrate(db)
        _check_tables(db, path)
    return db


def open_reader(path: Path) -> apsw.Connection:
    """Opens a connection for a reader.

    Raises OldLeague if the file must be migrated first, and EmptyLeague if
    the file is empty.
    """
    if not path.is_file():
        raise LeagueNotFound(f"there is no league file {path}; give the path of one that was run")
    db = _connect_reader(path)
    with _closed_on_error(db, path):
        if schema.is_empty(db):
            raise EmptyLeague(f"{path} is empty; give the path of a league that was run")
        _check(db, path)
        if schema.version(db) < len(schema.MIGRATIONS):
            raise OldLeague(f"{path} was written by an older version of arena")
        _check_tables(db, path)
    return db


@contextmanager
def _closed_on_error(db: apsw.Connection, path: Path) -> Iterator[None]:
    """Closes the connection after an exception; an SQL error means that the file is damaged."""
    try:
        yield
    except apsw.SQLError as problem:  # the tables or the file's marks have changed
        db.close()
        raise damaged(path, str(problem)) from None
    except BaseException:
        db.close()
        raise


def _connect(uri: str, flags: int) -> apsw.Connection:
    db = apsw.Connection(uri, flags=flags | apsw.SQLITE_OPEN_URI)
    db.set_busy_timeout(BUSY_TIMEOUT)
    return db


def _connect_reader(path: Path) -> apsw.Connection:
    """Connects for reading only, even if the folder is read-only.

    While a league is written, two more files are beside it, by which SQLite
    coordinates writer and readers. The last process to close removes them, and must
    have write access for that. If they do not exist and cannot be made, no process
    writes the league, and it is read as a constant file.
    """
    db = _connect(path.as_uri(), apsw.SQLITE_OPEN_READWRITE)
    try:
        db.pragma("query_only", True)
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


def checkpoint(path: Path, seconds: float) -> None:
    """Writes the log beside a league file into it and empties the log; gives up after some seconds."""
    with suppress(apsw.Error):
        db = _connect(path.as_uri(), apsw.SQLITE_OPEN_READWRITE)
        try:
            db.set_busy_timeout(int(1000 * seconds))
            schema.version(db)  # SQLite finds the log only after a first read
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            db.close()


def require_file(path: Path) -> None:
    """Raises NotALeague if neither a file nor a folder is there, but a device or a pipe."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise NotALeague(f"{path} is not a file; give the path of a league file, or of a new file")


def refuse_split(path: Path) -> None:
    """Raises LeagueNotWritable if the newest games are in a log beside another name of the file.

    SQLite finds the log of a crashed writer by the file's name. If the file were
    opened by another name, a hard link, those games would be missing.
    """
    if path.stat().st_nlink == 1:
        return
    for other in path.parent.iterdir():
        log = Path(f"{other}-wal")
        if other != path and other.is_file() and other.samefile(path) and log.exists() and log.stat().st_size:
            raise LeagueNotWritable(
                f"the newest games of {path} are kept beside its other name, {other}; open it by that one"
            )


def make_private(path: Path) -> None:
    """Makes the file, if there is none, readable only by its owner: it holds the secret key."""
    # An existing file is never opened: closing it would release the locks that
    # other connections of this process hold on it.
    with clear_system_errors(path), suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _check(db: apsw.Connection, path: Path) -> None:
    """Raises NotALeague, WrongLeagueVersion or DamagedLeague if the file cannot be used."""
    if not schema.is_league(db):
        raise NotALeague(f"{path} is not a league file; give the path of one, or of a new file")
    if schema.version(db) > len(schema.MIGRATIONS):
        raise WrongLeagueVersion(f"{path} was written by a newer version of arena; update arena to use it")
    if schema.version(db) < 1:
        raise damaged(path, f"it has version {schema.version(db)}")


def _check_tables(db: apsw.Connection, path: Path) -> None:
    if not schema.is_intact(db):
        raise damaged(path, "its tables are not those of a league")


class FileIdentity:
    """Remembers the device and inode numbers of an open league and of its log."""

    def __init__(self, path: Path) -> None:
        self._paths = (str(path), f"{path}-wal")
        self._files = self._now()

    def unchanged(self) -> bool:
        """Whether the same files are still there."""
        return self._now() == self._files

    def _now(self) -> list[tuple[int, int] | None]:
        return [_identity(path) for path in self._paths]


def keep_copy(path: Path, backup: Callable[[Path], None]) -> LeagueMoved:
    """Copies an open league whose file is gone into a new file; the returned error says where.

    `backup` writes the league into a new file.
    """
    lost = f"{path} was deleted, moved or replaced while it was being written"
    problem = ""
    for copy in _places_for_copy(path):
        try:
            backup(copy)
        except (StoreError, apsw.Error) as error:
            problem = str(error)
            continue
        return LeagueMoved(
            f"{lost}; all its games are in {copy}, go on with: arena resume {shell_word(copy)}"
        )
    return LeagueMoved(f"{lost}, and its games could not be kept elsewhere ({problem}); look for the file")


def _places_for_copy(path: Path) -> Iterator[Path]:
    """Yields new file names in the league's folder, the current folder and the one for temporary files."""
    folders: tuple[Callable[[], str | Path], ...] = (lambda: path.parent, os.getcwd, tempfile.gettempdir)
    for find in folders:
        with suppress(FileNotFoundError):  # there is no such folder
            names = (Path(find(), f"{path.stem}-kept-{number}.league") for number in count(1))
            yield next(name for name in names if not name.exists())


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
