"""Copying between a guest and the lobby, both ways, and counting what the guest sends.

A guest that sends much more than answers is hung up on: HTTP/2 has many frames
that are none, and gRPC reads them without end. Every byte comes this way, so it
is bytes that are counted, in an account that fills with what the guest is sent.

In a thread for each way, that only waits, reads and writes: with tasks of trio
instead, bots that answer at once made a third fewer decisions, for every one of
a guest's comes this way.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Callable

import trio

from arena.link.streams.account import Account
from arena.link.waiting import hang_up, let_wait

MOST = 1 << 20
"""How many bytes more than it earns a guest may send at once."""

RATE = 100_000
"""How many it may send in a second whatever it is sent."""

_EARNED = 0.5  # for each byte that it is sent, which are three or more for each of an answer

_CHUNK = 1 << 16
_LINGER = 1.0  # seconds for the second way to end too


async def connect(
    guest: trio.socket.SocketType, lobby: trio.socket.SocketType, on_flood: Callable[[int], None]
) -> None:
    """Copies between two connections until both ways have ended, or one has broken.

    Args:
        guest, lobby: the connections.
        on_flood: called, in any thread, with the bytes that the guest has sent when these are too
            many; the lobby has a moment then to tell it why, before it is hung up on.
    """
    half = trio.Event()
    threads = trio.CapacityLimiter(math.inf)
    with _plain(guest) as near, _plain(lobby) as far:
        count = _Count(on_flood)

        async def copy(source: socket.socket, sink: socket.socket, may: Callable[[int], bool]) -> None:
            await trio.to_thread.run_sync(_copy, source, sink, may, limiter=threads)
            half.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_hang_up_late, half, near, far)
            async with trio.open_nursery() as ways:
                ways.start_soon(copy, near, far, count.may_send)
                ways.start_soon(copy, far, near, count.is_sent)
            nursery.cancel_scope.cancel()


async def _hang_up_late(half: trio.Event, near: socket.socket, far: socket.socket) -> None:
    """Ends what is left a moment after one way has ended, or when cancelled."""
    try:
        await half.wait()
        await trio.sleep(_LINGER)
    finally:
        hang_up(near, far)


def _plain(connection: trio.socket.SocketType) -> socket.socket:
    """The same connection for a thread, where whoever reads or writes waits."""
    plain = socket.socket(fileno=os.dup(connection.fileno()))
    let_wait(plain)
    return plain


class _Count:
    """What a guest sends and is sent, each counted by one thread."""

    def __init__(self, on_flood: Callable[[int], None]) -> None:
        self._on_flood = on_flood
        self._account = Account(MOST, RATE, time.monotonic())
        self._came = 0
        self._went = 0
        self._earned = 0  # of what went

    def may_send(self, size: int) -> bool:
        """Counts bytes of the guest; whether it may send so many."""
        self._came += size
        went = self._went
        earned, self._earned = went - self._earned, went
        if self._account.spend(size, _EARNED * earned, time.monotonic()):
            return True
        self._on_flood(self._came)
        return False

    def is_sent(self, size: int) -> bool:
        """Counts bytes for the guest."""
        self._went += size
        return True


def _copy(source: socket.socket, sink: socket.socket, may: Callable[[int], bool]) -> None:
    """Copies one way to its end, or as long as that may be; hangs up where it breaks."""
    try:
        while data := source.recv(_CHUNK):
            if not may(len(data)):
                return
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        hang_up(source, sink)
