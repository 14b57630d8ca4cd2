"""Starts and stops the bot under check, as often as the checklist needs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import trio

from arena.bounded_log import LOG_LIMIT, end_of, written
from arena.checkup.bot_time import BotTime
from arena.checkup.session import BOT, Session
from arena.league.entrants import Entrant
from arena.link.local.build import build_all
from arena.link.local.process import BotProcess
from arena.link.streams.dial import BotFault, BotInfo
from arena.link.streams.flood import Line, Meter
from arena.link.streams.trio_thread import unwrapped
from arena.link.tls.address import read_address
from arena.referee.rooms.rooms import BotEvents
from arena.referee.sitting.keeper import DESCRIBE_TIMEOUT, Attendance, Dialler, Result
from arena.temporary import temporary_folder

ENDLESS = 86_400.0
"""Seconds that gRPC waits for an answer: the bot's time ends long before."""

_TAIL_LINES, _TAIL = 12, 1 << 14


class _Dialler(Dialler):
    """Keeps the bot under check; how long it may take to come up counts by its own time."""

    _longest = ENDLESS

    def __init__(
        self,
        number: int,
        entrant: Entrant,
        events: BotEvents,
        tell: Callable[[Attendance], None],
        log: Path,
        time: BotTime,
        patience: float,
    ) -> None:
        super().__init__(number, entrant, events, tell, log, patience=patience)
        self._time = time

    async def _in_time(self, come_up: Callable[[], Awaitable[Result]], process: BotProcess | None) -> Result:
        with unwrapped(BotFault):
            result = await self._time.within(self.patience, come_up)
        if result is None:
            raise BotFault("timeout", f"did not come up in {self.patience:.0f} s")
        return result

    def _meter(self, line: Line) -> Meter:
        return Meter(line, is_busy=lambda: self._time.is_busy)


class CheckedBot:
    """A bot under check that can be started again and again. To be made in trio's thread.

    Args:
        entrant: the bot: a folder or an address.
        log: the file for what a local bot prints.
        patience: how long it may take to start and describe itself, in seconds.
        time: the bot's time; by default counted anew.

    Attributes:
        exit_code: the exit code of a local bot's process when the bot was last released.
        time: the bot's time, by which every limit of a checkup counts.
    """

    def __init__(self, entrant: Entrant, log: Path, patience: float, time: BotTime | None = None) -> None:
        self.entrant = entrant
        self.exit_code: int | None = None
        self.log = log
        self.time = time or BotTime()
        self._log_start = 0
        self._patience = patience
        self._session: Session[Dialler] | None = None
        self._opened = AsyncExitStack()

    async def listen(self) -> None:
        """Starts the bot, or dials it; returns when it listens. Raises BotFault if it does not."""
        if self.entrant.address is not None:
            await _reach(self.entrant.address)
        self.mark_log()
        self._session = Session(partial(self.dialler, BOT), self.time)
        await self._opened.enter_async_context(self._session.open())
        keeper = self._session.keeper
        await keeper.tried.wait()
        if not keeper.listened:
            await self.leave()
            raise self.why(keeper)

    async def come(self) -> Session[Dialler]:
        """Starts or dials the bot if it is not connected. Raises BotFault if that fails."""
        if self._session is None:
            await self.listen()
        assert self._session is not None
        session = self._session
        await session.keeper.settled.wait()
        if not session.keeper.presence.came:
            await self.leave()
            raise self.why(session.keeper)
        return session

    async def leave(self) -> None:
        """Releases the bot."""
        session, self._session = self._session, None
        if session is not None and session.keeper.process is not None:
            self.exit_code = session.keeper.process.exit_code
        await self._opened.aclose()

    def dialler(
        self, number: int, events: BotEvents, tell: Callable[[Attendance], None] = lambda news: None
    ) -> Dialler:
        """The keeper of the bot under a number."""
        log = self.log if number == BOT else self.log.with_name("another.log")
        return _Dialler(number, self.entrant, events, tell, log, self.time, self._patience)

    def why(self, keeper: Dialler) -> BotFault:
        """Why the bot did not start, without what it printed."""
        fault = keeper.presence.fault
        assert fault is not None
        if fault.reason == "timeout":
            limit = f"{self._patience:.0f} s"
            what = f"describe itself within {limit}" if keeper.listened else f"listen after {limit}"
            return BotFault("timeout", f"does not {what}")
        return BotFault(fault.reason, fault.short)

    def printed(self) -> int:
        """How many bytes the bot has printed since its first start."""
        return written(self.log)

    def printed_too_much(self) -> bool:
        """Whether the bot has printed more than the log keeps."""
        return self.printed() > LOG_LIMIT

    def mark_log(self) -> None:
        """Notes that the bot is about to be started: `last_words` ignores what it has printed before."""
        self._log_start = self.printed()

    def last_words(self) -> str:
        """The last lines that the bot has printed since its last start, unchanged."""
        return last_lines(self.log, self._log_start)


def last_lines(log: Path, start: int = 0) -> str:
    """The last lines of a log, without the first `start` bytes that were written to it."""
    lines = end_of(log, min(written(log) - start, _TAIL)).rstrip().split("\n")
    return "\n".join(lines[-_TAIL_LINES:])


async def introduced(entrant: Entrant, say: Callable[[str], None]) -> BotInfo:
    """Builds and starts a bot, or dials it; asks it to describe itself, and releases it.

    Args:
        entrant: the bot: a folder or an address.
        say: called with a line for people, such as that it is being built.

    Raises BuildError if it cannot be built, and BotFault if it does not start.
    """
    if entrant.bot is not None:
        await build_all([(entrant.bot, entrant.sandbox)], say)
    with temporary_folder() as folder:
        bot = CheckedBot(entrant, Path(folder, "bot.log"), DESCRIBE_TIMEOUT)
        try:
            info = (await bot.come()).keeper.info
        finally:
            await bot.leave()
    assert info is not None
    return info


async def _reach(address: str) -> None:
    """Checks that a program listens at an address. Raises BotFault if none does."""
    where = read_address(address)
    plain = where.plain if where else address
    try:
        if plain.startswith("unix:"):
            stream: trio.abc.Stream = await trio.open_unix_socket(plain.removeprefix("unix:"))
        else:
            host, _, port = plain.rpartition(":")
            stream = await trio.open_tcp_stream(host.strip("[]"), int(port))
    except (OSError, RuntimeError) as error:  # RuntimeError: this system has no Unix sockets
        told = (isinstance(error, OSError) and error.strerror) or error
        raise BotFault("disconnect", f"cannot be reached: {told}") from None
    await trio.aclose_forcefully(stream)
