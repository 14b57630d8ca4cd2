"""What a card room holds: tables that run, the bots at them, turns that wait, and what onlookers know.

Whether a bot is there and how far a turn has come are states; every change of
one is looked up in a table here.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from arena.games.game import Seat
from arena.link.streams.moments import Moment
from arena.table.clock import SECOND
from arena.table.table import Ask, Table, TableRules

HANDING_LIMIT = SECOND
"""A turn that the transport does not take in this time is on the bot's clock: the bot does not read."""

MOST_TABLES = 32
"""How many tables of a room onlookers are told of at once."""

_INSTANCE_SHIFT = 32  # there are far fewer bots


def instance_number(player: int, instance: int) -> int:
    """The number by which a room knows an instance of a bot; that of the first is the bot's own number."""
    return player + (instance << _INSTANCE_SHIFT)


def player_of(number: int) -> int:
    """The number of the bot to which an instance belongs."""
    return number & ((1 << _INSTANCE_SHIFT) - 1)


class SentRequest(Protocol):
    """What is known of a batch that was sent: when the transport's queue got it, and when the transport."""

    @property
    def queued(self) -> Moment | None: ...
    @property
    def sent(self) -> Moment | None: ...


class Stream(Protocol):
    """A connection to a bot that takes encoded PlayRequests."""

    def send(self, data: bytes, turns: int) -> SentRequest: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Seating:
    """A game to be played and who sits where.

    Attributes:
        key: what the caller calls the game.
        rules: what is played.
        board_key: the 32-byte key of the board.
        players: the number of the bot at each seat, all different.
        names: the names by seat that the bots are told; empty to hide them.
        instances: which instance of the bot plays at each seat, from 0; empty where all have one instance.
    """

    key: Any
    rules: TableRules
    board_key: bytes
    players: tuple[int, ...]
    names: tuple[str, ...] = ()
    instances: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """By seat the number of the instance that plays there."""
        if not self.instances:
            return self.players
        return tuple(map(instance_number, self.players, self.instances))


class Presence(enum.IntEnum):  # whose members Python looks up much faster than another enum's
    """Whether a bot is at the tables."""

    AWAY = enum.auto()  # it is awaited, and its clocks run
    HERE = enum.auto()
    GIVEN_UP = enum.auto()  # it is not: its turns end at once, by a fault


# Connecting makes a bot HERE and giving it up makes it GIVEN_UP, whatever it was; losing it does this:
AFTER_LOSS = {
    Presence.AWAY: Presence.AWAY,
    Presence.HERE: Presence.AWAY,
    Presence.GIVEN_UP: Presence.GIVEN_UP,
}


class TurnState(enum.IntEnum):
    """How far a turn that waits has come. It waits no longer when its table has an answer or a fault."""

    GATHERED = enum.auto()  # it is to be sent with others
    SENT = enum.auto()  # its clock runs since the transport took it
    ABSENT = enum.auto()  # its bot was away when it was due: its clock runs since then
    SENT_LATE = enum.auto()  # as ABSENT, and then its bot came


FIRST = {Presence.HERE: TurnState.GATHERED, Presence.AWAY: TurnState.ABSENT}  # a bot given up has no turns
SENT = {TurnState.GATHERED: TurnState.SENT, TurnState.ABSENT: TurnState.SENT_LATE}
SENT_AGAIN = {  # over a new connection
    TurnState.GATHERED: TurnState.GATHERED,
    TurnState.SENT: TurnState.GATHERED,
    TurnState.ABSENT: TurnState.ABSENT,
    TurnState.SENT_LATE: TurnState.ABSENT,
}
_CLOCK_FROM_SENDING = TurnState.SENT  # Python takes long to look into the class


class Waiting:
    """A turn that a bot was asked, or will be when it is back."""

    __slots__ = ("ask", "due_from", "running", "sent_request", "state")

    def __init__(self, running: Running, ask: Ask, now: Moment, state: TurnState) -> None:
        self.running = running
        self.ask = ask
        self.due_from = now
        self.state = state
        self.sent_request: SentRequest | None = None  # the last in which it was sent

    def elapsed(self, now: Moment) -> int:
        """What its clock shows."""
        batch = self.sent_request
        if batch is None or self.state is not _CLOCK_FROM_SENDING:
            return now.since(self.due_from)
        if batch.sent is not None:
            return now.since(batch.sent)
        return 0 if batch.queued is None else now.since(batch.queued.after(HANDING_LIMIT))


class Running:
    """A running table, with the numbers by which the bots know it."""

    __slots__ = ("cut_off", "number", "players", "seating", "table", "times")

    def __init__(self, number: int, seating: Seating) -> None:
        self.number = number
        self.seating = seating
        self.players = seating.numbers  # the numbers of the instances that play
        self.table = Table(seating.rules, seating.board_key)
        self.times = [0] * seating.rules.seats
        self.cut_off: dict[int, tuple[str, str]] = {}  # bots that it waits for no more, and the fault


class Bot:
    """What the room knows of a bot."""

    __slots__ = (
        "excused_until", "given_up_for", "held_since", "parts", "presence", "seats", "stream", "turns",
        "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.presence = Presence.AWAY
        self.stream: Stream | None = None  # where it is here
        self.excused_until = 0  # when it may be away no longer at the referee's expense
        self.given_up_for = ("", "")  # the reason and the message of the fault
        self.seats: dict[int, tuple[Running, Seat]] = {}  # by table number
        self.waiting: dict[int, Waiting] = {}  # by table number
        self.parts: list[bytes] = []  # encoded starts, turns and ends, to be sent
        self.held_since: int | None = None  # since when these are held back
        self.turns: list[Waiting] = []  # the turns among them, even if nobody waits for them any more


class Delta(NamedTuple):
    """What was played at a table since the last delta of it.

    Attributes:
        table: its number.
        seating: the game; None where an earlier delta has said it.
        actions: the actions, as a record has them.
        end: how it ended, `over` or `void`; empty while it runs.
    """

    table: int
    seating: Seating | None
    actions: tuple[int, ...]
    end: str = ""


class Deltas:
    """The tables of a room that onlookers are told of, and how far.

    They are told what was played, and never what a seat has chosen that is not played yet: where
    several choose at once, all of it comes together, and nothing says who chose first.
    A table that is over between two looks is never told of: nobody could follow it.

    Args:
        tell: called with what was played at these tables since it was called last.
    """

    def __init__(self, tell: Callable[[list[Delta]], None]) -> None:
        self._told: dict[int, int] = {}  # by table number, how many of its actions
        self._new: set[int] = set()  # the tables that ran at the last look, and are not told of
        self._tell = tell

    def collect(self, tables: Iterable[Running], anew: bool) -> None:
        """Tells what was played at the tables that run. `anew`: to someone who was told nothing yet."""
        if anew:
            self._told.clear()
        known, self._new = self._new, set()
        deltas = []
        for running in tables:
            number = running.number
            if number in self._told:
                delta = self._delta(running)
                if delta.actions:
                    deltas.append(delta)
            elif number in known and len(self._told) < MOST_TABLES:
                self._told[number] = 0
                deltas.append(self._delta(running)._replace(seating=running.seating))
            else:
                self._new.add(number)
        if deltas:
            self._tell(deltas)

    def end(self, running: Running, end: str) -> None:
        """A table has ended, by `over` or `void`."""
        if running.number in self._told:
            self._tell([self._delta(running)._replace(end=end)])
            del self._told[running.number]

    def _delta(self, running: Running) -> Delta:
        """What was played at a table since it was told of last."""
        actions = running.table.played_since(self._told[running.number])
        self._told[running.number] += len(actions)
        return Delta(running.number, None, actions)
