"""Keeps what analyses found, in a file that may be deleted at any time: `LEAGUE-analysis` beside a league.

A finding is kept under all that it follows from: the record of the game and the settings of the analysis. So
it stays right if games are added or copied, and a finding with other settings is kept beside it. What was
found by other rules of analysis is not found any more, and dropped as soon as something new is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from arena.league.store.errors import StoreError
from arena.league.store.opening import BUSY_TIMEOUT, make_private


class AnalysesUnreadable(StoreError):
    """The file cannot be read or written; the text says in one sentence how to remedy that."""


def analyses_path(league: Path) -> Path:
    """The file beside a league."""
    return league.with_name(f"{league.name}-analysis")


class Analyses:
    """The open file.

    Args:
        path: the file.
        rules: the number of the rules of analysis; findings of others are dropped.
        only_read: whether nothing is written; without a file there are no findings then.

    Raises AnalysesUnreadable.
    """

    def __init__(self, path: Path, rules: int, *, only_read: bool = False) -> None:
        self._path = path
        self._db: apsw.Connection | None = None
        if only_read and not self._path.is_file():
            return
        flags = apsw.SQLITE_OPEN_READONLY if only_read else apsw.SQLITE_OPEN_READWRITE
        with self._clear_errors():
            if not only_read:
                make_private(self._path)  # it tells hands
            self._db = apsw.Connection(str(self._path), flags=flags)
            self._db.set_busy_timeout(BUSY_TIMEOUT)
            by = self._db.pragma("user_version")
            if not only_read and by != rules:
                self._db.execute(
                    "BEGIN IMMEDIATE; DROP TABLE IF EXISTS finding; CREATE TABLE finding ("
                    "what BLOB PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID, STRICT; "
                    f"PRAGMA user_version = {rules}; COMMIT"
                )
            elif by != rules:
                self._db.close()
                self._db = None

    def find(self, record: bytes, settings: str) -> Any:
        """What was found about a record with these settings; None if that is not kept."""
        if self._db is None:
            return None
        with self._clear_errors():
            text = self._db.execute(
                "SELECT found FROM finding WHERE what = ?", (_what(record, settings),)
            ).get
        return None if text is None else json.loads(text)

    def keep(self, record: bytes, settings: str, found: Any) -> None:
        """Keeps what was found about a record with these settings."""
        assert self._db is not None, "it was opened to write"
        text = json.dumps(found, separators=(",", ":"))
        with self._clear_errors():
            self._db.execute("INSERT OR REPLACE INTO finding VALUES (?, ?)", (_what(record, settings), text))

    def close(self) -> None:
        """Closes the file."""
        if self._db is not None:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _clear_errors(self) -> Any:
        try:
            yield
        except (apsw.NotADBError, apsw.CorruptError, ValueError):
            raise AnalysesUnreadable(f"{self._path} is damaged: delete it, it is computed again") from None
        except (apsw.BusyError, apsw.LockedError):
            raise AnalysesUnreadable(f"{self._path} is locked by another process: try again later") from None
        except apsw.Error as problem:
            raise AnalysesUnreadable(
                f"{self._path} cannot be read or written ({problem}): see to its folder"
            ) from None


def _what(record: bytes, settings: str) -> bytes:
    return hashlib.sha256(settings.encode() + b"\n" + record).digest()
