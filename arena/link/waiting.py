"""Connections that are used by threads which wait for them."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys

STUCK = 15
"""How long the other side may take nothing of what it is sent, in seconds."""

# POSIX takes a timeval, Windows milliseconds.
_SEND_TIMEOUT = STUCK * 1000 if sys.platform == "win32" else struct.pack("ll", STUCK, 0)


def let_wait(connection: socket.socket) -> None:
    """From now on whoever reads waits for the other side, and whoever writes as long as `STUCK`."""
    connection.setblocking(True)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)


def hang_up(*connections: socket.socket) -> None:
    """Ends both ways of connections, so that no thread waits for them any more."""
    for connection in connections:
        with contextlib.suppress(OSError):  # it has ended already
            connection.shutdown(socket.SHUT_RDWR)
