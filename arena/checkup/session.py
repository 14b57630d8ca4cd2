"""Plays the bot under check against the referee's own players, until its first fault."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import trio

from arena.checkup.bot_time import BotTime
from arena.games.game import Game, WrongOption
from arena.league.tournament_file import MAX_SEATS
from arena.link.streams.moments import Moment, RefereeClock
from arena.link.streams.stream import BuiltInPlayer
from arena.link.wire.messages import Decision
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange, BotEvents
from arena.referee.sitting.keeper import Attendance, Keeper
from arena.referee.sitting.sitting import Sitting
from arena.table.clock import TimeControl
from arena.table.deal import board_key, key_of_seed
from arena.table.record import first_position, replay
from arena.table.table import TableRules
from arena.tournament.seating import Played, Seating

BOT = 0
"""The number of the bot under check."""

ANOTHER = MAX_SEATS
"""The number of a second instance of it."""

_OWN_PLAYERS = range(BOT + 1, MAX_SEATS)  # the numbers of the referee's own players

_NO_TICK = 1 << 62  # nanoseconds: the bot's time leaves out what the referee waits, so no tick is ever late
_GONE_WITHIN = 15.0  # seconds in which the connection of a bot that was cut off has to be gone

_KEY = key_of_seed("checkup")  # not secret: every checkup plays the same boards


class Setting(NamedTuple):
    """A game with its options and number of seats.

    Attributes:
        game: the rules.
        options: the options.
        changed: the option that is not at its default, as in a tournament file; empty for none.
        seats: the number of seats.
    """

    game: Game
    options: Any
    changed: str
    seats: int

    def __str__(self) -> str:
        return f"{self.game.id}, {self.seats} seats{', ' if self.changed else ''}{self.changed}"


def settings(game: Game) -> list[Setting]:
    """The default options at every number of seats; then each option changed, one at a time.

    A changed option is played at its fewest and its most seats, and at any
    number that the defaults do not allow. Of a number the least value and the
    one after the default are tried, and the greatest if it allows other numbers
    of seats: great values make very long games.
    """
    defaults = game.Options()
    usual = game.seats(defaults)
    found = [Setting(game, defaults, "", seats) for seats in usual]
    for name, value in _changes(game):
        options = game.parse_options({name: value})
        possible = game.seats(options)
        said = f"[{len(value)} texts]" if isinstance(value, list) else json.dumps(value)
        chosen = {possible[0], possible[-1]} | (set(possible) - set(usual))
        found += [Setting(game, options, f"{name} = {said}", seats) for seats in sorted(chosen)]
    return found


def usual_settings(game: Game) -> list[Setting]:
    """The default options, at their fewest and their most seats."""
    options = game.Options()
    possible = game.seats(options)
    return [Setting(game, options, "", seats) for seats in sorted({possible[0], possible[-1]})]


def _changes(game: Game) -> Iterator[tuple[str, Any]]:
    """Yields every option with each value that is tried instead of its default."""
    usual = game.seats(game.Options())
    for field in dataclasses.fields(game.Options):
        name, default = field.name, field.default
        if isinstance(default, bool):
            values: list[Any] = [not default]
        elif isinstance(default, str):
            values = list(field.metadata["choices"])
        elif isinstance(default, int):
            high = field.metadata["high"]
            values = [field.metadata["low"], default + 1]
            if _seats(game, name, high) not in (None, usual):
                values.append(high)
        else:  # an own deck: the usual one without its last card
            values = [[str(card) for card in game.deck(game.Options())[:-1]]]
        tried: list[Any] = [default]
        for value in values:
            if value not in tried and _seats(game, name, value):
                tried.append(value)
                yield name, value


def _seats(game: Game, name: str, value: Any) -> range | None:
    """The possible numbers of seats with an option changed; None if the value is not allowed."""
    try:
        return game.seats(game.parse_options({name: value}))
    except WrongOption:
        return None


AnyKeeper = TypeVar("AnyKeeper", bound=Keeper)


class Trouble(NamedTuple):
    """The first fault in a session.

    Attributes:
        where: the setting, and the turn if any; empty after the bot was cut off on purpose.
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong.
    """

    where: str
    reason: str
    message: str


def seating(setting: Setting, seat: int, clock: TimeControl, max_faults: int = 1) -> Seating:
    """A game in which the bot has a seat; the same arguments always give the same game."""
    rules = TableRules(setting.game, setting.options, setting.seats, clock, max_faults)
    others = iter(_OWN_PLAYERS)
    players = tuple(BOT if each == seat else next(others) for each in range(setting.seats))
    return Seating(setting, rules, board_key(_KEY, setting.game.id, str(setting)), players)


def decision_times(played: Played) -> Iterable[int]:
    """The nanoseconds of each decision of the bot in a game."""
    seat = played.seating.players.index(BOT)
    steps = replay(played.record, first_position(played.record))
    return (took for step, took in zip(steps, played.times, strict=True) if step.seat == seat and took)


def _unheard(decisions: int, games: int) -> None:
    """Nobody follows the progress."""


class Session(Generic[AnyKeeper]):
    """A sitting of the bot under check and the referee's own players. To be made in trio's thread.

    Args:
        keeper: makes the bot's keeper from the sitting and a callback for news.
        time: the bot's time, by which the clocks of its games run; by default counted anew.

    Attributes:
        time: as given.
        sitting: the sitting.
        keeper: the bot's keeper.
        trouble: the first fault, after which nothing more is played; None while all is well.
        cut_off: set when the bot is cut off on purpose.
        back: set when a bot that dials in is back after that.
    """

    def __init__(
        self,
        keeper: Callable[[BotEvents, Callable[[Attendance], None]], AnyKeeper],
        time: BotTime | None = None,
    ) -> None:
        self.time = time or BotTime()
        self.sitting = Sitting(clock=RefereeClock(_NO_TICK, self.time.now))
        self.keeper = keeper(self.sitting, self._hear)
        self.trouble: Trouble | None = None
        self.cut_off, self.back = trio.Event(), trio.Event()
        self._on_progress: Callable[[int, int], None] = _unheard
        self._cut: Callable[[], None] | None = None
        self._cut_at = 0  # after how many decisions of the bot
        self._was_cut = False  # whether the cut was noticed as a loss
        self._own_decided = 0  # decisions of the referee's own players
        self._decided_before = 0  # decisions of the bot before it last began to play
        self._over = 0  # games that are over since then
        self._held: list[Callable[[], None]] = []  # their decisions while the bot is cut off

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Connects all players; releases them when the context is left. Raises RefereeBug."""
        with closing(self.sitting):
            for player in _OWN_PLAYERS:
                stream = BuiltInPlayer(partial(self._decided, player), self.sitting.now)
                self.sitting.bot_changed(BotChange(player, State.HERE, [player], State.HERE, stream))
            async with trio.open_nursery() as nursery, self.sitting.open():
                nursery.start_soon(self.time.keep)
                self.sitting.add_bot(self.keeper)
                yield
                nursery.cancel_scope.cancel()

    async def play(
        self,
        games: Sequence[Seating],
        tables: int,
        cut: Callable[[], None] | None = None,
        on_progress: Callable[[int, int], None] = _unheard,
    ) -> list[Played]:
        """Plays games until all are over or the bot has a fault; returns the finished ones.

        Args:
            games: the games, from `seating`.
            tables: how many are played at once, within the limit of the bot.
            cut: cuts the bot off in the middle of the games; the bot has to come back.
            on_progress: called as the bot plays, with how many decisions it has made in these games, and how
                many of them are over.
        """
        self._cut, self._on_progress = cut, on_progress
        self._decided_before, self._over = self._bot_decided, 0
        self._cut_at = self._bot_decided + len(games)
        over: list[Played] = []
        self.sitting.add(games)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._expect_loss)
            async for finished in self.sitting.played(tables):
                for played in finished:
                    if self.trouble is None:
                        over.append(played)
                        self._examine(played)
                self._over = len(over)
                self._progressed()
                if len(over) == len(games):
                    break
            nursery.cancel_scope.cancel()
        return over

    @property
    def _bot_decided(self) -> int:
        """How many decisions the bot has made."""
        return self.sitting.decisions - self._own_decided

    def _progressed(self) -> None:
        self._on_progress(self._bot_decided - self._decided_before, self._over)

    async def _expect_loss(self) -> None:
        """Checks that a cut is noticed as a loss; until then no game goes on."""
        await self.cut_off.wait()
        await self.time.passes(_GONE_WITHIN)
        if not self._was_cut:
            self._note(Trouble("", "disconnect", "its connection went on"))

    def _examine(self, played: Played) -> None:
        seat = played.seating.players.index(BOT)
        for holder, _, fault in played.record.faults:
            if holder != seat or (self._was_cut and fault.reason in ("crash", "disconnect")):
                continue  # the keeper reports what happens after that
            turn = f", turn {fault.turn}" if fault.turn else ""
            self._note(Trouble(f"{played.seating.key}{turn}", fault.reason, fault.message))

    def _note(self, trouble: Trouble) -> None:
        if self.trouble is None:
            self.trouble = trouble
            self.sitting.end()

    def _hear(self, news: Attendance) -> None:
        """Handles news from the bot's keeper."""
        if news.here and self._was_cut:
            self.back.set()
        if news.fault is None or not news.came:
            return  # a bot that does not start is given up
        if self.cut_off.is_set() and not self._was_cut:
            self._was_cut = True
            for decide in self._held:
                decide()
            return
        self.keeper.dismiss(news.fault)  # its games, and so the session, end with this fault
        if self._was_cut or not self.sitting.unfinished:
            where = "" if self._was_cut else "between two games"
            self._note(Trouble(where, news.fault.reason, news.fault.short))

    def _decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """Passes on a decision of the referee's own player; holds it between the cut and its effect."""
        answer = partial(self.sitting.decided, player, decisions, read)
        self._progressed()
        if self._cut is not None and self._bot_decided >= self._cut_at and not self.cut_off.is_set():
            self.cut_off.set()
            self._cut()
        if self.cut_off.is_set() and not self._was_cut:
            self._held.append(answer)
            return
        self._own_decided += len(decisions)
        answer()
