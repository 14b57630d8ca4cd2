"""Keeps a bot that plays at a cluster's workers, and on this machine if a game needs it here.

A `ClusterBot` has a further keeper for this machine, `home`. So there are two presences: whether the bot is
at the cluster, where it is HERE once a worker has asked it what it is; and whether it is on this machine.
Once the bot plays on this machine alone, the second is its presence.
"""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.league.entrants import Entrant
from arena.link.local.bot_manifest import BotManifest, BotManifestError
from arena.link.local.build import BuildError, build_all, require_fit
from arena.link.local.packing import CannotPack
from arena.link.streams.bot_fault import BotFault
from arena.link.streams.dial import BotInfo
from arena.referee.cluster.bundle import bundle_of
from arena.referee.cluster.messages import Batch, Bot, BotUnavailable
from arena.referee.cluster.workers import BatchGivenUp, Workers
from arena.referee.presence import State
from arena.referee.rooms.rooms import BotChange, BotEvents
from arena.referee.sitting.keeper import Dialler, Keeper, Start, Tell

ENDS_WORKERS = "the bot kills every worker that it plays at"
"""The message of the fault of a bot that kills workers."""

_DIALLED_HERE = "is dialled from here, and plays here, because no worker reaches it"
_STARTED_HERE = "is started here, and plays here, because it no longer starts at any worker"


class ClusterBot(Keeper):
    """Keeps a bot that plays at workers. It plays here only against bots that cannot play there.

    It gets the events of the bot on this machine (see `BotEvents`).

    Args:
        workers: the workers of the cluster.
        rooms: the rooms of this machine.
        player, entrant, events, tell, log, start: see `Dialler`.

    Attributes:
        home: keeps the bot on this machine.
        at_home: whether it plays only here, because no worker can reach or start it.
        bot: what workers need to know of it; set before its first game.
    """

    bot: Bot

    def __init__(
        self,
        workers: Workers,
        rooms: BotEvents,
        player: int,
        entrant: Entrant,
        events: BotEvents,
        tell: Tell,
        log: Path,
        start: Start,
    ) -> None:
        super().__init__(player, entrant, events, tell)
        self.home = Dialler(player, entrant, self, lambda news: self.say(news.what, news.fault), log, start)
        self.at_home = False
        self.decided, self.now = rooms.decided, rooms.now
        self._workers = workers
        self._rooms = rooms
        self._called = trio.Event()

    @property
    def absent(self) -> tuple[str, str] | None:
        """The fault, as reason and message, for which workers ask it no more."""
        fault = self.presence.fault
        return None if fault is None else (fault.reason, fault.message)

    @property
    def instances(self) -> int:
        """See `Keeper`; a worker has as many."""
        return self.home.instances

    @property
    def limit(self) -> int:
        """No limit: each worker, and this machine, keeps its own."""
        return self.limit_here if self.at_home else 0

    @property
    def limit_here(self) -> int:
        """How many tables it can play here at once; 0 for any number."""
        return self.home.limit

    def bot_changed(self, change: BotChange) -> None:
        """See `BotEvents`; of the bot on this machine."""
        self._rooms.bot_changed(change)
        if self.at_home:
            self.info = self.home.info or self.info
            self._changed(change)

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """See `Keeper`."""
        return await self.home.bytes_for_deals(pledge, commitment, pledges)

    def call_home(self) -> None:
        """Starts or dials it here as well."""
        self._called.set()

    def stay_home(self) -> None:
        """Lets it play only here from now on."""
        if not self.at_home:
            self.at_home = True
            self.presence = self.home.presence
            self._changed(BotChange(self.player, self.presence.state))
            self.say(_DIALLED_HERE if self.entrant.bot is None else _STARTED_HERE)
            self.call_home()

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`."""
        self.home.dismiss(why)
        super().dismiss(why)

    async def _keep(self) -> None:
        try:
            info = await self._introduced()
        except BotFault as fault:
            if self.entrant.address is None:
                self.say(fault.message)
                self.home.dismiss(fault)
                self._become(State.GONE, fault=fault)
                return
            self.stay_home()
        else:
            # Without its pledge: that process may be gone when it is asked for the bytes.
            self.info = info._replace(pledge=b"")
            self._become(State.HERE)
            await self._called.wait()
            bot = self.entrant.bot
            try:
                await build_all([(bot, self.entrant.sandbox)] if bot else [], self.say)
            except BuildError as problem:
                self.say(f"cannot be built here: {problem.message}")
                self.home.dismiss(BotFault("crash", problem.message))
                return
        await self.home.run()

    def _changed(self, change: BotChange) -> None:
        super()._changed(change._replace(numbers=()))  # the rooms know its instances here from `bot_changed`

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
        except (CannotPack, BotManifestError, OSError) as problem:
            raise BuildError(f"{entrant.bot.name} cannot travel to a cluster: {problem}") from None
        await self._workers.keep(bundle)
        return Bot(entrant.name, bundle.digest, "", entrant.sandbox, self.instances)


def _require_own_words(bot: BotManifest) -> None:
    """Raises BuildError if a bot's commands name its folder by its path on this machine."""
    for word in (*bot.command, *bot.build):
        if os.path.isabs(word) and Path(word).is_relative_to(bot.folder):
            raise BuildError(
                f"{bot.name} cannot travel to a cluster, because its bot.toml names {word}, and the "
                f"folder has another path there: name {Path(word).relative_to(bot.folder)}"
            )
