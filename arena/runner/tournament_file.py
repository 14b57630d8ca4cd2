"""The tournament file: read and strictly checked before anything is started."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.link.bot_manifest import BotManifest
from arena.table.clock import TimeControl


@dataclasses.dataclass(frozen=True, slots=True)
class RoundRobin:
    """A stage in which everybody meets everybody.

    Attributes:
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
        cycles: how many times the whole schedule is played.
    """

    entrants: int
    seats: int
    cycles: int


@dataclasses.dataclass(frozen=True, slots=True)
class Knockout:
    """A stage in which the best of each table go on and the others are out.

    Attributes:
        entrants: how many enter: all in the first stage, afterwards the best of the stage before.
        seats: the seats of a table.
        qualify: how many of each table go on, less than `seats`.
        third_place: whether the losers of the last round but one play for place 3.
        extra_boards: at most so many further boards break a tie; then the seed does.
    """

    entrants: int
    seats: int
    qualify: int
    third_place: bool
    extra_boards: int


Stage = RoundRobin | Knockout


@dataclasses.dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's registration: exactly one of `bot`, `address` and `join` is given.

    Attributes:
        name: 1 to 40 printable characters, unique in the tournament.
        bot: the bot that the referee starts and stops.
        address: where a running bot listens: `host:port` or `unix:/path`.
        join: the bot dials in.
    """

    name: str
    bot: BotManifest | None = None
    address: str | None = None
    join: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it.

    Attributes:
        path: the file, absolute.
        text: the text of the file.
        name: what people call the tournament.
        games: the ids of the games, in order.
        options: the options of each of these games, an instance of its `Options`, by id.
        boards: the boards per match and game, at least 1.
        show_names: whether bots are told the names of their opponents.
        max_faults: the fault, counted from 1, at which a bot forfeits a game.
        concurrency: how many tables are played at once; None where the file does not say.
        clock: the clock of each seat.
        stages: the stages in order, at least one.
        entrants: at least two, in seeding order.
    """

    path: Path
    text: str
    name: str
    games: tuple[str, ...]
    options: Mapping[str, Any]
    boards: int
    show_names: bool
    max_faults: int
    concurrency: int | None
    clock: TimeControl
    stages: tuple[Stage, ...]
    entrants: tuple[Entrant, ...]
