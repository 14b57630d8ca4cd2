"""The client of the control socket: sends requests to the run of a league, and subscribes to its tables.

The socket is `LEAGUE-control` (see `arena.referee.night.control`). A connection carries one request and its
answer, each a line of JSON whose fields have names.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import trio

from arena.face import NO_FACE, Face
from arena.referee.cluster_statistics import ClusterStatistics, WorkerStatistics

_AT_ONCE = 2.0  # seconds in which a run answers what it need not decide
TAKEN = b"taken\n"  # the line that comes before a request is decided
_CREDENTIALS = struct.Struct("3i")  # what SO_PEERCRED gives: process, user and group


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


class State(NamedTuple):
    """The state of a run.

    Attributes:
        waits: whether it waits for guests.
        lobby: where guests dial in, as `Address` writes it; empty if they cannot.
        cluster_statistics: what the workers of a cluster do; None without a cluster.
    """

    waits: bool = False
    lobby: str = ""
    cluster_statistics: ClusterStatistics | None = None


class BotNow(NamedTuple):
    """An entrant's bot at this moment.

    Attributes:
        name: the name of the entrant.
        dials_in: whether it is a guest, which has a token.
        state: `here`, `building`, `coming` (it has not connected yet), `lost` (it may come back) or `gone`
            (it is given up; a guest may still come).
        seconds: for how many seconds it has been in that state.
        tables: at how many tables it plays.
        face: what decorates its name.
    """

    name: str
    dials_in: bool
    state: str
    seconds: float
    tables: int
    face: Face = NO_FACE


class Awaited(NamedTuple):
    """An open turn, for which others wait.

    Attributes:
        entrant: the number of the entrant.
        game: the key of the game, as text.
        table: the number of the table.
        seconds: for how many seconds the turn has been open.
        left: how many seconds are left on the clock of the entrant.
    """

    entrant: int
    game: str
    table: int
    seconds: float
    left: float


class NightNow(NamedTuple):
    """What only the run knows, for the host.

    Attributes:
        plays: whether a run plays now; all else is empty if none does.
        begun: whether its tournament has begun.
        title: the name of the tournament.
        about: its formats and games, in a sentence without its full stop.
        begins_in: for how many seconds it waits for its time; below 0 if it has none.
        building: which bot is built, such as `owl, 2 of 5`; empty if none is.
        waits: whether it waits for guests before its first game.
        lobby: where guests dial in, as `Address` writes it; empty if they cannot.
        tables: how many games run.
        bots: the bots, by the numbers of their entrants.
        awaited: the turns that have been open longest, the longest first.
        ready: how many matches are played that the host has not shown.
        next: the match that the host shows next; empty if none is left to be shown.
    """

    plays: bool = False
    begun: bool = False
    title: str = ""
    about: str = ""
    begins_in: float = -1.0
    waits: bool = False
    lobby: str = ""
    tables: int = 0
    bots: Sequence[BotNow] = ()
    awaited: Sequence[Awaited] = ()
    ready: int = 0
    next: str = ""
    building: str = ""


def socket_of(league: Path) -> Path:
    """The control socket of a league."""
    return Path(f"{os.path.realpath(league)}-control")


def is_trusted(line: socket.socket | trio.socket.SocketType, league: Path) -> bool:
    """Whether a connection leads to a process of this user, of the league's owner, or of root."""
    if sys.platform != "linux":
        return True
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1] in (0, os.geteuid(), league.stat().st_uid)


def ask(league: Path, request: Mapping[str, Any], patience: float) -> Any:
    """Sends a request and waits for its answer; withdraws the request when the patience is over.

    Args:
        league: the league file.
        request: the request (see `arena.referee.night.control`).
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
        while b"\n" not in received.removeprefix(TAKEN):
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
    answer = received.removeprefix(TAKEN)
    if answer.endswith(b"\n"):
        return json.loads(answer)
    if withdrawn is None:
        raise ConnectionError("the connection is lost")
    if isinstance(withdrawn, KeyboardInterrupt) and TAKEN not in received:
        raise withdrawn
    raise GaveUp(TAKEN in received)


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
    line = unix_socket()
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


def unix_socket() -> socket.socket:
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
