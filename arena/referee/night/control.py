"""The control socket of a running tournament: a Unix socket beside the league, `LEAGUE-control`.

Only its owner can open it. Other processes of that user are clients (`arena.referee.night.control_client`).
A connection carries one request, a JSON object whose `ask` is its kind.

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
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import trio

from arena.referee.night.control_client import (
    TAKEN,
    NightNow,
    Reply,
    Request,
    State,
    is_trusted,
    short_name,
    socket_of,
    unix_socket,
)

_LONGEST = 1 << 20  # bytes of a request
GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
"""The errors of a connection whose other end is gone, or whose own end is closed."""


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
        return await self._send(TAKEN)

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
    listener = unix_socket()
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
