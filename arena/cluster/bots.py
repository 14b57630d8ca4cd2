"""The bots that workers start or dial: what workers are told of them, and how one plays here as well."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio

from arena.cluster.bundle import CannotTravel, bundle_of
from arena.cluster.client import Client, Killed
from arena.cluster.messages import Bot, Introduction
from arena.cluster.workers import NotThere, Workers
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, build_all, require_fit
from arena.link.streams.dial import BotFault, BotInfo
from arena.runner.entrants import Entrant
from arena.runner.sitting.keeper import Dialler

ENDS_WORKERS = "the bot ends the worker that it plays at, again and again"

_STAYS = "is dialled from here, and plays here, for no worker reaches it"
_STARTED = "is started here, and plays here, for it comes up at no worker any more"


class Bots:
    """The bots of one run that play at workers. To be used in trio's thread.

    Args:
        client: the connection to the workers.
        workers: the workers.

    Attributes:
        run: the run's name, which no other has.
        keepers: of these bots, by their numbers.
        bots: what workers are told of them, once that is known.
        absent: the bots that are asked no more, each with the reason and the message of the fault.
    """

    def __init__(self, client: Client, workers: Workers) -> None:
        self.run = client.run
        self.keepers: dict[int, ClusterBot] = {}
        self.bots: dict[int, Bot] = {}
        self.absent: dict[int, tuple[str, str]] = {}
        self._client = client
        self._workers = workers
        self._alone = trio.Lock()
        workers.on_missed = lambda player, what: self.keepers[player].say(what, here=True)

    def travel(self, players: Sequence[int]) -> bool:
        """Whether a game of these can be played on the cluster."""
        return all(player in self.keepers and not self.keepers[player].at_home for player in players)

    async def introduce(self, player: int, entrant: Entrant, instances: int) -> BotInfo:
        """Has a worker ask a bot what it is. Raises BotFault, BuildError, ElsewhereLost and RefereeBug."""
        bot = self.bots[player] = await self._packed(entrant, instances)
        asked = Introduction(self.run, player, bot)
        try:
            try:
                info = await self._workers.ask(asked, [player])
            except Killed:  # perhaps only for another that came up at the same workers
                async with self._alone:
                    info = await self._workers.ask(asked, [player])
        except Killed:
            raise BotFault("crash", ENDS_WORKERS) from None
        except NotThere as problem:
            absent, message = problem.absent, f"{problem.absent.message} ({problem.place})"
            if absent.built:
                raise BotFault(absent.reason, message) from None
            raise BuildError(message, absent.output) from None
        assert isinstance(info, BotInfo)
        return info

    async def _packed(self, entrant: Entrant, instances: int) -> Bot:
        """What workers are told of a bot, whose folder they are sent. Raises BuildError if that cannot be."""
        if entrant.bot is None:
            return Bot(entrant.name, "", entrant.address or "", entrant.sandbox)
        await require_fit(entrant.bot, entrant.sandbox)
        _require_own_words(entrant.bot)
        try:
            bundle = await trio.to_thread.run_sync(bundle_of, entrant.bot)
        except CannotTravel as problem:
            raise BuildError(str(problem)) from None
        await self._client.keep(bundle)
        return Bot(entrant.name, bundle.digest, "", entrant.sandbox, instances)


def _require_own_words(bot: BotManifest) -> None:
    """Raises BuildError where a bot's commands name its folder as it is called here."""
    for word in (*bot.command, *bot.build):
        if os.path.isabs(word) and Path(word).is_relative_to(bot.folder):
            raise BuildError(
                f"{bot.name} cannot travel to a cluster, for its bot.toml names {word}, and there its "
                f"folder lies elsewhere: name {Path(word).relative_to(bot.folder)}"
            )


class ClusterBot(Dialler):
    """Keeps a bot that plays at workers. It is here only where it plays against a bot that cannot be there.

    Args:
        bots: those of the run.
        arguments: see `Dialler`.

    Attributes:
        at_home: whether it plays here alone, because no worker reaches it or can start it.
    """

    def __init__(self, bots: Bots, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._bots = bots
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
        if not self.at_home:
            self.at_home = True
            self.say(_STAYS if self.entrant.bot is None else _STARTED, here=True)
            self.call_home()

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`."""
        self._bots.absent[self.player] = why.reason, why.message
        super().dismiss(why)

    async def _keep(self) -> None:
        try:
            info = await self._bots.introduce(self.player, self.entrant, len(self._numbers))
            self.info = info._replace(
                pledge=b""
            )  # of a process that may be gone when it is asked for the bytes
        except BotFault as fault:
            if self.entrant.address is None:
                self.say(fault.message)
                self._bots.absent[self.player] = fault.reason, fault.message
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
