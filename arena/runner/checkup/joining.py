"""A visit to a lobby: the bot under check dials in, is cut off, comes back and plays to the end."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

import trio

from arena.link.lobby.doorway import CannotListen
from arena.link.lobby.lobby import Lobby
from arena.link.lobby.tickets import Ticket, new_token, token_digest
from arena.link.lobby.visitor import Visitor
from arena.link.local.process import BotProcess
from arena.runner.checkup.bot import CheckedBot
from arena.runner.checkup.cable import HERE, Cable
from arena.runner.checkup.session import BOT, Company, Session, Trouble, faults
from arena.runner.checkup.values import NOTED, Failed, Finding, Skipped
from arena.runner.entrants import Entrant
from arena.runner.rooms.room import Played, Seating
from arena.runner.sitting.doorkeeper import Doorkeeper
from arena.runner.sitting.keeper import Attendance
from arena.text import counted

_NAME = "guest"
_EXIT_LIMIT = 5.0  # seconds in which a bot has to exit once the referee has ended its stream
_LOBBY_GRACE = 0.5


async def visit(bot: CheckedBot, games: Sequence[Seating], patience: float) -> Finding:
    """Lets a local bot join, cuts its connection in the middle of its games, and sees it through.

    Args:
        bot: the bot, which does not run.
        games: what it plays, as player 0, the others being the house; a turn
            must have more time than `patience`, and `max_faults` be above one.
        patience: how long it may take to dial in, and to come back, in seconds.

    Raises Failed, or Skipped where no lobby can be opened.
    """
    company = Company()
    host = _Host(bot, company, games, patience)
    found: Finding | Failed | Skipped
    async with company.open(), trio.open_nursery() as nursery:
        try:
            found = await host.receive(nursery)
        except (Failed, Skipped) as problem:
            found = problem  # raised below, for a nursery would wrap it up
        finally:
            await host.close()
            nursery.cancel_scope.cancel()
    if isinstance(found, Finding):
        return found
    raise found


class _Host:
    """The referee that the bot visits. To be made in trio's thread."""

    def __init__(self, bot: CheckedBot, company: Company, games: Sequence[Seating], patience: float) -> None:
        self._bot = bot
        self._games = games
        self._patience = patience
        self._cable = Cable()
        self._company = company
        self._cut = company.reception.struck
        company.reception.prepare(len(games), self._cable.cut)  # in the middle
        self._keeper = Doorkeeper(BOT, Entrant(_NAME, join=True), company.reception, self._tell)
        self._token = new_token()
        names = list(dict.fromkeys(seating.rules.game.id for seating in games))
        self._refusals: list[str] = []
        self._lobby = Lobby(
            "check-bot", names, {token_digest(self._token): Ticket(BOT, _NAME)},
            self._arrived, self._refused, lambda sentence: None,
        )  # fmt: skip
        self._visits = 0
        self._in, self._back, self._over = trio.Event(), trio.Event(), trio.Event()
        self._session: Session  # when it is over

    async def receive(self, nursery: trio.Nursery) -> Finding:
        """The whole visit. Raises Failed."""
        try:
            self._cable.to_port = self._lobby.start(f"{HERE}:0")
        except CannotListen as problem:
            raise Skipped(str(problem)) from None
        listeners = await nursery.start(partial(trio.serve_tcp, self._cable.forward, 0, host=HERE))
        address = f"{HERE}:{listeners[0].socket.getsockname()[1]}"
        self._company.sitting.seat(self._keeper)
        async with self._bot.joining(address, self._token) as process:
            if not await self._comes(self._in, process):
                return self._never_came(process)
            nursery.start_soon(self._play)
            await self._plays(process)
            took = await self._exits(process)
        async with self._bot.joining(address, "no-such-token") as process:
            await self._is_turned_away(process)
        games = counted(len(self._games), "game")
        text = f"cut off in the middle of {games}, it came back and played on to the end"
        return Finding(text, {"exit_s": took})

    async def close(self) -> None:
        """Ends the visit, however far it came."""
        self._keeper.close()
        self._company.sitting.end()
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

    async def _play(self) -> None:
        """Plays all games; where something went wrong, nothing is waited for any more."""
        self._session = await self._company.play(self._games, len(self._games), _trouble_in)
        if self._session.trouble is not None:
            self._cut.set()
            self._back.set()
        self._over.set()

    async def _plays(self, process: BotProcess) -> None:
        """All games, with the cut in their middle."""
        expected = "it answers its turns over the stream on which it joined"
        if not await self._comes(self._cut, process):
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
        trouble = self._session.trouble
        if trouble is not None:
            fix = "begin every connection with no tables, and answer each turn with its own numbers"
            raise self._failed(expected, f"{trouble.where}: {trouble.message}", fix)

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

    def _arrived(self, player: int, visitor: Visitor) -> None:
        self._keeper.arrived(visitor)

    def _refused(self, sentence: str) -> None:
        self._refusals.append(sentence)

    def _tell(self, news: Attendance) -> None:
        if news.here:
            (self._back if self._in.is_set() else self._in).set()
            self._visits += 1
        elif self._visits > 1 or not self._cut.is_set():
            where = "over the stream on which it joined"
            self._company.note(Trouble(where, "disconnect", f"it {news.what}"))


def _trouble_in(played: Played) -> Trouble | None:
    for fault in faults(played):
        if fault.reason != "disconnect":
            return Trouble(str(played.seating.key), fault.reason, f"{fault.reason}: {fault.message}")
    return None


async def _cancel_at_end(process: BotProcess, scope: trio.CancelScope) -> None:
    await process.wait()
    scope.cancel()


async def _exit_code(process: BotProcess, seconds: float) -> int | None:
    """How a bot ends; None where it is still there after so many seconds."""
    with trio.move_on_after(seconds):
        await process.wait()
    return process.exit_code
