"""A plain port of this machine behind which is an address that speaks TLS: for bots that do not."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading

from arena.link.tls.address import Address
from arena.link.tls.pump import pump
from arena.link.tls.session import Session
from arena.link.tls.trust import PATIENCE, OwnCertificate, Trusted

_HERE = "127.0.0.1"
_CHUNK = 1 << 16


class Tunnel:
    """A port through which programs of this machine reach an address, as long as this process lives.

    Args:
        address: where it leads.
        trusted: what was found there, which nothing else may stand in for.
        own: what is shown to those who ask who dials; None for nothing.

    Attributes:
        entrance: its own address, `host:port`.
    """

    def __init__(self, address: Address, trusted: Trusted, own: OwnCertificate | None = None) -> None:
        self._address = address
        self._context = trusted.context(own)
        self._listener = socket.create_server((_HERE, 0))
        self.entrance = f"{_HERE}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, name="arena-tunnel", daemon=True).start()

    def _serve(self) -> None:
        while True:
            caller, _ = self._listener.accept()
            threading.Thread(target=self._lead, args=(caller,), name="arena-tunnel", daemon=True).start()

    def _lead(self, caller: socket.socket) -> None:
        """Leads one connection to the address; hangs up where nobody is there, or somebody else."""
        with contextlib.ExitStack() as opened:
            opened.enter_context(caller)
            try:
                line = opened.enter_context(
                    socket.create_connection((self._address.host, self._address.port), PATIENCE)
                )
                session = _begun(line, self._context, self._address.host)
            except OSError:  # ssl.SSLError is one
                return
            for connection in (line, caller):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.pop_all()
        pump(session, line, caller)


def _begun(line: socket.socket, context: ssl.SSLContext, name: str) -> Session:
    """The session of a connection, when its ends have agreed. Raises OSError."""
    session = Session(context, name)
    while not session.begin():
        line.sendall(session.to_send())
        data = line.recv(_CHUNK)
        if not data:
            raise ConnectionResetError
        session.arrived(data)
    line.sendall(session.to_send())
    return session
