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
from arena.link.streams.flood import CUTS, Line, Meter
from arena.link.streams.stream import dial
from arena.link.tls.address import read_address
from arena.runner.entrants import Entrant
from arena.runner.rooms.room_state import instance_number
from arena.runner.rooms.rooms import Reception
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
        log: where a local bot's output is kept; that of its further instances goes to files beside it.
        first_start: what a local bot has to itself until it has come up for the
            first time, such as a limiter; when it is started again it does not wait.
        processors: the numbers of the processors that a local bot may use; none
            for those that this process may.
        instances: how many instances a local bot has; another bot has one.
        patience: how long it may take to come up and describe itself, in seconds.

    Attributes:
        log: where a local bot's output is kept.
        process: the last process of a local bot's first instance; None before there is one.
        channel: the channel to the bot's first instance while it is there.
        listened: whether it has listened at all.
        tried: set when it listens for the first time, or is given up.
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
        instances: int = 1,
        patience: float = DESCRIBE_TIMEOUT,
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self.log = log
        self._first_start = first_start or nullcontext()
        self._processors = processors
        if entrant.bot is not None:
            self._numbers = [instance_number(player, instance) for instance in range(instances)]
        self._patience = patience
        self._trying = trio.CancelScope()
        self.process: BotProcess | None = None
        self.channel: Channel | None = None
        self.listened = False
        self.tried = trio.Event()

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """See `Keeper`."""
        channel = self.channel
        if channel is None:
            raise BotFault("disconnect", "is not there")
        return await in_a_thread(
            lambda: ask_for_bytes(channel, pledge, commitment, pledges, DESCRIBE_TIMEOUT)
        )

    async def _keep(self) -> None:
        with self._trying:
            async with trio.open_nursery() as nursery:
                for number in self._numbers:
                    nursery.start_soon(self._keep_instance, number)

    def _give_up(self, fault: BotFault) -> None:
        super()._give_up(fault)
        self.tried.set()
        self._trying.cancel()  # all instances end with the one that cannot be had

    async def _keep_instance(self, number: int) -> None:
        failures = 0
        start: AbstractAsyncContextManager[object] = nullcontext()
        if self.entrant.bot is not None:
            start = self._first_start
        while self._floods < CUTS:
            try:
                await self._dial_and_play(number, start)
                failures = 0
            except BotFault as fault:
                failures += 1
                self.say(fault.message, fault=fault)
                if failures >= START_ATTEMPTS or self.info is None:
                    self._give_up(fault)
                    return
            if number in self._came:
                start = nullcontext()
            if self.entrant.bot is None:
                await trio.sleep(_RETRY_PAUSE)

    async def _dial_and_play(self, number: int, start: AbstractAsyncContextManager[object]) -> None:
        """Plays until the instance is lost. Raises BotFault where it does not come up."""
        async with AsyncExitStack() as stack:
            async with start:
                process, channel, meter = await self._come_up(number, stack)
            if number == self.player:
                self.channel = channel
            loss = await self._play(lambda stream: dial(channel, stream), number, meter)
            if number == self.player:
                self.channel = None
            if process is not None and not isinstance(loss, Flood):
                with trio.move_on_after(_EXIT_NOTICE):
                    code = await process.wait()
                    loss = BotFault("crash", f"the bot's process ended with exit code {code}")
            self._lose(number, loss, "and is dialled again" if process is None else "and is started again")

    async def _come_up(self, number: int, stack: AsyncExitStack) -> tuple[BotProcess | None, Channel, Meter]:
        """Starts the bot where that is ours, and asks it what it is; `stack` undoes that. Raises BotFault."""
        if self.entrant.bot is None:
            return None, *await patiently(lambda: self._ask(number, stack, None), patience=self._patience)
        process = await stack.enter_async_context(
            running_bot(
                self.entrant.bot,
                self._log_of(number),
                processors=self._processors,
                sandbox=self.entrant.sandbox,
            )
        )
        if number == self.player:
            self.process = process
        try:
            return process, *await patiently(
                lambda: self._ask(number, stack, process), process.starved, self._patience
            )
        except BotFault as fault:
            if fault.reason == "timeout":
                raise BotFault("timeout", fault.message, f" (see {process.log})") from None
            raise

    def _log_of(self, number: int) -> Path:
        """The file for what an instance prints; the length of a shared one would be a channel."""
        instance = self._numbers.index(number)
        return self.log if not instance else self.log.with_name(f"{self.log.stem}#{instance + 1}.log")

    async def _ask(
        self, number: int, stack: AsyncExitStack, process: BotProcess | None
    ) -> tuple[Channel, Meter]:
        """Dials the bot once it listens, and asks it what it is. Raises BotFault."""
        if process is not None and not await process.wait_listening():
            last = process.log_tail().rpartition("\n")[2]
            raise BotFault(
                "crash",
                f"ended with exit code {process.exit_code} before it listened",
                f"{': ' if last else ''}{last} (see {process.log})",
            )
        address = self.entrant.address if process is None else process.address
        assert address is not None
        channel = await self._channel_to(address)
        self.listened = True
        self.tried.set()
        place = _plain(address) if process is None else process.place
        line = await in_a_thread(lambda: Line(place))
        stack.push_async_callback(_close, channel, line)
        meter = Meter(line)
        info = await watched(lambda: describe(channel, LONGEST), meter)
        if number == self.player or self.info is None:
            self.info = info  # with the pledge of the first instance, which is asked for its bytes
        return channel, meter

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
