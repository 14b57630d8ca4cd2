"""The sockets beneath gRPC's connections, which it does not show: found by who is at their other end."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress

try:
    import fcntl
    import termios
except ImportError:
    _CAN_TELL = False
else:
    _CAN_TELL = True

_SEARCHES = 50  # for a connection that may not be there yet
_FILES = "/dev/fd"  # this process's open files, where the system shows them


class Line:
    """This process's connections to one address: mostly one.

    Args:
        address: what is dialled, `host:port` or `unix:/path`. Resolving it may block.
    """

    def __init__(self, address: str) -> None:
        self._ends = _ends(address)
        self._sockets: list[socket.socket] = []
        self._searches = 0

    def unread(self) -> int:
        """How many bytes have come and were not read yet, 0 where no system tells (POSIX does)."""
        if not self._sockets and self._searches < _SEARCHES:
            self._searches += 1
            self._find()
        waiting = 0
        for each in self._sockets:
            with suppress(OSError):
                count = fcntl.ioctl(each, termios.FIONREAD, bytes(4)) if _CAN_TELL else b""
                waiting = max(waiting, int.from_bytes(count, "little"))
        return waiting

    def hang_up(self) -> None:
        """Ends the connections: gRPC alone ends none whose other end takes nothing any more."""
        self._find()
        for each in self._sockets:
            with suppress(OSError):  # it has ended
                each.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Lets go of the connections; gRPC has them still."""
        for each in self._sockets:
            each.close()
        self._sockets.clear()

    def _find(self) -> None:
        self.close()
        for name in os.listdir(_FILES) if os.path.isdir(_FILES) else ():
            with suppress(OSError):  # it has gone meanwhile
                file = os.dup(int(name))
                found = _connection(file)
                if found is None:
                    os.close(file)
                elif _other_end(found) in self._ends:
                    self._sockets.append(found)
                else:
                    found.close()


def _connection(file: int) -> socket.socket | None:
    """An open file that is a socket; None for any other."""
    try:
        return socket.socket(fileno=file) if stat.S_ISSOCK(os.fstat(file).st_mode) else None
    except OSError:
        return None  # the file of a socket, held open and not connected (see `local.own_socket`)


def _other_end(connection: socket.socket) -> object:
    try:
        return connection.getpeername()
    except OSError:
        return None  # it listens, or has ended


def _ends(address: str) -> set[object]:
    """The other ends that a connection to an address may have, as sockets tell them."""
    if address.startswith("unix:"):
        return {address.removeprefix("unix:")}
    host, _, port = address.rpartition(":")
    with suppress(OSError, ValueError):
        found = {end for *_, end in socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)}
        return found | {(f"::ffff:{end[0]}", end[1], 0, 0) for end in found}
    return set()
