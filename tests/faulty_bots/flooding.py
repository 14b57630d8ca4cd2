"""A bot that plays as it should until it floods its connection: `python flooding.py KIND AFTER`.

gRPC answers turns with action 0; the frames that it sends go through a relay in
the same process. After AFTER answers the relay puts frames of a kind between
them, as fast as they are taken, and after some more answers instead of them, so that
its game is not over before it is cut off; single frames at once instead of them, for
of these a slow machine makes too few beside answers. It listens at ARENA_LISTEN, or dials in at
ARENA_JOIN with ARENA_TOKEN, where that asks for it with TLS.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import repeat
from queue import SimpleQueue

import grpc

from arena.link.tls.address import read_address
from arena.link.tls.relay import Tunnel
from arena.link.tls.trust import examine
from arena.v1 import bot_pb2, bot_pb2_grpc, lobby_pb2, lobby_pb2_grpc

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0,
    1,
    2,
    3,
    4,
    6,
    7,
    8,
    9,
)
UNKNOWN = 0xFA
PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
HEAD = 9
LARGEST = 1 << 14
PORTION = 1 << 16
HOLDS_AFTER = 3  # times as many answers as before a flood


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">L", len(payload))[1:] + struct.pack(">BBL", kind, flags, stream) + payload


def message(data: bytes) -> bytes:
    return struct.pack(">BL", 0, len(data)) + data


def over_and_over(*frames: bytes) -> Iterator[bytes]:
    """As many of these frames at a time as fit into a portion."""
    data = b"".join(frames)
    portion = data * max(1, PORTION // len(data))
    while True:
        yield portion


def block_without_end(stream: int) -> Iterator[bytes]:
    """A header block that never ends."""
    header = b"\0" + bytes([5]) + b"x-pad" + bytes([100]) + b"x" * 100
    yield frame(HEADERS, 0, stream, header)
    yield from over_and_over(frame(CONTINUATION, 0, stream, header * (LARGEST // len(header))))


def headers(stream: int) -> bytes:
    return frame(HEADERS, 4, stream, b"\0" + bytes([5]) + b"x-pad" + bytes([100]) + b"x" * 100)


# Each makes the frames of a flood, given the stream on which the bot plays.
KINDS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "settings": lambda stream: over_and_over(frame(SETTINGS, 0, 0)),
    "full-settings": lambda stream: over_and_over(frame(SETTINGS, 0, 0, struct.pack(">HL", 4, 65535) * 6)),
    "pings": lambda stream: over_and_over(frame(PING, 0, 0, bytes(8))),
    "ping-acks": lambda stream: over_and_over(frame(PING, 1, 0, bytes(8))),
    "window-updates": lambda stream: over_and_over(frame(WINDOW_UPDATE, 0, 0, bytes([0, 0, 0, 1]))),
    "priorities": lambda stream: over_and_over(frame(PRIORITY, 0, stream, bytes(5))),
    "unknown-frames": lambda stream: over_and_over(frame(UNKNOWN, 0, 0, bytes(LARGEST))),
    "endless-headers": block_without_end,
    "resets": lambda stream: over_and_over(frame(RST_STREAM, 0, stream + 1000, bytes(4))),
    "empty-data": lambda stream: over_and_over(frame(DATA, 0, stream)),
    "foreign-data": lambda stream: over_and_over(frame(DATA, 0, stream + 1000, bytes(100))),
    "metadata": lambda stream: over_and_over(headers(stream)),
    "big-answers": lambda stream: over_and_over(
        frame(
            DATA, 0, stream, (struct.pack(">BL", 0, LARGEST - 5) + b"\x7a" + b"\xf8\x7f" + bytes(LARGEST - 8))
        )
    ),
    "single-pings": lambda stream: repeat(frame(PING, 0, 0, bytes(8))),
    "single-settings": lambda stream: repeat(frame(SETTINGS, 0, 0)),
    "single-data": lambda stream: repeat(frame(DATA, 0, stream)),
    "goaways": lambda stream: over_and_over(frame(GOAWAY, 0, 0, struct.pack(">LL", (1 << 31) - 1, 0))),
}


def frames(line: socket.socket, preface: int) -> Iterator[list[bytes]]:
    """What comes over a connection, several at a time: so many bytes that are no frame, then frames."""
    data = b""
    while more := line.recv(PORTION):
        data += more
        parts, begin, end = [], 0, preface
        while begin + (preface or HEAD) <= len(data):
            end = begin + (preface or HEAD + int.from_bytes(data[begin : begin + 3], "big"))
            if end > len(data):
                break
            parts.append(data[begin:end])
            begin, preface = end, 0
        data = data[begin:]
        yield parts


def is_acknowledgement(part: bytes) -> bool:
    return part[3] in (SETTINGS, PING) and part[4] == 1


class Flood:
    """When a flood begins, and of what."""

    def __init__(self, kind: str, after: int) -> None:
        self.kind = kind
        self.begun = threading.Event()
        self.cut = threading.Event()
        self._after = after
        self._turns = 0
        if not after:
            self.begun.set()

    def answer(self, request: bot_pb2.PlayRequest) -> bot_pb2.PlayResponse:
        """Answers as it should, and counts."""
        self._turns += len(request.turns)
        if self._turns > self._after:
            self.begun.set()
        if self._turns > (self._after if self.kind.startswith("single-") else HOLDS_AFTER * self._after):
            self.cut.wait()
        decisions = [bot_pb2.Decision(table=turn.table, turn=turn.turn, action=0) for turn in request.turns]
        return bot_pb2.PlayResponse(decisions=decisions)


class Turn:
    """A lock that those who wait for it get in turn: Python's own gives it to whoever asks all the time."""

    def __init__(self) -> None:
        self._lock, self._next = threading.Lock(), threading.Lock()

    def __enter__(self) -> None:
        with self._next:
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        time.sleep(0)


class Relay:
    """A connection between gRPC in this process and the referee, for the floods."""

    def __init__(self, own: socket.socket, referee: socket.socket, flood: Flood, preface: int) -> None:
        self._own, self._referee = own, referee
        self._flood = flood
        self._turn = Turn()  # for each frame whole
        self._preface = preface
        self._stream = threading.Event()
        self._number = 1

    def run(self) -> None:
        threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._copy_to_own, self._copy_frames, self._pour)
        ]
        for thread in threads:
            thread.start()

    def _copy_to_own(self) -> None:
        """What the referee sends; but not the acknowledgements of what is none of the server's."""
        with suppress(OSError):
            for parts in frames(self._referee, PREFACE - self._preface):
                begun = self._flood.begun.is_set()
                self._own.sendall(
                    b"".join(part for part in parts if not (begun and is_acknowledgement(part)))
                )
        with suppress(OSError):  # however it ended: gRPC would wait for ever
            self._own.shutdown(socket.SHUT_WR)

    def _copy_frames(self) -> None:
        with suppress(OSError):
            for parts in frames(self._own, self._preface):
                with self._turn:
                    self._referee.sendall(b"".join(parts))
                for part in parts:
                    if len(part) >= HEAD and part[3] == HEADERS:
                        self._number = int.from_bytes(part[5:9], "big")
                        self._stream.set()
        with suppress(OSError):
            self._referee.shutdown(socket.SHUT_WR)

    def _pour(self) -> None:
        self._flood.begun.wait()
        self._stream.wait()
        began = time.monotonic()
        with suppress(OSError):
            for portion in KINDS[self._flood.kind](self._number):
                with self._turn:
                    self._referee.sendall(portion)
        self._flood.cut.set()
        print(f"flooded for {time.monotonic() - began:.2f} s", flush=True)  # noqa: T201 - the bot's log


class Bot(bot_pb2_grpc.BotServicer):
    """The real server."""

    def __init__(self, flood: Flood) -> None:
        self._flood = flood

    def Describe(self, request, context):
        return DESCRIPTION

    def Play(self, requests, context) -> Iterator[bot_pb2.PlayResponse]:
        for request in requests:
            yield self._flood.answer(request)


DESCRIPTION = bot_pb2.DescribeResponse(protocol_version=1, name="flooding", games=bot_pb2.Game.keys()[1:])


def serve(address: str, inner: str, flood: Flood) -> None:
    """Waits to be dialled."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    bot_pb2_grpc.add_BotServicer_to_server(Bot(flood), server)
    server.add_insecure_port(f"unix:{inner}")
    server.start()
    with listening(address) as listener:
        while True:
            referee, _ = listener.accept()
            own = socket.socket(socket.AF_UNIX)
            own.connect(inner)
            Relay(own, referee, flood, preface=0).run()


def listening(address: str) -> socket.socket:
    if not address.startswith("unix:"):
        host, _, port = address.rpartition(":")
        return socket.create_server((host, int(port)))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address.removeprefix("unix:"))
    listener.listen()
    return listener


def join(address: str, token: str, inner: str, flood: Flood) -> None:
    """Dials in, again and again."""
    where = read_address(address)
    assert where is not None
    if where.trust:
        address = Tunnel(where, examine(where)).entrance
    with listening(f"unix:{inner}") as listener:
        while True:
            with grpc.insecure_channel(
                f"unix:{inner}", options=[("grpc.default_authority", "lobby")]
            ) as channel:
                play = threading.Thread(target=play_as_guest, args=(channel, token, flood))
                play.start()
                own, _ = listener.accept()
                host, _, port = address.rpartition(":")
                Relay(own, socket.create_connection((host, int(port))), flood, PREFACE).run()
                play.join()
            time.sleep(0.1)


def play_as_guest(channel: grpc.Channel, token: str, flood: Flood) -> None:
    """Plays over one connection to its end, and says how it ended."""
    outbox: SimpleQueue[lobby_pb2.JoinRequest | None] = SimpleQueue()
    outbox.put(lobby_pb2.JoinRequest(hello=lobby_pb2.JoinHello(token=token, description=DESCRIPTION)))
    try:
        for response in lobby_pb2_grpc.LobbyStub(channel).Join(iter(outbox.get, None), wait_for_ready=True):
            if response.HasField("play"):
                outbox.put(lobby_pb2.JoinRequest(play=flood.answer(response.play)))
    except grpc.RpcError as error:
        print(error.code().name, error.details(), flush=True)  # noqa: T201 - for who has started it
    outbox.put(None)


def main() -> None:
    kind, after = sys.argv[1], int(sys.argv[2])
    flood = Flood(kind, after)
    inner = f"{tempfile.mkdtemp()}/inner.sock"
    if "ARENA_LISTEN" in os.environ:
        serve(os.environ["ARENA_LISTEN"], inner, flood)
    else:
        join(os.environ["ARENA_JOIN"], os.environ["ARENA_TOKEN"], inner, flood)


if __name__ == "__main__":
    main()
