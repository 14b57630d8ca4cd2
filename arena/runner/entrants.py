"""Keeping the entrants' bots at the tables: starting, dialling, awaiting and regaining them."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from arena.link.dial import BotFault, BotInfo, Channel, describe, open_channel
from arena.link.lobby import Visitor
from arena.link.process import BotProcess, running_bot
from arena.link.stream import PlayStream, dial
from arena.link.trio_thread import RefereeBug
from arena.runner.rooms.reception import Reception
from arena.runner.tournament_file import Entrant

DESCRIBE_TIMEOUT = 10.0
"""How long a bot may take to come up and describe itself, in seconds."""

START_ATTEMPTS = 3
"""After so many failed starts in a row a bot is given up."""

_RETRY_PAUSE = 1.0  # seconds between attempts to reach a remote bot
_EXIT_NOTICE = 0.5  # how soon after its stream a crashed process is seen to end, in seconds
_FAREWELL = 1.0  # how long a bot may take to end its stream at the end, in seconds


@dataclasses.dataclass(frozen=True, slots=True)
class Attendance:
    """What happened with a bot, for people to read.

    Attributes:
        entrant: whose bot.
        what: one sentence without its subject and full stop, such as `was lost: ...`.
        came: whether the bot was ever there.
        here: whether it is there now.
    """

    entrant: Entrant
    what: str
    came: bool
    here: bool


class Keeper(abc.ABC):
    """Keeps one entrant's bot at the tables, as long as it can be got back.

    Args:
        player: the bot's number there.
        entrant: where it comes from.
        reception: where it goes to play.
        tell: called with what people should know.

    Attributes:
        settled: set once the bot is there for the first time, or is given up.
        info: what the bot says it is; None as long as it never came.
    """

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        self.player = player
        self.entrant = entrant
        self.settled = trio.Event()
        self.info: BotInfo | None = None
        self._reception = reception
        self._tell = tell
        self._closing = trio.Event()

    @abc.abstractmethod
    async def run(self) -> None:
        """Brings the bot in, again and again, until `close`."""

    def close(self) -> None:
        """Lets the bot go in order: `run` ends soon after."""
        self._closing.set()

    def dismiss(self, why: BotFault) -> None:
        """Lets the bot go for good: what it is asked from now on ends by this fault at once."""
        self._reception.give_up(self.player, why)
        self.close()

    def say(self, what: str, here: bool = False) -> None:
        """Tells people what happened with the bot, and whether it is there."""
        self._tell(Attendance(self.entrant, what, self.info is not None, here))

    async def _play(self, connect: Callable[[PlayStream], None]) -> BotFault | None:
        """Plays over a new stream until it ends or `close`; returns why it ended, if out of order.

        Raises RefereeBug.
        """
        ended = trio.Event()
        loss: BotFault | RefereeBug | None = None

        def on_end(fault: BotFault | RefereeBug | None) -> None:
            nonlocal loss
            loss = fault
            ended.set()

        stream = PlayStream(
            lambda decisions, read: self._reception.decided(self.player, decisions, read),
            on_end,
            self._reception.now,
        )
        connect(stream)
        self._reception.connect(self.player, stream)
        self.settled.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._finish_on_close, stream, nursery.cancel_scope)
            await ended.wait()
            nursery.cancel_scope.cancel()
        if isinstance(loss, RefereeBug):
            raise loss
        return loss

    async def _finish_on_close(self, stream: PlayStream, scope: trio.CancelScope) -> None:
        await self._closing.wait()
        stream.finish()
        await trio.sleep(_FAREWELL)
        scope.cancel()
        stream.cancel()

    def _lose(self, loss: BotFault, then: str) -> None:
        """The bot is gone in the middle of the tournament."""
        self._reception.lost(self.player, loss)
        self.say(f"was lost: {loss.message} {then}")


class Host(Keeper):
    """Keeps a bot that serves: starts it where it is a folder, and dials it.

    Args:
        player, entrant, reception, tell: see `Keeper`.
        log: where a local bot's output is kept.
    """

    def __init__(
        self,
        player: int,
        entrant: Entrant,
        reception: Reception,
        tell: Callable[[Attendance], None],
        log: Path,
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self._log = log

    async def run(self) -> None:
        failures = 0
        while not self._closing.is_set():
            try:
                await self._dial_and_play()
                failures = 0
            except BotFault as fault:
                failures += 1
                self.say(fault.message)
                if failures >= START_ATTEMPTS or self.info is None:
                    self._reception.give_up(self.player, fault)
                    self.settled.set()
                    await self._closing.wait()
            if self.entrant.bot is None:
                with trio.move_on_after(_RETRY_PAUSE):
                    await self._closing.wait()

    async def _dial_and_play(self) -> None:
        """Plays until the bot is lost or let go. Raises BotFault where it does not come up."""
        async with self._running() as (address, process):
            channel = open_channel(address)
            try:
                self.info = await self._describe(channel, process)
                loss = await self._play(lambda stream: dial(channel, stream))
                if loss is None:
                    return
                if process is not None:
                    with trio.move_on_after(_EXIT_NOTICE):
                        code = await process.wait()
                        loss = BotFault("crash", f"the bot's process ended with exit code {code}")
                self._lose(loss, "and is dialled again" if process is None else "and is started again")
            finally:
                await trio.to_thread.run_sync(channel.close)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[tuple[str, BotProcess | None]]:
        if self.entrant.bot is None:
            assert self.entrant.address is not None
            yield self.entrant.address, None
        else:
            async with running_bot(self.entrant.bot, self._log) as process:
                yield process.address, process

    async def _describe(self, channel: Channel, process: BotProcess | None) -> BotInfo:
        """Waits for the bot to come up and asks it what it is. Raises BotFault."""
        with trio.move_on_after(DESCRIBE_TIMEOUT) as waiting:
            if process is not None and not await process.wait_listening():
                last = process.log_tail().rpartition("\n")[2]
                raise BotFault(
                    "crash",
                    f"ended with exit code {process.exit_code} before it listened"
                    f"{': ' if last else ''}{last} (see {process.log})",
                )
            info: BotInfo = await trio.to_thread.run_sync(
                describe, channel, DESCRIBE_TIMEOUT, abandon_on_cancel=True
            )
            return info
        assert waiting.cancelled_caught
        hint = f" (see {process.log})" if process is not None else ""
        raise BotFault("timeout", f"did not come up in {DESCRIBE_TIMEOUT:.0f} s{hint}")


class Doorkeeper(Keeper):
    """Keeps a bot that dials in: waits for it in the lobby, and again when it is lost."""

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self._door, self._arrivals = trio.open_memory_channel[Visitor](math.inf)

    def arrived(self, visitor: Visitor) -> None:
        """The bot has dialled in; the lobby lets in one at a time."""
        self._door.send_nowait(visitor)

    def start_without(self) -> None:
        """The tournament waits for the bot no longer; until it comes, its turns are faults at once."""
        if not self.settled.is_set():
            self.say("is not there; it may still join")
            self._reception.give_up(self.player, BotFault("disconnect", "the bot has not joined yet"))
            self.settled.set()

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._leave_on_close, nursery.cancel_scope)
            while not self._closing.is_set():
                visitor = await self._arrivals.receive()
                self.info = visitor.info
                self.say("is in", here=True)
                with trio.CancelScope(shield=True):  # ends by itself soon after close
                    loss = await self._play(visitor.take_up)
                if loss is not None:
                    self._lose(loss, "and may come back with its token")

    async def _leave_on_close(self, scope: trio.CancelScope) -> None:
        await self._closing.wait()
        scope.cancel()
