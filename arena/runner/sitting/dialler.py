"""Keeping a bot that serves: starting it, dialling it, and regaining it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from pathlib import Path

import trio

from arena.link.local.process import BotProcess, running_bot
from arena.link.streams.dial import (
    BotFault,
    Channel,
    Flood,
    NotThere,
    ask_for_bytes,
    describe,
    open_channel,
)
from arena.link.streams.flood import CUTS, Meter
from arena.link.streams.line import Line
from arena.link.streams.stream import dial
from arena.link.tls.address import read_address
from arena.runner.entrants import Entrant
from arena.runner.rooms.reception import Reception
from arena.runner.sitting.flood_watch import in_a_thread, watched
from arena.runner.sitting.keeper import Attendance, Keeper
from arena.runner.sitting.patience import DESCRIBE_TIMEOUT, LONGEST, patiently

START_ATTEMPTS = 3
"""After so many failed starts in a row a bot is given up."""

_RETRY_PAUSE = 1.0  # seconds between attempts to reach a remote bot
_EXIT_NOTICE = 0.5  # how soon after its stream a crashed process is seen to end, in seconds
_LETTING_GO = 1.0  # how long gRPC may take to close a connection, in seconds


class Dialler(Keeper):
    """Keeps a bot that serves: starts it where it is a folder, and dials it.

    Args:
        player, entrant, reception, tell: see `Keeper`.
        log: where a local bot's output is kept.
        first_start: what a local bot has to itself until it has come up for the
            first time, such as a limiter; when it is started again it does not wait.
        processors: the numbers of the processors that a local bot may use; none
            for those that this process may.
    """

    def __init__(
        self,
        player: int,
        entrant: Entrant,
        reception: Reception,
        tell: Callable[[Attendance], None],
        log: Path,
        first_start: AbstractAsyncContextManager[object] | None = None,
        processors: Iterable[int] = (),
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self._log = log
        self._start: AbstractAsyncContextManager[object] = nullcontext()
        if first_start is not None and entrant.bot is not None:
            self._start = first_start
        self._processors = processors
        self._meter = Meter()  # of the present connection
        self._channel: Channel | None = None  # to the bot, while it is there

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """See `Keeper`."""
        channel = self._channel
        if channel is None:
            raise BotFault("disconnect", "is not there")
        return await in_a_thread(
            lambda: ask_for_bytes(channel, pledge, commitment, pledges, DESCRIBE_TIMEOUT)
        )

    async def _keep(self) -> None:
        failures = 0
        while self._floods < CUTS:
            try:
                await self._dial_and_play()
                failures = 0
            except BotFault as fault:
                failures += 1
                self.say(fault.message)
                if failures >= START_ATTEMPTS or self.info is None:
                    self._give_up(fault)
                    return
            if self.entrant.bot is None:
                await trio.sleep(_RETRY_PAUSE)

    async def _dial_and_play(self) -> None:
        """Plays until the bot is lost. Raises BotFault where it does not come up."""
        async with AsyncExitStack() as stack:
            async with self._start:
                process, channel = await self._come_up(stack)
            self._start = nullcontext()
            self._channel = channel
            loss = await self._play(lambda stream: dial(channel, stream), self._meter)
            self._channel = None
            if process is not None and not isinstance(loss, Flood):
                with trio.move_on_after(_EXIT_NOTICE):
                    code = await process.wait()
                    loss = BotFault("crash", f"the bot's process ended with exit code {code}")
            self._lose(loss, "and is dialled again" if process is None else "and is started again")

    async def _come_up(self, stack: AsyncExitStack) -> tuple[BotProcess | None, Channel]:
        """Starts the bot where that is ours, and asks it what it is; `stack` undoes that. Raises BotFault."""
        if self.entrant.bot is None:
            return None, await patiently(lambda: self._ask(stack, None))
        process = await stack.enter_async_context(
            running_bot(
                self.entrant.bot,
                self._log,
                processors=self._processors,
                sandbox=self.entrant.sandbox,
            )
        )
        try:
            return process, await patiently(lambda: self._ask(stack, process), process.starved)
        except BotFault as fault:
            hint = f" (see {process.log})" if fault.reason == "timeout" else ""
            raise BotFault(fault.reason, f"{fault.message}{hint}") from None

    async def _ask(self, stack: AsyncExitStack, process: BotProcess | None) -> Channel:
        """Dials the bot once it listens, and asks it what it is. Raises BotFault."""
        if process is not None and not await process.wait_listening():
            last = process.log_tail().rpartition("\n")[2]
            raise BotFault(
                "crash",
                f"ended with exit code {process.exit_code} before it listened"
                f"{': ' if last else ''}{last} (see {process.log})",
            )
        address = self.entrant.address if process is None else process.address
        assert address is not None
        channel = await self._channel_to(address)
        place = _plain(address) if process is None else process.place
        line = await in_a_thread(lambda: Line(place))
        stack.push_async_callback(_close, channel, line)
        self._meter = Meter(line)
        self.info = await watched(lambda: describe(channel, LONGEST), self._meter)
        return channel

    async def _channel_to(self, address: str) -> Channel:
        """A channel to the bot, as soon as that can be had. Raises BotFault."""
        if self.entrant.address is None:
            return open_channel(address)
        while True:
            try:
                return await in_a_thread(lambda: open_channel(address, self.entrant.shown))
            except NotThere:
                await trio.sleep(_RETRY_PAUSE)


def _plain(address: str) -> str:
    """Where is dialled, whoever is believed there."""
    where = read_address(address)
    assert where is not None, address
    return where.plain


async def _close(channel: Channel, line: Line) -> None:
    """Closes a channel, which ends what is still asked through it.

    Where the bot takes nothing of what it was sent, gRPC waits for it without end,
    or leaves the connection open: so that is hung up as well.
    """
    with trio.move_on_after(_LETTING_GO, shield=True):
        await in_a_thread(channel.close)
    line.hang_up()
