"""Keeps a bot that plays at a cluster's workers, and starts it on this machine if a game needs it here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import trio

from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, build_all, require_fit
from arena.link.streams.dial import BotFault, BotInfo
from arena.referee.cluster.bundle import CannotTravel, bundle_of
from arena.referee.cluster.messages import Batch, Bot, BotUnavailable
from arena.referee.cluster.workers import BatchGivenUp, Workers
from arena.referee.sitting.keeper import Dialler

ENDS_WORKERS = "the bot kills every worker that it plays at"
"""The message of the fault of a bot that kills workers."""

_DIALLED_HERE = "is dialled from here, and plays here, because no worker reaches it"
_STARTED_HERE = "is started here, and plays here, because it no longer starts at any worker"


class ClusterBot(Dialler):
    """Keeps a bot that plays at workers. It plays here only against bots that cannot play there.

    Args:
        workers: the workers of the cluster.
        arguments: see `Dialler`.

    Attributes:
        bot: what workers need to know of it; set before its first game.
        absent: the fault, as reason and message, for which workers ask it no more.
        at_home: whether it plays only here, because no worker can reach or start it.
    """

    bot: Bot

    def __init__(self, workers: Workers, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._workers = workers
        self._called = trio.Event()
        self.absent: tuple[str, str] | None = None
        self.at_home = False

    @property
    def came(self) -> bool:
        """Whether it has ever come: to a worker or, if it plays only here, all instances of it here."""
        return self.came_here if self.at_home else self.info is not None

    @property
    def came_here(self) -> bool:
        """Whether all instances of it have ever connected to this machine."""
        return super().came

    @property
    def limit(self) -> int:
        """No limit: each worker, and this machine, keeps its own."""
        return super().limit if self.at_home else 0

    @property
    def limit_here(self) -> int:
        """How many tables it can play here at once; 0 for any number."""
        return super().limit

    def call_home(self) -> None:
        """Starts or dials it here as well."""
        self._called.set()

    def stay_home(self) -> None:
        """Lets it play only here from now on."""
        if not self.at_home:
            self.at_home = True
            self.say(_DIALLED_HERE if self.entrant.bot is None else _STARTED_HERE, here=True)
            self.call_home()

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`."""
        self.absent = why.reason, why.message
        super().dismiss(why)

    async def _keep(self) -> None:
        try:
            info = await self._introduced()
            # Without its pledge: that process may be gone when it is asked for the bytes.
            self.info = info._replace(pledge=b"")
        except BotFault as fault:
            if self.entrant.address is None:
                self.say(fault.message)
                self.absent = fault.reason, fault.message
                self._give_up(fault)
                return
            self.at_home = True
            self.say(_DIALLED_HERE)
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

    async def _introduced(self) -> BotInfo:
        """Lets a worker ask the bot what it is. Raises BotFault, BuildError, ClusterLost and RefereeBug."""
        self.bot = await self._packed()
        asked = Batch(self._workers.run, {self.player: self.bot})
        try:
            try:
                result = await self._workers.ask(asked)
            except BatchGivenUp:  # perhaps only for another bot that came up at the same workers
                async with self._workers.alone:
                    result = await self._workers.ask(asked)
        except BatchGivenUp:
            raise BotFault("crash", ENDS_WORKERS) from None
        except BotUnavailable as absent:
            if absent.built:
                raise BotFault(absent.reason, absent.message) from None
            raise BuildError(absent.message, absent.output) from None
        return result.infos[self.player]

    async def _packed(self) -> Bot:
        """Sends the bot's folder to the workers; returns what they need to know. Raises BuildError."""
        entrant = self.entrant
        if entrant.bot is None:
            return Bot(entrant.name, "", entrant.address or "", entrant.sandbox)
        await require_fit(entrant.bot, entrant.sandbox)
        _require_own_words(entrant.bot)
        try:
            bundle = await trio.to_thread.run_sync(bundle_of, entrant.bot)
        except CannotTravel as problem:
            raise BuildError(str(problem)) from None
        await self._workers.keep(bundle)
        return Bot(entrant.name, bundle.digest, "", entrant.sandbox, len(self._numbers))


def _require_own_words(bot: BotManifest) -> None:
    """Raises BuildError if a bot's commands name its folder by its path on this machine."""
    for word in (*bot.command, *bot.build):
        if os.path.isabs(word) and Path(word).is_relative_to(bot.folder):
            raise BuildError(
                f"{bot.name} cannot travel to a cluster, because its bot.toml names {word}, and the "
                f"folder has another path there: name {Path(word).relative_to(bot.folder)}"
            )
