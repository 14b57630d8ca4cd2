"""Keeping the entrants' bots at the tables: starting, dialling, awaiting and regaining them."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from pathlib import Path
from typing import TypeVar

import trio

from arena.link.lobby.lobby import Visitor
from arena.link.local.process import BotProcess, running_bot
from arena.link.streams.dial import BotFault, BotInfo, Channel, describe, open_channel
from arena.link.streams.stream import PlayStream, dial
from arena.link.streams.trio_thread import RefereeBug
from arena.runner.entrants import Entrant
from arena.runner.rooms.reception import Reception
from arena.runner.sitting.patience import LONGEST, patiently

Result = TypeVar("Result")

START_ATTEMPTS = 3
"""After so many failed starts in a row a bot is given up."""

_RETRY_PAUSE = 1.0  # seconds between attempts to reach a remote bot
_EXIT_NOTICE = 0.5  # how soon after its stream a crashed process is seen to end, in seconds
_FAREWELL = 1.0  # how long a bot may take to end its stream when it is let go, in seconds


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

    It is let go within seconds, however it is: by `close` when the tournament
    is over, or by cancelling `run`. A bot that dialled in is told which.

    Args:
        player: the bot's number there.
        entrant: where it comes from.
        reception: where it goes to play.
        tell: called with what people should know.

    Attributes:
        settled: set once the bot is there for the first time, or is given up.
        info: what the bot says it is; None as long as it never came.
        given_up: why it is waited for no more, None as long as it is.
    """

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        self.player = player
        self.entrant = entrant
        self.settled = trio.Event()
        self.info: BotInfo | None = None
        self.given_up: BotFault | None = None
        self._reception = reception
        self._tell = tell
        self._staying = trio.CancelScope()

    async def run(self) -> None:
        """Brings the bot in, again and again, until `close`."""
        with self._staying:
            await self._keep()

    @abc.abstractmethod
    async def _keep(self) -> None:
        """Brings the bot in, again and again, until cancelled."""

    def close(self) -> None:
        """Lets the bot go, for the tournament is over: `run` ends soon after."""
        self._staying.cancel()

    def dismiss(self, why: BotFault) -> None:
        """Lets the bot go for good: what it is asked from now on ends by this fault at once."""
        self._give_up(why)
        self.close()

    def say(self, what: str, here: bool = False) -> None:
        """Tells people what happened with the bot, and whether it is there."""
        self._tell(Attendance(self.entrant, what, self.info is not None, here))

    async def _play(self, connect: Callable[[PlayStream], None]) -> BotFault:
        """Plays over a new stream until it ends; returns why it did. Lets the bot go when cancelled.

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
        try:
            await ended.wait()
        finally:
            if not ended.is_set():
                stream.finish(over=self._staying.cancel_called)
                with trio.move_on_after(_FAREWELL, shield=True):
                    await ended.wait()
                stream.cancel()
        if isinstance(loss, RefereeBug):
            raise loss
        assert loss is not None  # it was not finished
        return loss

    def _give_up(self, fault: BotFault) -> None:
        """The bot is waited for no more; as long as it does not come, its turns are faults at once."""
        self.given_up = fault
        self._reception.give_up(self.player, fault)
        self.settled.set()

    def _lose(self, loss: BotFault, then: str) -> None:
        """The bot is gone in the middle of the tournament."""
        self._reception.lost(self.player, loss)
        self.say(f"was lost: {loss.message} {then}")


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

    async def _keep(self) -> None:
        failures = 0
        while True:
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
            loss = await self._play(lambda stream: dial(channel, stream))
            if process is not None:
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
        channel = open_channel(address)
        stack.push_async_callback(_close, channel)
        self.info = await _in_a_thread(lambda: describe(channel, LONGEST))
        return channel


class Doorkeeper(Keeper):
    """Keeps a bot that dials in: waits for it in the lobby, and again when it is lost.

    Attributes:
        turn_away: has the lobby let it in no more.
    """

    def __init__(
        self, player: int, entrant: Entrant, reception: Reception, tell: Callable[[Attendance], None]
    ) -> None:
        super().__init__(player, entrant, reception, tell)
        self._door, self._arrivals = trio.open_memory_channel[Visitor](math.inf)
        self.turn_away: Callable[[], None] = lambda: None

    def dismiss(self, why: BotFault) -> None:
        """See `Keeper`; the lobby lets the bot in no more."""
        super().dismiss(why)
        self.turn_away()

    def arrived(self, visitor: Visitor) -> None:
        """The bot has dialled in; the lobby lets in one at a time."""
        self._door.send_nowait(visitor)

    def start_without(self) -> None:
        """The tournament waits for the bot no longer; until it comes, its turns are faults at once."""
        if not self.settled.is_set():
            self.say("is not there; it may still join")
            self._give_up(BotFault("disconnect", "the bot has not joined yet"))

    async def _keep(self) -> None:
        while True:
            visitor = await self._arrivals.receive()
            self.info = visitor.info
            self.say("is in", here=True)
            self._lose(await self._play(visitor.take_up), "and may come back with its token")


async def _in_a_thread(call: Callable[[], Result]) -> Result:
    """Calls what blocks, in a thread that waits for no other bot's; left alone when cancelled."""
    return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1))


async def _close(channel: Channel) -> None:
    """Closes a channel, which ends what is still asked through it."""
    with trio.CancelScope(shield=True):
        await _in_a_thread(channel.close)
