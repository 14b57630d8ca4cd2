"""The records of stored games."""

from __future__ import annotations

from arena.link.wire.messages import decode_record
from arena.store import StoredGame
from arena.table.record import Record


def record_of(stored: StoredGame) -> Record:
    """The record of a game of a league. Raises BrokenRecord."""
    return decode_record(stored.record)
