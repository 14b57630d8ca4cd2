"""Computes the hash chain over a league, in the order in which it was stored.

Every stored thing has a link: the SHA-256 of the link before it and of its own
fields. So a game that is edited, removed, added or moved breaks the chain from
there on, and anyone who has noted a link can prove all that came before it.
Exactly: a link is the SHA-256 of the previous link (32 zero bytes before the
first) and then of each field as its length in 8 bytes, big-endian, and its
bytes. A number is a field of decimal digits, a text is UTF-8, and

* a tournament that begins has the fields `tournament`, id, name, file path,
  file text, commitment, start time, its plan (but for those of the first
  release, which have none), and of each entrant number, name, bot, version and
  author;
* a game has `game`, its running number, its tournament's id, the first six parts
  of its key, reason, record, times, recording time, and of each seat the entrant,
  place, points, forfeit (0 or 1), the faults by kind, decisions and time; and
  last, if in rotation r the match's entrant i does not sit at seat (i + r) mod n,
  the seating, with spaces between. (The number of fields says whether it is there:
  each seat adds twelve. Games of two seats never have it, nor have games of
  versions with only that one seating.)
* a decision has `decision`, its running number, its tournament's id, the
  decision as JSON text, its reason and its time;
* a tournament that ends has `end`, its id, its key and the end time.

Paths are those that are kept (see `places`).
Faces, which decorate the names of entrants, and the thoughts of bots have no link: nothing is decided by
them. Lucks have none either: they follow from the games' records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from arena.league.store.values import TournamentInfo
from arena.results import GameResult

FIRST = bytes(32)
"""The link before the first one."""

Field = str | int | bytes


def link(previous: bytes, fields: Iterable[Field]) -> bytes:
    """The link of something stored after `previous`."""
    parts = [_with_length(field) if isinstance(field, bytes) else _short(field) for field in fields]
    return hashlib.sha256(previous + b"".join(parts)).digest()


@lru_cache(1 << 14)  # most fields are the same small numbers in every game
def _short(field: str | int) -> bytes:
    return _with_length(str(field).encode())


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def tournament_fields(number: int, info: TournamentInfo, started: str) -> Iterator[Field]:
    """The fields of a tournament that begins."""
    yield from ("tournament", number, info.name, str(info.file_path), info.file_text)
    yield from (info.key_commitment, started)
    if info.plan is not None:
        yield info.plan
    for entrant, who in enumerate(info.entrants):
        yield entrant
        yield from who


def game_fields(
    number: int, tournament: int, result: GameResult, record: bytes, times: bytes, recorded: str
) -> Iterator[Field]:
    """The fields of a game."""
    yield from ("game", number, tournament, *result.key[:6], result.reason, record, times, recorded)
    for seat in result.seats:
        yield from (seat.entrant, seat.place, seat.points, int(seat.forfeit), *seat.faults)
        yield from (seat.decisions, seat.time)
    if special := result.key.special_seating:
        yield " ".join(map(str, special))
