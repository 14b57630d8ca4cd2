"""A session of the checkup: the bot plays with the referee's own players, and may be cut off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import trio

from arena.checkup.session import BOT, Session, seating, usual_settings
from arena.games import GAMES
from arena.league.entrants import Entrant
from arena.link.streams.dial import BotFault, BotInfo
from arena.link.streams.stream import BuiltInPlayer
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotEvents
from arena.referee.sitting.keeper import Attendance, Keeper
from arena.table.clock import SECOND, TimeControl
from tests.patience import PATIENCE

CLOCK = TimeControl(100 * SECOND, 0, 100 * SECOND)


class CutOff(Keeper):
    """Keeps a bot of this process; it is lost when it is cut off, and comes back.

    As the referee sees it, its connection ended: that its process did is seen too late.
    """

    def __init__(self, events: BotEvents, tell: Callable[[Attendance], None]) -> None:
        super().__init__(BOT, Entrant("bot", join=True), events, tell)
        self.info = BotInfo("bot", "", "", tuple(GAMES), 0)
        self.cut = trio.Event()

    async def _keep(self) -> None:
        self._come()
        await self.cut.wait()
        self._lose(BOT, BotFault("disconnect", "its connection ended"), "and is started again")
        self._come()
        await trio.sleep_forever()

    def _come(self) -> None:
        answers = BuiltInPlayer(partial(self._events.decided, BOT), self._events.now)
        self._become(State.HERE, stream=answers)


def test_a_killed_bot_whose_end_is_seen_late_was_cut_off_all_the_same():
    games = [seating(setting, 0, CLOCK) for game in GAMES.values() for setting in usual_settings(game)]

    async def main() -> None:
        session = Session(CutOff)
        with trio.fail_after(PATIENCE):
            async with session.open():
                over = await session.play(games, 8, session.keeper.cut.set)
        assert session.trouble is None
        assert session.cut_off.is_set()
        assert len(over) == len(games)

    trio.run(main)
