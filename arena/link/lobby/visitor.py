"""A bot that has dialled in at the lobby."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator

import grpc
from google.protobuf.message import DecodeError

from arena.link.streams.dial import (
    MAX_DETAILS,
    BotFault,
    BotInfo,
    bytes_in,
    request_for_bytes,
)
from arena.link.streams.stream import PlayStream
from arena.v1 import bot_pb2, lobby_pb2


class Visitor:
    """A bot that has dialled in and waits for its stream to be taken up.

    Attributes:
        info: what it says it is.
        replaced: whether its token opens its seat no more.
        has_door: tells whether the door by which it came in is still there; blocks.
    """

    def __init__(
        self,
        info: BotInfo,
        requests: Iterator[bytes],
        context: grpc.ServicerContext,
        has_door: Callable[[], bool],
    ) -> None:
        self.info = info
        self.has_door = has_door
        self.replaced = False
        self._requests = requests
        self._context = context
        self._streams: queue.SimpleQueue[PlayStream | None] = queue.SimpleQueue()
        self._stream: PlayStream | None = None
        self._answers: queue.SimpleQueue[bot_pb2.DescribeResponse] = queue.SimpleQueue()
        self._asked = False
        self._flood: BotFault | None = None
        context.add_callback(lambda: self._streams.put(None))

    def take_up(self, stream: PlayStream) -> None:
        """Plays through this connection from now on."""
        self._stream = stream
        if self._flood is not None:
            stream.cut(self._flood)
            return
        stream.read_in_thread(_responses(self._requests, self._described), self._context.cancel)
        self._streams.put(stream)
        if self.replaced:
            stream.break_off()

    def turn_out(self) -> None:
        """Ends the connection, for its token opens its seat no more; in any thread."""
        self.replaced = True
        self._streams.put(None)
        if self._stream is not None:
            self._stream.break_off()

    def cut(self, fault: BotFault) -> None:
        """Ends the connection for this fault, also where it is not taken up yet; in any thread."""
        self._flood = fault
        if self._stream is not None:
            self._stream.cut(fault)
        self._context.cancel()

    def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes, timeout: float) -> bytes:
        """Has the bot give the bytes that it pledged; waits up to `timeout` seconds. Blocks.

        To be called once, when its stream was taken up. Raises BotFault where it does not give them.
        """
        assert self._stream is not None
        self._asked = True
        request = request_for_bytes(commitment, pledges)
        self._stream.say(lobby_pb2.JoinResponse(describe=request).SerializeToString())
        try:
            return bytes_in(self._answers.get(timeout=timeout), pledge)
        except queue.Empty:
            raise BotFault("timeout", f"did not give the bytes that it pledged in {timeout:.0f} s") from None

    def _described(self, answer: bot_pb2.DescribeResponse) -> None:
        """The bot describes itself again. Raises BotFault where it was not asked."""
        if not self._asked:
            raise BotFault("protocol", "describes itself again though it was not asked")
        self._asked = False
        self._answers.put(answer)

    def stream(self) -> PlayStream | None:
        """Waits for `take_up`, in the connection's own thread; None where the bot has gone meanwhile."""
        return self._streams.get()


def _responses(
    requests: Iterator[bytes], on_description: Callable[[bot_pb2.DescribeResponse], None]
) -> Iterator[bytes]:
    """The encoded PlayResponses in a bot's JoinRequests."""
    for data in requests:
        try:
            request = lobby_pb2.JoinRequest.FromString(data)
        except DecodeError:
            raise BotFault("protocol", "a message is not a JoinRequest") from None
        if request.WhichOneof("kind") == "failure":
            raise BotFault("crash", f"broke off the stream: {request.failure.message[:MAX_DETAILS]}")
        if request.WhichOneof("kind") == "description":
            on_description(request.description)
            continue
        if request.WhichOneof("kind") != "play":
            raise BotFault("protocol", "a message after the hello has no play response")
        yield request.play.SerializeToString()
