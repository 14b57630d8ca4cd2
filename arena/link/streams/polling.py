"""Tries whether gRPC polls each connection that this process dials in a thread of its own.

Only then does the system tell what each connection costs (`flood`). gRPC does so if it is told to
(`arena.link`), and if it knows the setting. So this looks at what gRPC does, not at the setting: of two
connections one gets PINGs, and they must take time of its own thread, and none of the other's.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import sys
import threading
import time

import grpc

from arena.link import LIBRARY_SETTINGS
from arena.temporary import NoFolder, temporary_folder

_PINGS = 40
_ONE_TAKES = 1e-6  # seconds of processor time, at the very least; in fact about ten times as much
_AS_MUCH = 4  # times the time of the other connection's thread
_PATIENCE = 20.0  # seconds for an answer, on a busy machine
_PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

# Frames of HTTP/2 (RFC 9113): length, kind, flags, stream.
_HEADERS, _PING = 1, 6
_ACKNOWLEDGES = 1
_SETTINGS = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_ONE_PING = bytes((0, 0, 8, _PING, 0, 0, 0, 0, 0)) + b"arena..."
_CANCEL = bytes((0, 0, 0, 8))


class _Server:
    """A server of HTTP/2 that never answers a request.

    Args:
        path: where it listens.
    """

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(_PATIENCE)
        self._listener.bind(path)
        self._listener.listen()
        self._line: socket.socket | None = None

    def close(self) -> None:
        """Ends the connection."""
        self._listener.close()
        if self._line is not None:
            self._line.close()

    def request(self) -> bytes:
        """Waits for the next request; returns the number of its stream. Raises OSError."""
        if self._line is None:
            self._line = self._listener.accept()[0]
            self._line.settimeout(_PATIENCE)
            self._read(_PREFACE)
            self._line.sendall(_SETTINGS)
        return self._next(_HEADERS)

    def ping(self) -> None:
        """Sends a PING, and waits for its answer. Raises OSError."""
        self._send(_ONE_PING)
        self._next(_PING, _ACKNOWLEDGES)

    def cancel(self, stream: bytes) -> None:
        """Ends a request. Raises OSError."""
        self._send(bytes((0, 0, 4, 3, 0)) + stream + _CANCEL)

    def _next(self, kind: int, flags: int = 0) -> bytes:
        """Reads up to a frame of some kind with these flags; returns its stream."""
        while True:
            head = self._read(9)
            self._read(int.from_bytes(head[:3]))
            if head[3] == kind and head[4] & flags == flags:
                return head[5:]

    def _send(self, data: bytes) -> None:
        assert self._line is not None
        self._line.sendall(data)

    def _read(self, size: int) -> bytes:
        assert self._line is not None
        data = b""
        while len(data) < size:
            if not (more := self._line.recv(size - len(data))):
                raise ConnectionError("the connection ended")
            data += more
        return data


class _Connection:
    """A connection to a server in this process that answers no request.

    Args:
        path: where the server listens.
    """

    def __init__(self, path: str) -> None:
        self.server = _Server(path)
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.default_authority", "localhost")]
        self._channel = grpc.insecure_channel(f"unix:{path}", options)
        self._requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._call: object = None

    def ask(self) -> int | None:
        """Calls as one asks a bot to describe itself; returns the thread that is to poll meanwhile."""
        ids: queue.SimpleQueue[int] = queue.SimpleQueue()

        def call() -> None:
            ids.put(threading.get_native_id())
            ask: grpc.UnaryUnaryMultiCallable[bytes, bytes]
            ask = self._channel.unary_unary("/Ask")
            with contextlib.suppress(grpc.RpcError, ValueError):  # it is cancelled
                ask(b"", timeout=_PATIENCE)

        threading.Thread(target=call, daemon=True).start()
        return ids.get()

    def play(self) -> int | None:
        """Calls as one plays with a bot; returns the thread that is to poll meanwhile."""
        play: grpc.StreamStreamMultiCallable[bytes, bytes]
        play = self._channel.stream_stream("/Play")
        before = set(threading.enumerate())
        self._call = play(iter(self._requests.get, b""))  # kept, for it ends with its last reference
        return begun_since(before)

    def close(self) -> None:
        """Ends the connection and its calls."""
        self._requests.put(b"")
        self._channel.close()
        self.server.close()


def begun_since(before: set[threading.Thread]) -> int | None:
    """The native id of the first thread that a library has started since; None if it has started none."""
    for thread in threading.enumerate():
        if thread not in before and type(thread) is threading.Thread and thread.daemon:
            return thread.native_id
    return None


def time_of(thread: int) -> float:
    """The processor time of a thread so far, by its native id, in seconds. Raises OSError if it has ended."""
    return time.clock_gettime(~thread << 3 | 0b110)  # as clock_getcpuclockid(3) makes the clock: one thread's


_once = threading.Lock()
_found: list[bool] = []


_CAN_TELL = sys.platform == "linux" and hasattr(socket, "AF_UNIX")


def polls_apart() -> bool:
    """Whether gRPC polls each connection in a thread of its own, as a trial shows.

    The trial takes some hundredths of a second, in the first call. False where it fails, and on systems other
    than Linux.
    """
    with _once:
        if not _found:
            _found.append(_CAN_TELL and _tried())
        return _found[0]


def _tried() -> bool:
    with contextlib.suppress(OSError, NoFolder, RuntimeError), contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        pair = [_Connection(os.path.join(folder, name)) for name in ("lively", "quiet")]
        for connection in pair:
            stack.callback(connection.close)
        return all(_is_apart(pair, way) for way in ("ask", "play"))
    return False


def _is_apart(pair: list[_Connection], way: str) -> bool:
    """Whether PINGs to the first connection take time of its thread alone. Raises OSError."""
    found = [connection.ask() if way == "ask" else connection.play() for connection in pair]
    streams = [connection.server.request() for connection in pair]
    threads = [thread for thread in found if thread is not None]
    if len(threads) < len(pair):
        return False
    before = [time_of(thread) for thread in threads]
    for _ in range(_PINGS):
        pair[0].server.ping()
    lively, quiet = (time_of(thread) - then for thread, then in zip(threads, before, strict=True))
    for connection, stream in zip(pair, streams, strict=True):
        connection.server.cancel(stream)
    return lively > _PINGS * _ONE_TAKES and lively > _AS_MUCH * quiet


def unprotected() -> str | None:
    """Why a flood of a bot that is started or dialled is noticed late here, for people; None if it is not."""
    if not _CAN_TELL:
        return "this system does not tell what a connection costs"
    if polls_apart():
        return None
    why = f"gRPC {grpc.__version__} does not poll each connection in a thread of its own"
    needed = ("GRPC_EXPERIMENTS", "GRPC_POLL_STRATEGY")
    if changed := [name for name in needed if os.environ.get(name) != LIBRARY_SETTINGS[name]]:
        return f"{why}: unset {' and '.join(changed)}"
    return f"{why}: install another version of grpcio"
