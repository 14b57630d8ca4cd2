"""The card room: all running tables and the bots that play at them, without I/O.

Things happen to the room - a game is opened, decisions arrive, a bot is lost
or comes back, time passes - and each call plays on every table it concerns as
far as that goes. What is to be sent gathers in the bots' outboxes until
`flush`, so that all turns that came up together travel together. No sequence
of calls raises, whatever the bots do.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from arena.games.game import Seat
from arena.link.messages import Decision, encode_end, encode_start, encode_turn
from arena.link.moments import Moment
from arena.table.clock import MILLISECOND, SECOND
from arena.table.deal import seat_seed
from arena.table.record import Record
from arena.table.table import Ask, Table, TableRules

MARGIN = 20 * MILLISECOND
"""How long after its time a turn is given up: an answer may have been read and not be handed over yet."""

HANDING_LIMIT = SECOND
"""A turn that the transport does not take in this time is on the bot's clock: the bot does not read."""

TICK = 20 * MILLISECOND
"""How often whoever has a room looks for turns whose time is over."""

HOLD = 2 * MILLISECOND
"""How long turns are held back for a bot that has yet to answer others, so that they travel together."""

MACHINE_FAULT = SECOND
"""A turn that ends without an answer in time, when the referee itself lagged as long as this, makes
the game void."""

RECOVERY = 15 * SECOND
"""For so long after it stood still as long as `MACHINE_FAULT`, the referee takes it on itself where
connections break: both ends find out only then."""


class Batch(Protocol):
    """What is known of a batch that was sent: when the transport's queue got it, and when the transport."""

    @property
    def queued(self) -> Moment | None: ...
    @property
    def sent(self) -> Moment | None: ...


class Stream(Protocol):
    """A connection to a bot that takes encoded PlayRequests."""

    def send(self, data: bytes, turns: int) -> Batch: ...


class Fault(Protocol):
    """Why a bot was lost."""

    reason: str
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Seating:
    """A game to be played and who sits where.

    Attributes:
        key: what the caller calls the game.
        rules: what is played.
        board_key: the 32-byte key of the board.
        players: the number of the bot at each seat, all different.
        names: the names by seat that the bots are told; empty to hide them.
    """

    key: Any
    rules: TableRules
    board_key: bytes
    players: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Played:
    """A finished game: its record, the time of each action, and the turns asked of each seat."""

    seating: Seating
    record: Record
    times: tuple[int, ...]
    seat_times: tuple[int, ...]
    decisions: tuple[int, ...]


class _Waiting:
    """A turn that a bot was asked, or will be when it is back."""

    __slots__ = ("ask", "away", "batch", "due_from", "running")

    def __init__(self, running: _Running, ask: Ask, now: Moment) -> None:
        self.running = running
        self.ask = ask
        self.due_from = now
        self.away = False  # whether the bot was away when it was due: then its clock did not wait
        self.batch: Batch | None = None

    def elapsed(self, now: Moment) -> int:
        """What its clock shows."""
        batch = self.batch
        if self.away or batch is None:
            return now.since(self.due_from)
        if batch.sent is not None:
            return now.since(batch.sent)
        return 0 if batch.queued is None else now.since(batch.queued.after(HANDING_LIMIT))


class _Running:
    """A running table, with the numbers by which the bots know it."""

    __slots__ = ("number", "seating", "table", "times")

    def __init__(self, number: int, seating: Seating) -> None:
        self.number = number
        self.seating = seating
        self.table = Table(seating.rules, seating.board_key)
        self.times = [0] * seating.rules.seats


class _Bot:
    """What the room knows of a bot."""

    __slots__ = ("dead", "gathers_since", "parts", "seats", "stream", "turns", "waiting")

    def __init__(self) -> None:
        self.stream: Stream | None = None
        self.dead: Fault | None = None
        self.seats: dict[int, tuple[_Running, Seat]] = {}  # by table number
        self.waiting: dict[int, _Waiting] = {}  # by table number
        self.parts: list[bytes] = []  # encoded starts, turns and ends, to be sent
        self.gathers_since = 0  # when the first of them was put there
        self.turns: list[_Waiting] = []  # the turns among them, even if nobody waits for them any more


class Room:
    """All running tables and the bots that play at them.

    Args:
        bots: how many bots there are; they are numbered from 0.
        on_played: called with every finished game.
        on_void: called with the seating of every game that ended by a fault of
            the referee's machine; it has to be played again.
        now: tells the moment.
        numbers: gives each table its number, in rising order; they are never
            used again.

    Attributes:
        decisions: how many turns were answered so far, by whomever and however.
        tables: how many tables run.
    """

    def __init__(
        self,
        bots: int,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
        now: Callable[[], Moment],
        numbers: Iterator[int] | None = None,
    ) -> None:
        self._bots = [_Bot() for _ in range(bots)]
        self._to_flush: dict[_Bot, None] = {}  # those that have something to be sent, in order
        self._on_played = on_played
        self._on_void = on_void
        self._now = now
        self._numbers = numbers or itertools.count(1)
        self._last_number = 0
        self._heard = Moment(0, 0)  # the last time that passed
        self._recovered = 0  # when connections break no more from the last standstill
        self.decisions = 0
        self.tables = 0

    def open(self, seating: Seating) -> None:
        """Opens a table and plays on as far as that goes without an answer."""
        self._last_number = next(self._numbers)
        running = _Running(self._last_number, seating)
        self.tables += 1
        for seat, player in enumerate(seating.players):
            bot = self._bots[player]
            bot.seats[running.number] = (running, seat)
            if bot.stream is not None:
                self._put(bot, self._encode_start(running, seat))
        self._play_on(running)

    def connect(self, player: int, stream: Stream) -> None:
        """A bot is there, for the first time or again; what waited for it goes out."""
        bot = self._bots[player]
        bot.stream = stream
        bot.dead = None
        starts = [self._encode_start(running, seat) for running, seat in bot.seats.values()]
        bot.parts = starts + [self._encode_turn(waiting) for waiting in bot.waiting.values()]
        bot.turns = list(bot.waiting.values())
        for waiting in bot.turns:
            waiting.batch = None
        if bot.parts:
            self._to_flush[bot] = None

    def lost(self, player: int, fault: Fault) -> None:
        """A bot's connection is gone: every turn it was asked ends by this fault."""
        bot = self._bots[player]
        bot.stream = None
        bot.parts, bot.turns = [], []
        for running, seat in bot.seats.values():
            running.table.retell(seat)  # it will be new at the table when it comes back
        for waiting in list(bot.waiting.values()):
            self._fail(bot, waiting, fault)

    def give_up(self, player: int, fault: Fault) -> None:
        """A bot is not waited for: until it connects, every turn of it ends by this fault at once."""
        self._bots[player].dead = fault
        self.lost(player, fault)

    def decided(self, player: int, decisions: Iterable[Decision], read: Moment) -> None:
        """Decisions of a bot were read from its stream at the moment `read`."""
        bot = self._bots[player]
        for number, turn, action in decisions:
            held = bot.seats.get(number)
            if held is None:
                # A table that is over may still get a late answer; one that never was may not.
                if not 0 < number <= self._last_number and bot.seats:
                    running, seat = next(iter(bot.seats.values()))
                    running.table.stray(seat, f"there is no table {number}")
                    self._drop_forfeited(bot, running, seat)
                    self._play_on(running)
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
            self._play_on(running)

    def expire(self, now: Moment) -> None:
        """Gives up every turn whose time is over at `now`; answers read before it must have been told."""
        if now.lag - self._heard.lag > MACHINE_FAULT:
            self._recovered = now.time + RECOVERY
        self._heard = now
        for bot in self._bots:
            for waiting in list(bot.waiting.values()):
                if now.time - waiting.due_from.time <= waiting.ask.time_left:
                    continue  # not even if its clock had started at once
                if bot.waiting.get(waiting.running.number) is not waiting:
                    continue  # ended meanwhile, by what another fault led to
                if waiting.elapsed(now) <= waiting.ask.time_left + MARGIN:
                    continue
                if self._lagged(waiting, now) or (bot.stream is None and now.time < self._recovered):
                    self._void(waiting.running)
                    continue
                limit = waiting.ask.time_left
                what = "the bot is not connected" if bot.stream is None else "no answer"
                if waiting.batch is None:  # it never went out, so the next turn has to tell all again
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
        now = self._now().time
        for bot in list(self._to_flush):
            if bot.stream is not None and bot.parts:
                if len(bot.waiting) > len(bot.turns) and now < bot.gathers_since + HOLD:
                    continue
                self._send(bot, bot.stream)
            del self._to_flush[bot]
        return bool(self._to_flush)

    def abandon(self) -> list[Seating]:
        """Ends all running games without a result, and returns them."""
        running = {table.number: table for bot in self._bots for table, _ in bot.seats.values()}
        for table in running.values():
            self._close(table, None)
        return [table.seating for table in running.values()]

    @staticmethod
    def _lagged(waiting: _Waiting, now: Moment) -> bool:
        """Whether the referee itself lagged so long since a turn was due that nobody else is to blame."""
        return now.lag - waiting.due_from.lag > MACHINE_FAULT

    def _put(self, bot: _Bot, part: bytes) -> None:
        if not bot.parts:
            bot.gathers_since = self._now().time
            self._to_flush[bot] = None
        bot.parts.append(part)

    def _send(self, bot: _Bot, stream: Stream) -> None:
        data, turns = b"".join(bot.parts), bot.turns
        bot.parts, bot.turns = [], []
        batch = stream.send(data, len(turns))
        for waiting in turns:
            waiting.batch = batch

    def _fail(self, bot: _Bot, waiting: _Waiting, fault: Fault) -> None:
        """The bot of a turn is gone."""
        if bot.waiting.get(waiting.running.number) is not waiting:
            return  # ended meanwhile, by what another fault led to
        now = self._now()
        broke = fault.reason == "disconnect" and now.time < self._recovered
        if broke or self._lagged(waiting, now):
            self._void(waiting.running)
        else:
            self._charge(bot, waiting, fault.reason, fault.message, now)

    def _charge(self, bot: _Bot, waiting: _Waiting, reason: str, message: str, now: Moment) -> None:
        """A turn that waits ends by a fault."""
        del bot.waiting[waiting.running.number]
        waiting.running.table.fault(waiting.ask.seat, reason, message, waiting.elapsed(now))
        self._play_on(waiting.running)

    @staticmethod
    def _drop_forfeited(bot: _Bot, running: _Running, seat: Seat) -> None:
        """What the bot answered was not asked: if that forfeited the game, its turn waits no longer."""
        waiting = bot.waiting.get(running.number)
        if waiting is not None and not running.table.waits_for(seat, waiting.ask.turn):
            del bot.waiting[running.number]

    def _play_on(self, running: _Running) -> None:
        table = running.table
        while asks := table.asks():
            for ask in asks:
                bot = self._bots[running.seating.players[ask.seat]]
                if bot.dead is not None:
                    table.fault(ask.seat, bot.dead.reason, bot.dead.message, 0)
                    continue
                waiting = _Waiting(running, ask, self._now())
                bot.waiting[running.number] = waiting
                if bot.stream is not None:
                    self._put(bot, self._encode_turn(waiting))
                    bot.turns.append(waiting)
                else:
                    waiting.away = True
        if table.over:
            self._finish(running)

    def _finish(self, running: _Running) -> None:
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

    def _void(self, running: _Running) -> None:
        self._close(running, None)
        self._on_void(running.seating)

    def _close(self, running: _Running, record: Record | None) -> None:
        """Takes a table out of the room and tells its bots, with a record how it ended."""
        self.tables -= 1
        game = running.seating.rules.game.id
        for seat, player in enumerate(running.seating.players):
            bot = self._bots[player]
            bot.waiting.pop(running.number, None)
            del bot.seats[running.number]
            if bot.stream is not None:
                outcome = None if record is None else (record.outcome, record.forfeits)
                view = None if record is None else running.table.closing_view(seat)
                faults = running.table.faults_of(seat)
                self._put(bot, encode_end(running.number, game, outcome, faults, view))

    def _encode_start(self, running: _Running, seat: Seat) -> bytes:
        seating = running.seating
        seed = seat_seed(seating.board_key, seat)
        return encode_start(running.number, seating.rules, seat, seed, seating.names)

    def _encode_turn(self, waiting: _Waiting) -> bytes:
        return encode_turn(waiting.running.number, waiting.running.seating.rules.game.id, waiting.ask)
