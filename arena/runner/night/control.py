"""The control socket of a running tournament: a Unix socket beside the league, `LEAGUE-control`.

Only its owner can open it. Other processes of that user ask there for what the host decides
(`arena.runner.night.control_client`). A connection carries one request, a line of JSON with an id of its own.
Who asks withdraws it by shutting down the sending side. It is decided only where the line `taken` could be
sent before: so who gave up and has not received that line knows that it never will be.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import trio

from arena.runner.night.control_client import State, is_trusted, socket_of
from arena.runner.night.onlookers import Onlookers, until_closed

_LONGEST = 1 << 20  # bytes of a request
_GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)


class Asked:
    """A request that waits to be decided.

    Attributes:
        id: made by who asks; what was asked before has the same one.
        kind, what, reason: see `arena.runner.night.host_requests.Request`.
    """

    def __init__(self, stream: trio.SocketStream, told: dict[str, Any]) -> None:
        self.id, self.kind, self.what, self.reason = (
            str(told[key]) for key in ("id", "ask", "what", "reason")
        )
        self._stream = stream
        self._taken = False
        self._over = trio.Event()
        self._answer: dict[str, Any] = {}

    async def take(self) -> bool:
        """Whether it is to be decided, and answered: not where it was withdrawn."""
        if self._over.is_set():
            return False
        self._taken = True
        try:
            await _send(self._stream, {"taken": True})
        except _GONE:  # nobody waits for the answer any more
            self._over.set()
            return False
        return True

    def answer(self, refusal: str | None, lobby: str) -> None:
        """Tells who asks why it is refused, or None where it is done; and where bots dial in."""
        self._answer = {"refusal": refusal, "lobby": lobby}
        self._over.set()

    async def answered(self) -> None:
        """Sends the answer when it is there; returns also where the request was withdrawn."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_withdrawn)
            await self._over.wait()
            nursery.cancel_scope.cancel()
        if self._answer:
            await _send(self._stream, self._answer)

    async def _until_withdrawn(self) -> None:
        await until_closed(self._stream)
        if not self._taken:
            self._over.set()


class Control:
    """The control socket of a league.

    Args:
        league: the league file.
        say: called with a line for people.

    Attributes:
        requests: what the host asks for, as it comes.
        state: what is told of the run.
        onlookers: those who look at running tables.
    """

    def __init__(self, league: Path, say: Callable[[str], None]) -> None:
        self._league = league
        self._say = say
        self._received, self.requests = trio.open_memory_channel[Asked](math.inf)
        self._start = trio.Event()
        self.state = State()
        self.onlookers = Onlookers()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listens while the context is entered; where that cannot be, people are told."""
        path = socket_of(self._league)
        try:
            listener = _listening(path)
        except OSError as error:
            self._say(
                "no other process reaches this one, so the host has no say and no page shows running tables: "
                f"{path} cannot be made ({error.strerror or error})"
            )
            yield
            return
        try:
            async with trio.open_nursery() as nursery:
                listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener))]
                nursery.start_soon(trio.serve_listeners, self._serve, listeners)
                yield
                nursery.cancel_scope.cancel()
        finally:
            with suppress(OSError):
                path.unlink()

    async def start_signal(self) -> None:
        """Returns when the host wants to begin without guests who are missing: to be called by who waits."""
        self._start, self.state = trio.Event(), self.state._replace(waits=True)
        try:
            await self._start.wait()
        finally:
            self.state = self.state._replace(waits=False)

    async def _serve(self, stream: trio.SocketStream) -> None:
        """Answers a request, whatever it is."""
        with suppress(*_GONE, ValueError, LookupError, TypeError, AttributeError):
            async with stream:
                if not is_trusted(stream.socket, self._league):
                    return
                told = json.loads(await _line(stream))
                kind = told.get("ask")
                if told.get("subscribe") == "tables":
                    await self.onlookers.serve(stream)
                elif kind == "state":
                    await _send(stream, self.state._asdict())
                elif kind == "start":
                    refusal = None if self.state.waits else "it waits for nobody"
                    self._start.set()
                    await _send(stream, {"refusal": refusal, "lobby": ""})
                else:
                    asked = Asked(stream, told)
                    self._received.send_nowait(asked)
                    await asked.answered()


async def _line(stream: trio.SocketStream) -> bytes:
    """The line that comes. Raises ValueError where it is too long, or none comes."""
    received = b""
    while not received.endswith(b"\n"):
        data = await stream.receive_some()
        if not data or len(received) > _LONGEST:
            raise ValueError("this is no request")
        received += data
    return received


async def _send(stream: trio.SocketStream, told: dict[str, Any]) -> None:
    await stream.send_all(json.dumps(told).encode() + b"\n")


def _listening(path: Path) -> socket.socket:
    """A socket that listens at a path, in place of what was there, for its owner alone. Raises OSError."""
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no Unix sockets")
    listener = socket.socket(socket.AF_UNIX)
    try:
        with _short_folder(path.parent) as folder:
            draft = f"{folder}/.{secrets.token_hex(8)}"  # which nobody can dial before it listens
            listener.bind(draft)
            try:
                os.chmod(draft, 0o600)
                listener.listen()
                os.replace(draft, path)
            except BaseException:
                os.unlink(draft)
                raise
    except BaseException:
        listener.close()
        raise
    return listener


@contextmanager
def _short_folder(folder: Path) -> Iterator[str]:
    """A name of a folder that is short enough for the address of a socket. Raises OSError."""
    if sys.platform != "linux":
        yield str(folder)
        return
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
