"""The bots that travel to a cluster: what they are there, and which of them are asked no more."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import trio

from arena.cluster import worker
from arena.cluster.allocation import ATTEMPTS
from arena.cluster.bundle import Bundle, CannotTravel, bundle_of
from arena.cluster.keeper import Traveller
from arena.cluster.parcels import Absent, Answer, Bot, Introduced, Lacks, Trouble
from arena.cluster.post import Post
from arena.link.local.bot_manifest import BotManifest
from arena.link.local.build import BuildError, require_fit
from arena.link.streams.dial import BotFault, BotInfo
from arena.link.streams.trio_thread import RefereeBug
from arena.runner.entrants import Entrant


class Party:
    """The bots of one run that travel. To be used in trio's thread.

    Attributes:
        run: the run's name, which no other has.
        keepers: those of the bots, by their numbers.
        bots: what workers are told of them, once that is known.
        absent: those that are asked no more, with the reason and the message of the fault.
    """

    def __init__(self, post: Post) -> None:
        self.run = uuid.uuid4().hex
        self.keepers: dict[int, Traveller] = {}
        self.bots: dict[int, Bot] = {}
        self.absent: dict[int, tuple[str, str]] = {}
        self._post = post
        self._bundles: dict[str, Bundle] = {}
        self._introduced: Counter[str] = Counter()  # how many bots were sent to each worker first

    def travel(self, players: Iterable[int]) -> bool:
        """Whether a game of these can be played on the cluster."""
        return all(player in self.keepers and not self.keepers[player].at_home for player in players)

    def call_home(self, player: int) -> bool:
        """Has a bot play here as well; whether it is one that is started or dialled."""
        if player not in self.keepers:
            return False
        self.keepers[player].call_home()
        return True

    def has_come(self, player: int) -> bool:
        """Whether a bot that was there just now is there with all its instances."""
        return player not in self.keepers or self.keepers[player].came

    def exclude(self, player: int, why: BotFault) -> None:
        """Has a bot asked no more: its turns end at once by this fault."""
        self.absent[player] = why.reason, why.message

    def limit_here(self, player: int) -> int:
        """At how many tables a bot that travels can play here at once; 0 for any number."""
        return self.keepers[player].limit_here if player in self.keepers else 0

    async def introduce(self, player: int, entrant: Entrant, instances: int) -> BotInfo:
        """Has a worker ask a bot what it is. Raises BotFault, BuildError, ElsewhereLost and RefereeBug."""
        bot = self.bots[player] = await self._packed(entrant, instances)
        tried: list[str] = []
        while True:
            await self._post.some()
            address = min(
                self._post.workers, key=lambda each: (tried.count(each), self._introduced[each], each)
            )
            self._introduced[address] += 1
            answer = await self._post.answer(address, worker.introduce, (self.run, player, bot))
            if isinstance(answer, Lacks):
                answer = await self._sent(address, answer.bundles)
            match answer:
                case Introduced(info):
                    return info
                case Trouble(report):  # of this machine, as a full disk
                    tried.append(address)
                    if self._post.workers <= set(tried):
                        raise RefereeBug.from_report(report)
                case Absent() as absent:
                    tried.append(address)
                    enough = absent.built and len(tried) >= ATTEMPTS  # a program may be at some workers only
                    if enough or self._post.workers <= set(tried):
                        raise self._not_there(absent, address)

    def _not_there(self, absent: Absent, address: str) -> BotFault | BuildError:
        where = self._post.place(address)
        if absent.built:
            return BotFault(absent.reason, f"{absent.message} ({where})")
        return BuildError(f"{absent.message} ({where})", absent.output)

    def send(self, address: str, digests: Sequence[str], then: Callable[[Trouble | None], None]) -> None:
        """Has a worker keep bundles that it lacks; `then` is told when that is over, and what went wrong."""
        left = set(digests)
        troubles: list[Trouble] = []

        def sent(digest: str, answer: Answer | None) -> None:
            left.discard(digest)
            if isinstance(answer, Trouble):
                troubles.append(answer)
            if not left:
                then(troubles[0] if troubles else None)

        for digest in digests:
            self._post.send(address, self._bundles[digest], partial(sent, digest))

    async def _sent(self, address: str, digests: Sequence[str]) -> Trouble | None:
        over = trio.Event()
        troubles: list[Trouble | None] = []

        def then(trouble: Trouble | None) -> None:
            troubles.append(trouble)
            over.set()

        self.send(address, digests, then)
        await over.wait()
        return troubles[0]

    async def _packed(self, entrant: Entrant, instances: int) -> Bot:
        """What workers are told of a bot. Raises BuildError where its folder cannot travel."""
        if entrant.bot is None:
            return Bot(entrant.name, "", entrant.address or "", entrant.sandbox)
        await require_fit(entrant.bot, entrant.sandbox)
        _require_own_words(entrant.bot)
        try:
            bundle = await trio.to_thread.run_sync(bundle_of, entrant.bot)
        except CannotTravel as problem:
            raise BuildError(str(problem)) from None
        self._bundles[bundle.digest] = bundle
        return Bot(entrant.name, bundle.digest, "", entrant.sandbox, instances)


def _require_own_words(bot: BotManifest) -> None:
    """Raises BuildError where a bot's commands name its folder as it is called here."""
    for word in (*bot.command, *bot.build):
        if os.path.isabs(word) and Path(word).is_relative_to(bot.folder):
            raise BuildError(
                f"{bot.name} cannot travel to a cluster, for its bot.toml names {word}, and there its "
                f"folder lies elsewhere: name {Path(word).relative_to(bot.folder)}"
            )
