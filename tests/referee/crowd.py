"""Hostile clients of a lobby, in raw HTTP/2.

    python -m tests.referee.crowd KIND HOST:PORT COUNT

COUNT of them at once, until it is killed; each calls again when it is hung up
on. Prints a line once all have called for the first time.
"""

from __future__ import annotations

import itertools
import select
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from arena.v1 import bot_pb2, lobby_pb2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">L", len(payload))[1:] + struct.pack(">BBL", kind, flags, stream) + payload


def literal(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


SETTINGS = frame(4, 0, 0)
ACKNOWLEDGEMENT = frame(4, 1, 0)
CALL = (
    b"\x83\x86\x04" + literal("/arena.v1.Lobby/Join") + b"\x01" + literal("lobby")
    + b"\x0f\x10" + literal("application/grpc") + b"\0" + literal("te") + literal("trailers")
)  # fmt: skip


def headers(stream: int) -> bytes:
    return frame(1, 4, stream, CALL)


def reset(stream: int) -> bytes:
    return frame(3, 0, stream, bytes([0, 0, 0, 8]))


def hello(token: str) -> bytes:
    description = bot_pb2.DescribeResponse(protocol_version=1, name="x", games=bot_pb2.Game.keys()[1:])
    request = lobby_pb2.JoinRequest(hello=lobby_pb2.JoinHello(token=token, description=description))
    data = request.SerializeToString()
    return frame(0, 0, 1, struct.pack(">BL", 0, len(data)) + data)


def until_hung_up(line: socket.socket) -> None:
    while line.recv(1 << 16):
        pass


def silent(line: socket.socket) -> None:
    """Opens a stream and says nothing."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1))
    until_hung_up(line)


def bare(line: socket.socket) -> None:
    """Does not even say that it speaks HTTP/2."""
    until_hung_up(line)


def streams(line: socket.socket) -> None:
    """Opens five hundred streams."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT)
    line.sendall(b"".join(headers(stream) for stream in range(1, 1001, 2)))
    until_hung_up(line)


def rapid_reset(line: socket.socket) -> None:
    """Opens streams and takes them back."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT)
    for stream in itertools.count(1, 2):
        line.sendall(headers(stream) + reset(stream))
        if select.select([line], [], [], 0)[0] and not line.recv(1 << 16):
            return


def guesser(line: socket.socket) -> None:
    """Tries a token."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1) + hello(f"guess{time.monotonic_ns()}"))
    seen = b""
    while b"unknown token" not in seen:
        data = line.recv(1 << 16)
        if not data:
            return
        seen += data


def loris(line: socket.socket) -> None:
    """Says hello, a byte at a time."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1))
    for byte in hello("x" * 16):
        line.sendall(bytes([byte]))
        time.sleep(0.2)
    until_hung_up(line)


def pings(line: socket.socket) -> None:
    """Pings without end, and reads no answer."""
    line.sendall(PREFACE + SETTINGS + ACKNOWLEDGEMENT)
    while True:
        line.sendall(frame(6, 0, 0, bytes(8)) * 1000)


def handshakes(line: socket.socket) -> None:
    """Agrees on keys, and hangs up."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(line):
        pass


def garbage(line: socket.socket) -> None:
    """Begins to agree on keys, and then sends what is no TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    arriving, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
    context.check_hostname = False
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(arriving, leaving).do_handshake()
    line.sendall(leaving.read() + b"\x16\x03\x03\x40\x00" + bytes(1 << 15))
    until_hung_up(line)


KINDS: dict[str, Callable[[socket.socket], None]] = {
    kind.__name__: kind for kind in (silent, bare, streams, rapid_reset, guesser, loris, pings)
}
"""Attacks on any lobby."""

TLS_KINDS: dict[str, Callable[[socket.socket], None]] = {
    kind.__name__: kind for kind in (handshakes, garbage)
}
"""Attacks on a lobby with TLS."""


def call(kind: Callable[[socket.socket], None], address: tuple[str, int], called: threading.Event) -> None:
    while True:
        try:
            with socket.create_connection(address) as line:
                called.set()
                kind(line)
        except OSError:
            time.sleep(0.01)


def main() -> None:
    kind, (host, port), count = sys.argv[1], sys.argv[2].split(":"), int(sys.argv[3])
    threading.stack_size(1 << 18)
    first_calls = [threading.Event() for _ in range(count)]
    for called in first_calls:
        threading.Thread(
            target=call, args=((KINDS | TLS_KINDS)[kind], (host, int(port)), called), daemon=True
        ).start()
    for called in first_calls:
        called.wait()
    print("all have called", flush=True)  # noqa: T201 - for who has started it
    threading.Event().wait()


if __name__ == "__main__":
    main()
