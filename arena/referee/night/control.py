"""The control socket of a running tournament: a Unix socket beside the league, `LEAGUE-control`.

Only its owner can open it. Other processes of that user are clients. A connection carries one request and its
answer, each a line of JSON whose fields have names; the request's `ask` is its kind.

A request to be decided also has `id`, `what` and `reason`. The client withdraws it by shutting down its
sending side. It is decided only after the line `taken` was sent: so a client that gives up before it receives
that line knows that the request will never be decided.

`night` asks for all that the page of the host shows and the league does not tell: who is connected, and
whose turn has been open longest. The run finds it out when it is asked, and never otherwise.

A subscriber (`ask` is `tables`) gets what is played at running tables (`arena.referee.night.onlookers`).
"""

from __future__ import annotations

import json
import math
import os
import secrets
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import trio

from arena.face import Face
from arena.referee.cluster_statistics import ClusterStatistics, WorkerStatistics
from arena.referee.night.night_now import Awaited, BotNow, NightNow, State

_AT_ONCE = 2.0  # seconds in which a run answers what it need not decide
_LONGEST = 1 << 20  # bytes of a request
_TAKEN = b"taken\n"  # the line that comes before a request is decided
_CREDENTIALS = struct.Struct("3i")  # what SO_PEERCRED gives: process, user and group
GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
"""The errors of a connection whose other end is gone, or whose own end is closed."""


class Request(NamedTuple):
    """A request of the host, to be decided.

    Attributes:
        kind: `withdraw`, `admit`, `annul`, `extend`, `pause`, `go` or `end`, or `token` for a new token of a
            guest.
        what: the object of the request: the name of an entrant; a `Newcomer` as JSON; a game such as
            1.3.2/nyuri/1.2, or a match such as 1.3.2; a number of cycles, or of boards
            such as `boards 3`; the name of a guest with its new `Token` as JSON; or nothing.
        reason: why, for people; may be empty.
        id: made by who asks; a request that is repeated has the same one, and is decided once.
    """

    kind: str
    what: str = ""
    reason: str = ""
    id: str = ""

    @classmethod
    def read(cls, line: Mapping[str, Any]) -> Request:
        """The request in a line of the control socket. Raises LookupError, TypeError."""
        return cls(*(str(line[key]) for key in ("ask", "what", "reason", "id")))

    def line(self) -> dict[str, str]:
        """The line of the control socket."""
        return {"ask": self.kind, "what": self.what, "reason": self.reason, "id": self.id}


class Reply(NamedTuple):
    """The reply to a request of the host.

    Attributes:
        refusal: why it is refused; None if it is done.
        lobby: where bots dial in; empty if none do now.
    """

    refusal: str | None
    lobby: str


class GaveUp(Exception):
    """A request was withdrawn before it was answered.

    Args:
        taken: whether it was already being decided, so that its outcome is unknown.
    """

    def __init__(self, taken: bool) -> None:
        super().__init__()
        self.taken = taken


# --- Both ends ---


def socket_of(league: Path) -> Path:
    """The control socket of a league."""
    return Path(f"{os.path.realpath(league)}-control")


def is_trusted(line: socket.socket | trio.socket.SocketType, league: Path) -> bool:
    """Whether a connection leads to a process of this user, of the league's owner, or of root."""
    if sys.platform != "linux":
        return True
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1] in (0, os.geteuid(), league.stat().st_uid)


def _unix_socket() -> socket.socket:
    """A new Unix socket. Raises OSError if the system has none."""
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no Unix sockets")
    return socket.socket(socket.AF_UNIX)


@contextmanager
def short_name(path: Path) -> Iterator[str]:
    """A name of a file or folder that is short enough for a socket's address. Raises OSError."""
    if sys.platform != "linux":
        yield str(path)
        return
    file = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    try:
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


# --- The client ---


def ask(league: Path, request: Mapping[str, Any], patience: float) -> Any:
    """Sends a request and waits for its answer; withdraws the request when the patience is over.

    Args:
        league: the league file.
        request: the request.
        patience: how many seconds to wait for an answer.

    Returns the answer. Raises OSError if nobody listens, or the connection is lost before the answer;
    GaveUp, or KeyboardInterrupt, if the request is withdrawn.
    """
    deadline = time.monotonic() + patience
    withdrawn: BaseException | None = None
    received = b""
    with _connection(league) as line, _interrupts() as interrupts, suppress(ConnectionError):
        poll = select.poll()
        poll.register(line, select.POLLIN)
        poll.register(interrupts, select.POLLIN)
        line.sendall(json.dumps(request).encode() + b"\n")
        while b"\n" not in received.removeprefix(_TAKEN):
            ready = [file for file, _ in poll.poll(1000 * max(0.0, deadline - time.monotonic()))]
            if line.fileno() in ready:
                data = line.recv(1 << 16)
                if not data:
                    break
                received += data
                continue
            why: BaseException = TimeoutError()
            if interrupts in ready:
                os.read(interrupts, 1)
                why = KeyboardInterrupt()
            # The first shutdown withdraws it; after the second it can no longer be taken.
            line.shutdown(socket.SHUT_RD if withdrawn else socket.SHUT_WR)
            withdrawn, deadline = withdrawn or why, time.monotonic() + _AT_ONCE
    answer = received.removeprefix(_TAKEN)
    if answer.endswith(b"\n"):
        return json.loads(answer)
    if withdrawn is None:
        raise ConnectionError("the connection is lost")
    if isinstance(withdrawn, KeyboardInterrupt) and _TAKEN not in received:
        raise withdrawn
    raise GaveUp(_TAKEN in received)


@contextmanager
def _interrupts() -> Iterator[int]:
    """Yields a file descriptor that becomes readable at Ctrl-C, which interrupts nothing meanwhile."""
    reads, writes = os.pipe()
    before = None
    try:
        if threading.current_thread() is threading.main_thread():
            before = signal.signal(signal.SIGINT, lambda *_: os.write(writes, b"."))
        yield reads
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        os.close(reads)
        os.close(writes)


def ask_to_start(league: Path) -> bool:
    """Tells a run to begin without missing guests; returns whether it waited for any."""
    try:
        return bool(ask(league, {"ask": "start"}, _AT_ONCE)["waits"])
    except (OSError, GaveUp):
        return False


def state_of(league: Path) -> State:
    """The state of the run in a league; an empty `State` if none answers at once."""
    try:
        told = ask(league, {"ask": "state"}, _AT_ONCE)
    except (OSError, GaveUp):
        return State()
    if (cluster := told["cluster_statistics"]) is not None:
        workers = [WorkerStatistics(**each) for each in cluster["workers"]]
        told["cluster_statistics"] = ClusterStatistics(**{**cluster, "workers": workers})
    return State(**told)


def night_of(league: Path) -> NightNow:
    """What the run of a league knows at this moment; an empty `NightNow` if none answers at once."""
    try:
        told = ask(league, {"ask": "night"}, _AT_ONCE)
    except (OSError, GaveUp):
        return NightNow()
    bots = [BotNow(**{**each, "face": Face(**each["face"])}) for each in told["bots"]]
    awaited = [Awaited(**each) for each in told["awaited"]]
    return NightNow(**{**told, "bots": bots, "awaited": awaited})


def subscribed(league: Path) -> socket.socket:
    """A connection that delivers what is played at running tables (see `Onlookers`). Raises OSError."""
    line = _connection(league)
    line.sendall(b'{"ask": "tables"}\n')
    line.settimeout(None)
    return line


def _connection(league: Path) -> socket.socket:
    """A connection to the run of a league. Raises OSError."""
    line = _unix_socket()
    try:
        line.settimeout(_AT_ONCE)
        with short_name(socket_of(league)) as name:
            line.connect(name)
        if not is_trusted(line, league):
            raise PermissionError("a process of another user listens there")
    except BaseException:
        line.close()
        raise
    return line


# --- The run ---


async def until_closed(stream: trio.SocketStream) -> None:
    """Returns when the other end has shut down its sending side, or is gone."""
    with suppress(*GONE):
        await stream.receive_some(1)  # a client sends one request only


class PendingRequest:
    """A request that waits to be decided.

    Attributes:
        request: the request.
    """

    def __init__(self, stream: trio.SocketStream, request: Request) -> None:
        self.request = request
        self._stream = stream
        self._taken = False
        self._over = trio.Event()

    async def take(self) -> bool:
        """Tells the client that its request is being decided; False if it was withdrawn."""
        self._taken = True
        return await self._send(_TAKEN)

    async def answer(self, refusal: str | None, lobby: str) -> None:
        """Sends the answer: why it is refused, or None if it is done; and where bots dial in."""
        await self._send(line_of(Reply(refusal, lobby)))
        self._over.set()

    async def _send(self, line: bytes) -> bool:
        try:
            await self._stream.send_all(line)
        except GONE:
            self._over.set()
            return False
        return True

    async def until_over(self) -> None:
        """Returns when it is answered and the client has ended, or when it is withdrawn."""
        await until_closed(self._stream)
        if self._taken:
            await self._over.wait()


async def nothing_known() -> NightNow:
    """What only the run knows, of a run that tells nothing."""
    return NightNow()


class Control:
    """The control socket of a league.

    Args:
        league: the league file.
        say: called with a line for people.

    Attributes:
        requests: the host's requests, as they come.
        waits, lobby, cluster_statistics: the state of the run (see `State`).
    """

    def __init__(self, league: Path, say: Callable[[str], None]) -> None:
        self._league = league
        self._say = say
        self._received, self.requests = trio.open_memory_channel[PendingRequest](math.inf)
        self._start = trio.Event()
        self.waits, self.lobby, self.cluster_statistics = State()

    @asynccontextmanager
    async def open(
        self,
        night: Callable[[], Awaitable[NightNow]] = nothing_known,
        watch: Callable[[trio.SocketStream], Awaitable[None]] = until_closed,
    ) -> AsyncIterator[None]:
        """Listens until the context is left; if that fails, people are told.

        Args:
            night: finds out what only the run knows.
            watch: sends a subscriber what is played at running tables, until it ends (`Onlookers.serve`);
                usually it gets nothing.
        """
        path = socket_of(self._league)
        try:
            listener = _listening(path)
        except OSError as error:
            self._say(
                "other processes cannot reach this one, so host commands and live tables do not work: "
                f"{path} cannot be made ({error.strerror or error})"
            )
            yield
            return
        try:
            async with trio.open_nursery() as nursery:
                listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener))]
                nursery.start_soon(trio.serve_listeners, partial(self._serve, night, watch), listeners)
                yield
                nursery.cancel_scope.cancel()
        finally:
            with suppress(OSError):
                path.unlink()

    async def start_signal(self) -> None:
        """Waits until the host wants to begin without missing guests."""
        self._start, self.waits = trio.Event(), True
        try:
            await self._start.wait()
        finally:
            self.waits = False

    async def _serve(
        self,
        night: Callable[[], Awaitable[NightNow]],
        watch: Callable[[trio.SocketStream], Awaitable[None]],
        stream: trio.SocketStream,
    ) -> None:
        """Answers one request."""
        with suppress(*GONE, ValueError, LookupError, TypeError):
            async with stream:
                if not is_trusted(stream.socket, self._league):
                    return
                request = await _request(stream)
                match request["ask"]:
                    case "state":
                        await stream.send_all(line_of(State(self.waits, self.lobby, self.cluster_statistics)))
                    case "night":
                        await stream.send_all(line_of(await night()))
                    case "start":
                        await stream.send_all(line_of({"waits": self.waits}))
                        self._start.set()
                    case "tables":
                        await watch(stream)
                    case _:
                        pending = PendingRequest(stream, Request.read(request))
                        self._received.send_nowait(pending)
                        await pending.until_over()


def line_of(told: Any) -> bytes:
    """A line of JSON, in which the fields of named tuples have their names."""
    return json.dumps(_named(told)).encode() + b"\n"


def _named(told: Any) -> Any:
    if isinstance(told, list | tuple):
        fields = getattr(told, "_fields", None)
        values = [*map(_named, told)]
        return values if fields is None else dict(zip(fields, values, strict=True))
    return told


async def _request(stream: trio.SocketStream) -> Any:
    """Reads the request. Raises ValueError if it is not a line of JSON."""
    received = b""
    while not received.endswith(b"\n"):
        data = await stream.receive_some()
        if not data or len(received) > _LONGEST:
            raise ValueError("this is no request")
        received += data
    return json.loads(received)


def _listening(path: Path) -> socket.socket:
    """Makes a socket that listens at a path, only for its owner; replaces a file there. Raises OSError."""
    listener = _unix_socket()
    try:
        with short_name(path.parent) as folder:
            draft = Path(folder, f".{secrets.token_hex(8)}")  # so nobody can connect before it listens
            listener.bind(str(draft))
            try:
                draft.chmod(0o600)
                listener.listen()
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
    except BaseException:
        listener.close()
        raise
    return listener
