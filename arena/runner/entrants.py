"""Keeping the entrants' bots at the tables: starting, dialling, and bringing them back after a loss."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from arena.link.dial import BotFault, BotInfo, Channel, describe, open_channel
from arena.link.process import BotProcess, running_bot
from arena.link.stream import PlayStream
from arena.runner.room import Room
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
    """

    entrant: Entrant
    what: str
    came: bool


class BotKeeper:
    """Keeps one entrant's bot at the tables, as long as it can be brought back.

    Args:
        player: the bot's number in the room.
        entrant: where it comes from.
        log: where a local bot's output is kept.
        room: where it plays.
        tell: called with what people should know.
    """

    def __init__(
        self, player: int, entrant: Entrant, log: Path, room: Room, tell: Callable[[Attendance], None]
    ) -> None:
        self._player = player
        self._entrant = entrant
        self._log = log
        self._room = room
        self._tell = tell
        self._closing = trio.Event()
        self.settled = trio.Event()
        """Set once the bot is there for the first time, or is given up."""
        self.info: BotInfo | None = None
        """What the bot said it is when it first came; None if it never did."""

    def close(self) -> None:
        """Lets the bot go in order: `run` ends soon after."""
        self._closing.set()

    async def run(self) -> None:
        """Brings the bot in, again and again, until `close`."""
        failures = 0
        while not self._closing.is_set():
            try:
                async with self._running() as (address, process):
                    channel = open_channel(address)
                    try:
                        self.info = await self._describe(channel, process)
                        failures = 0
                        await self._play(channel, process)
                    finally:
                        await trio.to_thread.run_sync(channel.close)
                    continue
            except BotFault as fault:
                failures += 1
                self._tell(Attendance(self._entrant, fault.message, self.info is not None))
                if failures >= START_ATTEMPTS or self.info is None:
                    self._room.give_up(self._player, fault)
                    self.settled.set()
                    await self._closing.wait()
                    return
            if self._entrant.bot is None:
                with trio.move_on_after(_RETRY_PAUSE):
                    await self._closing.wait()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[tuple[str, BotProcess | None]]:
        if self._entrant.bot is None:
            assert self._entrant.address is not None
            yield self._entrant.address, None
        else:
            async with running_bot(self._entrant.bot, self._log) as process:
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

    async def _play(self, channel: Channel, process: BotProcess | None) -> None:
        """Plays until the bot's stream ends or `close`; tells the room of a loss."""
        ended = trio.Event()
        loss: BotFault | None = None

        def on_end(fault: BotFault | None) -> None:
            nonlocal loss
            loss = fault
            ended.set()

        stream = PlayStream(
            channel, lambda decisions, read: self._room.decided(self._player, decisions, read), on_end
        )
        self._room.connect(self._player, stream)
        self.settled.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._finish_on_close, stream, nursery.cancel_scope)
            await ended.wait()
            nursery.cancel_scope.cancel()
        if loss is None:
            return
        if process is not None:
            with trio.move_on_after(_EXIT_NOTICE):
                code = await process.wait()
                loss = BotFault("crash", f"the bot's process ended with exit code {code}")
        self._room.lost(self._player, loss)
        again = " and is started again" if process is not None else " and is dialled again"
        self._tell(Attendance(self._entrant, f"was lost: {loss.message}{again}", True))

    async def _finish_on_close(self, stream: PlayStream, scope: trio.CancelScope) -> None:
        await self._closing.wait()
        stream.finish()
        await trio.sleep(_FAREWELL)
        scope.cancel()
        stream.cancel()
