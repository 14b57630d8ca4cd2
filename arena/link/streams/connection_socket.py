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
                file = int(name)
                told = os.fstat(file)
                # Nothing but what is looked for is duplicated and closed: for any file, closing
                # a duplicate lets go of the process's locks on it, such as those on the league.
                is_free = stat.S_ISSOCK(told.st_mode) and told.st_ino not in _claimed
                if is_free and _end_of(file) in self._ends:
                    self._socket = socket.socket(fileno=os.dup(file))
                    _claimed.add(told.st_ino)
                    return


def _end_of(file: int) -> object:
    """Who is at the other end of a connection that is somebody else's; raises OSError where it is none."""
    connection = socket.socket(fileno=file)
    try:
        return connection.getpeername()
    finally:
        connection.detach()


def _other_end(connection: socket.socket) -> object:
    try:
        return connection.getpeername()
    except OSError:
        return None  # it has ended


def _ends(address: str) -> set[object]:
    """The other ends that a connection to an address may have, as sockets tell them."""
    if address.startswith("unix:"):
        return {address.removeprefix("unix:")}
    host, _, port = address.rpartition(":")
    with suppress(OSError, ValueError):
        found = {end for *_, end in socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)}
        return found | {(f"::ffff:{end[0]}", end[1], 0, 0) for end in found}
    return set()
