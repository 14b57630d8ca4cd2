"""Rooms in processes of their own: games are played there, while this process has the bots' streams.

Python runs one thread at a time, so a process that plays cannot read and write
as well. A table stays in the room of one worker, and its number says in which,
so that answers find their way there.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from arena.link.streams.moments import Moment
from arena.link.streams.trio_thread import CombiningQueue, Failure, RefereeBug
from arena.loading import await_end, program_of
from arena.runner.rooms.messages import Connect, Cut, Decided, GiveUp, Lost, Message, Open
from arena.runner.rooms.room import Batch, Played, Seating, Stream
from arena.runner.rooms.rooms import Rooms
from arena.runner.rooms.worker import ConnectNumbered, Post, Report, Stamp, receive_frame, send_frame

_END_LIMIT = 5.0  # seconds in which a worker ends that was let go


class WorkerDied(Exception):
    """A worker was ended before it was let go; the text is one sentence."""


class RoomsInWorkers(Rooms):
    """The rooms of several workers, as one. To be made in trio's thread.

    Args:
        workers: how many there are to be.
        on_played, on_void: see `Rooms`.
    """

    def __init__(
        self, workers: int, on_played: Callable[[Played], None], on_void: Callable[[Seating], None]
    ) -> None:
        super().__init__(on_played, on_void)
        self._stream_numbers = itertools.count()
        self._streams: dict[int, Stream] = {}  # by number
        self._stream_of: dict[int, int] = {}  # the number of a bot's stream
        self._workers = [_Worker(number, workers, self.now, self._failure) for number in range(workers)]
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

    def _listen(self, worker: _Worker) -> None:
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


class _Worker:
    """A worker's process, and this end of the connection to it.

    Attributes:
        messages: what its room is to hear.
        opened: how many tables were opened there so far.
        ended: how many of these have ended.
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
        self._on_the_way: deque[tuple[int, Batch, bool]] = (
            deque()
        )  # and whether it was told when it was queued
        self.opened = 0
        self.ended = 0
        self.decisions = 0
        self.cpu = 0

    def reports(self) -> Iterator[Report]:
        """What it tells, until it ends."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                report = receive_frame(self._connection)
                self.decisions, self.cpu = report.decisions, report.cpu
                yield report

    def on_the_way(self, number: int, batch: Batch) -> None:
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
            send_frame(self._connection, Post(self._now().lag, self._stamps(), messages))

    def _stamps(self) -> list[Stamp]:
        """The batches that were queued, or handed to the transport, since the last call, and when."""
        stamps = []
        for _ in range(len(self._on_the_way)):
            number, batch, told = self._on_the_way.popleft()
            sent = batch.sent
            if sent is None:
                self._on_the_way.append((number, batch, True))
            if sent is not None or not told:
                stamps.append(Stamp(number, batch.queued, sent))
        return stamps
