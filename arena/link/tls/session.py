"""One connection's TLS, sans-IO: what comes over the line goes in, what was said comes out, and back.

It ends as the line does: HTTP/2 tells by itself whether anything is missing.
"""

from __future__ import annotations

import contextlib
import ssl

_CHUNK = 1 << 16


class Session:
    """One end of a connection.

    Its methods wait for nothing, and are to be called by one thread at a time.
    They raise ssl.SSLError where the other end does not keep to TLS, or is not
    to be believed; what `to_send` has then tells it why.

    Args:
        context: how it is to be.
        name: of the other end where that is a server, None where it is a client.

    Attributes:
        over: whether the other end has said that nothing more comes.
    """

    def __init__(self, context: ssl.SSLContext, name: str | None = None) -> None:
        self._arrived, self._leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._arrived, self._leaving, server_side=name is None, server_hostname=name
        )
        self._agreed = False
        self.over = False

    def begin(self) -> bool:
        """Goes on with the handshake as far as what has arrived; returns whether that is done."""
        if not self._agreed:
            with contextlib.suppress(ssl.SSLWantReadError):
                self._tls.do_handshake()
                self._agreed = True
        return self._agreed

    def arrived(self, data: bytes) -> None:
        """This came over the line."""
        self._arrived.write(data)

    def received(self) -> bytes:
        """What the other end has said since, as far as it is here; `begin` must be done."""
        said = []
        # Nothing is asked for that is not there: to be told so took ten times as long as all the rest.
        while not self.over and (self._arrived.pending or self._tls.pending()):
            try:
                said.append(self._tls.read(_CHUNK))
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                self.over = True
        return b"".join(said)

    def say(self, data: bytes) -> None:
        """Says something to the other end; `begin` must be done."""
        if data:
            self._tls.write(data)

    @property
    def has_to_send(self) -> bool:
        """Whether something is to go over the line."""
        return self._leaving.pending > 0

    def to_send(self) -> bytes:
        """What is to go over the line now."""
        return self._leaving.read()
