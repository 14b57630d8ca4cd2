"""Where games are played: in a room in this process, or in rooms in worker processes.

Python runs one thread at a time, so a process that plays cannot read and write as well: with many tables,
games are played in workers, while this process has the bots' streams.
"""

from __future__ import annotations

import abc
import contextlib
import itertools
import os
import socket
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Protocol, TypeAlias

import trio

from arena.link.streams.bot_fault import Excused
from arena.link.streams.dial import BotFault
from arena.link.streams.moments import Moment, RefereeClock
from arena.link.streams.trio_thread import CombiningQueue, Failure, RefereeBug, in_trio
from arena.link.wire.messages import Decision
from arena.loading import await_end, program_of
from arena.runner.rooms.room import (
    HOLD,
    OURS,
    TICK,
    Abandon,
    CollectDeltas,
    Connect,
    Cut,
    Decided,
    Flush,
    GiveUp,
    Lost,
    Message,
    Open,
    Played,
    Room,
    Seating,
    Tick,
)
from arena.runner.rooms.room_state import Delta, SentRequest, Stream
from arena.runner.rooms.worker import (
    ConnectNumbered,
    SendTimes,
    WorkerInput,
    WorkerOutput,
    receive_frame,
    send_frame,
)

_END_LIMIT = 5.0  # seconds in which a worker ends that was let go

_WORTH_A_WORKER = 16
"""From so many tables on a worker brings more than passing messages to it costs."""

_TABLES_OF_A_WORKER = 64
"""With fewer, its messages get small."""


OnPlayed: TypeAlias = Callable[[Played], None]
OnVoid: TypeAlias = Callable[[Seating], None]


class WorkerDied(Exception):
    """A worker was ended before it was let go; the text is one sentence."""


class BotEvents(Protocol):
    """Where bots come, answer and go: `Room` says what that does. `decided` and `now` are for any thread."""

    def connect(self, player: int, stream: Stream) -> None: ...
    def lost(self, player: int, fault: BotFault) -> None: ...
    def cut(self, player: int, fault: BotFault) -> None: ...
    def give_up(self, player: int, fault: BotFault) -> None: ...
    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None: ...
    def now(self) -> Moment: ...


class Rooms(abc.ABC):
    """Where games are played: the interface of all kinds of rooms. To be made in trio's thread.

    Args:
        on_played: called in trio's thread with every finished game.
        on_void: called there with the seating of every game that was void.

    Attributes:
        on_deltas: called there with what `collect_deltas` asked for, and how tables ended of which it told.
    """

    def __init__(self, on_played: OnPlayed, on_void: OnVoid) -> None:
        self._on_played = on_played
        self._on_void = on_void
        self.on_deltas: Callable[[Sequence[Delta]], None] = lambda deltas: None
        self._failure = Failure()
        guarded = self._failure.guarded  # what goes wrong there `keep` raises
        # For any thread: each is called in trio's, in the same order.
        self._played_in_trio = in_trio(guarded(on_played))
        self._void_in_trio = in_trio(guarded(on_void))
        self._deltas_in_trio = in_trio(guarded(lambda deltas: self.on_deltas(deltas)))
        self._clock = RefereeClock(TICK)
        self.now = self._clock.now
        """The present moment; in any thread."""

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
        self._tell(Open(seating))

    def tables(self, concurrency: int) -> int:
        """How many tables are to be open where so many are to be played at once; in trio's thread."""
        return concurrency

    def recall(self) -> list[Seating]:
        """Takes back the tables that were opened and have not begun; in trio's thread."""
        return []

    def collect_deltas(self, anew: bool) -> None:
        """Has onlookers told what was played (see `Deltas.collect`); in trio's thread."""
        self._tell(CollectDeltas(anew))

    def abandon(self) -> None:
        """Ends all running games without a result; in trio's thread."""
        self._tell(Abandon())

    def connect(self, player: int, stream: Stream) -> None:
        """See `BotEvents`."""
        self._tell(Connect(player, stream))

    def lost(self, player: int, fault: BotFault) -> None:
        """See `BotEvents`."""
        reason = OURS if isinstance(fault, Excused) else fault.reason
        self._tell(Lost(player, reason, fault.message))

    def cut(self, player: int, fault: BotFault) -> None:
        """See `BotEvents`."""
        self._tell(Cut(player, fault.reason, fault.message))

    def give_up(self, player: int, fault: BotFault) -> None:
        """See `BotEvents`."""
        self._tell(GiveUp(player, fault.reason, fault.message))

    def decided(self, player: int, decisions: Sequence[Decision], read: Moment) -> None:
        """See `BotEvents`."""
        self._tell(Decided(player, decisions, read))

    async def keep(self) -> None:
        """Keeps the clocks, for ever.

        Raises RefereeBug where the referee itself goes wrong, in any thread
        or process: then nothing more is played, and what is not over is void.
        Raises WorkerDied where a process that plays was ended.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tick)
            nursery.start_soon(self._failure.wait)

    @abc.abstractmethod
    def close(self) -> None:
        """Ends what plays."""

    def hear(self, message: Message) -> None:
        """Has the rooms hear what other rooms heard first; in any thread."""
        self._tell(message)

    @abc.abstractmethod
    def _tell(self, message: Message) -> None:
        """Has the rooms that it concerns hear a message; in any thread."""

    async def _tick(self) -> None:
        self._clock.tick()
        try:
            while True:
                await trio.sleep(TICK / 1e9)
                self._tell(Tick(self._clock.tick()))
        finally:
            self._clock.rest()


class RoomInProcess(Rooms):
    """A room for all threads of this process. To be made in trio's thread.

    An answer need not wait for another thread to be played on with: at one table
    that is half of the referee's time.

    Args:
        on_played, on_void: see `Rooms`.
    """

    def __init__(self, on_played: OnPlayed, on_void: OnVoid) -> None:
        super().__init__(on_played, on_void)
        self._room = Room(self._played_in_trio, self._void_in_trio, self.now, on_deltas=self._deltas_in_trio)
        self._messages: CombiningQueue[Message] = CombiningQueue(self._hear, self._failure)
        self._holds = False  # whether what is held back waits for its time
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
        """Nothing is to be ended here."""

    async def keep(self) -> None:
        """See `Rooms.keep`."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(super().keep)
            nursery.start_soon(self._flush_held)

    def _tell(self, message: Message) -> None:
        self._messages.put(message)

    def _hear(self, messages: list[Message]) -> None:
        if self._failure.happened:
            return  # what went wrong may have left the room in any state
        if self._room.hear(messages) and not self._holds:
            self._holds = True
            self._mind_held()

    async def _flush_held(self) -> None:
        """Has what was held back flushed when its time has come."""
        while True:
            await self._held.wait()
            self._held = trio.Event()
            await trio.sleep(HOLD / 1e9)
            self._holds = False
            self._tell(Flush())


class RoomsInWorkers(Rooms):
    """The rooms of several workers, as one. To be made in trio's thread.

    A table stays in the room of one worker, and its number says in which, so that answers find their way.

    Args:
        workers: how many there are to be.
        on_played, on_void: see `Rooms`.
    """

    def __init__(self, workers: int, on_played: OnPlayed, on_void: OnVoid) -> None:
        super().__init__(on_played, on_void)
        self._stream_numbers = itertools.count()
        self._streams: dict[int, Stream] = {}  # by number
        self._stream_of: dict[int, int] = {}  # the number of a bot's stream
        self._workers = [
            _WorkerProcess(number, workers, self.now, self._failure) for number in range(workers)
        ]
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
                shares: dict[int, list[tuple[int, int, int]]] = {}  # plain, for pickling
                for table, turn, action in decisions:
                    shares.setdefault((table - 1) % len(self._workers), []).append((table, turn, action))
                for number, share in shares.items():
                    self._workers[number].messages.put(Decided(player, share, read))
            case Open():
                worker = min(self._workers, key=lambda each: each.opened - each.ended)
                worker.opened += 1
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

    def _tell_all(self, message: Message | ConnectNumbered) -> None:
        for worker in self._workers:
            worker.messages.put(message)

    def _listen(self, worker: _WorkerProcess) -> None:
        """The thread that listens to a worker."""
        for report in worker.reports():
            for stream_number, number, data, turns in report.sendings:
                stream = self._streams.get(stream_number)
                if stream is not None:
                    worker.on_the_way(number, stream.send(data, turns))
            worker.ended += len(report.played) + len(report.void)
            if report.deltas:
                self._deltas_in_trio(report.deltas)
            for played in report.played:
                self._played_in_trio(played)
            for seating in report.void:
                self._void_in_trio(seating)
        self._failure.note(worker.death())


class _WorkerProcess:
    """A worker's process, and this end of the connection to it.

    Attributes:
        messages: what its room is to hear.
        opened: how many tables were opened there so far.
        ended: how many of those tables have ended.
        decisions: how many turns were answered there so far.
        cpu: its CPU time so far, in nanoseconds.
    """

    def __init__(self, number: int, workers: int, now: Callable[[], Moment], failure: Failure) -> None:
        self._now = now
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._socket, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(
                program_of("arena.runner.rooms.worker", there.fileno(), number, workers),
                pass_fds=[there.fileno()],
                stderr=self._last_words,
                start_new_session=True,  # Ctrl-C is for the referee
            )
        self._connection = Connection(self._socket.dup().detach())
        self.messages: CombiningQueue[Message | ConnectNumbered] = CombiningQueue(self._send, failure)
        # Batches, each with its number, and whether the worker was told when it was queued.
        self._on_the_way: deque[tuple[int, SentRequest, bool]] = deque()
        self.opened = 0
        self.ended = 0
        self.decisions = 0
        self.cpu = 0

    def reports(self) -> Iterator[WorkerOutput]:
        """What it tells, until it ends."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                report = receive_frame(self._connection)
                self.decisions, self.cpu = report.decisions, report.cpu
                yield report

    def on_the_way(self, number: int, batch: SentRequest) -> None:
        """Its batch with this number is to be handed to the transport."""
        self._on_the_way.append((number, batch, False))

    def death(self) -> RefereeBug | WorkerDied:
        """Why it ended, which it has done or is about to do."""
        if self._process.wait() < 0:
            return WorkerDied("a process that plays tables was ended: see that nothing kills it")
        self._last_words.seek(0)
        return RefereeBug.from_report(self._last_words.read().decode(errors="replace"))

    def end(self) -> None:
        """Ends it."""
        self._socket.shutdown(socket.SHUT_WR)
        await_end(self._process, _END_LIMIT)
        self._socket.close()
        self._last_words.close()

    def _send(self, messages: list[Message | ConnectNumbered]) -> None:
        with contextlib.suppress(OSError):  # it has ended, and who listens to it says so
            send_frame(self._connection, WorkerInput(self._now().lag, self._stamps(), messages))

    def _stamps(self) -> list[SendTimes]:
        """The batches that were queued, or handed to the transport, since the last call, and when."""
        stamps = []
        for _ in range(len(self._on_the_way)):
            number, batch, told = self._on_the_way.popleft()
            sent = batch.sent
            if sent is None:
                self._on_the_way.append((number, batch, True))
            if sent is not None or not told:
                stamps.append((number, batch.queued, sent))
        return stamps


def open_rooms(workers: int, on_played: OnPlayed, on_void: OnVoid) -> Rooms:
    """Rooms in so many processes of their own, or here where that is 0.

    Args:
        on_played, on_void: see `Rooms`.
    """
    if workers:
        return RoomsInWorkers(workers, on_played, on_void)
    return RoomInProcess(on_played, on_void)


def workers_for(tables: int, bots: int) -> int:
    """How many workers it is best to have for so many tables, and bots, on this machine."""
    if tables < max(_WORTH_A_WORKER, bots):  # with hardly a table for each bot no turns travel together
        return 0
    return min(max(1, tables // _TABLES_OF_A_WORKER), os.cpu_count() or 1)
