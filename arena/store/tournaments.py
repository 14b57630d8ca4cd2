"""Reading a league file: its tournaments, and what was decided about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw

from arena.store.errors import UnknownTournament, clear_errors, damaged
from arena.store.latecomers import latecomers
from arena.store.values import EntrantInfo, StoredDecision, StoredTournament


class Tournaments:
    """What can be read of the tournaments of an open league file.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        self.path = path
        self._db = db

    def tournament_key(self, tournament: int) -> bytes:
        """The key of a tournament, secret or not, for the referee that goes on with it."""
        with clear_errors(self.path):
            key = self._db.execute("SELECT key FROM tournament WHERE id = ?", (tournament,)).get
        if not isinstance(key, bytes):
            raise self._unknown_tournament(tournament)
        return key

    def tournaments(self) -> list[StoredTournament]:
        """All tournaments, oldest first."""
        with self.snapshot():
            ids = [row[0] for row in self._db.execute("SELECT id FROM tournament ORDER BY id")]
            return [self.tournament(number) for number in ids]

    def tournament(self, tournament: int) -> StoredTournament:
        """A tournament by its id; raises UnknownTournament."""
        with self.snapshot():
            row = self._db.execute(
                "SELECT id, name, file_path, file_text, iif(finished IS NULL, NULL, key), key_commitment, "
                "started, finished, plan FROM tournament WHERE id = ?",
                (tournament,),
            ).fetchone()
            entrants = self._db.execute(
                "SELECT name, bot, version, author FROM entrant WHERE tournament = ? ORDER BY number",
                (tournament,),
            ).fetchall()
            late = len(latecomers(self._db, tournament))
        if row is None:
            raise self._unknown_tournament(tournament)
        number, name, file_path, file_text, key, commitment, started, finished, plan = row
        return StoredTournament(
            number,
            name,
            Path(file_path),
            file_text,
            key,
            commitment,
            self._moment(started),
            None if finished is None else self._moment(finished),
            tuple(EntrantInfo(*map(str, entrant)) for entrant in entrants),
            plan,
            late,
        )

    def decisions(self, tournament: int, at: datetime | None = None) -> list[StoredDecision]:
        """What was decided about a tournament, or until a moment `at`, oldest first."""
        self._require_known(tournament)
        until = "9999" if at is None else at.astimezone(UTC).isoformat()  # which sort as times do
        with clear_errors(self.path):
            rows = self._db.execute(
                "SELECT tournament, decision, reason, decided FROM decision "
                "WHERE tournament = ? AND decided <= ? ORDER BY number",
                (tournament, until),
            )
            return [StoredDecision(*row) for row in rows]

    def has_decided(self, tournament: int, request: str) -> bool:
        """Whether what a request asked for was decided about a tournament (see `League.record_decision`)."""
        with clear_errors(self.path):
            found = self._db.execute(
                "SELECT 1 FROM decision WHERE tournament = ? AND json_valid(decision) "
                "AND json_extract(decision, '$.request') = ?",
                (tournament, request),
            ).get
        return found is not None

    def length(self) -> int:
        """How many things the league holds: it grows with each tournament, game, decision and end."""
        with clear_errors(self.path):
            return int(self._db.execute("SELECT coalesce(max(position), 0) FROM chain").get)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, also while another process writes."""
        with clear_errors(self.path), self._db:
            yield

    def _moment(self, text: str) -> datetime:
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            raise damaged(self.path, f"{text!r} is not a time") from None

    def _require_known(self, tournament: int) -> None:
        with clear_errors(self.path):
            if self._db.execute("SELECT 1 FROM tournament WHERE id = ?", (tournament,)).get is None:
                raise self._unknown_tournament(tournament)

    def _unknown_tournament(self, tournament: int) -> UnknownTournament:
        count = self._db.execute("SELECT count(*) FROM tournament").get
        has = {0: "none yet", 1: "only tournament 1"}.get(count, f"tournaments 1 to {count}")
        return UnknownTournament(f"{self.path} has no tournament {tournament}; it has {has}")
