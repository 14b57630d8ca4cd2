"""Keeping a bot that dials in: awaiting and regaining it."""

from __future__ import annotations

import math
from collections.abc import Callable

import trio

from arena.link.lobby.lobby import Visitor
from arena.link.streams.bot_fault import Excused
from arena.link.streams.dial import BotFault
from arena.link.streams.flood import CUTS
from arena.runner.entrants import Entrant
from arena.runner.rooms.rooms import Reception
from arena.runner.sitting.flood_watch import in_a_thread
from arena.runner.sitting.keeper import Attendance, Keeper
from arena.runner.sitting.patience import DESCRIBE_TIMEOUT


class Doorkeeper(Keeper):
    """Keeps a bot that dials in: waits for it in the lobby, and again when it is lost.

    Attributes:
        turn_away: has the lobby let it in no more, and say why.
    """

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self._door, self._arrivals = trio.open_memory_channel[Visitor](math.inf)
        self.turn_away: Callable[[str], None] = lambda why: None
        self._visitor: Visitor | None = None  # while it is there

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """See `Keeper`."""
        visitor = self._visitor
        if visitor is None:
            raise BotFault("disconnect", "is not there")
        return await in_a_thread(
            lambda: visitor.bytes_for_deals(pledge, commitment, pledges, DESCRIBE_TIMEOUT)
        )

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`; the lobby lets the bot in no more."""
        super().dismiss(why)
        self.turn_away("was withdrawn from the tournament")

    def arrived(self, visitor: Visitor) -> None:
        """The bot has dialled in; the lobby lets in one at a time."""
        self._door.send_nowait(visitor)

    def start_without(self) -> None:
        """The tournament waits for the bot no longer; until it comes, its turns are faults at once."""
        if not self.settled.is_set():
            self.say("is not there; it may still join")
            self._give_up(BotFault("disconnect", "the bot has not joined yet"))

    async def _keep(self) -> None:
        while self._floods < CUTS:
            visitor = await self._arrivals.receive()
            self.info, self._visitor = visitor.info, visitor
            self.say("is in", here=True)
            loss = await self._play(visitor.take_up, self.player)
            self._visitor = None
            if loss.reason == "disconnect" and not await in_a_thread(visitor.has_door):
                loss = Excused("the lobby's door ended, which is no fault of the bot's,")
            self._lose(self.player, loss, "and may come back with its token")
        self.turn_away("was cut off too often, for it floods its connection")
