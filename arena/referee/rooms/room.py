"""A room: all running tables and the bots that play at them, as a state machine without I/O.

The room gets messages: a game is opened, decisions arrive, a bot is lost or comes
back, time passes. Each message continues every table that it concerns as far as
possible. What is to be sent is collected in the bots' outboxes until `flush`, so
that turns that are due together are sent together. No sequence of messages raises,
whatever the bots do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from arena.games.game import Seat
from arena.link.streams.moments import Moment
from arena.link.wire.messages import Decision, encode_end, encode_start, encode_turn
from arena.referee.rooms.room_state import (
    FIRST,
    SENT,
    SENT_AGAIN,
    Bot,
    Delta,
    OpenTurn,
    Running,
    Stream,
    Waiting,
)
from arena.table.clock import MILLISECOND, SECOND
from arena.table.deal import seat_seed
from arena.table.record import Record
from arena.table.table import Answered
from arena.tournament.instances import player_of
from arena.tournament.seating import Played, Seating

MARGIN = 20 * MILLISECOND
"""How long after its time a turn is given up: its answer may have been read but not yet delivered."""

TICK = 20 * MILLISECOND
"""How often a room checks for turns whose time is over."""

HOLD = 2 * MILLISECOND
"""How long turns are held back while a bot has others to answer, so that they are sent together."""

MACHINE_FAULT = SECOND
"""If the referee itself lagged for so long during a turn that timed out, the game is void."""

RECOVERY = 15 * SECOND
"""After a lag of `MACHINE_FAULT` the referee blames itself for so long if connections break: both ends
notice a break late. A bot whose connection the referee's side has ended gets as long to come back."""

OURS = "ours"
"""The reason of a loss if the referee's side has ended the connection."""

MOST_TABLES = 32
"""How many tables of a room onlookers can see at once."""

MOST_OPEN_TURNS = 20
"""How many open turns a room tells of: those that have waited longest."""


class Open(NamedTuple):
    """Open a table; no number is used twice."""

    seating: Seating
    number: int


class Connect(NamedTuple):
    """A bot has connected."""

    player: int
    stream: Stream


class Lost(NamedTuple):
    """A bot's connection is gone; `reason` is one of `arena.results.FAULT_REASONS`."""

    player: int
    reason: str
    message: str


class Cut(NamedTuple):
    """A bot was disconnected by the referee, because it flooded its connection."""

    player: int
    reason: str
    message: str


class GiveUp(NamedTuple):
    """A bot is given up: it forfeits its games, until it connects."""

    player: int
    reason: str
    message: str


class Decided(NamedTuple):
    """Decisions of a bot were read."""

    player: int
    decisions: Sequence[Decision]
    read: Moment


class Stray(NamedTuple):
    """A bot has answered for a table that never was; it is charged at the table `at`."""

    player: int
    number: int
    at: int


class Tick(NamedTuple):
    """The time is `now`."""

    now: Moment


class Flush(NamedTuple):
    """Send what was held back."""


class CollectDeltas(NamedTuple):
    """Report to onlookers what was played; `anew` if a new one has to get everything."""

    anew: bool


class CollectOpenTurns(NamedTuple):
    """Tell which turns are open; with `one_of_each` the longest of each bot."""

    one_of_each: bool


class Abandon(NamedTuple):
    """End all games without a result."""


Message: TypeAlias = (
    Open
    | Connect
    | Lost
    | Cut
    | GiveUp
    | Decided
    | Stray
    | Tick
    | Flush
    | CollectDeltas
    | CollectOpenTurns
    | Abandon
)

_METHODS: dict[type[Message], str] = {  # the method of a room that each message calls
    Open: "open",
    Connect: "connect",
    Lost: "lost",
    Cut: "cut",
    GiveUp: "give_up",
    Decided: "decided",
    Stray: "stray",
    Tick: "expire",
    CollectDeltas: "collect_deltas",
    CollectOpenTurns: "collect_open_turns",
    Abandon: "abandon",
}


class Room:
    """All running tables and the bots that play at them.

    Args:
        on_played: called with every finished game.
        on_void: called with the seating of every game that a fault of the
            referee's machine ended; it has to be played again.
        now: returns the present moment.
        on_closed: called with the number of every table that is over, void or abandoned.
        on_stray: called with the bot and the number of a stray answer if the bot does not sit any more at
            the table where it was to be charged.
        on_deltas: called with the actions that onlookers get (see `collect_deltas`).
        on_open_turns: called with the open turns (see `collect_open_turns`).

    Attributes:
        decisions: how many turns were answered so far.
        tables: how many tables run.
    """

    def __init__(
        self,
        on_played: Callable[[Played], None],
        on_void: Callable[[Seating], None],
        now: Callable[[], Moment],
        on_closed: Callable[[int], object] = lambda number: None,
        on_stray: Callable[[int, int], None] = lambda player, number: None,
        on_deltas: Callable[[list[Delta]], None] = lambda deltas: None,
        on_open_turns: Callable[[list[OpenTurn]], None] = lambda turns: None,
    ) -> None:
        self._bots: defaultdict[int, Bot] = defaultdict(Bot)  # by number
        self._to_flush: dict[Bot, None] = {}  # those that have something to be sent, in order
        self._on_played = on_played
        self._on_void = on_void
        self._now = now
        self._on_closed = on_closed
        self._on_stray = on_stray
        self._heard = Moment(0, 0)  # the moment of the last tick
        self._recovered = 0  # until when breaks are blamed on the last lag
        self.decisions = 0
        self.tables = 0
        self._deltas = Deltas(on_deltas)
        self._on_open_turns = on_open_turns

    def hear(self, messages: Iterable[Message]) -> bool:
        """Handles messages, then flushes; returns whether something is held back."""
        for message in messages:
            if not isinstance(message, Flush):  # the flush below does its work
                getattr(self, _METHODS[type(message)])(*message)
        return self.flush()

    def open(self, seating: Seating, number: int) -> None:
        """Opens a table and plays until an answer is needed. A bot that is given up forfeits it at once."""
        running = Running(number, seating)
        self.tables += 1
        for seat, player in enumerate(running.players):
            bot = self._bots[player]
            bot.seats[running.number] = (running, seat)
            if bot.stream is not None:
                self._put(bot, self._encode_start(running, seat))
        for seat, player in enumerate(running.players):
            if (fault := self._bots[player].given_up_for) is not None:
                running.table.forfeit(seat, *fault)
        self._play_on(running, self._now())

    def connect(self, player: int, stream: Stream) -> None:
        """A bot has connected, for the first time or again; it gets its tables and turns."""
        bot = self._bots[player]
        bot.stream = stream
        bot.given_up_for = None
        bot.excused_until = 0
        starts = [self._encode_start(running, seat) for running, seat in bot.seats.values()]
        bot.parts = starts + [self._encode_turn(waiting) for waiting in bot.waiting.values()]
        bot.turns = list(bot.waiting.values())
        bot.held_since = None
        for waiting in bot.turns:
            waiting.state = SENT_AGAIN[waiting.state]
        if bot.parts:
            self._to_flush[bot] = None

    def lost(self, player: int, reason: str, message: str) -> None:
        """A bot's connection is gone: every turn that it was asked ends with this fault."""
        bot = self._bots[player]
        bot.stream = None
        bot.parts, bot.turns, bot.held_since = [], [], None
        for running, seat in bot.seats.values():
            running.table.retell(seat)  # it comes back without memory of the table
        if reason == OURS:
            bot.excused_until = self._now().time + RECOVERY
            for running, _ in list(bot.seats.values()):
                self._void(running)
        for waiting in list(bot.waiting.values()):
            self._fail(bot, waiting, reason, message)

    def cut(self, player: int, reason: str, message: str) -> None:
        """As `lost`, and the bot forfeits its present games, even if it comes back."""
        self.lost(player, reason, message)
        bot = self._bots[player]
        for running, seat in list(bot.seats.values()):
            bot.waiting.pop(running.number, None)
            running.table.forfeit(seat, reason, message)
            self._play_on(running, self._now())

    def give_up(self, player: int, reason: str, message: str) -> None:
        """Gives a bot up: it forfeits its games, and those that are opened before it connects again."""
        self.cut(player, reason, message)
        self._bots[player].given_up_for = (reason, message)

    def decided(self, player: int, decisions: Iterable[Decision], read: Moment) -> None:
        """Decisions of a bot were read from its stream at the moment `read` (see `Decided`).

        Those for tables where it does not sit, or does not sit any more, have no effect.
        """
        bot, now = self._bots[player], self._now()
        for number, turn, action, thought in decisions:
            held = bot.seats.get(number)
            if held is None:
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
                answered = running.table.answer(seat, turn, action, elapsed)
                if thought and answered is Answered.TAKEN:
                    running.think(seat, turn, thought)
            else:
                running.table.answer(seat, turn, action, 0)
                self._drop_forfeited(bot, running, seat)
            self._play_on(running, now)

    def stray(self, player: int, number: int, at: int) -> None:
        """Charges a bot at the table `at` for an answer for the table `number`, which never was."""
        bot = self._bots[player]
        held = bot.seats.get(at)
        if held is None:
            self._on_stray(player, number)
            return
        running, seat = held
        running.table.stray(seat, f"there is no table {number}")
        self._drop_forfeited(bot, running, seat)
        self._play_on(running, self._now())

    def expire(self, now: Moment) -> None:
        """Ends every turn whose time is over at `now`; answers read before must have been delivered."""
        if now.lag - self._heard.lag > MACHINE_FAULT:
            self._recovered = now.time + RECOVERY
        self._heard = now
        for bot in self._bots.values():
            for waiting in list(bot.waiting.values()):
                if now.time - waiting.due_from.time <= waiting.ask.time_left:
                    continue  # in time, even if its clock had started when it was due
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
                if waiting.state in SENT:  # it was never sent, so the next turn must repeat all events
                    waiting.running.table.retell(waiting.ask.seat)
                waiting.running.times[waiting.ask.seat] += limit
                self._charge(
                    bot, waiting, "timeout", f"{what} in the {limit / SECOND:.3f} s that were left", now
                )

    def flush(self) -> bool:
        """Sends each connected bot the content of its outbox.

        While a bot has turns to answer, its outbox is held back, for `HOLD` at
        most: a message costs much more than one more turn in it. Returns whether
        something is held back, to be flushed later.
        """
        for bot in list(self._to_flush):
            if bot.stream is not None and bot.parts:
                if len(bot.waiting) > len(bot.turns) and self._is_held(bot):
                    continue
                self._send(bot, bot.stream)
            del self._to_flush[bot]
        return bool(self._to_flush)

    def collect_deltas(self, anew: bool) -> None:
        """Tells onlookers what was played since the last call (see `Deltas.collect`)."""
        self._deltas.collect(self._running(), anew)

    def collect_open_turns(self, one_of_each: bool) -> None:
        """Tells which turns are open: those that have waited longest, or the longest of each bot."""
        now = self._now()
        turns = [
            OpenTurn(
                player_of(number),
                waiting.running.number,
                waiting.running.seating.key,
                now.time - waiting.due_from.time,
                waiting.ask.time_left - waiting.elapsed(now),
            )
            for number, bot in self._bots.items()
            for waiting in bot.waiting.values()
        ]
        turns.sort(key=lambda turn: turn.waited)
        if one_of_each:
            self._on_open_turns([*{turn.player: turn for turn in turns}.values()])
        else:
            self._on_open_turns(turns[-MOST_OPEN_TURNS:])

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
        """Whether the referee itself lagged too long since a turn was due to blame the bot."""
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
        request = stream.send(data, len(turns))
        for waiting in turns:
            waiting.sent_request = request
            waiting.state = SENT[waiting.state]

    def _fail(self, bot: Bot, waiting: Waiting, reason: str, message: str) -> None:
        """Ends a turn of a bot that is gone, by this fault or as void."""
        if bot.waiting.get(waiting.running.number) is not waiting:
            return  # ended meanwhile, by what another fault led to
        now = self._now()
        broke = reason == "disconnect" and now.time < self._recovered
        if broke or self._lagged(waiting, now):
            self._void(waiting.running)
        else:
            self._charge(bot, waiting, reason, message, now)

    def _charge(self, bot: Bot, waiting: Waiting, reason: str, message: str, now: Moment) -> None:
        """Ends a waiting turn with a fault."""
        del bot.waiting[waiting.running.number]
        waiting.running.table.fault(waiting.ask.seat, reason, message, waiting.elapsed(now))
        self._play_on(waiting.running, now)

    @staticmethod
    def _drop_forfeited(bot: Bot, running: Running, seat: Seat) -> None:
        """After a fault, removes the bot's waiting turn if the fault has forfeited the game."""
        waiting = bot.waiting.get(running.number)
        if waiting is not None and not running.table.waits_for(seat, waiting.ask.turn):
            del bot.waiting[running.number]

    def _play_on(self, running: Running, now: Moment) -> None:
        for ask in running.table.asks():
            bot = self._bots[running.players[ask.seat]]
            # An excused bot's clock begins when it is back.
            first = FIRST[bot.stream is not None or now.time < bot.excused_until]
            waiting = Waiting(running, ask, now, first)
            bot.waiting[running.number] = waiting
            if bot.stream is not None:
                self._put(bot, self._encode_turn(waiting))
                bot.turns.append(waiting)
        if running.table.over:
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
                tuple(running.thoughts),
            )
        )

    def _void(self, running: Running) -> None:
        self._close(running, None)
        self._on_void(running.seating)

    def _close(self, running: Running, record: Record | None) -> None:
        """Removes a table and tells its bots so; with a record, also how the game ended."""
        self.tables -= 1
        self._on_closed(running.number)
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


class Deltas:
    """What onlookers have been told of the running tables.

    They get actions that were played, and never a choice that was made but not played yet: if
    several seats choose at once, their actions come together, and nothing says who chose first.
    A table that begins and ends between two calls of `collect` is left out: nobody could follow it.

    Args:
        tell: called with the new actions at these tables.
    """

    def __init__(self, tell: Callable[[list[Delta]], None]) -> None:
        self._told: dict[int, int] = {}  # by table number, how many of its actions were told
        self._new: set[int] = set()  # the tables that ran at the last `collect` and are not told of
        self._tell = tell

    def collect(self, tables: Iterable[Running], anew: bool) -> None:
        """Tells what was played at the running tables; with `anew` from the first action on."""
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
        """Tells that a table has ended; `end` is `over` or `void`."""
        if running.number in self._told:
            self._tell([self._delta(running)._replace(end=end)])
            del self._told[running.number]

    def _delta(self, running: Running) -> Delta:
        """The actions at a table since its last delta."""
        actions = running.table.played_since(self._told[running.number])
        self._told[running.number] += len(actions)
        return Delta(running.number, None, actions)
