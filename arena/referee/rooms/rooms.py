"""Runs rooms in threads: one room in this process, or one in each of several worker processes.

Python runs one thread at a time, so a process that plays cannot read and write at the same time. With many
tables, workers play the games, and this process has the bots' streams.
"""

from __future__ import annotations

import abc
import contextlib
import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import trio

from arena.link.streams.bot_fault import BotFault, Excused, Flood
from arena.link.streams.moments import Moment, RefereeClock
from arena.link.streams.trio_thread import CombiningQueue, Failure, RefereeBug, in_trio
from arena.link.wire.messages import Decision
from arena.processes.worker import HungUp, Worker, WorkerDied, WorkerFault, receive, send
from arena.referee.presence import State
from arena.referee.rooms.room import (
    HOLD,
    OURS,
    TICK,
    Abandon,
    CollectDeltas,
    CollectOpenTurns,
    Connect,
    Cut,
    Decided,
    Flush,
    GiveUp,
    Lost,
    Message,
    Open,
    Room,
    Stray,
    Tick,
)
from arena.referee.rooms.room_state import Delta, OpenTurn, SentRequest, Stream
from arena.referee.rooms.worker import ConnectNumbered, SendTimes, WorkerInput, WorkerOutput, play
from arena.tournament.seating import Played, Seating

_TELLING = 0.5  # seconds in which each room tells of its open turns

_WORTH_A_WORKER = 16
"""From so many tables on, a worker gains more than the messages to it cost."""

_TABLES_OF_A_WORKER = 64
"""With fewer tables a worker's messages get small."""


OnPlayed: TypeAlias = Callable[[Played], None]
OnVoid: TypeAlias = Callable[[Seating], None]


class BotChange(NamedTuple):
    """A change of a bot's presence, of which its keeper tells.

    Attributes:
        player: the bot's number.
        state: the state of the bot from now on.
        numbers: the instances whose own state has changed; empty if none of them is on this machine.
        became: their state from now on.
        stream: the connection, if they are here.
        fault: why they are not here.
    """

    player: int
    state: State
    numbers: Sequence[int] = ()
    became: State = State.COMING
    stream: Stream | None = None
    fault: BotFault | None = None


class BotEvents(Protocol):
    """Gets the events of bots. `decided` and `now` may be called in any thread."""

    def bot_changed(self, change: BotChange) -> None: ...
    def decided(self, number: int, decisions: Sequence[Decision], read: Moment) -> None: ...
    def now(self) -> Moment: ...


class Rooms(abc.ABC):
    """The interface of all kinds of rooms. To be made in trio's thread.

    An answer for a table that is over, or at which other bots sit, has no effect: it may be late. An answer
    for a table that never was is stray, and is charged at the oldest of the bot's tables that are open.

    Args:
        on_played: called in trio's thread with every finished game.
        on_void: called there with the seating of every game that was void.
        clock: tells the time, if not the referee's usual clock does.
    """

    def __init__(self, on_played: OnPlayed, on_void: OnVoid, clock: RefereeClock | None = None) -> None:
        self._on_played = on_played
        self._on_void = on_void
        self._deltas: list[Delta] = []  # that nobody has taken
        self._failure = Failure()
        guarded = self._failure.guarded  # `keep` raises their errors
        # For any thread: each is called in trio's, in the same order.
        self._played_in_trio = in_trio(guarded(on_played))
        self._void_in_trio = in_trio(guarded(on_void))
        self._deltas_in_trio = in_trio(self._deltas.extend)
        self._last_table = 0  # the number of the last table that was opened
        self._seated: dict[int, tuple[int, ...]] = {}  # who sits at each open table, the oldest first
        self._rooms = 1  # how many rooms tell of their open turns
        self._asking = trio.Lock()
        self._turns_told: list[list[OpenTurn]] = []  # by each room, since it was asked
        self._turns_came = trio.Event()
        self._turns_in_trio = in_trio(guarded(self._turns_are_told))
        self._clock = clock or RefereeClock(TICK)
        self.now = self._clock.now
        """Returns the present moment; in any thread."""

    @property
    @abc.abstractmethod
    def decisions(self) -> int:
        """How many turns were answered so far."""

    @property
    @abc.abstractmethod
    def worker_cpu(self) -> int:
        """The CPU time of other processes that play, so far, in nanoseconds."""

    def open(self, seating: Seating) -> None:
        """Opens a table (see `Room.open`); in trio's thread."""
        number = self._last_table + 1
        self._seated[number] = seating.numbers
        self._last_table = number
        self._tell(Open(seating, number))

    def tables(self, concurrency: int) -> int:
        """How many tables to open so that `concurrency` are played at once; in trio's thread."""
        return concurrency

    def recall(self) -> list[Seating]:
        """Removes and returns the games that were opened and have not begun; in trio's thread."""
        return []

    def collect_deltas(self, anew: bool) -> None:
        """Has all rooms tell soon what was played (see `Deltas.collect`); in trio's thread."""
        self._tell(CollectDeltas(anew))

    def take_deltas(self) -> list[Delta]:
        """Removes and returns what the rooms have told since the last call; in trio's thread."""
        deltas = self._deltas[:]
        self._deltas.clear()
        return deltas

    async def open_turns(self, one_of_each: bool = False) -> list[OpenTurn]:
        """The open turns of all rooms that answer at once, the longest first.

        Args:
            one_of_each: whether to tell of the longest turn of each bot in each room; if not, of the longest
                turns.
        """
        async with self._asking:
            self._turns_told = []
            self._tell(CollectOpenTurns(one_of_each))
            with trio.move_on_after(_TELLING):
                while len(self._turns_told) < self._rooms:
                    self._turns_came = trio.Event()
                    await self._turns_came.wait()
            return sorted(itertools.chain(*self._turns_told), key=lambda turn: -turn.waited)

    def _turns_are_told(self, turns: list[OpenTurn]) -> None:
        self._turns_told.append(turns)
        self._turns_came.set()

    def abandon(self) -> None:
        """Ends all running games without a result; in trio's thread."""
        self._tell(Abandon())

    def bot_changed(self, change: BotChange) -> None:
        """See `BotEvents`; `Room` explains what follows for its instances."""
        for number in change.numbers:
            self._tell(_message(number, change))

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `BotEvents`."""
        last = self._last_table
        begin = 0
        for end, (number, _, _, _) in enumerate(decisions):
            if not 0 < number <= last:
                if begin < end:
                    self._tell(Decided(player, decisions[begin:end], read))
                self._stray(player, number)
                begin = end + 1
        if begin < len(decisions):
            self._tell(Decided(player, decisions[begin:] if begin else decisions, read))

    def _stray(self, player: int, number: int) -> None:
        """Charges a bot for an answer for a table that never was; in any thread."""
        for at, numbers in list(self._seated.items()):
            if player in numbers:
                self._tell(Stray(player, number, at))
                return

    def _closed(self, number: int) -> None:
        """Notes that a table was closed; in any thread."""
        self._seated.pop(number, None)

    async def keep(self) -> None:
        """Ticks the clocks until cancelled.

        Raises RefereeBug if the referee itself fails, in any thread or process:
        then nothing more is played, and the running games are void. Raises
        WorkerDied if something killed a worker.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            nursery.start_soon(self._failure.wait)

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the workers, if there are any."""

    def hear(self, message: Message) -> None:
        """Passes on a message from other rooms; in any thread."""
        self._tell(message)

    @abc.abstractmethod
    def _tell(self, message: Message) -> None:
        """Passes a message to the rooms that it concerns; in any thread."""

    async def _tick(self) -> None:
        self._clock.tick()
        try:
            while True:
                await trio.sleep(TICK / 1e9)
                self._tell(Tick(self._clock.tick()))
        finally:
            self._clock.rest()


def _message(number: int, change: BotChange) -> Connect | Lost | Cut | GiveUp:
    """What a room is told of an instance."""
    stream, fault = change.stream, change.fault
    if stream is not None:
        return Connect(number, stream)
    assert fault is not None
    if change.became.forfeits:
        return GiveUp(number, fault.reason, fault.message)
    if isinstance(fault, Flood):
        return Cut(number, fault.reason, fault.message)
    return Lost(number, OURS if isinstance(fault, Excused) else fault.reason, fault.message)


class RoomInProcess(Rooms):
    """A room in this process, which any thread may enter. To be made in trio's thread.

    The thread that reads an answer also plays on: at one table this halves the
    referee's time.

    Args:
        on_played, on_void, clock: see `Rooms`.
    """

    def __init__(self, on_played: OnPlayed, on_void: OnVoid, clock: RefereeClock | None = None) -> None:
        super().__init__(on_played, on_void, clock)
        self._played: list[Played] = []  # games whose ends are not sent yet
        self._void: list[Seating] = []
        self._room = Room(
            self._played.append,
            self._void.append,
            self.now,
            on_closed=self._closed,
            on_stray=self._stray,
            on_deltas=self._deltas_in_trio,
            on_open_turns=self._turns_in_trio,
        )
        self._messages: CombiningQueue[Message] = CombiningQueue(self._hear, self._failure)
        self._holds = False  # whether `_flush_held` has to flush
        self._held = trio.Event()
        self._mind_held = in_trio(lambda: self._held.set())

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return self._room.decisions

    @property
    def worker_cpu(self) -> int:
        """No other process plays."""
        return 0

    def close(self) -> None:
        """Does nothing: there is no other process."""

    async def keep(self) -> None:
        """See `Rooms.keep`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().keep)
            nursery.start_soon(self._flush_held)

    def _tell(self, message: Message) -> None:
        self._messages.put(message)

    def _hear(self, messages: list[Message]) -> None:
        if self._failure.happened:
            return  # the error may have left the room in any state
        try:
            if self._room.hear(messages) and not self._holds:
                self._holds = True
                self._mind_held()
        finally:  # also after an error, finished games are reported
            self._report()

    def _report(self) -> None:
        """Reports games that are over; their ends are sent before, since the streams may end then."""
        for report, over in ((self._played_in_trio, self._played), (self._void_in_trio, self._void)):
            for each in over:
                report(each)
            over.clear()

    async def _flush_held(self) -> None:
        """Flushes what was held back after `HOLD`."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._holds = False
            self._tell(Flush())


class RoomsInWorkers(Rooms):
    """The rooms of several workers together. To be made in trio's thread.

    A table stays in the room of one worker.

    Args:
        workers: how many workers to start.
        on_played, on_void: see `Rooms`.
    """

    def __init__(self, workers: int, on_played: OnPlayed, on_void: OnVoid) -> None:
        super().__init__(on_played, on_void)
        self._rooms = workers
        self._stream_numbers = itertools.count()
        self._streams: dict[int, Stream] = {}  # by number
        self._stream_of: dict[int, int] = {}  # the number of a bot's stream
        self._worker_of: dict[int, _RoomElsewhere] = {}  # that of each open table
        self._workers = [_RoomElsewhere(self.now, self._failure) for _ in range(workers)]
        listen = self._failure.guarded(self._listen)
        for worker in self._workers:
            threading.Thread(target=listen, args=(worker,), name="arena-worker", daemon=True).start()

    @property
    def decisions(self) -> int:
        """How many turns were answered so far."""
        return sum(worker.decisions for worker in self._workers)

    @property
    def worker_cpu(self) -> int:
        """The CPU time of the workers so far, in nanoseconds."""
        return sum(worker.cpu for worker in self._workers)

    def close(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            worker.end()

    def _tell(self, message: Message) -> None:
        match message:
            case Decided(player, decisions, read):
                shares: dict[_RoomElsewhere, list[Decision]] = {}
                for decision in decisions:
                    if (of := self._worker_of.get(decision[0])) is not None:
                        shares.setdefault(of, []).append(decision)
                for of, share in shares.items():
                    of.messages.put(Decided(player, share, read))
            case Stray(_, _, at):
                if (of := self._worker_of.get(at)) is not None:  # it is opened
                    of.messages.put(message)
            case Open(_, number):
                worker = min(self._workers, key=lambda each: each.opened - each.ended)
                worker.opened += 1
                self._worker_of[number] = worker
                worker.messages.put(message)
            case Connect(player, stream):
                number = self._stream_of[player] = next(self._stream_numbers)
                self._streams[number] = stream
                self._tell_all(ConnectNumbered(player, number))
            case Lost(player) | Cut(player) | GiveUp(player):
                self._streams.pop(self._stream_of.pop(player, -1), None)
                self._tell_all(message)
            case _:
                self._tell_all(message)

    def _closed(self, number: int) -> None:
        super()._closed(number)
        self._worker_of.pop(number, None)

    def _tell_all(self, message: Message | ConnectNumbered) -> None:
        for worker in self._workers:
            worker.messages.put(message)

    def _listen(self, worker: _RoomElsewhere) -> None:
        """Handles the reports of a worker, in a thread of its own."""
        for report in worker.reports():
            for stream_number, number, data, turns in report.sendings:
                stream = self._streams.get(stream_number)
                if stream is not None:
                    worker.on_the_way(number, stream.send(data, turns))
            worker.ended += len(report.closed)
            for number in report.closed:
                self._closed(number)
            for player, number in report.strays:
                self._stray(player, number)
            if report.deltas:
                self._deltas_in_trio(report.deltas)
            for told in report.open_turns:
                self._turns_in_trio(told)
            for played in report.played:
                self._played_in_trio(played)
            for seating in report.void:
                self._void_in_trio(seating)
        self._failure.note(worker.death())


class _RoomElsewhere:
    """The room of a worker, and this end of the connection to it.

    Attributes:
        messages: the queue of messages to its room.
        opened: how many tables were opened there so far.
        ended: how many of those tables are closed.
        decisions: how many turns were answered there so far.
        cpu: its CPU time so far, in nanoseconds.
    """

    def __init__(self, now: Callable[[], Moment], failure: Failure) -> None:
        self._now = now
        self._worker = Worker("plays tables", play)
        self.messages: CombiningQueue[Message | ConnectNumbered] = CombiningQueue(self._send, failure)
        # Sent requests: number, request, and whether the worker knows when it was queued.
        self._on_the_way: deque[tuple[int, SentRequest, bool]] = deque()
        self.opened = 0
        self.ended = 0
        self.decisions = 0
        self.cpu = 0

    def reports(self) -> Iterator[WorkerOutput]:
        """Yields its reports until it ends."""
        connection = self._worker.connection
        with contextlib.suppress(HungUp):
            while True:
                report: WorkerOutput = receive(connection)
                self.decisions, self.cpu = report.decisions, report.cpu
                yield report

    def on_the_way(self, number: int, request: SentRequest) -> None:
        """Notes a PlayRequest of the worker that was given to a stream."""
        self._on_the_way.append((number, request, False))

    def death(self) -> RefereeBug | WorkerDied:
        """Waits for its end, and returns why it ended."""
        death = self._worker.death()
        return RefereeBug.of(death) if isinstance(death, WorkerFault) else death

    def end(self) -> None:
        """Ends the worker."""
        self._worker.end()

    def _send(self, messages: list[Message | ConnectNumbered]) -> None:
        with contextlib.suppress(HungUp):  # it has ended; `_listen` reports that
            send(self._worker.connection, WorkerInput(self._now().lag, self._send_times(), messages))

    def _send_times(self) -> list[SendTimes]:
        """The send times of the requests that were queued, or taken by the transport, since the last call."""
        times = []
        for _ in range(len(self._on_the_way)):
            number, request, told = self._on_the_way.popleft()
            sent = request.sent
            if sent is None:
                self._on_the_way.append((number, request, True))
            if sent is not None or not told:
                times.append((number, request.queued, sent))
        return times


def open_rooms(workers: int, on_played: OnPlayed, on_void: OnVoid) -> Rooms:
    """Makes rooms in so many worker processes; for 0, one room in this process.

    Args:
        on_played, on_void: see `Rooms`.
    """
    if workers:
        return RoomsInWorkers(workers, on_played, on_void)
    return RoomInProcess(on_played, on_void)


def workers_for(tables: int, bots: int) -> int:
    """The best number of workers on this machine for so many tables and bots."""
    if tables < max(_WORTH_A_WORKER, bots):  # with few tables per bot, no turns are sent together
        return 0
    return min(max(1, tables // _TABLES_OF_A_WORKER), os.cpu_count() or 1)
