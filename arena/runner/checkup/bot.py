"""The bot under check: started or dialled, asked what it is, ended."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import trio

from arena.link.local.process import BotProcess, running_bot
from arena.link.local.supervisor import LOG_LIMIT
from arena.link.streams.dial import (
    BotFault,
    BotInfo,
    Channel,
    NotThere,
    ask_for_bytes,
    describe,
    open_channel,
)
from arena.link.tls.address import read_address
from arena.runner.entrants import Entrant
from arena.table.deal import PLEDGE_BYTES

_TAIL_LINES = 12
_EXIT_NOTICE = 0.5  # how soon after its stream a crashed process is seen to end, in seconds


class CheckedBot:
    """A bot that can be started again and again.

    Args:
        entrant: where it comes from: a folder or an address.
        log: the file that keeps what a local bot prints.
        patience: how long it may take to come up, and to describe itself, in seconds.

    Attributes:
        channel: the channel to the bot while it runs.
        exit_code: how its process ended last; None while it runs, and for a bot that runs elsewhere.
    """

    def __init__(self, entrant: Entrant, log: Path, patience: float) -> None:
        self.entrant = entrant
        self.channel: Channel | None = None
        self._log = log
        self._log_start = 0
        self._patience = patience
        self._process: BotProcess | None = None
        self._stack = AsyncExitStack()

    def another(self) -> CheckedBot:
        """A second instance of the bot, to be started beside this one."""
        return CheckedBot(self.entrant, self._log.with_name("another.log"), self._patience)

    @property
    def exit_code(self) -> int | None:
        """How its process ended last."""
        return None if self._process is None else self._process.exit_code

    async def start(self) -> float:
        """Starts the bot, or looks whether it listens; returns the seconds that took.

        Raises BotFault where it does not come up.
        """
        began = time.perf_counter()
        self._log_start = self.printed()
        with trio.move_on_after(self._patience) as waiting:
            if self.entrant.bot is not None:
                address = await self._start_process()
            else:
                assert self.entrant.address is not None
                address = self.entrant.address
                where = read_address(address)
                await _reach(where.plain if where else address)
        if waiting.cancelled_caught:
            raise BotFault("timeout", f"does not listen after {self._patience:.0f} s")
        try:
            self.channel = await trio.to_thread.run_sync(open_channel, address, self.entrant.shown)
        except NotThere as problem:
            raise BotFault("disconnect", f"cannot be reached: {problem}") from None
        return time.perf_counter() - began

    async def _start_process(self) -> str:
        assert self.entrant.bot is not None
        self._process = await self._stack.enter_async_context(
            running_bot(self.entrant.bot, self._log, sandbox=self.entrant.sandbox)
        )
        if not await self._process.wait_listening():
            code = self._process.exit_code
            raise BotFault("crash", f"ended with exit code {code} before it listened")
        return self._process.address

    @asynccontextmanager
    async def joining(self, address: str, token: str) -> AsyncIterator[BotProcess]:
        """Has a local bot running that is to dial in at a lobby."""
        assert self.entrant.bot is not None
        self._log_start = self.printed()
        async with running_bot(
            self.entrant.bot, self._log, (address, token), sandbox=self.entrant.sandbox.with_network()
        ) as process:
            yield process

    async def describe(self) -> BotInfo:
        """Asks the running bot what it is. Raises BotFault."""
        assert self.channel is not None
        info: BotInfo = await trio.to_thread.run_sync(
            describe, self.channel, self._patience, abandon_on_cancel=True
        )
        return info

    async def bytes_for_deals(self, pledge: bytes) -> bytes:
        """Has the running bot give what it pledged, for deals that nobody plays. Raises BotFault."""
        channel = self.channel
        assert channel is not None
        commitment, pledges = secrets.token_bytes(PLEDGE_BYTES), secrets.token_bytes(PLEDGE_BYTES)
        return await trio.to_thread.run_sync(
            lambda: ask_for_bytes(channel, pledge, commitment, pledges, self._patience),
            abandon_on_cancel=True,
        )

    async def stop(self) -> float:
        """Ends the bot where that is ours to do; returns the seconds that took."""
        began = time.perf_counter()
        await self._stack.aclose()
        took = time.perf_counter() - began
        if self.channel is not None:
            channel, self.channel = self.channel, None
            with trio.move_on_after(_EXIT_NOTICE):  # one that reads nothing would keep gRPC waiting
                await trio.to_thread.run_sync(channel.close, abandon_on_cancel=True)
        return took

    def crash(self) -> None:
        """Kills a local bot without a warning."""
        assert self._process is not None
        self._process.crash()

    async def crashed(self) -> int | None:
        """The exit code where the bot's process has ended, or ends about now."""
        if self._process is None:
            return None
        with trio.move_on_after(_EXIT_NOTICE):
            return await self._process.wait()
        return None

    def printed(self) -> int:
        """How many bytes the bot has printed in all its starts, as far as they are kept."""
        return self._log.stat().st_size if self._log.exists() else 0

    def printed_too_much(self) -> bool:
        """Whether some of what it printed was not kept."""
        return self.printed() > LOG_LIMIT

    def last_words(self) -> str:
        """The last lines that the bot printed since its last start, as it printed them."""
        if not self._log.exists():
            return ""
        with self._log.open("rb") as log:
            log.seek(max(self._log_start, self.printed() - (1 << 14)))
            lines = log.read().decode(errors="replace").rstrip().split("\n")
        return "\n".join(lines[-_TAIL_LINES:])


async def _reach(address: str) -> None:
    """Looks whether somebody listens at an address. Raises BotFault where nobody does."""
    try:
        if address.startswith("unix:"):
            stream: trio.abc.Stream = await trio.open_unix_socket(address.removeprefix("unix:"))
        else:
            host, _, port = address.rpartition(":")
            stream = await trio.open_tcp_stream(host.strip("[]"), int(port))
    except (OSError, RuntimeError) as error:  # RuntimeError: this system has no Unix sockets
        told = (isinstance(error, OSError) and error.strerror) or error
        raise BotFault("disconnect", f"cannot be reached: {told}") from None
    await trio.aclose_forcefully(stream)
