"""A visit to a lobby: the bot under check dials in, is cut off, comes back and plays to the end."""

from __future__ import annotations

import contextlib
import math
import secrets
import time
from collections.abc import Sequence
from functools import partial

import trio

from arena.link.lobby.doorway import CannotListen
from arena.link.lobby.lobby import Lobby, Ticket, Visitor, entrant_token
from arena.link.local.process import BotProcess
from arena.link.streams.house_player import HousePlayer
from arena.link.streams.moments import Moment
from arena.link.streams.trio_thread import in_trio
from arena.link.wire.messages import Decision
from arena.runner.checkup.bot import CheckedBot
from arena.runner.checkup.practice import Trouble, faults
from arena.runner.checkup.values import NOTED, Failed, Finding, Skipped
from arena.runner.rooms.in_process import RoomInProcess
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.dispatcher import Dispatcher
from arena.runner.sitting.keepers import Attendance, Doorkeeper
from arena.runner.tournament_file import MAX_SEATS, Entrant

_BOT = 0  # the number of the bot in the room; the others are the house
_HERE = "127.0.0.1"
_NAME = "guest"
_EXIT_LIMIT = 5.0  # seconds in which a bot has to exit once the referee has ended its stream
_LOBBY_GRACE = 0.5
_CHUNK = 1 << 16


async def visit(bot: CheckedBot, games: Sequence[Seating], patience: float) -> Finding:
    """Lets a local bot join, cuts its connection in the middle of its games, and sees it through.

    Args:
        bot: the bot, which does not run.
        games: what it plays, as player 0, the others being the house; a turn
            must have more time than `patience`, and `max_faults` be above one.
        patience: how long it may take to dial in, and to come back, in seconds.

    Raises Failed, or Skipped where no lobby can be opened.
    """
    host = _Host(bot, games, patience)
    problem: Failed | Skipped | None = None
    finding: Finding | None = None
    async with trio.open_nursery() as nursery:
        try:
            finding = await host.receive(nursery)
        except (Failed, Skipped) as failure:
            problem = failure  # raised below, for a nursery would wrap it up
        finally:
            await host.close()
            nursery.cancel_scope.cancel()
    if problem is not None:
        raise problem
    assert finding is not None
    return finding


class _Cable:
    """A way to a port of this machine that can be cut: forwards every connection."""

    def __init__(self) -> None:
        self.to_port = 0
        self._open: set[trio.CancelScope] = set()

    def cut(self) -> None:
        """Breaks off all connections; new ones are forwarded as before."""
        for scope in self._open:
            scope.cancel()

    async def forward(self, near: trio.SocketStream) -> None:
        """Serves one connection."""
        with trio.CancelScope() as scope:
            self._open.add(scope)
            try:
                async with (
                    near,
                    await trio.open_tcp_stream(_HERE, self.to_port) as far,
                    trio.open_nursery() as nursery,
                ):
                    nursery.start_soon(_pump, near, far, scope)
                    nursery.start_soon(_pump, far, near, scope)
            except OSError:
                return  # the lobby is closing
            finally:
                self._open.remove(scope)


async def _pump(source: trio.SocketStream, sink: trio.SocketStream, scope: trio.CancelScope) -> None:
    """Forwards one way; ends both where that ends."""
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(_CHUNK):
            await sink.send_all(data)
    scope.cancel()


class _CuttingRoom(RoomInProcess):
    """A room that cuts the bot's cable after so many of its decisions, in the middle of its games."""

    def cut_after(self, decisions: int, cable: _Cable) -> None:
        """Makes ready."""
        self._left, self._cable = decisions, cable
        self._decided_in_trio = in_trio(self._decided)
        self.was_cut = trio.Event()
        self.deaf = False  # what the bot sent over the lost connection is lost, so that its games still run

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `RoomInProcess`; in any thread."""
        self._decided_in_trio(player, decisions, read)

    def _decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        if player == _BOT:
            self._left -= len(decisions)
            if self._left <= 0 and not self.was_cut.is_set():
                self.deaf = True
                self.was_cut.set()
                self._cable.cut()
            if self.deaf:
                return
        super().decided(player, decisions, read)


class _Host:
    """The referee that the bot visits. To be made in trio's thread."""

    def __init__(self, bot: CheckedBot, games: Sequence[Seating], patience: float) -> None:
        self._bot = bot
        self._games = games
        self._patience = patience
        self._cable = _Cable()
        self._room = _CuttingRoom(MAX_SEATS, self._on_played, self._on_void)
        self._room.cut_after(len(games), self._cable)
        for player in range(_BOT + 1, MAX_SEATS):
            self._room.connect(player, HousePlayer(partial(self._room.decided, player), self._room.now))
        self._keeper = Doorkeeper(_BOT, Entrant(_NAME, join=True), self._room, self._tell)
        due = iter(games)
        self._dispatcher = Dispatcher(lambda: next(due, None), self._room.open, len(games), self._limit)
        self._token = entrant_token(secrets.token_bytes(), _NAME)
        names = list(dict.fromkeys(seating.rules.game.id for seating in games))
        self._refusals: list[str] = []
        self._lobby = Lobby(
            "check-bot", names, {self._token: Ticket(_BOT, _NAME)},
            self._arrived, self._refused, lambda sentence: None,
        )  # fmt: skip
        self._visits = 0
        self._in, self._back, self._over = trio.Event(), trio.Event(), trio.Event()
        self._left = len(games)
        self._trouble: Trouble | None = None

    async def receive(self, nursery: trio.Nursery) -> Finding:
        """The whole visit. Raises Failed."""
        try:
            self._cable.to_port = self._lobby.start(f"{_HERE}:0")
        except CannotListen as problem:
            raise Skipped(str(problem)) from None
        listeners = await nursery.start(partial(trio.serve_tcp, self._cable.forward, 0, host=_HERE))
        address = f"{_HERE}:{listeners[0].socket.getsockname()[1]}"
        nursery.start_soon(self._room.keep)
        nursery.start_soon(self._keeper.run)
        async with self._bot.joining(address, self._token) as process:
            if not await self._comes(self._in, process):
                return self._never_came(process)
            await self._plays(process)
            took = await self._exits(process)
        async with self._bot.joining(address, "no-such-token") as process:
            await self._is_turned_away(process)
        text = f"cut off in the middle of {len(self._games)} games, it came back and played them to their end"
        return Finding(text, {"exit_s": took})

    async def close(self) -> None:
        """Ends the visit, however far it came."""
        self._keeper.close()
        self._room.abandon()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._lobby.stop, _LOBBY_GRACE)

    def _never_came(self, process: BotProcess) -> Finding:
        if self._refusals:
            raise Failed(
                "its hello names its token and what it answers to Describe", f"refused: {self._refusals[0]}",
                "send a JoinHello as lobby.proto says first of all, with the token in ARENA_TOKEN",
                self._bot.last_words(),
            )  # fmt: skip
        code = process.exit_code
        what = f"within {self._patience:g} s" if code is None else f"but ended with exit code {code}"
        text = f"it did not dial in at ARENA_JOIN {what}: it can be started or dialled, but cannot join"
        return Finding(text, status=NOTED)

    async def _plays(self, process: BotProcess) -> None:
        """All games, with the cut in their middle."""
        expected = "it answers its turns over the stream on which it joined"
        self._dispatcher.begin()
        if not await self._comes(self._room.was_cut, process):
            fix = "answer each play request of JoinResponse with a play response in a JoinRequest"
            raise self._failed(expected, self._state(process, "it answered too few turns"), fix)
        expected = f"it dials again when the connection is lost, within {self._patience:g} s"
        if not await self._comes(self._back, process):
            fix = "at UNAVAILABLE, or a broken connection, dial again every second with the same token"
            raise self._failed(expected, self._state(process, "it did not come back"), fix)
        expected = "it plays on after it came back, with the tables that are started again"
        if not await self._comes(self._over, process, math.inf):
            fix = "keep the program running until the referee ends the stream with status OK"
            raise self._failed(expected, self._state(process, "it did not play on"), fix)
        if self._trouble is not None:
            fix = "begin every connection with no tables, and answer each turn with its own numbers"
            raise self._failed(expected, f"{self._trouble.where}: {self._trouble.message}", fix)

    async def _exits(self, process: BotProcess) -> float:
        """The end of the tournament; returns how many seconds the bot took to end."""
        began = time.perf_counter()
        self._keeper.close()
        expected = f"it exits with code 0 within {_EXIT_LIMIT:g} s of status OK"
        code = await _exit_code(process, _EXIT_LIMIT)
        if code is None:
            fix = "when status OK comes, end your own side of the stream too, close the channel and exit"
            raise self._failed(expected, "it was still there", fix)
        if code != 0:
            fix = "status OK is the end of the tournament: let nothing go wrong in stopping"
            raise self._failed(expected, f"exit code {code}", fix)
        return time.perf_counter() - began

    async def _is_turned_away(self, process: BotProcess) -> None:
        """A wrong token: said to a person and not tried again."""
        expected = f"refused for a wrong token, it says why and exits with code 1 in {self._patience:g} s"
        fix = "at a status that trying again does not mend print its text on stderr and exit with code 1"
        code = await _exit_code(process, self._patience)
        if code is None:
            raise self._failed(expected, "it was still there", fix)
        told = self._bot.last_words() or self._bot.printed_too_much()  # a full log keeps no more
        if code != 1 or not told:
            said = "" if told else " and nothing printed"
            raise self._failed(expected, f"exit code {code}{said}", fix)

    async def _comes(self, event: trio.Event, process: BotProcess, seconds: float | None = None) -> bool:
        """Waits for an event, but no longer than `patience`, nor than the bot is there."""
        with trio.move_on_after(self._patience if seconds is None else seconds) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_cancel_at_end, process, scope)
                await event.wait()
                nursery.cancel_scope.cancel()
        return event.is_set()

    def _state(self, process: BotProcess, otherwise: str) -> str:
        """What came instead of what was waited for."""
        if self._refusals:
            return f"refused: {self._refusals[0]}"
        if process.exit_code is not None:
            return f"it ended with exit code {process.exit_code}"
        return otherwise

    def _failed(self, expected: str, came: str, fix: str) -> Failed:
        return Failed(expected, came, fix, self._bot.last_words())

    def _limit(self, player: int) -> int:
        info = self._keeper.info
        return info.max_tables if player == _BOT and info is not None else 0

    def _arrived(self, player: int, visitor: Visitor) -> None:
        self._keeper.arrived(visitor)

    def _refused(self, sentence: str) -> None:
        self._refusals.append(sentence)

    def _tell(self, news: Attendance) -> None:
        if news.here:
            self._room.deaf = False
            (self._back if self._in.is_set() else self._in).set()
            self._visits += 1
        elif self._visits > 1 or not self._room.was_cut.is_set():
            self._stop(Trouble("over the stream on which it joined", "disconnect", f"it {news.what}"))

    def _on_played(self, played: Played) -> None:
        if self._over.is_set():
            return
        for fault in faults(played):
            if fault.reason != "disconnect":
                self._stop(Trouble(str(played.seating.key), fault.reason, f"{fault.reason}: {fault.message}"))
                return
        self._left -= 1
        if self._left == 0:
            self._over.set()
        self._dispatcher.ended(played.seating)
        self._dispatcher.stored(1)

    def _on_void(self, seating: Seating) -> None:
        self._dispatcher.again(seating)

    def _stop(self, trouble: Trouble) -> None:
        """Something went wrong: nothing is waited for any more."""
        if not self._over.is_set():
            self._trouble = trouble
            for event in (self._room.was_cut, self._back, self._over):
                event.set()


async def _cancel_at_end(process: BotProcess, scope: trio.CancelScope) -> None:
    await process.wait()
    scope.cancel()


async def _exit_code(process: BotProcess, seconds: float) -> int | None:
    """How a bot ends; None where it is still there after so many seconds."""
    with trio.move_on_after(seconds):
        await process.wait()
    return process.exit_code
