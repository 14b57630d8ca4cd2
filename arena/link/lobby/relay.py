"""Copying between a guest and the lobby, both ways, and counting what the guest sends.

A guest that sends much more than answers is hung up on: HTTP/2 has many frames
that are none, and TLS has records without content, and both are read without end.
Everything comes this way, so it is counted (`Count`): by the byte, and by the
portion, for what comes in single frames costs most. Both are accounts that fill
with what the guest is sent, for an answer is shorter than what it answers. With TLS
it is what goes over the line that counts (`arena.link.tls.pump`).

In a thread for each way, that only waits, reads and writes: with tasks of trio
instead, bots that answer at once made a third fewer decisions, for every one of
a guest's comes this way.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable
from functools import partial

import trio

from arena.link.streams.token_bucket import TokenBucket
from arena.link.tls.pump import Pump
from arena.link.tls.session import Session
from arena.link.waiting import hang_up, let_wait

MOST = 1 << 18
"""How many bytes more than it earns a guest may send at once: that is its longest message."""

RATE = 20_000
"""How many it may send in a second whatever it is sent."""

MOST_PORTIONS, PORTIONS_RATE = 500, 300
"""Likewise in portions, each of which is what was there to be read at once."""

_EARNED = 0.5  # bytes for each byte that it is sent; an answer takes less, also with TLS
_PORTIONS_EARNED = 1 / 64  # an answer takes one, seldom two, and is to at least 100 bytes

_CHUNK = 1 << 16
_LINGER = 1.0  # seconds for the second way to end too


class Count:
    """What a guest sends and is sent, each counted by one thread.

    Args:
        on_flood: called, in any thread, with the bytes that the guest has sent when these are too many.
    """

    def __init__(self, on_flood: Callable[[int], None]) -> None:
        self._on_flood = on_flood
        self._bytes = TokenBucket(MOST, RATE, time.monotonic())
        self._portions = TokenBucket(MOST_PORTIONS, PORTIONS_RATE, time.monotonic())
        self._came = 0
        self._went = 0
        self._earned = 0  # of what went

    def may_send(self, size: int) -> bool:
        """Counts a portion of the guest; whether it may send it, and so much."""
        self._came += size
        went, now = self._went, time.monotonic()
        earned, self._earned = went - self._earned, went
        enough = self._bytes.spend(size, _EARNED * earned, now)
        if self._portions.spend(1, _PORTIONS_EARNED * earned, now) and enough:
            return True
        self._on_flood(self._came)
        return False

    def is_sent(self, size: int) -> bool:
        """Counts bytes for the guest."""
        self._went += size
        return True


async def connect(
    guest: trio.socket.SocketType, lobby: trio.socket.SocketType, count: Count, tls: Session | None = None
) -> None:
    """Copies between two connections until both ways have ended, or one has broken.

    Args:
        guest, lobby: the connections.
        count: counts what the guest sends. Where that is too much, the lobby has a moment
            to tell it why, before it is hung up on.
        tls: what the guest speaks, which has begun; None for no TLS.
    """
    half = trio.Event()
    threads = trio.CapacityLimiter(math.inf)
    with _plain(guest) as near, _plain(lobby) as far:
        if tls is not None:
            pump = Pump(tls, near, far, count.may_send, count.is_sent)
            there, back = pump.decipher, pump.encipher
        else:
            there, back = partial(_copy, near, far, count.may_send), partial(_copy, far, near, count.is_sent)

        async def copy(way: Callable[[], None]) -> None:
            await trio.to_thread.run_sync(way, limiter=threads)
            half.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_hang_up_late, half, near, far)
            async with trio.open_nursery() as ways:
                ways.start_soon(copy, there)
                ways.start_soon(copy, back)
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
    plain = socket.fromfd(connection.fileno(), connection.family, connection.type)
    let_wait(plain)
    return plain


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
