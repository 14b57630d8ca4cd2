"""The values that are written to a league file and read from it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from arena.face import Face
from arena.results import GameKey, GameResult, StoredGame


class EntrantInfo(NamedTuple):
    """An entrant of a tournament.

    Attributes:
        name: unique in the tournament.
        bot: the bot's absolute folder, or its address; empty for a guest.
        version: the bot's version, may be empty.
        author: who wrote it, may be empty.
    """

    name: str
    bot: str
    version: str = ""
    author: str = ""


class TournamentInfo(NamedTuple):
    """A tournament that begins.

    Attributes:
        name: its name.
        file_path: the tournament file; the paths of its bots are relative to it.
        file_text: the text of that file as run.
        key: the secret key, 32 bytes, from which the boards follow.
        key_commitment: the published commitment to the key, in hexadecimal.
        entrants: the entrants, by number.
        plan: the tournament with every default spelled out, as JSON text; None
            for one of the first release, of which only the file was kept.
    """

    name: str
    file_path: Path
    file_text: str
    key: bytes
    key_commitment: str
    entrants: tuple[EntrantInfo, ...]
    plan: str | None = None


class StoredTournament(NamedTuple):
    """A tournament of a league.

    Attributes:
        id: its number in the league, from 1.
        key: the key of its boards; None until the tournament is finished, because it is secret.
        started, finished: when, in UTC; `finished` is None while it is not.
        entrants: all entrants; the late ones come last.
        late: how many of them are late.
        faces: what decorates their names, for each of the entrants.

    The others are those of `TournamentInfo`.
    """

    id: int
    name: str
    file_path: Path
    file_text: str
    key: bytes | None
    key_commitment: str
    started: datetime
    finished: datetime | None
    entrants: tuple[EntrantInfo, ...]
    plan: str | None
    late: int
    faces: tuple[Face, ...] = ()

    @property
    def first_entrants(self) -> tuple[EntrantInfo, ...]:
        """The entrants at the beginning."""
        return self.entrants[: len(self.entrants) - self.late]

    def info(self, key: bytes) -> TournamentInfo:
        """The values with which it began, with its key."""
        return TournamentInfo(
            self.name,
            self.file_path,
            self.file_text,
            key,
            self.key_commitment,
            self.first_entrants,
            self.plan,
        )


class FinishedGame(NamedTuple):
    """A finished game to be recorded.

    The store adds the tournament and the moment: that makes a `StoredGame`. It keeps the thoughts beside it,
    in no export and in no hash chain.

    Attributes:
        result: its key and the result of each seat.
        record: the serialized game record.
        times: the serialized thinking times.
        thoughts: what its bots thought, serialized; empty for nothing.
    """

    result: GameResult
    record: bytes
    times: bytes
    thoughts: bytes = b""


class StoredRuling(NamedTuple):
    """A ruling about a tournament, by the host or by the rules, as it is stored.

    Attributes:
        tournament: the id of the tournament.
        ruling: the ruling, as JSON text.
        reason: why, for people.
        decided: when, in UTC, ISO 8601.
    """

    tournament: int
    ruling: str
    reason: str
    decided: str


class ChainEntry(NamedTuple):
    """An entry of the hash chain (see `chain`).

    Attributes:
        position: from 1.
        thing: `tournament`, `game`, `decision` or `end`.
        id: the id of the tournament, or the number of the game or decision.
        link: the link as stored.
        game: the game; None for another thing, and for a missing game.
        ruling: the ruling; None for another thing, and for a missing ruling.
    """

    position: int
    thing: str
    id: int
    link: bytes
    game: StoredGame | None
    ruling: StoredRuling | None


class Begun(NamedTuple):
    """The beginning of a tournament, with its id and its time as stored."""

    id: int
    info: TournamentInfo
    started: str


class Ended(NamedTuple):
    """The end of a tournament, with its id and its time as stored."""

    id: int
    finished: str


class Faces(NamedTuple):
    """What decorates the names of a tournament's entrants: each a number and its face.

    They are in no link of the hash chain: nothing is decided by them, and they may change.
    """

    tournament: int
    faces: tuple[tuple[int, Face], ...]


class Lucks(NamedTuple):
    """The luck of the matches' first entrants in games of a tournament (see `League.keep_lucks`).

    Attributes:
        tournament: the tournament's id.
        lucks: the games' keys, and the luck in each by a baseline.
    """

    tournament: int
    lucks: tuple[tuple[GameKey, str, float], ...]


Event = Begun | StoredGame | StoredRuling | Faces | Lucks | Ended
"""An event in the history of a league."""
