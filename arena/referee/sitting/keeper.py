"""Keepers: each keeps the connection to one entrant's bot, and restores it after a loss.

A keeper owns the `Presence` of its bot: the state of each instance, and so of the bot. The states, and which
of them may follow another, stand in `arena.referee.presence`. An instance is

* COMING while its keeper brings it up: a `Dialler` starts it, or dials it where it already runs; a
  `GuestKeeper` waits until it dials in;
* HERE while its stream lasts; it plays;
* LOST after its stream has ended, while its keeper brings it up once more. Then it is HERE again.

Three events concern all instances of a bot at once. From then on its turns end with a fault.

* A guest is ABSENT if the games begin before it has come. Its keeper goes on waiting, and when the guest
  dials in, it is HERE.
* A bot is GONE, and its keeper stops, if an instance does not come up when it is first started, fails to
  start `START_ATTEMPTS` times in a row after a loss, or floods its connection: `CUTS` floods of all instances
  are enough.
* A bot is DISMISSED, and its keeper stops, after `Keeper.dismiss`, as for a withdrawal.

Each change goes through `Keeper._become`, which tells the sitting. `Keeper.say` tells people in words.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import trio

from arena.face import NO_FACE, Face
from arena.league.entrants import Entrant
from arena.link.lobby.lobby import Guest
from arena.link.local.containment.starting import CANNOT_START, EXIT_CODE
from arena.link.local.process import BotProcess, running_bot
from arena.link.streams.bot_fault import BotFault, Excused, Flood
from arena.link.streams.dial import BotInfo, Channel, NotThere, ask_for_bytes, describe, open_channel
from arena.link.streams.flood import CUTS, POLL, Line, Meter
from arena.link.streams.stream import PlayStream, dial
from arena.link.streams.trio_thread import RefereeBug, unwrapped
from arena.link.tls.address import read_address
from arena.referee.presence import Presence, State
from arena.referee.rooms.room_state import Stream
from arena.referee.rooms.rooms import BotChange, BotEvents
from arena.text import one_line
from arena.tournament.instances import instance_number

DESCRIBE_TIMEOUT = 10.0
"""How long a bot may take to start and describe itself, in seconds."""

LONGEST = 60.0
"""The most that it may take on a machine that is too busy to let it run, in seconds."""

START_ATTEMPTS = 3
"""After so many failed starts in a row a bot is given up."""

_QUOTED = 200  # characters of a bot's words in a sentence for people; all are in its log and in the record
_FAREWELL = 1.0  # seconds that a bot may take to end its stream when it is released
_RETRY_PAUSE = 1.0  # seconds between attempts to reach a remote bot
_EXIT_NOTICE = 0.5  # seconds after the end of a stream in which its process may be found crashed
_LETTING_GO = 1.0  # seconds that gRPC may take to close a connection
_STRETCH = 0.25  # seconds; the start time is counted in such stretches

Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True, slots=True)
class Attendance:
    """News of a bot, for people.

    Attributes:
        entrant: the bot's entrant.
        what: one sentence without its subject and full stop, such as `was lost: ...`.
        came: whether all instances of the bot have ever connected (`Presence.came`).
        here: whether it is here now.
        fault: why it was lost, or did not start; None for other news.
    """

    entrant: Entrant
    what: str
    came: bool
    here: bool
    fault: BotFault | None = None


Tell: TypeAlias = Callable[[Attendance], None]
"""Called with news of a bot."""


class Keeper(abc.ABC):
    """Keeps the connection to one entrant's bot, as long as it can be restored (see the module).

    The bot is released within seconds: by `close` when the tournament is over, or
    by cancelling `run`. A bot that dialled in is told which.

    Args:
        player: the bot's number.
        entrant: the bot's entrant.
        events: gets the events of the bot; usually a sitting.
        tell: called with news for people.
        instances: how many instances the bot has.

    Attributes:
        presence: whether the bot is here.
        settled: set once the bot is HERE for the first time, or nobody waits for it.
        info: the bot's description of itself; None before it has connected.
    """

    def __init__(
        self, player: int, entrant: Entrant, events: BotEvents, tell: Tell, instances: int = 1
    ) -> None:
        self.player = player
        self.entrant = entrant
        self.presence = Presence([instance_number(player, instance) for instance in range(instances)])
        self.settled = trio.Event()
        self.info: BotInfo | None = None
        self._events = events
        self._tell = tell
        self._staying = trio.CancelScope()
        self._floods = 0  # after which it was cut off
        # Asks the bot for its bytes for the deals; None while it is not connected.
        self._ask_bytes: Callable[[bytes, bytes, bytes, float], bytes] | None = None

    @property
    def limit(self) -> int:
        """How many tables each instance of the bot can play at once; 0 for any number."""
        return 0 if self.info is None else self.info.max_tables

    @property
    def instances(self) -> int:
        """How many instances the bot has."""
        return len(self.presence.numbers)

    @property
    def face(self) -> Face:
        """What decorates the bot's name, as far as it is known."""
        bot, told = self.entrant.bot, NO_FACE if self.info is None else Face(self.info.language)
        return told if bot is None else Face(bot.language or told.language, bot.emblem)

    async def run(self) -> None:
        """Connects the bot, and again after each loss, until `close`."""
        with self._staying:
            await self._keep()

    @abc.abstractmethod
    async def _keep(self) -> None:
        """Connects the bot, and again after each loss, until cancelled."""

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        """Asks the bot for the bytes that it has pledged. To be called once, after all pledges.

        Args:
            pledge: its pledge, perhaps from before a restart.
            commitment: the commitment to the tournament's key.
            pledges: the digest of all pledges.

        Raises BotFault if it does not give them.
        """
        ask = self._ask_bytes
        if ask is None:
            raise BotFault("disconnect", "is not there")
        return await in_a_thread(lambda: ask(pledge, commitment, pledges, DESCRIBE_TIMEOUT))

    def close(self) -> None:
        """Releases the bot because the tournament is over: `run` ends soon after."""
        self._staying.cancel()

    def dismiss(self, why: BotFault) -> None:
        """Releases the bot for good: each later turn of it ends at once with this fault."""
        self._become(State.DISMISSED, fault=why)
        self.close()

    def say(self, what: str, fault: BotFault | None = None) -> None:
        """Tells people what happened to the bot, and whether it is here."""
        presence = self.presence
        self._tell(Attendance(self.entrant, what, presence.came, presence.state is State.HERE, fault))

    async def _play(
        self, connect: Callable[[PlayStream], None], number: int, meter: Meter | None = None
    ) -> BotFault:
        """Plays over a new stream until it ends; returns why. Releases the bot when cancelled.

        Args:
            connect: begins the stream.
            number: the instance's number.
            meter: measures the traffic of the connection, if the referee has dialled.

        Raises RefereeBug.
        """
        ended = trio.Event()
        loss: BotFault | RefereeBug | None = None

        def on_end(fault: BotFault | RefereeBug | None) -> None:
            nonlocal loss
            loss = fault
            ended.set()

        stream = PlayStream(partial(self._events.decided, number), on_end, self._events.now, meter)
        connect(stream)
        again = self.presence.of(number) is State.LOST
        self._become(State.HERE, number, stream=stream)
        if self.presence.state is State.HERE:
            self.say("is in again" if again else "is in")
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_repeat, stream.check_cost)  # which cuts a flood
                await ended.wait()
                nursery.cancel_scope.cancel()
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

    def _become(
        self,
        state: State,
        number: int | None = None,
        *,
        stream: Stream | None = None,
        fault: BotFault | None = None,
    ) -> bool:
        """Notes what has happened, and tells the sitting; returns whether it changed anything.

        Args:
            state: the state that it leads to.
            number: the instance to which it has happened; None for all of them.
            stream: the connection, if the instance is here.
            fault: why it is not here.
        """
        changed = self.presence.note(state, self.presence.numbers if number is None else [number], fault)
        if changed:
            self._changed(BotChange(self.player, self.presence.state, changed, state, stream, fault))
        return bool(changed)

    def _changed(self, change: BotChange) -> None:
        """Tells the sitting of a change."""
        if not change.state.awaited:
            self.settled.set()
        self._events.bot_changed(change)

    def _give_up(self, fault: BotFault) -> None:
        """Gives the bot up for good: its turns end at once with this fault."""
        self._become(State.GONE, fault=fault)

    def _lose(self, number: int, loss: BotFault, then: str) -> None:
        """Reports the loss of an instance; gives the bot up after too many floods."""
        why = one_line(loss.message, _QUOTED)
        flood = isinstance(loss, Flood)
        self._floods += flood
        if flood and self._floods >= CUTS:
            self._give_up(loss)
            self.say(f"was cut off for good: {why}", loss)
        elif self._become(State.LOST, number, fault=loss):
            self.say(f"was {'cut off' if flood else 'lost'}: {why} {then}", loss)


class Start(NamedTuple):
    """How a local bot is started.

    Attributes:
        first: a context that is entered during the first start of the bot, such as a limiter.
        processors: the numbers of the processors that it may use; empty for those of this process.
        instances: how many instances it has; a bot that is not local has one.
    """

    first: AbstractAsyncContextManager[object] = nullcontext()
    processors: Sequence[int] = ()
    instances: int = 1


_ALONE = Start()


class Dialler(Keeper):
    """Keeps a bot that serves: starts it if it is local, and dials it.

    Args:
        player, entrant, events, tell: see `Keeper`.
        log: the file for the output of a local bot; further instances have files beside it.
        start: how a local bot is started.
        patience: how long it may take to start and describe itself, in seconds.

    Attributes:
        log, patience: as given.
        process: the last process of a local bot's first instance; None before its first start.
        channel: the channel to the bot's first instance; None while it is not connected.
        listened: whether it has ever listened.
        tried: set when it listens for the first time, or is given up.
    """

    _longest = LONGEST

    def __init__(
        self,
        player: int,
        entrant: Entrant,
        events: BotEvents,
        tell: Tell,
        log: Path,
        start: Start = _ALONE,
        patience: float = DESCRIBE_TIMEOUT,
    ) -> None:
        super().__init__(player, entrant, events, tell, 1 if entrant.bot is None else start.instances)
        self.log = log
        self._start = start
        self.patience = patience
        self._trying = trio.CancelScope()
        self.process: BotProcess | None = None
        self.channel: Channel | None = None
        self.listened = False
        self.tried = trio.Event()

    async def _keep(self) -> None:
        with self._trying:
            async with trio.open_nursery() as nursery:
                for number in self.presence.numbers:
                    nursery.start_soon(self._keep_instance, number)

    def _give_up(self, fault: BotFault) -> None:
        super()._give_up(fault)
        self.tried.set()
        self._trying.cancel()  # one failed instance ends all

    async def _keep_instance(self, number: int) -> None:
        failures = 0
        first = nullcontext() if self.entrant.bot is None else self._start.first
        while not self.presence.state.final:
            is_first = self.presence.of(number) is State.COMING
            try:
                await self._dial_and_play(number, first if is_first else nullcontext())
                failures = 0
            except BotFault as fault:
                failures += 1
                self.say(fault.message, fault)
                if failures >= START_ATTEMPTS or is_first:
                    self._give_up(fault)
                    return
            if self.entrant.bot is None:
                await trio.sleep(_RETRY_PAUSE)

    async def _dial_and_play(self, number: int, start: AbstractAsyncContextManager[object]) -> None:
        """Plays until the instance is lost. Raises BotFault if it does not start."""
        async with AsyncExitStack() as stack:
            async with start:
                process, channel, meter = await self._come_up(number, stack)
            if number == self.player:
                self.channel, self._ask_bytes = channel, partial(ask_for_bytes, channel)
            loss = await self._play(lambda stream: dial(channel, stream), number, meter)
            if number == self.player:
                self.channel = self._ask_bytes = None
            if process is not None and not isinstance(loss, Flood):
                code = await exit_code_of(process)
                if code is not None:
                    loss = BotFault("crash", f"the bot's process ended with exit code {code}")
            started = f"and is started again; see {self._log_of(number)}"
            self._lose(number, loss, "and is dialled again" if process is None else started)

    async def _come_up(self, number: int, stack: AsyncExitStack) -> tuple[BotProcess | None, Channel, Meter]:
        """Starts the bot if it is local, and asks it to describe itself; `stack` ends it. Raises BotFault."""
        if self.entrant.bot is None:
            return None, *await self._in_time(lambda: self._ask(number, stack, None), None)
        process = await stack.enter_async_context(
            running_bot(
                self.entrant.bot,
                self._log_of(number),
                processors=self._start.processors,
                sandbox=self.entrant.sandbox,
            )
        )
        if number == self.player:
            self.process = process
        try:
            return process, *await self._in_time(lambda: self._ask(number, stack, process), process)
        except BotFault as fault:
            if fault.reason == "timeout":
                raise BotFault("timeout", fault.message, f" (see {process.log})") from None
            raise

    async def _in_time(self, come_up: Callable[[], Awaitable[Result]], process: BotProcess | None) -> Result:
        """What `come_up` returns. Raises BotFault if it does, or if it takes too long."""
        starved = process.starved if process is not None else lambda: 0.0
        return await patiently(come_up, starved, self.patience)

    def _meter(self, line: Line) -> Meter:
        """Measures the traffic of a connection to the bot."""
        return Meter(line)

    def _log_of(self, number: int) -> Path:
        """The file for an instance's output. (Through a shared file, instances could signal each other.)"""
        instance = self.presence.numbers.index(number)
        return self.log.with_name(f"{self.log.stem}#{instance + 1}.log") if instance else self.log

    async def _ask(
        self, number: int, stack: AsyncExitStack, process: BotProcess | None
    ) -> tuple[Channel, Meter]:
        """Dials the bot once it listens, and asks it to describe itself. Raises BotFault."""
        if process is not None and not await process.wait_listening():
            last = process.log_tail().rpartition("\n")[2]
            what = f"ended with exit code {process.exit_code} before it listened"
            if process.exit_code == EXIT_CODE and last.startswith(CANNOT_START):
                what, last = "cannot be started", last.removeprefix(CANNOT_START)
            raise BotFault("crash", what, f"{': ' if last else ''}{last} (see {process.log})")
        address = self.entrant.address if process is None else process.address
        assert address is not None
        channel = await self._channel_to(address)
        self.listened = True
        self.tried.set()
        if process is None:
            where = read_address(address)
            assert where is not None, address
            place = where.plain  # without its certificate
        else:
            place = process.place
        line = await in_a_thread(lambda: Line(place))
        stack.push_async_callback(_close, channel, line)
        meter = self._meter(line)
        info = await watched(lambda: describe(channel, self._longest), meter)
        if number == self.player or self.info is None:
            self.info = info  # the first instance is asked for the bytes that it has pledged
        return channel, meter

    async def _channel_to(self, address: str) -> Channel:
        """Opens a channel to the bot as soon as possible. Raises BotFault."""
        if self.entrant.address is None:
            return open_channel(address)
        while True:
            try:
                return await in_a_thread(lambda: open_channel(address, self.entrant.shown))
            except NotThere:
                await trio.sleep(_RETRY_PAUSE)


class Ending(Protocol):
    """A bot's process that may be about to end; see `BotProcess`."""

    async def wait(self) -> int: ...
    def waited(self) -> dict[str, float]: ...
    def starved(self, since: Mapping[str, float] | None = None) -> float: ...


async def exit_code_of(process: Ending) -> int | None:
    """The exit code of a process whose stream has ended; None if it goes on running.

    On a busy machine its supervisor may need a while to see its end.
    """
    waited = process.waited()
    with suppress(BotFault):
        return await patiently(process.wait, lambda: process.starved(waited), _EXIT_NOTICE)
    return None


async def _close(channel: Channel, line: Line) -> None:
    """Closes a channel, and ends its calls.

    If the bot does not read, gRPC waits for ever or leaves the connection open: so the
    connection is closed as well.
    """
    with trio.move_on_after(_LETTING_GO, shield=True):
        await in_a_thread(channel.close)
    line.hang_up()


_NOT_YET = BotFault("disconnect", "the bot has not joined yet")

_REFUSALS = {
    State.GONE: "was cut off too often, for it floods its connection",
    State.DISMISSED: "was withdrawn from the tournament",
}
"""Why the lobby refuses a guest, by the guest's state."""


class GuestKeeper(Keeper):
    """Keeps a guest: waits for it in the lobby, and again after each loss."""

    def __init__(self, player: int, entrant: Entrant, events: BotEvents, tell: Tell) -> None:
        super().__init__(player, entrant, events, tell)
        self._put_guest, self._guests = trio.open_memory_channel[Guest](math.inf)

    @property
    def refusal(self) -> str | None:
        """Why the lobby refuses the bot, as the end of a sentence about it; None if it may dial in."""
        return _REFUSALS.get(self.presence.state)

    def arrived(self, guest: Guest) -> None:
        """Takes a bot that has dialled in; the lobby lets in one at a time."""
        self._put_guest.send_nowait(guest)

    def start_without(self) -> None:
        """Gives the bot up for now: until it dials in, its turns end at once with a fault."""
        if self._become(State.ABSENT, fault=_NOT_YET):
            self.say("is not there; it may still join")

    async def _keep(self) -> None:
        while not self.presence.state.final:
            guest = await self._guests.receive()
            self.info, self._ask_bytes = guest.info, guest.bytes_for_deals
            loss = await self._play(guest.take_up, self.player)
            self._ask_bytes = None
            if loss.reason == "disconnect" and not await in_a_thread(guest.has_door):
                loss = Excused("the lobby's door ended, which is no fault of the bot's,")
            self._lose(self.player, loss, "and may come back with its token")


async def patiently(
    come_up: Callable[[], Awaitable[Result]],
    starved: Callable[[], float] = lambda: 0.0,
    patience: float = DESCRIBE_TIMEOUT,
) -> Result:
    """Waits while a bot starts, for a limited time; returns what `come_up` returns.

    The time is counted in short stretches, so that a pause of the referee itself
    counts as one stretch. The time that the bot waited for a processor does not
    count.

    Args:
        come_up: the start; cancelled when it takes too long.
        starved: returns how long the bot has waited for a processor so far, in seconds.
        patience: how long it may take, in seconds.

    Raises BotFault if `come_up` does, or if it takes too long.
    """
    with unwrapped(BotFault):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_in_time, nursery.cancel_scope, starved, patience)
            result = await come_up()
            nursery.cancel_scope.cancel()
            return result
    raise BotFault("timeout", f"did not come up in {patience:.0f} s")


async def _cancel_in_time(scope: trio.CancelScope, starved: Callable[[], float], patience: float) -> None:
    taken, granted = 0.0, patience
    while taken < granted:
        await trio.sleep(_STRETCH)
        taken += _STRETCH
        if taken >= granted:
            granted = min(patience + starved(), LONGEST)
    scope.cancel()


async def _repeat(look: Callable[[], object]) -> None:
    """Measures the traffic of a bot's connection a few times a second, until cancelled.

    All bots' connections are measured at the same moments, which wakes this thread once for all of them.
    """
    while True:
        await trio.sleep_until((trio.current_time() // POLL + 1) * POLL)
        look()


async def watched(call: Callable[[], Result], meter: Meter) -> Result:
    """Calls a function that waits for a bot's answer in a thread, which is abandoned when cancelled.

    Args:
        call: the function.
        meter: measures the traffic of the bot's connection.

    Raises what the function does, and Flood if the bot floods its connection meanwhile.
    """

    def metered() -> Result:
        meter.follow(threading.get_native_id())
        try:
            return call()
        finally:
            meter.follow(None)

    with unwrapped(BotFault):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_repeat, partial(meter.check, 0, wakes=False))
            result = await in_a_thread(metered)
            nursery.cancel_scope.cancel()
            return result
    raise AssertionError("cancelled by nobody")


async def in_a_thread(call: Callable[[], Result]) -> Result:
    """Calls a blocking function in a thread of its own, which is abandoned when cancelled."""
    return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1))
