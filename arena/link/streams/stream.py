"""The bridge between trio and one bot's stream of play requests and responses.

gRPC's synchronous streams run in threads: one takes requests from an iterator,
one reads responses. The writing thread gets encoded batches through a queue, and
notes the moment when it hands them to gRPC. The reading thread notes the
moment when it reads an answer. A bot is charged for the time between the two, and
not for the referee's work before and after. It makes no difference which side
dialled: `dial` is for a bot that serves, the lobby for a guest.
An error in either thread that is not the bot's ends the stream as a RefereeBug.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator

import grpc

from arena.link.streams.bot_fault import BotFault, Flood
from arena.link.streams.dial import fault_of_status
from arena.link.streams.flood import LONG_MESSAGE, Meter
from arena.link.streams.moments import Moment
from arena.link.streams.polling import begun_since
from arena.link.streams.trio_thread import RefereeBug, in_trio
from arena.link.streams.waits import wait_long
from arena.link.wire.codec import BadMessage
from arena.link.wire.convert import wire_in
from arena.link.wire.messages import Decision, decode_decisions
from arena.v1 import bot_pb2

BABBLE_LIMIT = 100
"""How many messages or decisions a bot may send beyond those asked for, before it is cut off."""

wait_long()

_BABBLE_BYTES = 1 << 20  # the same limit in bytes
_BYTES_PER_TURN = 2000  # a decision has about ten, and with a thought up to 1500


class Batch:
    """One encoded PlayRequest on its way.

    Attributes:
        data: the encoded message.
        turns: how many turns it has.
        queued: when it was queued.
        sent: when it was handed to gRPC; None before.
    """

    __slots__ = ("data", "queued", "sent", "turns")

    def __init__(self, data: bytes, turns: int, queued: Moment) -> None:
        self.data = data
        self.turns = turns
        self.queued = queued
        self.sent: Moment | None = None


class PlayStream:
    """One bot's stream. To be made in trio's thread.

    Args:
        on_decisions: called in the reading thread with the decisions of a
            response and when they were read.
        on_end: called once in trio's thread when the stream has ended, with the
            bot's fault, the referee's own bug, or None if it ended in order
            after `finish`.
        now: tells the moment, in any thread.
        meter: measures the connection's cost; None if the door does.

    Attributes:
        stopped: whether it was finished before the end of the tournament.
        meter: measures the connection's cost.
    """

    def __init__(
        self,
        on_decisions: Callable[[list[Decision], Moment], None],
        on_end: Callable[[BotFault | RefereeBug | None], None],
        now: Callable[[], Moment],
        meter: Meter | None = None,
    ) -> None:
        self._on_decisions = on_decisions
        self._on_end = in_trio(on_end)
        self._now = now
        self._bug: RefereeBug | None = None  # an error in the writing thread
        self._queue: queue.SimpleQueue[Batch | bytes | None] = queue.SimpleQueue()
        self._asked = 0
        self._finishing = False
        self.stopped = False
        self.meter = meter or Meter()
        self._messages = 0  # both ways, so far; a long one counts as several
        self._cut = False
        self._hang_up: Callable[[], object] = lambda: None

    def send(self, data: bytes, turns: int) -> Batch:
        """Queues an encoded PlayRequest with so many turns; in any thread."""
        batch = Batch(data, turns, self._now())
        self._queue.put(batch)
        return batch

    def say(self, message: bytes) -> None:
        """Queues an encoded message that is no PlayRequest, for a guest's stream; in any thread."""
        self._queue.put(message)

    def finish(self, over: bool = True) -> None:
        """Ends the stream in order; `over`: the tournament is over too."""
        self._finishing = True
        self.stopped = not over
        self._queue.put(None)

    def break_off(self) -> None:
        """Sends no more requests; the server of the stream then ends it. In any thread."""
        self._queue.put(None)

    def cancel(self) -> None:
        """Ends the stream at once; `on_end` follows."""
        self._queue.put(None)
        self._hang_up()

    def check_cost(self) -> None:
        """Measures the connection's cost, and cuts it if that is too much; to be called regularly."""
        try:
            self.meter.check(self._messages)
        except Flood as flood:
            self.cut(flood)

    def cut(self, fault: BotFault) -> None:
        """Ends the stream for a fault; `on_end` follows at once, even if the bot does not let go."""
        if not self._cut:
            self._cut = True
            self._on_end(fault)
            self.cancel()

    def requests(self, enclose: Callable[[bytes], bytes] = bytes) -> Iterator[bytes]:
        """The messages to the bot, for gRPC's writing thread; ends with the stream.

        `enclose` makes a message of the stream from encoded PlayRequests.
        """
        try:
            yield from self._requests(enclose)
        except Exception as error:  # noqa: BLE001 - trio's tasks see it
            self._bug = RefereeBug.of(error)
            self._hang_up()  # the reading thread then reports the bug

    def _requests(self, enclose: Callable[[bytes], bytes]) -> Iterator[bytes]:
        while (batch := self._queue.get()) is not None:
            if isinstance(batch, bytes):
                yield batch
                continue
            batches = [batch]
            while not self._queue.empty() and isinstance(batch := self._queue.get(), Batch):
                batches.append(batch)
            sent = self._now()
            for each in batches:
                each.sent = sent
                self._asked += each.turns
            # Encoded PlayRequests one after another are the encoding of one that holds all their parts.
            message = enclose(b"".join([each.data for each in batches]))
            self._messages += 1 + len(message) // LONG_MESSAGE
            yield message
            if isinstance(batch, bytes):
                yield batch
            if batch is None:
                return

    def read_in_thread(self, responses: Iterable[bytes], hang_up: Callable[[], object]) -> None:
        """Begins to read encoded PlayResponses, in a thread of its own.

        Args:
            responses: gRPC's iterator; may raise RpcError when the stream breaks.
            hang_up: ends the stream at once; may be called from any thread.
        """
        self._hang_up = hang_up
        threading.Thread(target=self._read, args=(responses,), name="arena-play-reader", daemon=True).start()

    def _read(self, responses: Iterable[bytes]) -> None:
        """The reading thread."""
        fault: BotFault | RefereeBug | None = None
        messages = decisions = size = 0
        try:
            for data in responses:
                read = self._now()
                size += len(data)
                if size > _BABBLE_BYTES + _BYTES_PER_TURN * self._asked:
                    raise Flood(f"floods its connection: {size:,} bytes in answers to {self._asked:,} turns")
                answer = decode_decisions(data)
                messages += 1
                self._messages += 1
                decisions += len(answer)
                if max(messages, decisions) > self._asked + BABBLE_LIMIT:
                    raise Flood(f"sends {BABBLE_LIMIT} messages more than it was asked for")
                if answer:
                    self._on_decisions(answer, read)
            if not self._finishing:
                fault = BotFault("disconnect", "ended the stream before the referee did")
        except grpc.RpcError as error:
            fault = None if self._finishing else fault_of_status(error, "broke off the stream")
        except BadMessage as error:
            fault = BotFault("protocol", str(error))
        except BotFault as error:
            fault = error
        except Exception as error:  # noqa: BLE001 - `on_end` reports it
            fault = RefereeBug.of(error)
        self._hang_up()
        self.meter.follow(None)
        self._queue.put(None)  # ends the writing thread in any case
        if not self._cut:
            self._on_end(self._bug or fault)


def dial(channel: grpc.Channel, stream: PlayStream) -> None:
    """Opens the Play stream of a bot that serves."""
    play: grpc.StreamStreamMultiCallable[bytes, bytes]
    play = channel.stream_stream("/arena.v1.Bot/Play")  # plain bytes both ways
    before = set(threading.enumerate())
    call = play(stream.requests())
    stream.meter.follow(begun_since(before))
    stream.read_in_thread(call, call.cancel)


class BuiltInPlayer:
    """A stream to a player in this process.

    It chooses by the seed of its seat and the number of the turn, so it makes the same
    choices on the same board. To be made in trio's thread.

    Args:
        on_decisions: called, soon after a request, with the decisions and the
            moment.
        now: tells the moment.
    """

    def __init__(
        self, on_decisions: Callable[[list[Decision], Moment], None], now: Callable[[], Moment]
    ) -> None:
        self._on_decisions = on_decisions
        self._now = now
        self._answer_soon = in_trio(self._answer)
        self._seeds: dict[int, bytes] = {}  # by table number

    def send(self, data: bytes, turns: int) -> Batch:
        """Takes an encoded PlayRequest with so many turns."""
        batch = Batch(data, turns, self._now())
        batch.sent = batch.queued
        request = bot_pb2.PlayRequest.FromString(data)
        for start in request.starts:
            self._seeds[start.table] = start.seed
        decisions = [(turn.table, turn.turn, self._choose(turn), b"") for turn in request.turns]
        for end in request.ends:
            del self._seeds[end.table]
        if decisions:
            self._answer_soon(decisions)
        return batch

    def _answer(self, decisions: list[Decision]) -> None:
        self._on_decisions(decisions, self._now())

    def _choose(self, turn: bot_pb2.Turn) -> int:
        number = turn.turn.to_bytes(8, "big")
        draw = hashlib.blake2b(number, key=self._seeds[turn.table], digest_size=8).digest()
        return int.from_bytes(draw, "big") % len(getattr(turn, wire_in(turn).field).legal_actions)
