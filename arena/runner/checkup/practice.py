"""Practice games: the bot under check at tables whose other seats the house plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack

import trio

from arena.link.streams.dial import BotFault, BotInfo
from arena.link.streams.stream import PlayStream, dial
from arena.runner.checkup.bot import CheckedBot
from arena.runner.checkup.session import BOT, HOUSE, Company, Session, Trouble, faults
from arena.runner.checkup.settings import Setting
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.keeper import Keeper
from arena.table.clock import TimeControl
from arena.table.deal import board_key, key_of_seed
from arena.table.record import first_position, replay
from arena.table.table import TableRules

_KEY = key_of_seed("checkup")  # no secret: every checkup of a bot plays the same boards


class Practice:
    """One bot and the house, session after session. To be made in trio's thread.

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
        self._company: Company | None = None  # while the bot is at the tables
        self._opened = AsyncExitStack()

    def seating(
        self, setting: Setting, seat: int, max_faults: int = 1, clock: TimeControl | None = None
    ) -> Seating:
        """A game in which the bot has a seat; the same arguments always give the same game."""
        rules = TableRules(setting.game, setting.options, setting.seats, clock or self._clock, max_faults)
        house = iter(HOUSE)
        players = tuple(BOT if each == seat else next(house) for each in range(setting.seats))
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
        company = await self.come()
        company.reception.prepare(crash_after, self._bot.crash)
        session = await company.play(seatings, tables, self._trouble_in)
        if session.trouble is not None:
            await self.leave()
        return session

    async def come(self) -> Company:
        """Brings the bot to the tables where it is not there. Raises BotFault where it does not come up."""
        if self._company is None:
            try:
                if self._bot.channel is None:
                    await self._bot.start()
                self.info = await self._bot.describe()
            except BotFault:
                await self.leave()
                raise
            self._company = Company()
            await self._opened.enter_async_context(self._company.open())
            keeper = _Keeper(self._bot, self.info, self._company)
            self._company.sitting.seat(keeper)
            await keeper.settled.wait()
        return self._company

    async def leave(self) -> float:
        """Lets the bot go, in the middle of its stream where it is ours; returns the seconds that took."""
        took = 0.0
        if self._bot.entrant.bot is not None and self._company and not self._company.reception.deaf:
            with trio.CancelScope(shield=True):
                took = await self._bot.stop()
        self._company = None
        try:
            await self._opened.aclose()
        finally:
            with trio.CancelScope(shield=True):
                took += await self._bot.stop()
        return took

    def _trouble_in(self, played: Played) -> Trouble | None:
        self.times += _decision_times(played)
        for fault in faults(played):
            if fault.reason != "crash" or played.seating.rules.max_faults == 1:
                where = f"{played.seating.key}{f', turn {fault.turn}' if fault.turn else ''}"
                return Trouble(where, fault.reason, fault.message)
        return None


class _Keeper(Keeper):
    """Keeps the bot under check, which runs, and is brought back only where it was killed on purpose.

    Args:
        bot, info: the bot, and what it says it is.
        company: where it plays.
    """

    def __init__(self, bot: CheckedBot, info: BotInfo, company: Company) -> None:
        super().__init__(BOT, bot.entrant, company.reception, lambda news: None)
        self.info = info
        self._bot = bot
        self._company = company

    async def _keep(self) -> None:
        while True:
            loss = await self._play(self._dial, self.player)
            code = await self._bot.crashed()
            if code is not None:
                loss = BotFault("crash", f"the bot's process ended with exit code {code}")
            elif self._company.reception.deaf:  # killed on purpose, though a busy machine shows that late
                loss = BotFault("crash", "the bot's process was killed")
            if not self._company.reception.deaf:
                self._give_up(loss)  # its games end by this fault, and the session with them
                if not self._company.sitting.unfinished:
                    self._company.note(Trouble("between two games", loss.reason, loss.message))
                return
            self._reception.lost(self.player, loss)
            try:
                await self._bot.stop()
                await self._bot.start()
                self.info = await self._bot.describe()
            except BotFault as fault:
                self._company.note(Trouble("after it was killed", fault.reason, fault.message))
                return

    def _dial(self, stream: PlayStream) -> None:
        assert self._bot.channel is not None
        dial(self._bot.channel, stream)


def _decision_times(played: Played) -> Iterable[int]:
    """The nanoseconds that each decision took the bot in a game; what it was not asked took none."""
    seat = played.seating.players.index(BOT)
    steps = replay(played.record, first_position(played.record))
    return (took for step, took in zip(steps, played.times, strict=True) if step.seat == seat and took)
