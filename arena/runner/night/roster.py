"""Getting all bots together for a tournament, wherever they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Container, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import trio

from arena.link.lobby.doorway import CannotListen
from arena.link.lobby.lobby import Lobby, Ticket, entrant_token
from arena.link.local.build import BuildError, build_all
from arena.link.streams.dial import BotFault
from arena.runner.affinity import usable_processors
from arena.runner.entrants import Entrant
from arena.runner.night.watcher import Watcher
from arena.runner.sitting.keepers import Dialler, Doorkeeper, Keeper
from arena.runner.sitting.sitting import Sitting
from arena.runner.tournament_file import TournamentFile

DEFAULT_LOBBY = "0.0.0.0:50505"
_LOBBY_GRACE = 1.0  # seconds for the last messages to bots that dialled in
_NAMED = 3  # how many of the bots that did not come up are named


class CannotRun(Exception):
    """The tournament cannot begin; the text is one sentence with the remedy."""


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a tournament is run.

    Attributes:
        key: the secret tournament key, 32 bytes.
        concurrency: how many tables are played at once.
        logs: the folder that keeps what local bots print.
        lobby: where bots dial in, `host:port`.
        workers: in how many processes besides this one tables are played; None
            to leave that to `workers_for`.
    """

    key: bytes
    concurrency: int
    logs: Path
    lobby: str = DEFAULT_LOBBY
    workers: int | None = None


class Roster:
    """The bots of a tournament.

    Args:
        file: the tournament.
        sitting: where they play.
        settings: where they dial in, and where what they print is kept.
        watcher: who is told.
        withdrawn: the entrants whose bots are not wanted any more.

    Attributes:
        lobby_at: where bots dial in, `host:port`; empty as long as nobody is to.
    """

    def __init__(
        self,
        file: TournamentFile,
        sitting: Sitting,
        settings: Settings,
        watcher: Watcher,
        withdrawn: Container[int] = (),
    ) -> None:
        self._file = file
        self._withdrawn = withdrawn
        self._sitting = sitting
        self._settings = settings
        self._watcher = watcher
        self._keepers: list[Keeper] = []
        self._lobby: Lobby | None = None
        self._open_until_the_end = AsyncExitStack()
        self.lobby_at = ""

    @asynccontextmanager
    async def present(self) -> AsyncIterator[Sequence[Keeper]]:
        """Has every bot there, or given up; lets them go within seconds, however the context is left.

        Bots are built first, where that is needed, and about as many are
        started at once as there are processors. Raises BuildError where one
        cannot be built, and CannotRun where the lobby cannot open, half of the
        bots do not come up or a bot does not play a game of the tournament.
        """
        self._settings.logs.mkdir(parents=True, exist_ok=True)
        await build_all(
            ((entrant.bot, entrant.sandbox) for entrant in self._file.entrants if entrant.bot),
            self._watcher.say,
        )
        self._processors = usable_processors()
        self._first_starts = trio.CapacityLimiter(len(self._processors))
        keepers = self._keepers = [self._keeper(*item) for item in enumerate(self._file.entrants)]
        guests = [keeper for keeper in keepers if isinstance(keeper, Doorkeeper)]
        coming = [keeper for keeper in keepers if keeper.player not in self._withdrawn]
        async with self._open_until_the_end:
            if guests:
                await self._open_lobby(guests)
            async with self._sitting.open():
                for keeper in coming:
                    self._sitting.seat(keeper)
                await self._settled(coming)
                self._check_games(keepers)
                yield keepers

    async def admit(self, entrant: Entrant) -> Keeper:
        """Has one more bot come, while the others are present; it need not be there when this returns.

        Raises CannotRun where it is to dial in and the lobby cannot open.
        """
        keeper = self._keeper(len(self._keepers), entrant)
        if isinstance(keeper, Doorkeeper):
            if self._lobby is None:
                await self._open_lobby([keeper])
            else:
                self._expect(self._lobby, keeper)
        self._keepers.append(keeper)
        self._sitting.seat(keeper, late=partial(self._bring, keeper))
        return keeper

    async def _bring(self, keeper: Keeper) -> None:
        """Builds a bot that comes late, and keeps it at the tables."""
        bot = keeper.entrant.bot
        try:
            await build_all([(bot, keeper.entrant.sandbox)] if bot else [], self._watcher.say)
        except BuildError as problem:
            keeper.say(f"cannot be built: {problem.message}")
            keeper.dismiss(BotFault("crash", problem.message))
        else:
            await keeper.run()

    def _expect(self, lobby: Lobby, guest: Doorkeeper) -> None:
        """Has the lobby let in a guest that comes late."""
        name = guest.entrant.name
        self._doors[guest.player] = guest
        guest.turn_away = partial(lobby.dismiss, guest.player)
        token = entrant_token(self._settings.key, name)
        lobby.add(token, Ticket(guest.player, name))
        self._watcher.lobby_open(int(self.lobby_at.rpartition(":")[2]), {name: token})

    def _keeper(self, player: int, entrant: Entrant) -> Keeper:
        tell = self._watcher.attendance
        if entrant.join:
            return Doorkeeper(player, entrant, self._sitting.rooms, tell)
        return Dialler(
            player,
            entrant,
            self._sitting.rooms,
            tell,
            self._log_of(entrant.name),
            self._first_starts,
            self._processors,
        )

    async def _open_lobby(self, guests: Sequence[Doorkeeper]) -> None:
        """Opens the lobby, until all are let go. Raises CannotRun."""
        names = {guest.player: guest.entrant.name for guest in guests}
        tokens = {name: entrant_token(self._settings.key, name) for name in names.values()}
        doors = self._doors = {guest.player: guest for guest in guests}
        lobby = Lobby(
            self._file.plan.name,
            self._file.plan.games,
            {tokens[name]: Ticket(player, name) for player, name in names.items()},
            lambda player, visitor: doors[player].arrived(visitor),
            self._watcher.refused,
            self._watcher.say,
        )
        for guest in guests:
            guest.turn_away = partial(lobby.dismiss, guest.player)
            if guest.player in self._withdrawn:
                guest.turn_away()
        try:
            port = lobby.start(self._settings.lobby)
        except CannotListen as problem:
            raise CannotRun(str(problem)) from None
        self._open_until_the_end.push_async_callback(_close, lobby)
        self._lobby, self.lobby_at = lobby, f"{self._settings.lobby.rpartition(':')[0]}:{port}"
        self._watcher.lobby_open(port, tokens)

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
        await self._watcher.start_signal()
        for guest in guests:
            guest.start_without()

    def _log_of(self, name: str) -> Path:
        safe = "".join(character if character.isalnum() or character in "-_ ." else "_" for character in name)
        return self._settings.logs / f"{safe}.log"

    def _check_games(self, keepers: Sequence[Keeper]) -> None:
        for keeper in keepers:
            missing = [
                game for game in self._file.plan.games if keeper.info and game not in keeper.info.games
            ]
            if missing:
                raise CannotRun(
                    f"{keeper.entrant.name} does not play {', '.join(missing)}: take the game out of the "
                    "tournament file, or enter another bot"
                )


async def _close(lobby: Lobby) -> None:
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(lobby.stop, _LOBBY_GRACE)


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
