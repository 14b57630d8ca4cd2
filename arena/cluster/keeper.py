"""Keeping a bot that plays on a cluster: what it is, and having it here where somebody here plays it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import trio

from arena.link.local.build import BuildError, build_all
from arena.link.streams.dial import BotFault, BotInfo
from arena.runner.sitting.dialler import Dialler

_STAYS = "is dialled from here, and plays here, for no worker reaches it"
_STARTED = "is started here, and plays here, for it comes up at no worker any more"


class Traveller(Dialler):
    """Keeps a bot that workers start or dial. It is here only where somebody plays it who cannot travel.

    Args:
        introduce: has a worker ask the bot what it is. Raises BotFault, BuildError.
        excluded: called when it is not to be asked any more.
        arguments: see `Dialler`.

    Attributes:
        at_home: whether it plays here alone, for no worker reaches it, or can start it.
    """

    def __init__(
        self,
        introduce: Callable[[], Awaitable[BotInfo]],
        excluded: Callable[[BotFault], None],
        *arguments: Any,
    ) -> None:
        super().__init__(*arguments)
        self._introduce = introduce
        self._excluded = excluded
        self._called = trio.Event()
        self.at_home = False

    @property
    def limit(self) -> int:
        """No limit: each worker, and this machine, sees to that."""
        return super().limit if self.at_home else 0

    @property
    def limit_here(self) -> int:
        """At how many tables it can play here at once; 0 for any number."""
        return super().limit

    def call_home(self) -> None:
        """Has it play here as well."""
        self._called.set()

    def stay_home(self) -> None:
        """Has it play here alone from now on."""
        self.at_home = True
        self.say(_STAYS if self.entrant.bot is None else _STARTED, here=True)
        self.call_home()

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`."""
        self._excluded(why)
        super().dismiss(why)

    async def _keep(self) -> None:
        try:
            self.info = (await self._introduce())._replace(pledge=b"")  # of a process that may be gone then
        except BotFault as fault:
            if self.entrant.address is None:
                self.say(fault.message)
                self._excluded(fault)
                self._give_up(fault)
                return
            self.at_home = True
            self.say(_STAYS)
        else:
            self._settle()
            await self._called.wait()
            bot = self.entrant.bot
            try:
                await build_all([(bot, self.entrant.sandbox)] if bot else [], self.say)
            except BuildError as problem:
                self.say(f"cannot be built here: {problem.message}")
                self._give_up(BotFault("crash", problem.message))
                return
        await super()._keep()
