"""Practice games: the bot under check at tables whose other seats the house plays."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import trio

from arena.link.streams.dial import BotFault, BotInfo
from arena.link.streams.house_player import HousePlayer
from arena.link.streams.moments import Moment
from arena.link.streams.stream import PlayStream, dial
from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.link.wire.messages import Decision
from arena.runner.checkup.bot import CheckedBot
from arena.runner.checkup.settings import Setting
from arena.runner.rooms.in_process import RoomInProcess
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.dispatcher import Dispatcher
from arena.runner.tournament_file import MAX_SEATS
from arena.table.clock import TimeControl
from arena.table.deal import board_key, key_of_seed
from arena.table.record import Fault, first_position, replay
from arena.table.table import TableRules

_BOT = 0  # the number of the bot in the room; the others are the house

_FAREWELL = 1.0  # how long a bot elsewhere may take to end its stream, in seconds
_KEY = key_of_seed("checkup")  # no secret: every checkup of a bot plays the same boards


class Trouble(NamedTuple):
    """The first thing that went wrong in practice games.

    Attributes:
        where: the setting, and the turn where there is one.
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong.
    """

    where: str
    reason: str
    message: str


class Session(NamedTuple):
    """How practice games went.

    Attributes:
        played: the finished games, in the order in which they ended.
        trouble: what ended the session early; None where all games were played.
        seconds: how long it took.
    """

    played: Sequence[Played]
    trouble: Trouble | None
    seconds: float


class Practice:
    """One bot in a room with the house. To be made in trio's thread.

    Args:
        bot: the bot under check.
        clock: the clock at every table.

    Attributes:
        info: what the bot says it is, once it was asked.
        times: the nanoseconds of every decision of the bot so far.
    """

    def __init__(self, bot: CheckedBot, clock: TimeControl) -> None:
        self.info: BotInfo | None = None
        self.times: list[int] = []
        self._bot = bot
        self._clock = clock
        self._room = RoomInProcess(MAX_SEATS, self._on_played, self._on_void)
        for player in range(_BOT + 1, MAX_SEATS):
            self._room.connect(player, HousePlayer(partial(self._room.decided, player), self._room.now))
        self._stream: PlayStream | None = None
        self._begin((), 1, None)

    def _begin(self, seatings: Sequence[Seating], tables: int, crash_after: int | None) -> None:
        """Makes ready for a session."""
        limit = self.info.max_tables if self.info is not None else 0
        due = iter(seatings)
        self._dispatcher = Dispatcher(
            lambda: next(due, None), self._room.open, tables, lambda player: limit if player == _BOT else 0
        )
        self._left = len(seatings)
        self._played: list[Played] = []
        self._trouble: Trouble | None = None
        self._over = trio.Event()
        self._crash_in = crash_after
        self._was_killed = False

    def seating(
        self, setting: Setting, seat: int, max_faults: int = 1, clock: TimeControl | None = None
    ) -> Seating:
        """A game in which the bot has a seat; the same arguments always give the same game."""
        rules = TableRules(setting.game, setting.options, setting.seats, clock or self._clock, max_faults)
        house = iter(range(_BOT + 1, MAX_SEATS))
        players = tuple(_BOT if each == seat else next(house) for each in range(setting.seats))
        return Seating(setting, rules, board_key(_KEY, setting.game.id, str(setting)), players)

    async def play(
        self, seatings: Sequence[Seating], tables: int, *, crash_after: int | None = None
    ) -> Session:
        """Plays games until all are over or the bot commits a fault.

        Args:
            seatings: the games, from `seating`.
            tables: how many are played at once, as far as the bot wants that.
            crash_after: after so many decisions the bot is killed and has to
                come back; its faults of kind crash are forgiven then.

        After a session with trouble the bot is ended; the next starts it
        afresh. Raises BotFault where it does not come up.
        """
        ended = await self.come()
        self._begin(seatings, tables, crash_after)
        began = time.perf_counter()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._room.keep)
                nursery.start_soon(self._mind_loss, ended)
                self._dispatcher.begin()
                await self._over.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._room.abandon()  # or the house would play on
        session = Session(self._played, self._trouble, time.perf_counter() - began)
        if session.trouble is not None:
            await self.leave()
        return session

    async def leave(self) -> float:
        """Lets the bot go, in the middle of its stream where it is ours; returns the seconds that took."""
        stream, self._stream = self._stream, None
        if stream is not None and self._bot.entrant.bot is None:
            stream.finish()
            with trio.move_on_after(_FAREWELL):
                await self._ended.wait()
        took = await self._bot.stop()
        if stream is not None:
            stream.cancel()
            self._room.lost(_BOT, BotFault("disconnect", "the practice is over"))
        return took

    async def come(self) -> trio.Event:
        """Brings the bot to the tables where it is not there; returns what tells of its stream's end.

        Raises BotFault where it does not come up.
        """
        if self._stream is None:
            try:
                if self._bot.channel is None:
                    await self._bot.start()
                self.info = await self._bot.describe()
            except BotFault:
                await self.leave()
                raise
            self._connect()
        return self._ended

    def _connect(self) -> None:
        ended = self._ended = trio.Event()
        self._loss: BotFault | RefereeBug | None = None

        def on_end(fault: BotFault | RefereeBug | None) -> None:
            if ended is self._ended:
                self._loss = fault
            ended.set()

        self._stream = PlayStream(in_trio(self._on_decisions), on_end, self._room.now)
        assert self._bot.channel is not None
        dial(self._bot.channel, self._stream)
        self._room.connect(_BOT, self._stream)

    def _on_decisions(self, decisions: list[Decision], read: Moment) -> None:
        if self._crash_in is not None:
            self._crash_in -= len(decisions)
            if self._crash_in <= 0:
                self._crash_in, self._was_killed = None, True
                self._bot.crash()
        if not self._was_killed:  # what it answers in dying is lost, so that its games still run
            self._room.decided(_BOT, decisions, read)

    async def _mind_loss(self, ended: trio.Event) -> None:
        """Waits for the end of the bot's stream; brings it back where it was made to crash."""
        await ended.wait()
        if isinstance(self._loss, RefereeBug):
            raise self._loss
        loss = self._loss or BotFault("disconnect", "ended the stream before the referee did")
        code = await self._bot.crashed()
        if code is not None:
            loss = BotFault("crash", f"the bot's process ended with exit code {code}")
        self._stream = None
        if not self._was_killed:
            self._room.give_up(_BOT, loss)  # its games end by this fault and stop the session
            if not self._dispatcher.running:
                self._stop(Trouble("between two games", loss.reason, loss.message))
            return
        self._room.lost(_BOT, loss)
        self._was_killed = False
        try:
            await self._bot.stop()
            ended = await self.come()
        except BotFault as fault:
            self._stop(Trouble("after it was killed", fault.reason, fault.message))
            return
        await self._mind_loss(ended)

    def _on_played(self, played: Played) -> None:
        if self._over.is_set():
            return
        self._played.append(played)
        self.times += decision_times(played)
        for fault in faults(played):
            if fault.reason != "crash" or played.seating.rules.max_faults == 1:
                where = f"{played.seating.key}{f', turn {fault.turn}' if fault.turn else ''}"
                self._stop(Trouble(where, fault.reason, fault.message))
                return
        self._left -= 1
        if self._left == 0:
            self._over.set()
        self._dispatcher.ended(played.seating)
        self._dispatcher.stored(1)

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)

    def _stop(self, trouble: Trouble) -> None:
        if not self._over.is_set():
            self._trouble = trouble
            self._over.set()


def faults(played: Played) -> Iterable[Fault]:
    """The faults of the bot in a game."""
    seat = played.seating.players.index(_BOT)
    return (fault for holder, _, fault in played.record.faults if holder == seat)


def decision_times(played: Played) -> Iterable[int]:
    """The nanoseconds that each decision took the bot in a game; what it was not asked took none."""
    seat = played.seating.players.index(_BOT)
    steps = replay(played.record, first_position(played.record))
    return (took for step, took in zip(steps, played.times, strict=True) if step.seat == seat and took)
