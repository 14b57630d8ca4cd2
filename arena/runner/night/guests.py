"""The bots that dial in: the lobby that lets them in, and their tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Container, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

from arena.link.lobby.doorway import CannotListen
from arena.link.lobby.lobby import Lobby
from arena.link.lobby.tickets import Ticket
from arena.link.tls.address import Address
from arena.runner.night.control import Control
from arena.runner.night.settings import CannotRun, Settings
from arena.runner.night.tokens import Token, Tokens
from arena.runner.night.watcher import Invitation, Watcher
from arena.runner.sitting.doorkeeper import Doorkeeper
from arena.table.deal import commitment
from arena.tournament.plan import Plan

_GRACE = 1.0  # seconds for the last messages to bots that dialled in


class Guests:
    """The guests of a tournament.

    Args:
        plan: the tournament.
        settings: where and how they dial in.
        watcher: who is told.
        tokens: their tokens.
        control: where others learn where the lobby is.

    Attributes:
        lobby_at: where they dial in; None as long as nobody is to.
    """

    def __init__(
        self, plan: Plan, settings: Settings, watcher: Watcher, tokens: Tokens, control: Control
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._watcher = watcher
        self._tokens = tokens
        self._control = control
        self._lobby: Lobby | None = None
        self._doors: dict[int, Doorkeeper] = {}
        self.lobby_at: Address | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Has a lobby as soon as anybody is expected; ends it when the last that was said is through."""
        try:
            yield
        finally:
            if self._lobby is not None:
                self._control.lobby = ""
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(self._lobby.stop, _GRACE)

    def expect(
        self, guests: Sequence[Doorkeeper], withdrawn: Container[int] = (), late: bool = False
    ) -> None:
        """Has the lobby let guests in, as long as it is open. Blocks for a moment. Raises CannotRun.

        Args:
            guests: who they are.
            withdrawn: the numbers of those that are turned away.
            late: whether they are given their tokens later; else those that have none get one.
        """
        made = {guest.entrant.name: "" for guest in guests}  # the tokens that nobody knows yet
        try:
            for name in made:
                if self._tokens.of(name) is None and not late:
                    made[name] = self._tokens.make(name, self._settings.one_time)
        except OSError as error:
            raise CannotRun(f"the tokens cannot be kept beside the league: {error.strerror}") from None
        self._doors |= {guest.player: guest for guest in guests}
        is_new = self._lobby is None
        lobby = self._lobby = self._lobby or self._made()
        for guest in guests:
            guest.turn_away = partial(lobby.dismiss, guest.player)
            lobby.expect(guest.player)
            if guest.player in withdrawn:
                guest.turn_away("was withdrawn from the tournament")
        if is_new:
            self._open(lobby)
        assert self.lobby_at is not None
        tls = self._settings.tls
        self._watcher.lobby_open(Invitation(self.lobby_at, made, bool(tls and tls.client_ca)))

    def give_token(self, player: int, name: str, token: Token) -> None:
        """Gives a guest another token: the one before opens nothing any more. Raises CannotRun."""
        try:
            self._tokens.put(name, token)
        except OSError as error:
            raise CannotRun(f"the token of {name} cannot be kept: {error.strerror}") from None
        if self._lobby is not None:
            self._lobby.give(token.digest, Ticket(player, name, token.once))

    def _made(self) -> Lobby:
        """The lobby."""
        names = {player: door.entrant.name for player, door in self._doors.items()}
        tokens = {player: self._tokens.of(name) for player, name in names.items()}
        return Lobby(
            self._plan.name,
            self._plan.games,
            {
                token.digest: Ticket(player, names[player], token.once)
                for player, token in tokens.items()
                if token is not None
            },
            lambda player, visitor: self._doors[player].arrived(visitor),
            self._watcher.refused,
            self._watcher.say,
            bytes.fromhex(commitment(self._settings.key)) if self._settings.contributions else b"",
            lambda player, digest: self._tokens.put(self._doors[player].entrant.name, Token(digest)),
        )

    def _open(self, lobby: Lobby) -> None:
        """Has the lobby listen. Raises CannotRun."""
        try:
            self.lobby_at = self._settings.lobby_at(lobby.start(self._settings.lobby, self._settings.tls))
        except CannotListen as problem:
            raise CannotRun(str(problem)) from None
        self._control.lobby = str(self.lobby_at)
        if self.lobby_at.in_the_clear:
            self._watcher.say(
                "this lobby has no TLS: anybody on the way to it can read the tokens (--tls prevents that)"
            )
