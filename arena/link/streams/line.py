"""The sockets beneath gRPC's connections, which it does not show: found by who is at their other end."""

from __future__ import annotations

import os
import socket
import stat
import sys
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


_claimed: set[int] = set()  # the inodes of sockets that are some line's


class Line:
    """One connection of this process to an address; to be used in one thread, as all lines are.

    Where several are dialled to the same address at the same time, each is somebody's.

    Args:
        address: what is dialled, `host:port` or `unix:/path`. Resolving it may block.
    """

    def __init__(self, address: str) -> None:
        self._ends = _ends(address)
        self._socket: socket.socket | None = None
        self._searches = 0

    def unread(self) -> int:
        """How many bytes have come and were not read yet, 0 where no system tells (POSIX does)."""
        if self._socket is not None and _other_end(self._socket) is None:
            self.close()  # and gRPC may have dialled again
        if self._socket is None and self._searches < _SEARCHES:
            self._searches += 1
            self._find()
        if self._socket is None or not _CAN_TELL:
            return 0
        try:
            return int.from_bytes(fcntl.ioctl(self._socket, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def hang_up(self) -> None:
        """Ends the connection: gRPC alone ends none whose other end takes nothing any more."""
        if self._socket is not None:
            with suppress(OSError):  # it has ended
                self._socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Lets go of the connection; gRPC has it still."""
        if self._socket is not None:
            _claimed.discard(os.fstat(self._socket.fileno()).st_ino)
            self._socket.close()
            self._socket = None

    def _find(self) -> None:
        for name in os.listdir(_FILES) if os.path.isdir(_FILES) else ():
            with suppress(OSError):  # it has gone meanwhile
                file = os.dup(int(name))
                inode = os.fstat(file).st_ino
                found = _connection(file)
                if found is None:
                    os.close(file)
                elif inode not in _claimed and _other_end(found) in self._ends:
                    _claimed.add(inode)
                    self._socket = found
                    return
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
