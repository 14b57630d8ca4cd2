"""What the referee and its workers send each other: plain values, pickled.

A worker is given the keys of the boards of its batch, and nothing from which others
could be computed. No moment of a clock travels, only how long something took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.link.local.sandbox import Sandbox
from arena.link.streams.dial import BotInfo
from arena.runner.rooms.room import Seating
from arena.table.record import Record


class Bot(NamedTuple):
    """What a worker has to know of a bot to start it, or to dial it.

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
    """A batch of games as it travels to a worker.

    Attributes:
        run: which run of a tournament it belongs to.
        bots: those who play, by their numbers.
        absent: of the others the fault, as reason and message, by which their turns end at once.
        seatings: the games.
        tables: how many are played at once.
    """

    run: str
    bots: Mapping[int, Bot]
    absent: Mapping[int, tuple[str, str]]
    seatings: Sequence[Seating]
    tables: int


class Told(NamedTuple):
    """A game that was played, as it travels back.

    Attributes:
        position: its position in the batch.
        record, times, seat_times, decisions: see `Played`.
        seal: the digest of these, made when the game was over.
    """

    position: int
    record: Record
    times: tuple[int, ...]
    seat_times: tuple[int, ...]
    decisions: tuple[int, ...]
    seal: bytes


class Word(NamedTuple):
    """What happened with a bot at a worker: see `Attendance`."""

    player: int
    what: str


class Result(NamedTuple):
    """What came out of a batch.

    Attributes:
        games: all of its games.
        words: what happened with the bots meanwhile.
        seconds: how long the games took, without what came before them.
        setting_up: how long it took to have the bots there, in seconds.
        decisions: how many turns were answered.
        cpu: the CPU time of the worker's process meanwhile, in nanoseconds.
    """

    games: Sequence[Told]
    words: Sequence[Word]
    seconds: float
    setting_up: float
    decisions: int
    cpu: int


class Lacks(NamedTuple):
    """A worker has not got some bundles, and did nothing."""

    bundles: Sequence[str]


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


class Introduced(NamedTuple):
    """What a bot says it is."""

    info: BotInfo


class Kept(NamedTuple):
    """A bundle is there."""


Answer = Result | Lacks | Absent | Trouble | Introduced | Kept
