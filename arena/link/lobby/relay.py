"""Copying between two connections, both ways.

In a thread for each way, that only waits, reads and writes: with tasks of trio
instead, bots that answer at once made a third fewer decisions, for every one of
a guest's comes this way.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
import struct

import trio

STUCK = 15
"""How long either side may take nothing of what it is sent, in seconds."""

_CHUNK = 1 << 16
_LINGER = 1.0  # seconds for the second way to end too
_SEND_TIMEOUT = struct.pack("ll", STUCK, 0)


async def connect(one: trio.socket.SocketType, other: trio.socket.SocketType) -> None:
    """Copies between two connections until both ways have ended, or one has broken."""
    half = trio.Event()
    threads = trio.CapacityLimiter(math.inf)
    with _plain(one) as near, _plain(other) as far:

        async def copy(source: socket.socket, sink: socket.socket) -> None:
            await trio.to_thread.run_sync(_copy, source, sink, limiter=threads)
            half.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_hang_up_late, half, near, far)
            async with trio.open_nursery() as ways:
                ways.start_soon(copy, near, far)
                ways.start_soon(copy, far, near)
            nursery.cancel_scope.cancel()


async def _hang_up_late(half: trio.Event, near: socket.socket, far: socket.socket) -> None:
    """Ends what is left a moment after one way has ended, or when cancelled."""
    try:
        await half.wait()
        await trio.sleep(_LINGER)
    finally:
        _hang_up(near, far)


def _plain(connection: trio.socket.SocketType) -> socket.socket:
    """The same connection for a thread, where whoever reads or writes waits."""
    plain = socket.socket(fileno=os.dup(connection.fileno()))
    plain.setblocking(True)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)
    return plain


def _copy(source: socket.socket, sink: socket.socket) -> None:
    """Copies one way to its end; hangs up where that breaks."""
    try:
        while data := source.recv(_CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        _hang_up(source, sink)


def _hang_up(near: socket.socket, far: socket.socket) -> None:
    """Ends both ways of both connections, so that no thread waits for them any more."""
    for connection in (near, far):
        with contextlib.suppress(OSError):  # it has ended already
            connection.shutdown(socket.SHUT_RDWR)
