"""A way to a port of this machine that can be cut.

In tasks of trio, other than `arena.link.lobby.relay`, which is faster and for POSIX
systems: authors check their bots elsewhere as well.
"""

from __future__ import annotations

import contextlib

import trio

HERE = "127.0.0.1"
"""This machine."""

_CHUNK = 1 << 16


class Cable:
    """A way to a port of this machine that can be cut: forwards every connection."""

    def __init__(self) -> None:
        self.to_port = 0
        self._open: set[trio.CancelScope] = set()

    def cut(self) -> None:
        """Breaks off all connections; new ones are forwarded as before."""
        for scope in self._open:
            scope.cancel()

    async def forward(self, near: trio.SocketStream) -> None:
        """Serves one connection."""
        with trio.CancelScope() as scope:
            self._open.add(scope)
            try:
                async with (
                    near,
                    await trio.open_tcp_stream(HERE, self.to_port) as far,
                    trio.open_nursery() as nursery,
                ):
                    nursery.start_soon(_pump, near, far, scope)
                    nursery.start_soon(_pump, far, near, scope)
            except OSError:
                return  # the lobby is closing
            finally:
                self._open.remove(scope)


async def _pump(source: trio.SocketStream, sink: trio.SocketStream, scope: trio.CancelScope) -> None:
    """Forwards one way; ends both where that ends."""
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(_CHUNK):
            await sink.send_all(data)
    scope.cancel()
