"""The messages between the referee and its workers: plain values, pickled.

A worker gets the board keys of its batch, and nothing from which other keys could be computed. The messages
hold durations, and no times of day.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from arena.link.local.sandbox import Sandbox
from arena.link.streams.dial import BotInfo
from arena.tournament.seating import Played, Seating


def versions() -> dict[str, str]:
    """The versions that every worker must share: a Python bot may play differently on another Python."""
    return {
        "arena": version("bot-arena"),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "distributed": version("distributed"),
    }


class WorkerInfo(NamedTuple):
    """The versions and the machine of a worker.

    Attributes:
        versions: see `versions`.
        host: the machine's name.
        lacking: the parts of the `basic` sandbox that the machine does not have, for people.
    """

    versions: Mapping[str, str]
    host: str
    lacking: tuple[str, ...]


class Bot(NamedTuple):
    """What a worker needs to know of a bot to start or dial it.

    Attributes:
        name: the entrant's name.
        bundle: the digest of the bot's folder, see `bundle`; empty for a bot that is dialled.
        address: where a running bot listens; empty for a bot that is started.
        sandbox: how a bot that is started is contained.
        instances: how many instances a bot that is started has.
    """

    name: str
    bundle: str
    address: str
    sandbox: Sandbox
    instances: int = 1


class Batch(NamedTuple):
    """Games for a worker. A batch without games only asks its bots to describe themselves.

    Attributes:
        run: which run of a tournament it belongs to.
        bots: the bots that are asked, by their numbers.
        absent: for each other bot the fault, as reason and message, with which its turns end at once.
        seatings: the games.
        tables: how many are played at once.
    """

    run: str
    bots: Mapping[int, Bot]
    absent: Mapping[int, tuple[str, str]] = {}
    seatings: Sequence[Seating] = ()
    tables: int = 1


class Result(NamedTuple):
    """The results of a batch.

    Attributes:
        infos: what each bot of the batch says it is.
        games: all games, in the order of the batch; their seatings have the worker's own numbers.
        news: what happened to the bots meanwhile, as pairs of a bot's number and a text.
        seconds: how long the games took, without starting bots.
        decisions: how many turns were answered.
        cpu: the CPU time of the worker's process meanwhile, in nanoseconds.
    """

    infos: Mapping[int, BotInfo]
    games: Sequence[Played] = ()
    news: Sequence[tuple[int, str]] = ()
    seconds: float = 0.0
    decisions: int = 0
    cpu: int = 0


class BotUnavailable(Exception):
    """A bot does not start at a worker, so the worker does not play the batch.

    Attributes:
        player: the bot.
        reason, message: of the fault.
        built: whether the bot was built, or needs no build.
        output: the first and the last lines that its build printed.
    """

    def __init__(self, player: int, reason: str, message: str, built: bool = True, output: str = "") -> None:
        super().__init__(player, reason, message, built, output)
        self.player = player
        self.reason = reason
        self.message = message
        self.built = built
        self.output = output


class Answer(NamedTuple):
    """The answer of a worker to a batch.

    Attributes:
        worker: its address.
        what: the answer; the traceback if the worker itself failed.
    """

    worker: str
    what: Result | BotUnavailable | str
