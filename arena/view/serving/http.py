"""The page's HTTP server: HTTP/1.1 without TLS, in trio, for one ASGI application; h11 reads and writes it.

It speaks neither HTTP/2 nor WebSocket. What a client may cost is bounded here: the time in which the head of
a request must come, the time in which a piece of an answer must be taken, what is read ahead, and, by
`Places`, the connections of one address. How long the body of a request may take, the application decides.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from email.utils import formatdate
from typing import Final
from urllib.parse import unquote

import h11
import trio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Scope

from arena.view.proxies import Proxies, site_of
from arena.view.serving.places import Full, Place, Places

_IDLE = 30.0  # seconds, from the end of an answer, in which the head of the next request must come
_SLOW = 30.0  # seconds in which a piece of an answer must be taken
_PIECE = 1 << 16  # bytes
_LINGER = 2.0  # seconds for which a client may go on sending what nobody reads, so that it gets the answer
_HEAD = 1 << 14  # the most bytes of the head of a request
_TOO_LONG = 431  # h11's status for such a head
_VERSIONS: Final = (b"1.0", b"1.1")
_CROWDED: Final = "Too many people use this page now; try again."
_GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)

_DISCONNECT: Final[Message] = {"type": "http.disconnect"}


class Server:
    """The server.

    Args:
        app: the application.
        proxies: the proxies in front of it that are trusted: they tell who asks, and by https or not.
        most: how many connections are open at once.
        failed: told of an error of the application, and in the answer to which address.
        full: called when, for the first time, a connection comes and all places are taken.
    """

    def __init__(
        self,
        app: ASGIApp,
        proxies: Proxies,
        most: int,
        failed: Callable[[str, Exception], None],
        full: Callable[[], None],
    ) -> None:
        self.app, self.proxies, self.failed = app, proxies, failed
        self.places = Places(most)
        self._most, self._full = most, full

    async def serve(self, listener: socket.socket) -> None:
        """Answers at a listening socket until it is cancelled."""
        listening = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        await trio.serve_listeners(self._connected, [listening])

    async def _connected(self, stream: trio.SocketStream) -> None:
        with contextlib.suppress(OSError, *_GONE):
            connection = _Connection(self, stream)
            if self.places.count >= self._most:
                self._full()
                self._full = _nothing
            try:
                with self.places.taken(site_of(connection.peer), stream.socket.close) as place:
                    await connection.run(place)
                    await connection.linger()
            except Full:
                await connection.refuse(503, _CROWDED)


def _nothing() -> None:
    """Has been done before."""


class _Connection:
    """A connection.

    Args:
        server: the server.
        stream: the bytes.

    Attributes:
        peer: the address at the other end.
    """

    def __init__(self, server: Server, stream: trio.SocketStream) -> None:
        self._server, self._stream = server, stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD)
        self.peer, self._port = stream.socket.getpeername()[:2]
        self._own = stream.socket.getsockname()[:2]
        self._heard = self._ahead = False  # whether the request is whole; whether more was read than that
        self._gone = trio.Event()  # the client does not take the answer
        self._unsent = b""

    async def run(self, place: Place) -> None:
        """Answers requests, one after another. Raises OSError and what trio raises if the client is gone."""
        while True:
            try:
                request = await self._next_request()
            except h11.RemoteProtocolError as error:
                too_long = error.error_status_hint == _TOO_LONG
                why = "The head of the request is too long." if too_long else "This is no HTTP request."
                await self.refuse(error.error_status_hint, why)
                return
            if request is None:
                return
            if request.http_version not in _VERSIONS:
                await self.refuse(505, "This server speaks HTTP/1.1.")
                return
            scope = self._scope(request)
            self._server.places.renew(place, site_of(scope["client"][0]))
            await self._answer(scope)
            if not self._goes_on():
                return
            self._http.start_next_cycle()

    def _goes_on(self) -> bool:
        """Whether another request may follow: both sides are done, but for a body that is here already."""
        with contextlib.suppress(h11.RemoteProtocolError):
            while self._http.their_state is h11.SEND_BODY and self._http.next_event() is not h11.NEED_DATA:
                pass
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _next_request(self) -> h11.Request | None:
        """The head of the next request; None if there is none. Raises RemoteProtocolError."""
        with trio.move_on_after(_IDLE):
            while (event := self._http.next_event()) is h11.NEED_DATA:
                await self._read()
            if isinstance(event, h11.Request):
                return event
        return None

    async def _read(self) -> bool:
        """Reads what comes next; returns whether anything came."""
        data = await self._stream.receive_some(_PIECE)
        self._http.receive_data(bytes(data))
        return bool(data)

    async def _answer(self, scope: Scope) -> None:
        """Has the application answer a request."""
        self._heard = self._ahead = False
        is_head = scope["method"] == "HEAD"

        async def send(message: Message) -> None:
            with contextlib.suppress(*_GONE):  # the application need not know; `_receive` tells it
                await self._send(message, is_head)

        try:
            await self._server.app(scope, self._receive, send)
        except Exception as error:  # noqa: BLE001 - of any kind: the server goes on
            self._server.failed(scope["path"], error)
        if self._http.our_state is h11.SEND_RESPONSE:
            await self.refuse(500, "This failed because of a bug in the page.")

    def _scope(self, request: h11.Request) -> Scope:
        raw_path, _, query = request.target.partition(b"?")
        raw_headers = list(request.headers)
        headers, client, scheme = Headers(raw=raw_headers), (self.peer, self._port), "http"
        if self._server.proxies.trusts(self.peer):
            client = self._server.proxies.asker(self.peer, headers.getlist("x-forwarded-for")), 0
            scheme = "https" if headers.get("x-forwarded-proto") == "https" else "http"
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode(),
            "method": request.method.decode(),
            "scheme": scheme,
            "path": unquote(raw_path.decode()),
            "raw_path": raw_path,
            "query_string": query,
            "root_path": "",
            "headers": raw_headers,
            "client": client,
            "server": self._own,
        }

    async def _receive(self) -> Message:
        """The next part of the body of the request, or that the client is gone."""
        try:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
            while not self._heard:
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    await self._read()
                elif isinstance(event, h11.Data):
                    return {"type": "http.request", "body": bytes(event.data), "more_body": True}
                elif isinstance(event, h11.EndOfMessage):
                    self._heard = True
                    return {"type": "http.request", "body": b"", "more_body": False}
                else:
                    return _DISCONNECT
            if self._http.our_state is not h11.DONE and (self._ahead or await self._read()):
                self._ahead = True  # and no more is read before the answer is complete
                await self._gone.wait()
        except (h11.RemoteProtocolError, *_GONE):
            pass
        return _DISCONNECT

    async def _send(self, message: Message, is_head: bool) -> None:
        if message["type"] == "http.response.start":
            headers = [*message["headers"], (b"date", formatdate(usegmt=True).encode())]
            response = h11.Response(status_code=message["status"], headers=headers)
            self._unsent = self._http.send(response)  # with the first part of the body
            return
        body, data = message.get("body", b""), self._unsent
        self._unsent = b""
        if body and not is_head:
            data += self._http.send(h11.Data(data=bytes(body)))
        if not message.get("more_body", False):
            data += self._http.send(h11.EndOfMessage())
        await self._write(data)

    async def _write(self, data: bytes) -> None:
        """Sends bytes; closes the connection if they are not taken. Raises what trio raises then."""
        try:
            for first in range(0, len(data), _PIECE):
                with trio.fail_after(_SLOW):
                    await self._stream.send_all(data[first : first + _PIECE])
        except _GONE:
            self._gone.set()
            self._stream.socket.close()
            raise

    async def refuse(self, status: int, why: str) -> None:
        """Answers with a sentence, and ends the connection."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        body = f"{why}\n".encode()
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        head = self._http.send(h11.Response(status_code=status, headers=headers))
        await self._write(head + self._http.send(h11.Data(data=body)) + self._http.send(h11.EndOfMessage()))

    async def linger(self) -> None:
        """Says that no more comes, and reads for a while what the client sends: else it may lose the answer.

        An answer that broke off just ends.
        """
        if self._http.our_state is h11.SEND_BODY:
            return
        with trio.move_on_after(_LINGER):
            await self._stream.send_eof()
            while await self._stream.receive_some(_PIECE):
                pass
