"""Getting all bots together for a tournament, wherever they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import trio

from arena.games import does_not_play
from arena.link.local.build import BuildError, build_all
from arena.link.streams.dial import BotFault
from arena.runner.affinity import usable_processors
from arena.runner.entrants import Entrant
from arena.runner.night.control import Control
from arena.runner.night.guests import Guests
from arena.runner.night.settings import CannotRun, Settings, require_secrecy
from arena.runner.night.tokens import Token, Tokens
from arena.runner.night.watcher import Watcher
from arena.runner.sitting.dialler import Dialler
from arena.runner.sitting.doorkeeper import Doorkeeper
from arena.runner.sitting.keeper import Keeper
from arena.runner.sitting.sitting import Sitting
from arena.runner.tournament_file import TournamentFile

_NAMED = 3  # how many of the bots that did not come up are named


class Roster:
    """The bots of a tournament.

    Args:
        file: the tournament.
        sitting: where they play.
        settings: where they dial in, and where what they print is kept.
        watcher: who is told.
        tokens: those of the guests; who has none yet is given one.
        control: where other processes ask.
        withdrawn: the entrants whose bots are not wanted any more.
    """

    def __init__(
        self,
        file: TournamentFile,
        sitting: Sitting,
        settings: Settings,
        watcher: Watcher,
        tokens: Tokens,
        control: Control,
        withdrawn: Container[int] = (),
    ) -> None:
        self._file = file
        self._guests = Guests(file.plan, settings, watcher, tokens, control)
        self._withdrawn = withdrawn
        self._sitting = sitting
        self._settings = settings
        self._watcher = watcher
        self._control = control
        self._keepers: list[Keeper] = []

    @property
    def lobby_at(self) -> str:
        """Where bots dial in, as `Address` writes it; empty as long as nobody is to."""
        return str(self._guests.lobby_at or "")

    @asynccontextmanager
    async def present(self) -> AsyncIterator[Sequence[Keeper]]:
        """Has every bot there, or given up; lets them go within seconds, however the context is left.

        Bots are built first, where that is needed, and about as many are
        started at once as there are processors. Raises BuildError where one
        cannot be built, and CannotRun where the lobby cannot open, half of the
        bots do not come up or a bot does not play a game of the tournament.
        """
        for entrant in self._file.entrants:
            require_secrecy(entrant, self._settings)
        self._settings.logs.mkdir(parents=True, exist_ok=True)
        if self._settings.elsewhere is None:
            await build_all(
                ((entrant.bot, entrant.sandbox) for entrant in self._file.entrants if entrant.bot),
                self._watcher.say,
            )
        self._processors = usable_processors()
        self._first_starts = trio.CapacityLimiter(len(self._processors))
        keepers = self._keepers = [self._keeper(*item) for item in enumerate(self._file.entrants)]
        guests = [keeper for keeper in keepers if isinstance(keeper, Doorkeeper)]
        coming = [keeper for keeper in keepers if keeper.player not in self._withdrawn]
        async with self._guests.open():
            if guests:
                self._guests.expect(guests, self._withdrawn)
            async with self._sitting.open():
                for keeper in coming:
                    self._sitting.seat(keeper)
                await self._settled(coming)
                self._check_games(keepers)
                yield keepers

    async def admit(self, entrant: Entrant) -> Keeper:
        """Has one more bot come, while the others are present; it need not be there when this returns.

        Raises CannotRun where it is to dial in and the lobby cannot open, or where TLS
        is required and it has none.
        """
        require_secrecy(entrant, self._settings)
        keeper = self._keeper(len(self._keepers), entrant)
        if isinstance(keeper, Doorkeeper):
            self._guests.expect([keeper], late=True)
        self._keepers.append(keeper)
        self._sitting.seat(keeper, late=partial(self._bring, keeper))
        return keeper

    async def _bring(self, keeper: Keeper) -> None:
        """Builds a bot that comes late, and keeps it at the tables."""
        bot = keeper.entrant.bot if self._settings.elsewhere is None else None
        try:
            await build_all([(bot, keeper.entrant.sandbox)] if bot else [], self._watcher.say)
            await keeper.run()  # which has it built elsewhere
        except BuildError as problem:
            keeper.say(f"cannot be built: {problem.message}")
            keeper.dismiss(BotFault("crash", problem.message))

    def give_token(self, player: int, token: Token) -> None:
        """Gives a guest another token: the one before opens nothing any more. Raises CannotRun."""
        self._guests.give_token(player, self._keepers[player].entrant.name, token)

    def _keeper(self, player: int, entrant: Entrant) -> Keeper:
        tell = self._watcher.attendance
        if entrant.address is not None and self._settings.tls is not None:
            entrant = dataclasses.replace(entrant, shown=self._settings.tls.identity.shown)
        if entrant.join:
            return Doorkeeper(player, entrant, self._sitting.rooms, tell)
        log, processors = self._log_of(entrant.name), tuple(self._processors)
        instances = self._file.plan.instances
        if self._settings.elsewhere is not None:
            return self._settings.elsewhere.keeper(player, entrant, tell, log, processors, instances)
        return Dialler(
            player, entrant, self._sitting.rooms, tell, log, self._first_starts, processors, instances
        )

    async def _settled(self, keepers: Sequence[Keeper]) -> None:
        """Waits until every bot is there or given up, or the host says to begin. Raises CannotRun."""
        guests = [keeper for keeper in keepers if isinstance(keeper, Doorkeeper)]
        async with trio.open_nursery() as nursery:
            if guests:
                nursery.start_soon(self._start_without, guests)
            await self._come_up([keeper for keeper in keepers if isinstance(keeper, Dialler)])
            for guest in guests:
                await guest.settled.wait()
            nursery.cancel_scope.cancel()

    async def _come_up(self, diallers: Sequence[Dialler]) -> None:
        """Waits for the bots that the referee starts or dials. Raises CannotRun where half do not come."""
        here: list[Dialler] = []
        missing: list[Dialler] = []

        async def wait_for(dialler: Dialler) -> None:
            await dialler.settled.wait()
            (missing if dialler.info is None else here).append(dialler)
            if 2 * len(missing) >= len(diallers):
                raise CannotRun(_too_many_missing(missing, len(diallers)))
            self._watcher.bots_came(len(here), len(diallers))

        async with trio.open_nursery() as nursery:
            for dialler in diallers:
                nursery.start_soon(wait_for, dialler)

    async def _start_without(self, guests: Sequence[Doorkeeper]) -> None:
        async with trio.open_nursery() as nursery:  # whoever says so first

            async def heard(word: Callable[[], Awaitable[None]]) -> None:
                await word()
                nursery.cancel_scope.cancel()

            nursery.start_soon(heard, self._watcher.start_signal)
            nursery.start_soon(heard, self._control.start_signal)
        for guest in guests:
            guest.start_without()

    def _log_of(self, name: str) -> Path:
        safe = "".join(character if character.isalnum() or character in "-_ ." else "_" for character in name)
        return self._settings.logs / f"{safe}.log"

    def _check_games(self, keepers: Sequence[Keeper]) -> None:
        for keeper in keepers:
            if keeper.info and (problem := does_not_play(self._file.plan.games, keeper.info.games)):
                raise CannotRun(
                    f"{keeper.entrant.name} {problem}: take the game out of the tournament file, "
                    "or enter another bot"
                )


def _too_many_missing(missing: Sequence[Dialler], diallers: int) -> str:
    """One sentence about the bots that did not come up."""
    named = [
        f"{dialler.entrant.name} {dialler.given_up.message}"
        for dialler in missing[:_NAMED]
        if dialler.given_up
    ]
    if len(missing) > _NAMED:
        named.append(f"{len(missing) - _NAMED} more")
    return (
        f"{len(missing)} of the {diallers} bots to be started or dialled are not there, so nothing is played "
        f"({'; '.join(named)}): see what is wrong with them by arena check-bot, or take them out of the "
        "tournament file"
    )
