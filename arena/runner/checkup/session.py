"""Games of the bot under check with the referee's own players, until all are over or the first fault."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import trio

from arena.link.streams.moments import Moment
from arena.link.streams.stream import BuiltInPlayer
from arena.link.wire.messages import Decision
from arena.runner.checkup.settings import Setting
from arena.runner.rooms.room import Played, Seating
from arena.runner.rooms.rooms import Reception
from arena.runner.sitting.keeper import Attendance, Keeper
from arena.runner.sitting.sitting import Sitting
from arena.runner.tournament_file import MAX_SEATS
from arena.table.clock import TimeControl
from arena.table.deal import board_key, key_of_seed
from arena.table.record import first_position, replay
from arena.table.table import TableRules

BOT = 0
"""The number of the bot under check."""

ANOTHER = MAX_SEATS
"""The number of a second instance of it."""

_HOUSE = range(BOT + 1, MAX_SEATS)  # the numbers of the referee's own players
_GONE_WITHIN = 15.0  # seconds in which the connection of a bot is gone that was cut off
_KEY = key_of_seed("checkup")  # no secret: every checkup of a bot plays the same boards

AnyKeeper = TypeVar("AnyKeeper", bound=Keeper)


class Trouble(NamedTuple):
    """The first thing that went wrong in a session.

    Attributes:
        where: the setting, and the turn where there is one; empty after the bot was cut off on purpose.
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong.
    """

    where: str
    reason: str
    message: str


def seating(setting: Setting, seat: int, clock: TimeControl, max_faults: int = 1) -> Seating:
    """A game in which the bot has a seat; the same arguments always give the same game."""
    rules = TableRules(setting.game, setting.options, setting.seats, clock, max_faults)
    house = iter(_HOUSE)
    players = tuple(BOT if each == seat else next(house) for each in range(setting.seats))
    return Seating(setting, rules, board_key(_KEY, setting.game.id, str(setting)), players)


def decision_times(played: Played) -> Iterable[int]:
    """The nanoseconds that each decision took the bot in a game; a turn that was not asked took none."""
    seat = played.seating.players.index(BOT)
    steps = replay(played.record, first_position(played.record))
    return (took for step, took in zip(steps, played.times, strict=True) if step.seat == seat and took)


class Session(Generic[AnyKeeper]):
    """A sitting of the bot under check and the referee's own players. To be made in trio's thread.

    Args:
        keeper: makes the bot's keeper, given where the bot plays and who is told.

    Attributes:
        sitting: where they play.
        keeper: the bot's keeper.
        trouble: what went wrong first, after which nothing more is played; None as long as all is well.
        cut_off: set when the bot is cut off on purpose.
        back: set when a bot that dials in is back after that.
    """

    def __init__(self, keeper: Callable[[Reception, Callable[[Attendance], None]], AnyKeeper]) -> None:
        self.sitting = Sitting()
        self.keeper = keeper(self.sitting.rooms, self._hear)
        self.trouble: Trouble | None = None
        self.cut_off, self.back = trio.Event(), trio.Event()
        self._cut: Callable[[], None] | None = None
        self._cut_at = 0  # after how many decisions of the bot
        self._was_cut = False  # whether the bot was cut off, and was found lost for that
        self._house_decided = 0  # how often
        self._held: list[Callable[[], None]] = []  # decisions of the house, while the bot is cut off

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Has all players there; lets them go, however it is left. Raises RefereeBug."""
        rooms = self.sitting.rooms
        with closing(self.sitting):
            for player in _HOUSE:
                rooms.connect(player, BuiltInPlayer(partial(self._decided, player), rooms.now))
            async with self.sitting.open():
                self.sitting.seat(self.keeper)
                yield

    async def play(
        self, games: Sequence[Seating], tables: int, cut: Callable[[], None] | None = None
    ) -> list[Played]:
        """Plays games until all are over or something goes wrong; returns those that are over.

        Args:
            games: the games, from `seating`.
            tables: how many are played at once, as far as the bot wants that.
            cut: cuts the bot off, in the middle of the games; it has to come back.
        """
        self._cut = cut
        self._cut_at = self.sitting.decisions - self._house_decided + len(games)
        over: list[Played] = []
        self.sitting.add(games)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._expect_loss)
            async for batch in self.sitting.played(tables):
                for played in batch:
                    if self.trouble is None:
                        over.append(played)
                        self._examine(played)
                if len(over) == len(games):
                    break
            nursery.cancel_scope.cancel()
        return over

    async def _expect_loss(self) -> None:
        """Sees that the bot is lost that was cut off: until it is no game goes on."""
        await self.cut_off.wait()
        await trio.sleep(_GONE_WITHIN)
        if not self._was_cut:
            self._note(Trouble("", "disconnect", "its connection went on"))

    def _examine(self, played: Played) -> None:
        seat = played.seating.players.index(BOT)
        for holder, _, fault in played.record.faults:
            if holder != seat or (self._was_cut and fault.reason in ("crash", "disconnect")):
                continue  # what happens after that is heard from the keeper
            turn = f", turn {fault.turn}" if fault.turn else ""
            self._note(Trouble(f"{played.seating.key}{turn}", fault.reason, fault.message))

    def _note(self, trouble: Trouble) -> None:
        if self.trouble is None:
            self.trouble = trouble
            self.sitting.end()

    def _hear(self, news: Attendance) -> None:
        """Hears from the bot's keeper."""
        if news.here and self._was_cut:
            self.back.set()
        if news.fault is None or not news.came:
            return  # one that does not come up at all is given up
        if self.cut_off.is_set() and not self._was_cut:
            self._was_cut = True
            for decide in self._held:
                decide()
            return
        self.keeper.dismiss(news.fault)  # its games end by this fault, and the session with them
        if self._was_cut or not self.sitting.unfinished:
            where = "" if self._was_cut else "between two games"
            self._note(Trouble(where, news.fault.reason, news.fault.short))

    def _decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """One of the referee's own players has decided; between the cut and its effect no game goes on."""
        answer = partial(self.sitting.rooms.decided, player, decisions, read)
        bot_decided = self.sitting.decisions - self._house_decided
        if self._cut is not None and bot_decided >= self._cut_at and not self.cut_off.is_set():
            self.cut_off.set()
            self._cut()
        if self.cut_off.is_set() and not self._was_cut:
            self._held.append(answer)
            return
        self._house_decided += len(decisions)
        answer()
