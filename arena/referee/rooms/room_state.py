"""The state of a room: running tables, their bots, and waiting turns.

The progress of a turn is the state of a machine, whose transition tables are here.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol

from arena.games.game import Seat
from arena.link.streams.moments import Moment
from arena.link.wire.messages import estimate_alone
from arena.link.wire.native import new_position
from arena.table.clock import SECOND
from arena.table.position import EncodedView, View
from arena.table.table import Ask, Table
from arena.tournament.seating import Seating

HANDING_LIMIT = SECOND
"""If the transport does not take a turn in this time, the bot's clock starts: the bot does not read."""

SEAT_THOUGHTS = 16 << 10
"""So many bytes of what a seat's bot thought in a game are kept in full."""


class SentRequest(Protocol):
    """A PlayRequest that was sent: when it was queued, and when the transport took it."""

    @property
    def queued(self) -> Moment | None: ...
    @property
    def sent(self) -> Moment | None: ...


class Stream(Protocol):
    """A connection to a bot, to which encoded PlayRequests are sent."""

    def send(self, data: bytes, turns: int) -> SentRequest: ...


class TurnState(enum.IntEnum):  # whose members Python looks up much faster than another enum's
    """The progress of a waiting turn. An answer or a fault ends it."""

    GATHERED = enum.auto()  # in the outbox
    SENT = enum.auto()  # its clock runs from when the transport took it
    ABSENT = enum.auto()  # its bot was away when it was due: its clock runs from then
    SENT_LATE = enum.auto()  # sent after it was ABSENT


FIRST = {True: TurnState.GATHERED, False: TurnState.ABSENT}  # by whether its clock runs from when it is sent
SENT = {TurnState.GATHERED: TurnState.SENT, TurnState.ABSENT: TurnState.SENT_LATE}
SENT_AGAIN = {  # over a new connection
    TurnState.GATHERED: TurnState.GATHERED,
    TurnState.SENT: TurnState.GATHERED,
    TurnState.ABSENT: TurnState.ABSENT,
    TurnState.SENT_LATE: TurnState.ABSENT,
}
_CLOCK_FROM_SENDING = TurnState.SENT  # a global, because looking into an enum class is slow


class Waiting:
    """A turn that a bot was asked, or will be asked when it is back."""

    __slots__ = ("ask", "due_from", "running", "sent_request", "state")

    def __init__(self, running: Running, ask: Ask[View | EncodedView], now: Moment, state: TurnState) -> None:
        self.running = running
        self.ask = ask
        self.due_from = now
        self.state = state
        self.sent_request: SentRequest | None = None  # the last PlayRequest that held it

    def elapsed(self, now: Moment) -> int:
        """The time on its clock, in nanoseconds."""
        request = self.sent_request
        if request is None or self.state is not _CLOCK_FROM_SENDING:
            return now.since(self.due_from)
        if request.sent is not None:
            return now.since(request.sent)
        return 0 if request.queued is None else now.since(request.queued.after(HANDING_LIMIT))


class OpenTurn(NamedTuple):
    """A turn that a bot has not answered.

    Attributes:
        player: the bot's number.
        table: the table's number.
        key: the identification of its game (`Seating.key`).
        waited: for how many nanoseconds the others have waited.
        left: how many nanoseconds are left on the bot's clock.
    """

    player: int
    table: int
    key: Any
    waited: int
    left: int


class Running:
    """A running table, with the numbers by which the bots know it."""

    __slots__ = ("_thought_bytes", "number", "players", "seating", "table", "thoughts", "times")

    def __init__(self, number: int, seating: Seating) -> None:
        self.number = number
        self.seating = seating
        self.players = seating.numbers  # the numbers of the instances that play
        position = new_position(seating.rules, seating.board_key)
        self.table = Table(seating.rules, seating.board_key, position)
        self.times = [0] * seating.rules.seats
        self.thoughts: list[tuple[Seat, int, bytes]] = []  # seat, turn, encoded Thought
        self._thought_bytes: dict[Seat, int] = {}

    def think(self, seat: Seat, turn: int, thought: bytes) -> None:
        """Keeps what a bot thought in a turn; of a seat that has said too much, only the estimate."""
        size = self._thought_bytes.get(seat, 0) + len(thought)
        if size > SEAT_THOUGHTS:
            thought = estimate_alone(thought)
        else:
            self._thought_bytes[seat] = size
        if thought:
            self.thoughts.append((seat, turn, thought))


class Bot:
    """An instance of a bot in a room, which is told whether it is here (`arena.referee.presence`)."""

    __slots__ = (
        "excused_until", "given_up_for", "held_since", "parts", "seats", "stream", "turns", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.stream: Stream | None = None  # while it is connected
        self.given_up_for: tuple[str, str] | None = None  # while it forfeits: the fault's reason and message
        self.excused_until = 0  # until when the referee is to blame for its absence
        self.seats: dict[int, tuple[Running, Seat]] = {}  # by table number
        self.waiting: dict[int, Waiting] = {}  # by table number
        self.parts: list[bytes] = []  # encoded starts, turns and ends, to be sent
        self.held_since: int | None = None  # since when these are held back
        self.turns: list[Waiting] = []  # the turns in `parts`, including those that have ended since


class Delta(NamedTuple):
    """The actions at a table since its last delta.

    Attributes:
        table: its number.
        seating: the game, in the table's first delta; else None.
        actions: the actions, as a record has them.
        end: how it ended, `over` or `void`; empty while it runs.
    """

    table: int
    seating: Seating | None
    actions: tuple[int, ...]
    end: str = ""
