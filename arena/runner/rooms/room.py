"""The card room: all running tables and the bots that play at them, without I/O.

What happens to the room comes as messages: a game is opened, decisions arrive, a bot is lost
or comes back, time passes. Each plays on every table it concerns as
far as that goes. What is to be sent gathers in the bots' outboxes until
`flush`, so that all turns that came up together travel together. No sequence
of messages raises, whatever the bots do.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from arena.games.game import Seat
from arena.link.streams.moments import Moment
from arena.link.wire.messages import encode_end, encode_start, encode_turn
from arena.runner.rooms.room_state import (
    AFTER_LOSS,
    FIRST,
    SENT,
    SENT_AGAIN,
    Bot,
    Delta,
    Deltas,
    Presence,
    Running,
    Stream,
    TurnState,
    Waiting,
)
from arena.runner.rooms.room_state import Seating as Seating
from arena.table.clock import MILLISECOND, SECOND
from arena.table.deal import seat_seed
from arena.table.record import Record

MARGIN = 20 * MILLISECOND
"""How long after its time a turn is given up: an answer may have been read and not be handed over yet."""

TICK = 20 * MILLISECOND
"""How often a room has to look for turns whose time is over."""

HOLD = 2 * MILLISECOND
"""How long turns are held back for a bot that has yet to answer others, so that they travel together."""

MACHINE_FAULT = SECOND
"""A turn that ends without an answer in time, when the referee itself lagged as long as this, makes
the game void."""

RECOVERY = 15 * SECOND
"""For so long after it stood still as long as `MACHINE_FAULT`, the referee takes it on itself where
connections break: both ends find out only then. So long a bot may take to come back, too, whose
connection the referee's side has ended."""

OURS = "ours"
"""The reason for which a bot is lost where the referee's side has ended its connection."""


class Open(NamedTuple):
    """A table is to be opened."""

    seating: Seating


class Connect(NamedTuple):
    """A bot is there."""

    player: int
    stream: Stream


class Lost(NamedTuple):
    """A bot's connection is gone; `reason` is one of `arena.results.FAULT_REASONS`."""

    player: int
    reason: str
    message: str


class Cut(NamedTuple):
    """A bot was cut off."""

    player: int
    reason: str
    message: str


class GiveUp(NamedTuple):
    """A bot is not waited for."""

    player: int
    reason: str
    message: str


class Decided(NamedTuple):
    """Decisions of a bot were read; each is a Decision, or was one before it went through a socket.

    (Pickled, a named tuple takes ten times as long as the plain one.)
    """

    player: int
    decisions: Sequence[tuple[int, int, int]]
    read: Moment


class Tick(NamedTuple):
    """Time has passed."""

    now: Moment


class Flush(NamedTuple):
    """What was held back has been for long enough."""


class CollectDeltas(NamedTuple):
    """Onlookers are to be told what was played; `anew` for those who were told nothing yet."""

    anew: bool


class Abandon(NamedTuple):
    """All games end without a result."""


Message: TypeAlias = Open | Connect | Lost | Cut | GiveUp | Decided | Tick | Flush | CollectDeltas | Abandon

_METHODS: dict[type[Message], str] = {  # of a room, that each message calls
    Open: "open",
    Connect: "connect",
    Lost: "lost",
    Cut: "cut",
    GiveUp: "give_up",
    Decided: "decided",
    Tick: "expire",
    CollectDeltas: "collect_deltas",
    Abandon: "abandon",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Played:
    """A finished game: its record, the time of each action, and the turns asked of each seat."""

    seating: Seating
    record: Record
    times: tuple[int, ...]
    seat_times: tuple[int, ...]
    decisions: tuple[int, ...]


class Room:
    """All running tables and the bots that play at them.

    Args:
        on_played: called with every finished game.
        on_void: called with the seating of every game that ended by a fault of
            the referee's machine; it has to be played again.
        now: tells the moment.
        numbers: gives each table its number, in rising order; they are never
            used again.
        on_deltas: called with what onlookers are told of running tables (see `collect_deltas`).

    Attributes:
        decisions: how many turns were answered so far, by whomever and however.
        tables: how many tables run.
    """

    def __init__(
        self,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
        now: Callable[[], Moment],
        numbers: Iterator[int] | None = None,
        on_deltas: Callable[[list[Delta]], None] = lambda deltas: None,
    ) -> None:
        self._bots: defaultdict[int, Bot] = defaultdict(Bot)  # by number
        self._to_flush: dict[Bot, None] = {}  # those that have something to be sent, in order
        self._on_played = on_played
        self._on_void = on_void
        self._now = now
        self._numbers = numbers or itertools.count(1)
        self._last_number = 0
        self._heard = Moment(0, 0)  # the last time that passed
        self._recovered = 0  # when connections break no more from the last standstill
        self.decisions = 0
        self.tables = 0
        self._deltas = Deltas(on_deltas)

    def hear(self, messages: Iterable[Message]) -> bool:
        """Hears messages, plays on and sends what came up; returns whether something is held back."""
        for message in messages:
            if not isinstance(message, Flush):  # which all messages end with
                getattr(self, _METHODS[type(message)])(*message)
        return self.flush()

    def open(self, seating: Seating) -> None:
        """Opens a table and plays on as far as that goes without an answer."""
        self._last_number = next(self._numbers)
        running = Running(self._last_number, seating)
        self.tables += 1
        for seat, player in enumerate(running.players):
            bot = self._bots[player]
            bot.seats[running.number] = (running, seat)
            if bot.stream is not None:
                self._put(bot, self._encode_start(running, seat))
        self._play_on(running, self._now())

    def connect(self, player: int, stream: Stream) -> None:
        """A bot is there, for the first time or again; what waited for it goes out."""
        bot = self._bots[player]
        bot.presence = Presence.HERE
        bot.excused_until = 0
        bot.stream = stream
        starts = [self._encode_start(running, seat) for running, seat in bot.seats.values()]
        bot.parts = starts + [self._encode_turn(waiting) for waiting in bot.waiting.values()]
        bot.turns = list(bot.waiting.values())
        bot.held_since = None
        for waiting in bot.turns:
            waiting.state = SENT_AGAIN[waiting.state]
        if bot.parts:
            self._to_flush[bot] = None

    def lost(self, player: int, reason: str, message: str) -> None:
        """A bot's connection is gone: every turn it was asked ends by this fault."""
        bot = self._bots[player]
        bot.presence = AFTER_LOSS[bot.presence]
        bot.stream = None
        bot.parts, bot.turns, bot.held_since = [], [], None
        for running, seat in bot.seats.values():
            running.table.retell(seat)  # it will be new at the table when it comes back
        if reason == OURS:
            bot.excused_until = self._now().time + RECOVERY
            for running, _ in list(bot.seats.values()):
                self._void(running)
        for waiting in list(bot.waiting.values()):
            self._fail(bot, waiting, reason, message)

    def cut(self, player: int, reason: str, message: str) -> None:
        """A bot was cut off, as after `lost`; and its tables wait for it no more, also when it is back."""
        for running, _ in self._bots[player].seats.values():
            running.cut_off[player] = (reason, message)
        self.lost(player, reason, message)

    def give_up(self, player: int, reason: str, message: str) -> None:
        """A bot is not waited for: until it connects, every turn of it ends by this fault at once."""
        bot = self._bots[player]
        bot.presence = Presence.GIVEN_UP
        bot.given_up_for = (reason, message)
        self.lost(player, reason, message)

    def decided(self, player: int, decisions: Iterable[tuple[int, int, int]], read: Moment) -> None:
        """Decisions of a bot were read from its stream at the moment `read` (see `Decided`)."""
        bot, now = self._bots[player], self._now()
        for number, turn, action in decisions:
            held = bot.seats.get(number)
            if held is None:
                # A table that is over may still get a late answer; one that never was may not.
                if not 0 < number <= self._last_number and bot.seats:
                    running, seat = next(iter(bot.seats.values()))
                    running.table.stray(seat, f"there is no table {number}")
                    self._drop_forfeited(bot, running, seat)
                    self._play_on(running, now)
                continue
            running, seat = held
            waiting = bot.waiting.get(number)
            if waiting is not None and waiting.ask.turn == turn:
                elapsed = waiting.elapsed(read)
                if elapsed > waiting.ask.time_left and self._lagged(waiting, read):
                    self._void(running)
                    continue
                running.times[seat] += elapsed
                self.decisions += 1
                del bot.waiting[number]
                running.table.answer(seat, turn, action, elapsed)
            else:
                running.table.answer(seat, turn, action, 0)
                self._drop_forfeited(bot, running, seat)
            self._play_on(running, now)

    def expire(self, now: Moment) -> None:
        """Gives up every turn whose time is over at `now`; answers read before it must have been told."""
        if now.lag - self._heard.lag > MACHINE_FAULT:
            self._recovered = now.time + RECOVERY
        self._heard = now
        for bot in self._bots.values():
            for waiting in list(bot.waiting.values()):
                if now.time - waiting.due_from.time <= waiting.ask.time_left:
                    continue  # not even if its clock had started at once
                if bot.waiting.get(waiting.running.number) is not waiting:
                    continue  # ended meanwhile, by what another fault led to
                if waiting.elapsed(now) <= waiting.ask.time_left + MARGIN:
                    continue
                excused = max(self._recovered, bot.excused_until)
                if self._lagged(waiting, now) or (bot.stream is None and now.time < excused):
                    self._void(waiting.running)
                    continue
                limit = waiting.ask.time_left
                what = "the bot is not connected" if bot.stream is None else "no answer"
                if waiting.state in SENT:  # it never went out, so the next turn has to tell all again
                    waiting.running.table.retell(waiting.ask.seat)
                waiting.running.times[waiting.ask.seat] += limit
                self._charge(
                    bot, waiting, "timeout", f"{what} in the {limit / SECOND:.3f} s that were left", now
                )

    def flush(self) -> bool:
        """Sends what has gathered for each bot that is there.

        What gathers for a bot that has turns to answer is held back until it
        has, or for as long as `HOLD`: a message costs much more than a turn in
        it. Returns whether something is held back, to be flushed later.
        """
        for bot in list(self._to_flush):
            if bot.stream is not None and bot.parts:
                if len(bot.waiting) > len(bot.turns) and self._is_held(bot):
                    continue
                self._send(bot, bot.stream)
            del self._to_flush[bot]
        return bool(self._to_flush)

    def collect_deltas(self, anew: bool) -> None:
        """Tells onlookers what was played since the last look (see `Deltas.collect`)."""
        self._deltas.collect(self._running(), anew)

    def abandon(self) -> list[Seating]:
        """Ends all running games without a result, and returns them."""
        running = self._running()
        for table in running:
            self._close(table, None)
        return [table.seating for table in running]

    def _running(self) -> list[Running]:
        """The tables that run."""
        return [
            *{table.number: table for bot in self._bots.values() for table, _ in bot.seats.values()}.values()
        ]

    @staticmethod
    def _lagged(waiting: Waiting, now: Moment) -> bool:
        """Whether the referee itself lagged so long since a turn was due that nobody else is to blame."""
        return now.lag - waiting.due_from.lag > MACHINE_FAULT

    def _put(self, bot: Bot, part: bytes) -> None:
        self._to_flush[bot] = None
        bot.parts.append(part)

    def _is_held(self, bot: Bot) -> bool:
        now = self._now().time
        if bot.held_since is None:
            bot.held_since = now
        return now < bot.held_since + HOLD

    def _send(self, bot: Bot, stream: Stream) -> None:
        data, turns = b"".join(bot.parts), bot.turns
        bot.parts, bot.turns, bot.held_since = [], [], None
        batch = stream.send(data, len(turns))
        for waiting in turns:
            waiting.sent_request = batch
            waiting.state = SENT[waiting.state]

    def _fail(self, bot: Bot, waiting: Waiting, reason: str, message: str) -> None:
        """The bot of a turn is gone."""
        if bot.waiting.get(waiting.running.number) is not waiting:
            return  # ended meanwhile, by what another fault led to
        now = self._now()
        broke = reason == "disconnect" and now.time < self._recovered
        if broke or self._lagged(waiting, now):
            self._void(waiting.running)
        else:
            self._charge(bot, waiting, reason, message, now)

    def _charge(self, bot: Bot, waiting: Waiting, reason: str, message: str, now: Moment) -> None:
        """A turn that waits ends by a fault."""
        del bot.waiting[waiting.running.number]
        waiting.running.table.fault(waiting.ask.seat, reason, message, waiting.elapsed(now))
        self._play_on(waiting.running, now)

    @staticmethod
    def _drop_forfeited(bot: Bot, running: Running, seat: Seat) -> None:
        """What the bot answered was not asked: if that forfeited the game, its turn waits no longer."""
        waiting = bot.waiting.get(running.number)
        if waiting is not None and not running.table.waits_for(seat, waiting.ask.turn):
            del bot.waiting[running.number]

    def _play_on(self, running: Running, now: Moment) -> None:
        table = running.table
        while asks := table.asks():
            for ask in asks:
                player = running.players[ask.seat]
                bot = self._bots[player]
                first = FIRST.get(bot.presence)
                if first is None or player in running.cut_off:
                    table.fault(ask.seat, *running.cut_off.get(player, bot.given_up_for), 0)
                    continue
                if now.time < bot.excused_until:
                    first = TurnState.GATHERED  # its clock begins when it is back
                waiting = Waiting(running, ask, now, first)
                bot.waiting[running.number] = waiting
                if bot.stream is not None:
                    self._put(bot, self._encode_turn(waiting))
                    bot.turns.append(waiting)
        if table.over:
            self._finish(running)

    def _finish(self, running: Running) -> None:
        table, seating = running.table, running.seating
        record = table.record()
        self._close(running, record)
        seats = range(seating.rules.seats)
        self._on_played(
            Played(
                seating,
                record,
                table.times(),
                tuple(running.times),
                tuple(table.turns_of(seat) for seat in seats),
            )
        )

    def _void(self, running: Running) -> None:
        self._close(running, None)
        self._on_void(running.seating)

    def _close(self, running: Running, record: Record | None) -> None:
        """Takes a table out of the room and tells its bots, with a record how it ended."""
        self.tables -= 1
        self._deltas.end(running, "void" if record is None else "over")
        game = running.seating.rules.game.id
        for seat, player in enumerate(running.players):
            bot = self._bots[player]
            bot.waiting.pop(running.number, None)
            del bot.seats[running.number]
            if bot.stream is not None:
                outcome = None if record is None else (record.outcome, record.forfeits)
                view = None if record is None else running.table.closing_view(seat)
                faults = running.table.faults_of(seat)
                self._put(bot, encode_end(running.number, game, outcome, faults, view))

    def _encode_start(self, running: Running, seat: Seat) -> bytes:
        seating = running.seating
        seed = seat_seed(seating.board_key, seat)
        return encode_start(running.number, seating.rules, seat, seed, seating.names)

    def _encode_turn(self, waiting: Waiting) -> bytes:
        return encode_turn(waiting.running.number, waiting.running.seating.rules.game.id, waiting.ask)
