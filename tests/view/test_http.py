"""The page's HTTP server: what it answers, and how long and how often a client may hold it up."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import pytest
import trio
import trio.testing
from starlette.types import Message, Receive, Scope, Send

from arena.view.listening import listening
from arena.view.proxies import Proxies
from arena.view.serving.http import Server
from tests.patience import PATIENCE

LARGE = 20_000_000  # bytes: more than the system keeps for a client that reads nothing
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"  # of HTTP/2, with SETTINGS


class App:
    """An application for tests, by the path of a request."""

    def __init__(self) -> None:
        self.ended = trio.Event()  # a stream has ended
        self.scope: Scope = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        path = scope["path"]
        body = b"".join([part async for part in _body(receive)]) if path == "/echo" else path.encode()
        if path == "/bug":
            raise ValueError(path)
        body = bytes(LARGE) if path == "/large" else body
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if path == "/half":
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
            raise ValueError(path)
        if path == "/stream":
            await send({"type": "http.response.body", "body": b"begun", "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            self.ended.set()
        await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message: Message = await receive()
        assert message["type"] == "http.request"
        more = message["more_body"]
        yield message["body"]


class Client:
    """A client of the server: its connection, and what has come."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream, self.heard = stream, b""

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def ask(self, head: str, *more: str, body: bytes = b"") -> None:
        lines = (f"{head} HTTP/1.1", "Host: localhost", *more, "", "")
        await self.stream.send_all("\r\n".join(lines).encode() + body)

    async def until(self, wanted: bytes) -> bytes:
        """What came, up to this."""
        while wanted not in self.heard:
            data = await self.stream.receive_some()
            assert data, self.heard
            self.heard += data
        before, _, self.heard = self.heard.partition(wanted)
        return before + wanted

    async def end(self) -> bytes:
        """The rest of what comes until the server closes the connection."""
        with contextlib.suppress(trio.BrokenResourceError):
            while data := await self.stream.receive_some():
                self.heard += data
        return self.heard


class Served:
    """A server with the application: its place, and the errors of the application."""

    def __init__(self, app: App, most: int) -> None:
        self.app, self.failed = app, list[str]()
        self.clients = contextlib.ExitStack()
        self.stop: Callable[[], None]
        self.listener = listening("127.0.0.1:0")
        self.port = self.listener.getsockname()[1]
        self.full = 0  # how often it was told that all places are taken
        self.server = Server(app, Proxies(), most, lambda where, error: self.failed.append(where), self._full)

    def _full(self) -> None:
        self.full += 1

    async def client(self, address: str = "127.0.0.1") -> Client:
        """A new connection, from an address of this machine."""
        try:
            stream = await trio.open_tcp_stream("127.0.0.1", self.port, local_address=address)
        except OSError:
            pytest.skip("this system has one address only")
        self.clients.callback(stream.socket.close)
        return Client(stream)


@contextlib.asynccontextmanager
async def served(most: int = 100) -> AsyncIterator[Served]:
    found = Served(App(), most)
    with found.clients:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(found.server.serve, found.listener)
            found.stop = nursery.cancel_scope.cancel
            yield found
            found.stop()


def run(test, *, jumps: bool = False) -> None:
    """Runs a test; the clock `jumps` to the next deadline when nothing else is to be done."""

    async def bounded() -> None:
        with trio.fail_after(PATIENCE):
            await test()

    clock = trio.testing.MockClock(autojump_threshold=0.02) if jumps else None
    trio.run(test if jumps else bounded, clock=clock)


def test_requests_are_answered_one_after_another() -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("GET /a%20b?x=1", "Cookie: y")
            first = await client.until(b"/a b")
            assert first.startswith(b"HTTP/1.1 200")
            assert b"date: " in first
            assert found.app.scope["query_string"] == b"x=1"
            assert (b"cookie", b"y") in found.app.scope["headers"]
            await client.send(b"GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"/one" in await client.until(b"/two")
            await client.ask("HEAD /head")
            await client.ask("GET /last", "Connection: close")
            rest = await client.end()
            assert b"/head" not in rest
            assert b"/last" in rest
            assert found.failed == []

    run(test)


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (("Content-Length: 5",), b"abcde"),
        (("Transfer-Encoding: chunked",), b"2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"),
    ],
)
def test_a_body_arrives_in_parts(headers: tuple[str, ...], body: bytes) -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("POST /echo", *headers, "Expect: 100-continue")
            await client.until(b"100 \r\n\r\n")
            for byte in body:
                await client.send(bytes([byte]))
            assert b"200" in await client.until(b"abcde")

    run(test)


def test_an_answer_that_nobody_waited_for_is_not_lost() -> None:
    """A client that sends much of what the application does not read gets its answer."""

    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("POST /early", f"Content-Length: {LARGE}", body=bytes(1 << 20))
            assert b"/early" in await client.until(b"/early")
            await client.send(bytes(1 << 20))
            await client.stream.send_eof()
            await client.end()

    run(test)


def test_the_application_may_fail() -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("GET /bug")
            assert b"500" in await client.until(b"a bug in the page")
            client = await found.client()
            await client.ask("GET /half")
            assert not (await client.end()).endswith(b"0\r\n\r\n"), "the client is to see that it broke off"
            assert found.failed == ["/bug", "/half"]

    run(test)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (PREFACE, b"505"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),  # without a host
        (b"GET / HTTP/1.1\r\nx: " + b"x" * (1 << 15), b"431"),
    ],
)
def test_what_is_no_http_1_is_refused_and_the_connection_closed(sent: bytes, code: bytes) -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.send(sent)
            assert (await client.end()).startswith(b"HTTP/1.1 " + code)
            assert found.app.scope == {}

    run(test, jumps=True)


@pytest.mark.parametrize("to", ["h2c", "websocket"])
def test_no_other_protocol_is_offered(to: str) -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            settings = "HTTP2-Settings: AAMAAABkAAQAAP__"
            await client.ask("GET /x", f"Upgrade: {to}", "Connection: Upgrade, HTTP2-Settings", settings)
            assert (await client.until(b"/x")).startswith(b"HTTP/1.1 200")
            await client.ask("GET /again")
            await client.until(b"/again")

    run(test)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost:",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",  # and nothing after the answer
        b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n",  # and the answer is not taken
        PREFACE,
    ],
)
def test_a_client_that_does_nothing_more_is_left(sent: bytes) -> None:
    async def test() -> None:
        async with served(most=1) as found:
            idle = [await found.client() for _ in range(3)]
            for client in idle:
                await client.send(sent)
            await trio.sleep(100)
            assert found.server.places.count == 0
            for client in idle:
                assert len(await client.end()) < LARGE

    run(test, jumps=True)


@pytest.mark.parametrize("more", [b"", b"GET /next HTTP/1.1\r\n"])
def test_a_stream_ends_with_its_client(more: bytes) -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("GET /stream", body=more)
            await client.until(b"begun")
            await client.stream.aclose()
            with trio.move_on_after(20):
                await found.app.ended.wait()
            assert found.app.ended.is_set()

    run(test, jumps=True)


def test_one_address_takes_the_connections_of_no_other() -> None:
    async def test() -> None:
        async with served(most=8) as found:
            other = await found.client("127.0.0.2")
            await other.ask("GET /before")
            await other.until(b"/before")
            idle = [await found.client() for _ in range(40)]
            for client in idle[:32]:  # the oldest of the same address are closed for the newest
                assert await client.end() == b""
            await other.ask("GET /after")
            await other.until(b"/after")
            another = await found.client("127.0.0.3")
            await another.ask("GET /another")
            await another.until(b"/another")
            assert found.full == 1

    run(test)


def test_a_proxy_tells_whose_a_connection_is() -> None:
    async def test() -> None:
        async with served(most=4) as found:
            streams = []
            for number in range(8):
                streams.append(await found.client())
                await streams[-1].ask("GET /stream", f"X-Forwarded-For: 192.0.2.{min(number, 1)}")
                await streams[-1].until(b"begun")
            for client in streams[1:5]:
                await client.end()
            assert found.app.scope["client"][0] == "192.0.2.1"
            assert found.server.places.of("192.0.2.0") == 1

    run(test)


def test_nothing_is_left_open_when_the_server_ends() -> None:
    async def test() -> None:
        async with served() as found:
            client = await found.client()
            await client.ask("GET /stream")
            await client.until(b"begun")
            found.stop()
            assert await client.end() == b""
        with pytest.raises(OSError):  # noqa: PT011 - of any kind: nobody listens
            socket.create_connection(("127.0.0.1", found.port)).close()

    run(test)
