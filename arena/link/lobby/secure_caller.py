"""A caller of the door that speaks TLS, or should.

Until it is let in all is done in trio's tasks, for of those who wait there may be
many. One that is let in gets the two threads that copy (`arena.link.lobby.relay`).
"""

from __future__ import annotations

import ssl

import trio

from arena.link.lobby.greeting import SETTINGS_TO_BE_SILENT, Greeting, Unacceptable, refusal
from arena.link.tls.session import Session

LIMIT = 1 << 16
"""How much a caller may send before it is let in, in bytes; a client's certificates may be long."""

SPEAKS_PLAINLY = "this lobby speaks TLS: dial in by the whole address, with its /sha256: and all that follows"

_FAILED_PRECONDITION = 9  # of gRPC's statuses
_HANDSHAKE = b"\x16"  # with which TLS begins
_CHUNK = 1 << 16


class SpeaksPlainly(Exception):
    """A caller does not speak TLS; if it is a bot it has been told."""


class SecureCaller:
    """One connection, used as the trio stream is that it wraps.

    Args:
        line: the connection.
        context: the server's.

    Attributes:
        session: its TLS, for who takes the connection over.
    """

    def __init__(self, line: trio.SocketStream, context: ssl.SSLContext) -> None:
        self.socket = line.socket
        self._line = line
        self.session = Session(context)
        self._received = 0

    async def shake_hands(self) -> bool:
        """Agrees on the keys; returns False where the caller goes away.

        Raises Unacceptable, SpeaksPlainly.
        """
        while data := await self._more():
            if self._received == len(data) and not data.startswith(_HANDSHAKE):
                await self._tell_to_use_tls(data)
                raise SpeaksPlainly
            self.session.arrived(data)
            try:
                agreed = self.session.begin()
            except ssl.SSLError:
                await self._flush()  # it is told why
                raise Unacceptable from None
            await self._flush()
            if agreed:
                return True
        return False

    async def receive_some(self, _most: int) -> bytes:
        """What the caller says next; empty at its end. Raises Unacceptable."""
        try:
            while not (said := self.session.received()) and not self.session.over:
                data = await self._more()
                if not data:
                    return b""
                self.session.arrived(data)
        except ssl.SSLError:
            raise Unacceptable from None
        return said

    async def send_all(self, data: bytes) -> None:
        """Says something to the caller."""
        self.session.say(data)
        await self._flush()

    async def send_eof(self) -> None:
        """Says that nothing more comes."""
        await self._line.send_eof()

    async def _more(self) -> bytes:
        data = bytes(await self._line.receive_some(_CHUNK))
        self._received += len(data)
        if self._received > LIMIT:
            raise Unacceptable
        return data

    async def _flush(self) -> None:
        await self._line.send_all(self.session.to_send())

    async def _tell_to_use_tls(self, data: bytes) -> None:
        """Refuses a bot's call before it has said its token, which others could read. Raises Unacceptable."""
        await self._line.send_all(SETTINGS_TO_BE_SILENT)
        greeting = Greeting()
        while data and not greeting.stream:
            greeting.feed(data)
            if not greeting.stream:
                data = await self._more()
        if data:
            await self._line.send_all(refusal(greeting.stream, _FAILED_PRECONDITION, SPEAKS_PLAINLY))
            await self._line.send_eof()
            while await self._more():
                pass
