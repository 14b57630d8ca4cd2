"""The control socket of a running tournament: a Unix socket beside the league, `LEAGUE-control`.

Only its owner can open it. Other processes of that user ask there (`arena.runner.night.control_client`). A
connection carries one request, a JSON object whose `ask` is its kind.

A request to be decided has `id`, `what` and `reason` besides. Who asks withdraws it by shutting down the
sending side. It is decided only if the line `taken` could be sent before: so who gave up and has not
received that line knows that it never will be.

A subscriber (`ask` is `tables`) is sent what is played at running tables. Twice a second the rooms are asked
which actions were played; while nobody subscribes nothing is done. A subscriber plays along
(`arena.page.feeder`) and lets nothing out but what an onlooker may see, for it is told the boards as well.
"""

from __future__ import annotations

import dataclasses
import json
import math
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import trio

from arena.runner.night.control_client import TAKEN, State, is_trusted, short_name, socket_of, unix_socket
from arena.runner.rooms.room_state import Delta
from arena.runner.rooms.rooms import Rooms

_LONGEST = 1 << 20  # bytes of a request
_LOOK_EVERY = 0.5  # seconds between two looks at the tables
_PATIENCE = 2.0  # seconds in which a subscriber reads
_GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
"""What is raised where the other end of a connection is gone, or this one is closed."""


class PendingRequest:
    """A request that waits to be decided.

    Attributes:
        id: made by who asks; what is asked again has the same one.
        kind, what, reason: see `arena.runner.night.host_requests.Request`.
    """

    def __init__(self, stream: trio.SocketStream, request: Mapping[str, str]) -> None:
        self.id, self.kind, self.what, self.reason = (
            str(request[key]) for key in ("id", "ask", "what", "reason")
        )
        self._stream = stream
        self._taken = False
        self._over = trio.Event()

    async def take(self) -> bool:
        """Whether it is to be decided, and answered: not if it was withdrawn."""
        self._taken = True
        return await self._send(TAKEN)

    async def answer(self, refusal: str | None, lobby: str) -> None:
        """Tells who asks why it is refused, or None if it is done; and where bots dial in."""
        await self._send(_line([refusal, lobby]))
        self._over.set()

    async def _send(self, line: bytes) -> bool:
        try:
            await self._stream.send_all(line)
        except _GONE:
            self._over.set()
            return False
        return True

    async def until_over(self) -> None:
        """Returns when it is answered and who asked has ended, or it is withdrawn."""
        await _until_closed(self._stream)
        if self._taken:
            await self._over.wait()


class Onlookers:
    """Those who look at running tables."""

    def __init__(self) -> None:
        self._came = trio.Event()
        self._subscribers: dict[trio.SocketStream, bool] = {}  # and whether they were told anything
        self._told: dict[int, bytes] = {}  # of each table that runs, all lines
        self._gathered = b""  # the lines since the last look

    async def serve(self, stream: trio.SocketStream) -> None:
        """Lets a subscriber see what was played at the tables that run, and what is played; until it ends."""
        self._subscribers[stream] = False
        self._came.set()
        await _until_closed(stream)
        del self._subscribers[stream]

    async def run(self, rooms: Rooms, names: Callable[[], Sequence[str]], delay: float) -> None:
        """Lets them see what is played, for ever: in lines of JSON.

        Args:
            rooms: where it is played.
            names: gives the names of the entrants.
            delay: how many seconds late they are to show it.
        """

        def gather(deltas: Sequence[Delta]) -> None:
            for delta in deltas:
                self._gather(delta, _told(delta, names(), delay))

        rooms.on_deltas = gather
        try:
            while True:
                if not self._subscribers:
                    self._told.clear()
                    self._came = trio.Event()
                    await self._came.wait()
                    rooms.collect_deltas(anew=True)
                await trio.sleep(_LOOK_EVERY)
                await self._tell()
                rooms.collect_deltas(anew=False)
        finally:  # how the last tables ended
            with trio.CancelScope(shield=True):
                await self._tell()

    def _gather(self, delta: Delta, line: bytes) -> None:
        if delta.seating is None and delta.table not in self._told:
            return  # those who were told of the table look no more
        self._gathered += line
        self._told[delta.table] = self._told.get(delta.table, b"") + line
        if delta.end:
            del self._told[delta.table]

    async def _tell(self) -> None:
        new, whole = self._gathered, b"".join(self._told.values())
        self._gathered = b""
        for stream, was_told in [*self._subscribers.items()]:
            try:
                self._subscribers[stream] = True
                with trio.fail_after(_PATIENCE):
                    await stream.send_all(new if was_told else whole)
            except (*_GONE, trio.TooSlowError):
                await trio.aclose_forcefully(stream)  # if it is there, it subscribes again, and is told all


class Control:
    """The control socket of a league.

    Args:
        league: the league file.
        say: called with a line for people.

    Attributes:
        requests: what the host asks for, as it comes.
        waits, lobby, cluster_statistics: what is told of the run (see `State`).
        onlookers: those who look at running tables.
    """

    def __init__(self, league: Path, say: Callable[[str], None]) -> None:
        self._league = league
        self._say = say
        self._received, self.requests = trio.open_memory_channel[PendingRequest](math.inf)
        self._start = trio.Event()
        self.waits, self.lobby, self.cluster_statistics = State()
        self.onlookers = Onlookers()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listens while the context is entered; if that cannot be, people are told."""
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
        self._start, self.waits = trio.Event(), True
        try:
            await self._start.wait()
        finally:
            self.waits = False

    async def _serve(self, stream: trio.SocketStream) -> None:
        """Answers one request."""
        with suppress(*_GONE, ValueError, LookupError, TypeError):
            async with stream:
                if not is_trusted(stream.socket, self._league):
                    return
                request = await _request(stream)
                match request["ask"]:
                    case "state":
                        await stream.send_all(_line(State(self.waits, self.lobby, self.cluster_statistics)))
                    case "start":
                        await stream.send_all(_line(self.waits))
                        self._start.set()
                    case "tables":
                        await self.onlookers.serve(stream)
                    case _:
                        pending = PendingRequest(stream, request)
                        self._received.send_nowait(pending)
                        await pending.until_over()


async def _until_closed(stream: trio.SocketStream) -> None:
    """Returns when the other end has shut down its sending side, or is gone."""
    with suppress(*_GONE):
        await stream.receive_some(1)  # who has sent a request sends no more


def _told(delta: Delta, names: Sequence[str], delay: float) -> bytes:
    """The line that tells subscribers what was played at a table."""
    told = {
        "t": round(time.monotonic(), 1),
        "table": delta.table,
        "actions": delta.actions,
        "end": delta.end,
    }
    seating = delta.seating
    if seating is not None:
        rules = seating.rules
        told |= {
            "key": str(seating.key),
            "game": rules.game.id,
            "options": dataclasses.asdict(rules.options),
            "seats": rules.seats,
            "starter": rules.starter,
            "board": seating.board_key.hex(),
            "players": seating.players,
            "names": [names[player] for player in seating.players],
            "delay": delay,
        }
    return _line(told)


def _line(told: Any) -> bytes:
    return json.dumps(told).encode() + b"\n"


async def _request(stream: trio.SocketStream) -> Any:
    """What is asked for. Raises ValueError if it is no line of JSON."""
    received = b""
    while not received.endswith(b"\n"):
        data = await stream.receive_some()
        if not data or len(received) > _LONGEST:
            raise ValueError("this is no request")
        received += data
    return json.loads(received)


def _listening(path: Path) -> socket.socket:
    """A socket that listens at a path, in place of what was there, for its owner alone. Raises OSError."""
    listener = unix_socket()
    try:
        with short_name(path.parent) as folder:
            draft = Path(folder, f".{secrets.token_hex(8)}")  # which nobody can dial before it listens
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
