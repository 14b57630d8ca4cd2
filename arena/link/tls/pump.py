"""Copying between a line that speaks TLS and a plain one, both ways.

In a thread for each way, that only waits, reads and writes. The ways share one
TLS session, but neither waits for the other to write.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from arena.link.tls.session import Session
from arena.link.waiting import hang_up, let_wait

_CHUNK = 1 << 16
_LINGER = 2.0  # seconds for the second way to end too


def pump(session: Session, line: socket.socket, inside: socket.socket) -> None:
    """Copies in two threads, until both ways have ended or one has broken; closes both connections then.

    Args:
        session: which has begun.
        line: the connection that speaks TLS, that of the session.
        inside: the connection that is plain.
    """
    for connection in (line, inside):
        let_wait(connection)
    both = Pump(session, line, inside)

    def run() -> None:
        other = threading.Thread(target=both.decipher, name="arena-tls", daemon=True)
        other.start()
        both.encipher()
        other.join(_LINGER)
        hang_up(line, inside)
        other.join()
        line.close()
        inside.close()

    threading.Thread(target=run, name="arena-tls", daemon=True).start()


def _any(_size: int) -> bool:
    """Lets everything through."""
    return True


class Pump:
    """The two ways, each for a thread of its own; one that breaks ends both.

    Args:
        session: which has begun.
        line: the connection that speaks TLS, that of the session; to be read and written by who can wait.
        inside: the connection that is plain; likewise.
        may: told of so many bytes that came over the line; where it says no, no more are read.
        sent: told of so many that go over it.
    """

    def __init__(
        self,
        session: Session,
        line: socket.socket,
        inside: socket.socket,
        may: Callable[[int], bool] = _any,
        sent: Callable[[int], object] = _any,
    ) -> None:
        self._session, self._line, self._inside = session, line, inside
        self._may, self._sent = may, sent
        self._using = threading.Lock()  # the session
        self._sending = threading.Lock()  # on the line, in the order in which it was enciphered

    def decipher(self) -> None:
        """From the line to the inside."""
        self._copy(self._decipher)

    def encipher(self) -> None:
        """From the inside to the line."""
        self._copy(self._encipher)

    def _copy(self, way: Callable[[], None]) -> None:
        try:
            way()
        except OSError:  # ssl.SSLError is one
            hang_up(self._line, self._inside)

    def _decipher(self) -> None:
        data = b""  # first what has come with the handshake
        while True:
            with self._using:
                self._session.arrived(data)
                said, over = self._session.received(), self._session.over
                answers = self._session.has_to_send
            if answers:
                self._send(b"")
            self._inside.sendall(said)
            data = b"" if over else self._line.recv(_CHUNK)
            if not data:
                break
            if not self._may(len(data)):
                return
        self._inside.shutdown(socket.SHUT_WR)

    def _encipher(self) -> None:
        while data := self._inside.recv(_CHUNK):
            self._send(data)
        self._line.shutdown(socket.SHUT_WR)

    def _send(self, data: bytes) -> None:
        """Says something, and sends all that is to be sent."""
        with self._sending:
            with self._using:
                self._session.say(data)
                enciphered = self._session.to_send()
            self._sent(len(enciphered))
            self._line.sendall(enciphered)
