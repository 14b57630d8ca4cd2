"""Checks that a bot can join: it dials in to a lobby, is cut off, comes back and plays to the end."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial

import trio

from arena.checkup.bot import CheckedBot
from arena.checkup.session import BOT, Session
from arena.checkup.values import NOTED, Check, Failed, Skipped, found
from arena.league.entrants import Entrant
from arena.link.lobby.door import Count, connect
from arena.link.lobby.door_process import CannotListen
from arena.link.lobby.lobby import Lobby
from arena.link.lobby.tickets import Ticket, new_token, token_digest
from arena.link.local.process import BotProcess, running_bot
from arena.link.streams.trio_thread import unwrapped
from arena.referee.sitting.keeper import GuestKeeper
from arena.text import counted
from arena.tournament.seating import Seating

_HERE = "127.0.0.1"
_NAME = "guest"
_EXIT_LIMIT = 5.0  # seconds in which a bot has to exit once the referee has ended its stream
_LOBBY_GRACE = 0.5


async def check_joining(bot: CheckedBot, games: Sequence[Seating], patience: float) -> Check:
    """Lets a local bot join, and cuts its connection in the middle of its games.

    Args:
        bot: the bot, which must not run.
        games: the games; a turn must have more time than `patience`, and `max_faults` be above one.
        patience: how long it may take to dial in, and to come back, in seconds.

    Raises Failed, or Skipped if no lobby can be opened.
    """
    host = _JoinCheck(bot, games, patience)
    with unwrapped(Failed, Skipped):
        async with host.session.open(), trio.open_nursery() as nursery:
            try:
                return await host.receive(nursery)
            finally:
                await host.close()
                nursery.cancel_scope.cancel()
    raise AssertionError("cancelled by nobody")


class _JoinCheck:
    """The referee that the bot joins. To be made in trio's thread."""

    def __init__(self, bot: CheckedBot, games: Sequence[Seating], patience: float) -> None:
        self._bot = bot
        self._games = games
        self._patience = patience
        self._connections: set[trio.CancelScope] = set()
        self._lobby_port = 0
        self._token = new_token()
        self._refusals: list[str] = []
        self.session = Session(partial(GuestKeeper, BOT, Entrant(_NAME, join=True)), bot.time)
        self._over = trio.Event()
        self._lobby = Lobby(
            "check-bot",
            list(dict.fromkeys(seating.rules.game.id for seating in games)),
            {token_digest(self._token): Ticket(BOT, _NAME)},
            lambda player: None,
            lambda player, guest: self.session.keeper.arrived(guest),
            self._refusals.append,
            lambda sentence: None,
        )

    async def receive(self, nursery: trio.Nursery) -> Check:
        """Runs the whole check. Raises Failed."""
        try:
            self._lobby_port = self._lobby.start(f"{_HERE}:0")
        except CannotListen as problem:
            raise Skipped(str(problem)) from None
        listeners = await nursery.start(partial(trio.serve_tcp, self._forward, 0, host=_HERE))
        address = f"{_HERE}:{listeners[0].socket.getsockname()[1]}"
        async with self._joining(address, self._token) as process:
            if not await self._comes(self.session.keeper.settled, process):
                return self._never_came(process)
            nursery.start_soon(self._play)
            await self._plays(process)
            took = await self._exits(process)
        async with self._joining(address, "no-such-token") as process:
            await self._is_turned_away(process)
        games = counted(len(self._games), "game")
        text = f"cut off in the middle of {games}, it came back and played on to the end"
        return found(text, {"exit_s": took})

    async def close(self) -> None:
        """Ends the check at any point."""
        self.session.keeper.close()
        self.session.sitting.end()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._lobby.stop, _LOBBY_GRACE)

    def _joining(self, address: str, token: str) -> AbstractAsyncContextManager[BotProcess]:
        """Runs the bot, which has to dial in."""
        entrant = self._bot.entrant
        assert entrant.bot is not None
        self._bot.mark_log()
        sandbox = entrant.sandbox.with_network()
        return running_bot(entrant.bot, self._bot.log, (address, token), sandbox=sandbox)

    def _never_came(self, process: BotProcess) -> Check:
        if self._refusals:
            raise Failed(
                "its hello names its token and what it answers to Describe", f"refused: {self._refusals[0]}",
                "send a JoinHello as lobby.proto says first of all, with the token in ARENA_TOKEN",
                self._bot.last_words(),
            )  # fmt: skip
        code = process.exit_code
        what = f"within {self._patience:g} s" if code is None else f"but ended with exit code {code}"
        text = f"it did not dial in at ARENA_JOIN {what}: it can be started or dialled, but cannot join"
        return found(text, status=NOTED)

    async def _play(self) -> None:
        await self.session.play(self._games, len(self._games), self._cut)
        self._over.set()

    async def _plays(self, process: BotProcess) -> None:
        """Plays all games, with the cut in the middle. Raises Failed."""
        plays_on = "it plays on after it came back, with the tables that are started again"
        for event, seconds, expected, otherwise, fix in (
            (
                self.session.cut_off, self._patience,
                "it answers its turns over the stream on which it joined", "it answered too few turns",
                "answer each play request of JoinResponse with a play response in a JoinRequest",
            ),
            (
                self.session.back, self._patience,
                f"it dials again when the connection is lost, within {self._patience:g} s",
                "it did not come back",
                "at UNAVAILABLE, or a broken connection, dial again every second with the same token",
            ),
            (
                self._over, math.inf, plays_on, "it did not play on",
                "keep the program running until the referee ends the stream with status OK",
            ),
        ):  # fmt: skip
            if not await self._comes(event, process, seconds) and not self._over.is_set():
                raise self._failed(expected, self._state(process, otherwise), fix)
        trouble = self.session.trouble
        if trouble is not None:
            where = trouble.where or "over the stream on which it joined"
            fix = "begin every connection with no tables, and answer each turn with its own numbers"
            raise self._failed(plays_on, f"{where}: {trouble.reason}: {trouble.message}", fix)

    async def _exits(self, process: BotProcess) -> float:
        """Ends the tournament; returns how many seconds the bot took to exit. Raises Failed."""
        began = self._bot.time.look()
        self.session.keeper.close()
        expected = f"it exits with code 0 within {_EXIT_LIMIT:g} s of status OK"
        code = await self._bot.time.within(_EXIT_LIMIT, process.wait)
        if code is None:
            fix = "when status OK comes, end your own side of the stream too, close the channel and exit"
            raise self._failed(expected, "it was still there", fix)
        if code != 0:
            fix = "status OK is the end of the tournament: let nothing go wrong in stopping"
            raise self._failed(expected, f"exit code {code}", fix)
        return self._bot.time.look() - began

    async def _is_turned_away(self, process: BotProcess) -> None:
        """Checks that the bot reports a wrong token and does not try again. Raises Failed."""
        expected = f"refused for a wrong token, it says why and exits with code 1 in {self._patience:g} s"
        fix = "at a status that trying again does not mend print its text on stderr and exit with code 1"
        code = await self._bot.time.within(self._patience, process.wait)
        if code is None:
            raise self._failed(expected, "it was still there", fix)
        told = self._bot.last_words()
        if code != 1 or not told:
            said = "" if told else " and nothing printed"
            raise self._failed(expected, f"exit code {code}{said}", fix)

    async def _comes(self, event: trio.Event, process: BotProcess, seconds: float | None = None) -> bool:
        """Waits for an event; stops after `patience`, or when the bot or its games end."""
        async with trio.open_nursery() as nursery:
            limit = partial(self._bot.time.passes, self._patience if seconds is None else seconds)
            for ends in (event.wait, process.wait, self._over.wait, limit):
                nursery.start_soon(_cancel_after, ends, nursery.cancel_scope)
        return event.is_set()

    def _state(self, process: BotProcess, otherwise: str) -> str:
        """What happened instead of the expected event."""
        if self._refusals:
            return f"refused: {self._refusals[0]}"
        if process.exit_code is not None:
            return f"it ended with exit code {process.exit_code}"
        return otherwise

    def _failed(self, expected: str, came: str, fix: str) -> Failed:
        return Failed(expected, came, fix, self._bot.last_words())

    def _cut(self) -> None:
        """Breaks all connections; new ones are forwarded as before."""
        for scope in self._connections:
            scope.cancel()

    async def _forward(self, near: trio.SocketStream) -> None:
        """Forwards a connection to the lobby until it ends or is cut. Unlike the door, it needs no Linux."""
        with trio.CancelScope() as scope, suppress(OSError):  # the lobby is closing
            self._connections.add(scope)
            far = await trio.open_tcp_stream(_HERE, self._lobby_port)
            async with near, far:
                await connect(near.socket, far.socket, Count(lambda size: None))
        self._connections.discard(scope)


async def _cancel_after(wait: Callable[[], Awaitable[object]], scope: trio.CancelScope) -> None:
    await wait()
    scope.cancel()
