"""The values that go into a league file and come out of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from arena.results import GameResult


class EntrantInfo(NamedTuple):
    """Who an entrant is.

    Attributes:
        name: unique in the tournament.
        bot: where it came from: a folder or an address as text, empty for a bot that dialled in.
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
        name: what people call it.
        file_path: the tournament file; its bots are looked for from there.
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
        key: the key of its boards; None, a secret still, until the tournament is finished.
        started, finished: when, in UTC; `finished` is None while it is not.
        entrants: all, also those that came when it had begun, which are the last.
        late: how many of them did.

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

    @property
    def first_entrants(self) -> tuple[EntrantInfo, ...]:
        """The entrants that were there when it began."""
        return self.entrants[: len(self.entrants) - self.late]

    def info(self, key: bytes) -> TournamentInfo:
        """What it began with, its key included."""
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
    """A game to be recorded.

    Attributes:
        result: its key and what each seat did.
        record: the serialized game record.
        times: the serialized thinking times.
    """

    result: GameResult
    record: bytes
    times: bytes


class StoredGame(NamedTuple):
    """A game of a league.

    Attributes:
        number: its running number in the league, from 1, in the order of recording.
        tournament: the id of its tournament.
        recorded: when it was recorded, in UTC.

    The others are those of `FinishedGame`.
    """

    number: int
    tournament: int
    result: GameResult
    record: bytes
    times: bytes
    recorded: datetime


class StoredDecision(NamedTuple):
    """A ruling about a tournament, by the host or by its own rules, as it is stored.

    Attributes:
        tournament: the id of the tournament.
        decision: the ruling, as JSON text.
        reason: why, for people.
        decided: when, in UTC, ISO 8601.
    """

    tournament: int
    decision: str
    reason: str
    decided: str


class Recorded(NamedTuple):
    """A game that was recorded: the fields of `StoredGame`, with the time as stored."""

    tournament: int
    result: GameResult
    record: bytes
    times: bytes
    recorded: str


class ChainEntry(NamedTuple):
    """An entry of the hash chain (see `chain`).

    Attributes:
        position: from 1.
        thing: `tournament`, `game`, `decision` or `end`.
        id: the id of the tournament, or the number of the game or decision.
        link: the link as stored.
        game: the game; None for another thing, and for a game that is not there.
        decision: the decision; None for another thing, and for a decision that is not there.
    """

    position: int
    thing: str
    id: int
    link: bytes
    game: Recorded | None
    decision: StoredDecision | None


class Begun(NamedTuple):
    """A tournament that began, with its id and when that was, as stored."""

    id: int
    info: TournamentInfo
    started: str


class Ended(NamedTuple):
    """A tournament that ended, by its id, and when that was, as stored."""

    id: int
    finished: str


Event = Begun | Recorded | StoredDecision | Ended
"""Something that happened in a league."""
