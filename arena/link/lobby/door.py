"""The door: a process before the lobby that checks TLS and tokens, so that no crowd slows the referee.

It also limits what each guest sends. `DoorProcess` starts it, and ends it by the end of its input. The two
exchange lines of JSON: the first one on the door's standard input are its `Orders`, each further one is an
`Order`, and the door writes `News`.

A client may take some seconds and kilobytes to say hello, on a single stream
(`Greeting`). If its token is known, the door connects it to the lobby's gRPC server and
copies both ways from then on. Otherwise the door itself refuses the client. The door hangs up on a
guest that sends much more than answers: gRPC reads HTTP/2 frames that are no messages, and TLS records
without content, for as long as they come. So the door counts what a guest sends (`Count`), as it goes
over the connection: in bytes, and in portions, because single frames cost
most. Both counts are token buckets. They fill with what the
guest is sent, because an answer is shorter than its question.

A crowd keeps no bot out. If too many clients wait, the door drops the one that has waited longest,
of the address with the most: a bot says hello within a moment.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import ssl
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypedDict

import trio
from google.protobuf.message import DecodeError

from arena.link.lobby.handshake import (
    SETTINGS,
    Greeting,
    TlsClient,
    Unacceptable,
    WithoutTls,
    refusal,
)
from arena.link.lobby.tickets import token_digest
from arena.link.tls.identity import WrongIdentity, server_context
from arena.link.tls.relay import Session, hang_up, relay
from arena.token_bucket import TokenBucket
from arena.v1 import lobby_pb2

HELLO_TIMEOUT = 10.0
"""How long a client may take to say hello, in seconds."""

WAITING = 1000
"""How many clients may be connected that have not yet said hello."""

WAITING_PER_ADDRESS = 500
"""How many of these may come from one address: everybody's bots may be behind the same one."""

INSIDE = 2
"""How many connections with the same token are let in: a dead one and its successor."""

MOST = 1 << 18
"""How many bytes a guest may send at once beyond what it earns: its longest message."""

RATE = 20_000
"""How many bytes a guest may send in a second, however little it is sent."""

MOST_PORTIONS, PORTIONS_RATE = 500, 300
"""The same limits in portions; a portion is what one read returned."""

_EARNED = 0.5  # bytes for each byte that the guest is sent; an answer takes less, also with TLS
_PORTIONS_EARNED = 1 / 64  # an answer takes one, seldom two, and its question has at least 100 bytes

_FILES = 4096  # open files: enough for the waiting clients and a thousand bots
_BACKLOG = 1024
_CHUNK = 1 << 16
_SWITCH = 0.0005  # seconds that a copying thread may wait for Python's lock in a crowd
_LINGER = 1.0  # seconds for the other side to read the last bytes, and to end too


Client = trio.SocketStream | TlsClient


class Orders(TypedDict):
    """The door's settings, from `DoorProcess`.

    Attributes:
        address: where to listen, `host:port`.
        server: the path of the Unix socket of the lobby's gRPC server, in a
            folder of its own.
        tokens: the digests of the tokens.
        processors: the numbers of the processors that it may use; empty to leave the
            choice to the system.
        certificate, key: the paths of PEM files if clients must speak TLS; else empty.
        client_ca: the path of a PEM file with the authorities of clients' certificates,
            if clients must show one; else empty.
    """

    address: str
    server: str
    tokens: list[str]
    processors: list[int]
    certificate: str
    key: str
    client_ca: str


class Order(TypedDict, total=False):
    """What the door has to do from now on: one of these.

    Attributes:
        accept: the digest of a token that it accepts.
        refuse: the digest of a token that it no longer accepts.
        answer: that it tells that it is here.
    """

    accept: str
    refuse: str
    answer: bool


class News(TypedDict, total=False):
    """What the door tells. The first news is its port, or its trouble.

    Attributes:
        port: where it listens.
        trouble: why it does not listen.
        here: the answer that it is here.
        refused: a phrase about a client that was refused.
        flooded: the digest of the token of a guest that sent too much.
        size: how many bytes that guest has sent.
    """

    port: int
    trouble: str
    here: bool
    refused: str
    flooded: str
    size: int


# Why a client is not let in: the number of a gRPC status, and the sentence for the client.
_NO_HELLO = (3, "the first message must be a hello with a token")  # INVALID_ARGUMENT
_UNKNOWN = (16, "unknown token: ask the host for the current one")  # UNAUTHENTICATED
_FULL = (14, "two bots with this token are here already: try again later")  # UNAVAILABLE

_SILENT = "a client that did not say hello in time"
_UNREADABLE = "a client that does not speak as a bot does"
_PLAIN = "a client without TLS: bots have to dial in by the whole address that was printed"


class Count:
    """Counts what a guest sends and is sent, each in one thread, against token buckets.

    Args:
        on_flood: called, in any thread, with the bytes that the guest has sent, once they are too many.
    """

    def __init__(self, on_flood: Callable[[int], None]) -> None:
        self._on_flood = on_flood
        self._bytes = TokenBucket(MOST, RATE, time.monotonic())
        self._portions = TokenBucket(MOST_PORTIONS, PORTIONS_RATE, time.monotonic())
        self._came = 0
        self._went = 0
        self._earned = 0  # how much of `_went` has filled the buckets

    def may_send(self, size: int) -> bool:
        """Counts a portion of so many bytes from the guest; returns whether that is still allowed."""
        self._came += size
        went, now = self._went, time.monotonic()
        earned, self._earned = went - self._earned, went
        enough = self._bytes.spend(size, _EARNED * earned, now)
        if self._portions.spend(1, _PORTIONS_EARNED * earned, now) and enough:
            return True
        self._on_flood(self._came)
        return False

    def is_sent(self, size: int) -> None:
        """Counts bytes that go to the guest."""
        self._went += size


async def connect(
    guest: trio.socket.SocketType, lobby: trio.socket.SocketType, count: Count, tls: Session | None = None
) -> None:
    """Copies between two connections until both ways have ended, one has broken, or this is cancelled.

    Args:
        guest, lobby: the connections.
        count: counts what the guest sends. If that is too much, the lobby has a moment
            to tell the guest why, before the connection ends.
        tls: the guest's TLS session, after its handshake; None for no TLS.
    """
    with _of_a_thread(guest) as near, _of_a_thread(lobby) as far:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_hang_up_when_cancelled, near, far)
            await trio.to_thread.run_sync(relay, near, far, tls, count, limiter=trio.CapacityLimiter(1))
            nursery.cancel_scope.cancel()


def _of_a_thread(connection: trio.socket.SocketType) -> socket.socket:
    """The same connection, for use in a thread."""
    return socket.fromfd(connection.fileno(), connection.family, connection.type)


async def _hang_up_when_cancelled(*connections: socket.socket) -> None:
    try:
        await trio.sleep_forever()
    finally:
        hang_up(*connections)


class _WaitingClients:
    """The clients that have not yet said hello, each with a scope that is cancelled to drop it."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, dict[trio.CancelScope, None]] = defaultdict(dict)
        self._count = 0

    @contextlib.contextmanager
    def place(self, address: str, scope: trio.CancelScope) -> Iterator[None]:
        """Holds a place among the waiting clients; another client may be dropped for it."""
        if len(self._waiting[address]) >= WAITING_PER_ADDRESS:
            self._drop(address)
        elif self._count >= WAITING:
            self._drop(max(self._waiting, key=lambda each: len(self._waiting[each])))
        self._waiting[address][scope] = None
        self._count += 1
        try:
            yield
        finally:
            self._leave(address, scope)

    def clear(self) -> None:
        """Drops all waiting clients."""
        for scopes in self._waiting.values():
            for scope in scopes:
                scope.cancel()

    def _drop(self, address: str) -> None:
        """Drops the client of an address that has waited longest."""
        longest = next(iter(self._waiting[address]))
        longest.cancel()
        self._leave(address, longest)

    def _leave(self, address: str, scope: trio.CancelScope) -> None:
        scopes = self._waiting.get(address, {})
        if scope in scopes:
            del scopes[scope]
            self._count -= 1
            if not scopes:
                del self._waiting[address]


class _Door:
    """Accepts connections, and serves each of them."""

    def __init__(self, orders: Orders) -> None:
        self._server = orders["server"]
        self.tokens = set(orders["tokens"])
        self._inside: Counter[str] = Counter()
        self._tls = _tls_of(orders)
        self.waiting = _WaitingClients()

    def carry_out(self, order: Order) -> None:
        """Carries out an order of the referee."""
        match order:
            case {"accept": digest}:
                self.tokens.add(digest)
            case {"refuse": digest}:
                self.tokens.discard(digest)
            case _:
                _tell({"here": True})

    async def serve(self, line: trio.SocketStream) -> None:
        """Serves one connection, to its end."""
        with contextlib.suppress(OSError, trio.BrokenResourceError):
            client = line if self._tls is None else TlsClient(line, self._tls)
            greeting = Greeting()
            address = str(line.socket.getpeername()[0])
            digest = None
            with trio.move_on_after(HELLO_TIMEOUT) as scope, self.waiting.place(address, scope):
                try:
                    digest = await self._ask(client, greeting)
                except Unacceptable:
                    _tell({"refused": _UNREADABLE})
                except WithoutTls:
                    _tell({"refused": _PLAIN})
            if scope.cancelled_caught:
                _tell({"refused": _SILENT})
            if digest is not None:
                await self._let_in(client, greeting, digest)

    async def _ask(self, client: Client, greeting: Greeting) -> str | None:
        """Reads a client's hello. Returns the token's digest, None if the client leaves or is refused.

        Raises Unacceptable, WithoutTls.
        """
        if isinstance(client, TlsClient) and not await client.shake_hands():
            return None
        await client.send_all(SETTINGS)
        while not greeting.complete:
            data = await client.receive_some(_CHUNK)
            if not data:
                return None
            greeting.feed(data)
        digest = _digest_in(greeting.message)
        if digest is None:
            problem = _NO_HELLO
        elif digest not in self.tokens:
            problem = _UNKNOWN
        elif self._inside[digest] >= INSIDE:
            problem = _FULL
        else:
            return digest
        code, sentence = problem
        _tell({"refused": sentence})
        await client.send_all(refusal(greeting.stream, code, sentence))
        await client.send_eof()
        with trio.move_on_after(_LINGER):
            while await client.receive_some(_CHUNK):
                pass
        return None

    async def _let_in(self, client: Client, greeting: Greeting, digest: str) -> None:
        self._inside[digest] += 1
        try:
            async with await trio.open_unix_socket(self._server) as lobby:
                await lobby.send_all(greeting.passed_on())
                tls = client.session if isinstance(client, TlsClient) else None
                await connect(client.socket, lobby.socket, Count(partial(_tell_flood, digest)), tls)
        finally:
            self._inside[digest] -= 1


def _tls_of(orders: Orders) -> ssl.SSLContext | None:
    """The TLS settings for clients, None for no TLS. Raises WrongIdentity."""
    if not orders["certificate"]:
        return None
    client_ca = Path(orders["client_ca"]) if orders["client_ca"] else None
    return server_context(Path(orders["certificate"]), Path(orders["key"]), client_ca)


def _digest_in(message: bytes | None) -> str | None:
    """The digest of the token in an encoded JoinRequest; None if the request is no hello."""
    try:
        request = lobby_pb2.JoinRequest.FromString(message or b"")
    except DecodeError:
        return None
    return token_digest(request.hello.token) if request.WhichOneof("kind") == "hello" else None


def _tell_flood(digest: str, size: int) -> None:
    _tell({"flooded": digest, "size": size})


def _tell(news: News) -> None:
    """Tells the referee, but drops the news if the referee reads too slowly."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(news).encode() + b"\n")


def _listen(address: str) -> trio.SocketListener:
    """Listens at `host:port`; on all addresses, with both versions of IP. Raises OSError."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if host in ("", "0.0.0.0", "::") and socket.has_dualstack_ipv6():
        listener = socket.create_server(
            ("::", int(port)), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_BACKLOG
        )
    else:
        found = socket.getaddrinfo(host or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listener = socket.create_server(found[0][4][:2], family=found[0][0], backlog=_BACKLOG)
    return trio.SocketListener(trio.socket.from_stdlib_socket(listener))


def _use_enough_files() -> None:
    import resource  # POSIX only; this module is imported on other systems too

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))


async def _run() -> None:
    referee = trio.lowlevel.FdStream(os.dup(sys.stdin.fileno()))
    line = b""
    while not line.endswith(b"\n"):
        data = await referee.receive_some()
        if not data:
            return
        line += data
    orders: Orders = json.loads(line)
    if orders["processors"]:
        os.sched_setaffinity(0, orders["processors"])
    _use_enough_files()
    sys.setswitchinterval(_SWITCH)
    try:
        door = _Door(orders)
        listener = _listen(orders["address"])
    except (OSError, ValueError, OverflowError, WrongIdentity) as error:
        _tell({"trouble": str(error)})
        return
    _tell({"port": listener.socket.getsockname()[1]})
    os.set_blocking(sys.stdout.fileno(), False)
    async with trio.open_nursery() as clients:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(trio.serve_listeners, door.serve, [listener], handler_nursery=clients))
            more = b""
            while data := await referee.receive_some():
                *lines, more = (more + data).split(b"\n")
                for line in lines:
                    door.carry_out(json.loads(line))
            nursery.cancel_scope.cancel()
        door.waiting.clear()
        clients.cancel_scope.deadline = trio.current_time() + 2 * _LINGER  # to let the last bytes through
    shutil.rmtree(Path(orders["server"]).parent, ignore_errors=True)  # also if the referee was killed


def main() -> None:
    """Runs the program."""
    trio.run(_run)
