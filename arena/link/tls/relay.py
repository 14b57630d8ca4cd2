"""Relays: copy both ways between two connections, of which the first may speak TLS.

Each way has a thread that only waits, reads and writes. Each decision of a guest is copied here:
with trio's tasks instead, bots that answer at once made a third fewer decisions.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from arena.link.tls.address import Address
from arena.link.tls.proxy import connect
from arena.link.tls.trust import PATIENCE, OwnCertificate, Trusted

STUCK = 15
"""How long the other side may read nothing while bytes wait for it, in seconds."""

# POSIX takes a timeval, Windows milliseconds.
_SEND_TIMEOUT = STUCK * 1000 if sys.platform == "win32" else struct.pack("ll", STUCK, 0)
_LINGER = 1.0  # seconds for the second way to end too
_CHUNK = 1 << 16
_HERE = "127.0.0.1"


class Session:
    """The TLS of one connection, without I/O: turns a line's bytes into plain bytes, and back.

    It ends when the line ends: HTTP/2 notices itself whether anything is missing.
    Its methods do not block, and must be called by one thread at a time.
    They raise ssl.SSLError if the other end does not keep to TLS, or is not
    trusted; `to_send` then has the alert that tells it why.

    Args:
        context: the settings.
        name: the other end's name if it is a server, None if it is a client.

    Attributes:
        over: whether the other end has closed its side.
    """

    def __init__(self, context: ssl.SSLContext, name: str | None = None) -> None:
        self._arrived, self._leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._arrived, self._leaving, server_side=name is None, server_hostname=name
        )
        self._agreed = False
        self.over = False

    def begin(self) -> bool:
        """Goes on with the handshake, as far as bytes have arrived; returns whether it is done."""
        if not self._agreed:
            with contextlib.suppress(ssl.SSLWantReadError):
                self._tls.do_handshake()
                self._agreed = True
        return self._agreed

    def arrived(self, data: bytes) -> None:
        """Takes bytes from the line."""
        self._arrived.write(data)

    def received(self) -> bytes:
        """Returns the plain bytes that have arrived since the last call; after the handshake."""
        said = []
        # Reads only if bytes are there: the error for none took ten times as long as all the rest.
        while not self.over and (self._arrived.pending or self._tls.pending()):
            try:
                said.append(self._tls.read(_CHUNK))
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                self.over = True
        return b"".join(said)

    def say(self, data: bytes) -> None:
        """Takes plain bytes for the other end; after the handshake."""
        if data:
            self._tls.write(data)

    @property
    def has_to_send(self) -> bool:
        """Whether bytes wait to go over the line."""
        return self._leaving.pending > 0

    def to_send(self) -> bytes:
        """Returns the bytes that wait to go over the line."""
        return self._leaving.read()


class Counting(Protocol):
    """Counts bytes on the line, each way in one thread."""

    def may_send(self, size: int) -> bool:
        """Counts bytes that came over the line; returns whether that is still allowed."""

    def is_sent(self, size: int) -> None:
        """Counts bytes that go over the line."""


def relay(
    line: socket.socket, inside: socket.socket, session: Session | None = None, count: Counting | None = None
) -> None:
    """Copies both ways until both have ended, or one has broken. Blocks, and uses a second thread.

    Args:
        line: the connection to the other machine.
        inside: the connection that never speaks TLS.
        session: the line's TLS, after its handshake; None for no TLS.
        count: counts the bytes on the line. If it allows no more, the way back has another
            moment, to tell the other machine why.
    """
    for connection in (line, inside):
        connection.setblocking(True)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SEND_TIMEOUT)
    hang_up_late = threading.Timer(_LINGER, hang_up, (line, inside))
    hang_up_late.daemon = True
    one_has_ended = threading.Lock()  # the first way to end takes it

    def copy(way: Callable[[], None]) -> None:
        try:
            way()
        except OSError:  # ssl.SSLError is one
            hang_up(line, inside)
        if one_has_ended.acquire(blocking=False):
            hang_up_late.start()

    ways = _Ways(line, inside, session, count)
    outward = threading.Thread(target=copy, args=(ways.outward,), name="arena-relay", daemon=True)
    outward.start()
    copy(ways.inward)
    outward.join()
    hang_up_late.cancel()


def hang_up(*connections: socket.socket) -> None:
    """Shuts connections down, so that no thread waits for them any more."""
    for connection in connections:
        with contextlib.suppress(OSError):  # it has already ended
            connection.shutdown(socket.SHUT_RDWR)


class _Ways:
    """The two ways of a relay. They share the TLS session, but neither waits for the other to write."""

    def __init__(
        self, line: socket.socket, inside: socket.socket, session: Session | None, count: Counting | None
    ) -> None:
        self._line, self._inside, self._session, self._count = line, inside, session, count
        self._using = threading.Lock()  # held to use the session
        self._sending = threading.Lock()  # held to send on the line, in the order of encryption

    def inward(self) -> None:
        """Copies from the line to the inside."""
        over = self._came(b"")  # bytes that came with the handshake
        while not over and (data := self._line.recv(_CHUNK)):
            if self._count is not None and not self._count.may_send(len(data)):
                return
            over = self._came(data)
        self._inside.shutdown(socket.SHUT_WR)

    def outward(self) -> None:
        """Copies from the inside to the line."""
        while data := self._inside.recv(_CHUNK):
            self._send(data)
        self._line.shutdown(socket.SHUT_WR)

    def _came(self, data: bytes) -> bool:
        """Passes on bytes from the line; returns whether the other end is done."""
        if self._session is None:
            self._inside.sendall(data)
            return False
        with self._using:
            self._session.arrived(data)
            said, over = self._session.received(), self._session.over
            has_to_answer = self._session.has_to_send
        if has_to_answer:
            self._send(b"")
        self._inside.sendall(said)
        return over

    def _send(self, data: bytes) -> None:
        """Sends bytes over the line, and TLS's own messages."""
        with self._sending:
            if self._session is not None:
                with self._using:
                    self._session.say(data)
                    data = self._session.to_send()
            if self._count is not None:
                self._count.is_sent(len(data))
            self._line.sendall(data)


class Tunnel:
    """A local port that leads to an address, over TLS or through a proxy, until this process ends.

    Args:
        address: the address.
        trusted: the certificate that was found there; None without TLS.
        own: the certificate for servers that ask for one; None for none.

    Attributes:
        entrance: its own address, `host:port`.
    """

    def __init__(self, address: Address, trusted: Trusted | None, own: OwnCertificate | None = None) -> None:
        self._address = address
        self._context = trusted.context(own) if trusted else None
        self._listener = socket.create_server((_HERE, 0))
        self.entrance = f"{_HERE}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, name="arena-tunnel", daemon=True).start()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._lead, args=(client,), name="arena-tunnel", daemon=True).start()

    def _lead(self, client: socket.socket) -> None:
        """Relays one connection to the address; hangs up if the server is missing or not trusted."""
        to = self._address
        with contextlib.suppress(OSError), client, connect(to.host, to.port, PATIENCE, to.proxy) as line:
            session = _begun(line, self._context, to.host) if self._context else None
            for connection in (line, client):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relay(line, client, session)


def _begun(line: socket.socket, context: ssl.SSLContext, name: str) -> Session:
    """The TLS session of a connection, after its handshake. Raises OSError."""
    session = Session(context, name)
    while not session.begin():
        line.sendall(session.to_send())
        data = line.recv(_CHUNK)
        if not data:
            raise ConnectionResetError
        session.arrived(data)
    line.sendall(session.to_send())
    return session
