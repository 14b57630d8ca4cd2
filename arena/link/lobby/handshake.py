"""Reads what a client sends before its token is checked: TLS, and HTTP/2 up to the first message.

A gRPC client sends the connection preface, its settings, one stream's headers
and then its first message. Most clients first wait for the server's
settings. So the door sends settings at once (`SETTINGS`), keeps all that the client
sends, and passes it on to the lobby's server, which reads it as if it had
been there from the beginning. The door only takes out the client's acknowledgement of `SETTINGS`,
because the lobby's server sends its own settings.

Headers are never decoded: the message alone has the token. Clients are served by
trio's tasks, because many may wait. A guest gets two threads (`arena.link.tls.relay`).
"""

from __future__ import annotations

import ssl
import struct

import trio

from arena.link.tls.relay import Session

LIMIT = 1 << 14
"""How much a client may send before it is let in, in bytes; a hello has a few hundred."""

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD = struct.Struct(">HBBBL")  # a frame's length (two fields), type, flags, stream
_PREFIX = struct.Struct(">BL")  # whether a gRPC message is compressed, its length
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _GOAWAY = 0, 1, 3, 4, 7
_INITIAL_WINDOW_SIZE = 4  # the number of a setting
_ACK = _END_STREAM = 0x1
_END_HEADERS = 0x4
_PADDED = 0x8
_LONGEST_VALUE = 126  # bytes of a header's value whose length takes one byte

SECURE_LIMIT = 1 << 16
"""The same limit for a client that speaks TLS; its certificates may be long."""

USE_TLS = "this lobby speaks TLS: dial in by the whole address, with its /sha256: and all that follows"

_FAILED_PRECONDITION = 9  # a gRPC status
_HANDSHAKE = b"\x16"  # the first byte of TLS
_CHUNK = 1 << 16


class Unacceptable(Exception):
    """A client sends what no gRPC client sends, or too much; it gets no answer."""


class WithoutTls(Exception):
    """A client does not speak TLS; if it speaks gRPC, it was told to."""


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return _HEAD.pack(len(payload) >> 8, len(payload) & 0xFF, kind, flags, stream) + payload


SETTINGS = _frame(_SETTINGS, 0, 0)
"""A server's first frame: all settings have their defaults."""

SETTINGS_TO_BE_SILENT = _frame(_SETTINGS, 0, 0, struct.pack(">HL", _INITIAL_WINDOW_SIZE, 0))
"""The first frame of a server that lets clients open a stream, but send no message."""


class Greeting:
    """Parses a client's HTTP/2 frames up to its first message.

    Attributes:
        stream: the number of the stream that the client opened, 0 before.
        message: the first message on the stream, None until it is complete; empty if the
            stream ended without one, or the message is compressed.
    """

    def __init__(self) -> None:
        self.stream = 0
        self.message: bytes | None = None
        self._acknowledged = False
        self._received = 0
        self._begun = False
        self._unread = bytearray()
        self._kept = bytearray()
        self._data = bytearray()

    @property
    def complete(self) -> bool:
        """Whether the first message has come, and nothing more must be read."""
        return self.message is not None and self._acknowledged

    def feed(self, data: bytes) -> None:
        """Parses more bytes from the client. Raises Unacceptable."""
        self._received += len(data)
        if self._received > LIMIT:
            raise Unacceptable
        self._unread += data
        if not self._begun:
            if not _PREFACE.startswith(self._unread[: len(_PREFACE)]):
                raise Unacceptable
            if len(self._unread) < len(_PREFACE):
                return
            self._begun = True
            self._keep(len(_PREFACE))
        while not self.complete and len(self._unread) >= _HEAD.size:
            high, low, kind, flags, stream = _HEAD.unpack_from(self._unread)
            end = _HEAD.size + (high << 8 | low)
            if end > LIMIT:
                raise Unacceptable
            if len(self._unread) < end:
                return
            if kind == _SETTINGS and flags & _ACK:
                del self._unread[:end]
                if self._acknowledged:
                    raise Unacceptable
                self._acknowledged = True
                continue
            self._read(kind, flags, stream, bytes(self._unread[_HEAD.size : end]))
            self._keep(end)

    def passed_on(self) -> bytes:
        """All that the client sent, for the lobby's server."""
        return bytes(self._kept + self._unread)

    def _keep(self, end: int) -> None:
        self._kept += self._unread[:end]
        del self._unread[:end]

    def _read(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind in (_RST_STREAM, _GOAWAY):
            raise Unacceptable  # the client gave up
        if kind == _HEADERS:
            if self.stream or not stream:
                raise Unacceptable  # one connection has one bot with one stream
            self.stream = stream
        if kind == _DATA:
            if not self.stream or stream != self.stream:
                raise Unacceptable
            if flags & _PADDED:
                if not payload or payload[0] >= len(payload):
                    raise Unacceptable
                payload = payload[1 : len(payload) - payload[0]]
            self._data += payload
        if self.stream == stream and kind in (_HEADERS, _DATA):
            self._look_for_message(ended=bool(flags & _END_STREAM))

    def _look_for_message(self, ended: bool) -> None:
        if self.message is not None:
            return
        if len(self._data) >= _PREFIX.size:
            compressed, length = _PREFIX.unpack_from(self._data)
            if compressed or length > LIMIT:
                self.message = b""
            elif len(self._data) >= _PREFIX.size + length:
                self.message = bytes(self._data[_PREFIX.size : _PREFIX.size + length])
        if self.message is None and ended:
            self.message = b""


def refusal(stream: int, code: int, sentence: str) -> bytes:
    """The frames that end a call with a status, and then the connection.

    Args:
        stream: the call's stream.
        code: the number of a gRPC status.
        sentence: why, in printable ASCII without percent signs, at most 126 characters.
    """
    headers = b"\x88" + b"\x0f\x10" + _text("application/grpc")  # :status 200 and content-type, by number
    headers += b"\0" + _text("grpc-status") + _text(str(code))
    headers += b"\0" + _text("grpc-message") + _text(sentence)
    return (
        _frame(_HEADERS, _END_HEADERS | _END_STREAM, stream, headers)
        + _frame(_RST_STREAM, 0, stream, bytes(4))  # without error: the client need send no more
        + _frame(_GOAWAY, 0, 0, struct.pack(">LL", stream, 0))
    )


def _text(text: str) -> bytes:
    """A text in HPACK, without compression."""
    data = text.encode("ascii")
    assert len(data) <= _LONGEST_VALUE, text
    return bytes([len(data)]) + data


class TlsClient:
    """A connection with TLS to a client, used like the trio stream that it wraps.

    Args:
        line: the connection.
        context: the server's settings.

    Attributes:
        session: the TLS session, for the relay that takes the connection over.
    """

    def __init__(self, line: trio.SocketStream, context: ssl.SSLContext) -> None:
        self.socket = line.socket
        self._line = line
        self.session = Session(context)
        self._received = 0

    async def shake_hands(self) -> bool:
        """Completes the TLS handshake; returns False if the client leaves.

        Raises Unacceptable, WithoutTls.
        """
        while data := await self._more():
            if self._received == len(data) and not data.startswith(_HANDSHAKE):
                await self._tell_to_use_tls(data)
                raise WithoutTls
            self.session.arrived(data)
            try:
                agreed = self.session.begin()
            except ssl.SSLError:
                await self._flush()  # the alert that says why
                raise Unacceptable from None
            await self._flush()
            if agreed:
                return True
        return False

    async def receive_some(self, _most: int) -> bytes:
        """Returns the client's next bytes; empty at their end. Raises Unacceptable."""
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
        """Sends bytes to the client."""
        self.session.say(data)
        await self._flush()

    async def send_eof(self) -> None:
        """Tells the client that nothing more comes."""
        await self._line.send_eof()

    async def _more(self) -> bytes:
        data = bytes(await self._line.receive_some(_CHUNK))
        self._received += len(data)
        if self._received > SECURE_LIMIT:
            raise Unacceptable
        return data

    async def _flush(self) -> None:
        await self._line.send_all(self.session.to_send())

    async def _tell_to_use_tls(self, data: bytes) -> None:
        """Refuses a call before the client sends its token, which others could read. Raises Unacceptable."""
        await self._line.send_all(SETTINGS_TO_BE_SILENT)
        greeting = Greeting()
        while data and not greeting.stream:
            greeting.feed(data)
            if not greeting.stream:
                data = await self._more()
        if data:
            await self._line.send_all(refusal(greeting.stream, _FAILED_PRECONDITION, USE_TLS))
            await self._line.send_eof()
            while await self._more():
                pass
