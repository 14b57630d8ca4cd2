"""The messages between the referee and its workers: plain values, pickled.

A worker gets the keys of the boards of its batch, and nothing from which others could be computed. No moment
of a clock travels, only durations.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from arena.link.local.sandbox import Sandbox
from arena.link.streams.dial import BotInfo
from arena.runner.rooms.room import Seating
from arena.table.record import Record


def versions() -> dict[str, str]:
    """What has to be the same everywhere: a bot in Python may play differently on another Python."""
    return {
        "arena": version("bot-arena"),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "distributed": version("distributed"),
    }


class Facts(NamedTuple):
    """What the referee needs to know of a worker.

    Attributes:
        versions: see `versions`.
        host: the machine's name.
        lacking: what the machine lacks to contain bots at level basic, for people.
    """

    versions: Mapping[str, str]
    host: str
    lacking: tuple[str, ...]


class Bot(NamedTuple):
    """What a worker needs to know of a bot to start or dial it.

    Attributes:
        name: the entrant's name.
        bundle: the digest of the bot's folder, see `bundle`; empty for a bot that is dialled.
        address: where a running bot listens; empty for one that is started.
        sandbox: how one that is started is contained.
        instances: how many instances one that is started has.
    """

    name: str
    bundle: str
    address: str
    sandbox: Sandbox
    instances: int = 1


class Order(NamedTuple):
    """A batch of games for a worker.

    Attributes:
        run: which run of a tournament it belongs to.
        bots: the bots that play, by their numbers.
        absent: for the others the fault, as reason and message, by which their turns end at once.
        seatings: the games.
        tables: how many are played at once.
    """

    run: str
    bots: Mapping[int, Bot]
    absent: Mapping[int, tuple[str, str]]
    seatings: Sequence[Seating]
    tables: int


class Introduction(NamedTuple):
    """A worker is asked what a bot says it is."""

    run: str
    player: int
    bot: Bot


class Told(NamedTuple):
    """A game that was played: see `Played`."""

    record: Record
    times: tuple[int, ...]
    seat_times: tuple[int, ...]
    decisions: tuple[int, ...]


class Result(NamedTuple):
    """What came out of a batch.

    Attributes:
        games: all its games, in the order in which they were given.
        news: what happened with the bots meanwhile: each bot's number, and what.
        seconds: how long the games took, without starting bots.
        decisions: how many turns were answered.
        cpu: the CPU time of the worker's process meanwhile, in nanoseconds.
    """

    games: Sequence[Told]
    news: Sequence[tuple[int, str]]
    seconds: float
    decisions: int
    cpu: int


class Absent(NamedTuple):
    """A bot does not come up at a worker, which therefore played nothing.

    Attributes:
        player: the bot.
        reason, message: of the fault.
        built: whether the bot could be built there, where it has to be.
        output: the last lines that its build printed.
    """

    player: int
    reason: str
    message: str
    built: bool = True
    output: str = ""


class Trouble(NamedTuple):
    """The worker itself went wrong: the traceback."""

    report: str


class Answer(NamedTuple):
    """What a worker answers.

    Attributes:
        worker: its address.
        what: the answer; BotInfo to an Introduction.
    """

    worker: str
    what: Result | BotInfo | Absent | Trouble
