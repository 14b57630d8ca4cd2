"""The client of the control socket: asks the process that plays in a league, and subscribes to what it sends.

The socket is `LEAGUE-control` (see `arena.runner.night.control`). A connection carries one request, a line of
JSON, and the answer comes in lines of JSON.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import trio

from arena.runner.labours import Labour, Labours

_AT_ONCE = 2.0  # seconds in which a process that runs answers what it need not decide
_CREDENTIALS = struct.Struct("3i")  # what SO_PEERCRED gives: process, user and group
_PIECE = 1 << 16


class GaveUp(Exception):
    """A request was withdrawn before it was answered.

    Args:
        taken: whether the process had begun to decide it, so that nobody knows what comes of it.
    """

    def __init__(self, taken: bool) -> None:
        super().__init__()
        self.taken = taken


class State(NamedTuple):
    """What a run says of itself.

    Attributes:
        waits: whether it waits for guests.
        lobby: where guests dial in, as `Address` writes it; empty where they cannot.
        labours: what other machines do; None where none play.
    """

    waits: bool = False
    lobby: str = ""
    labours: Labours | None = None


class Answer(NamedTuple):
    """What came of a request: why it is refused, None where it is done; where bots dial in, if they do."""

    refusal: str | None
    lobby: str = ""


def socket_of(league: Path) -> Path:
    """The control socket of a league."""
    return Path(f"{os.path.realpath(league)}-control")


def is_trusted(line: socket.socket | trio.socket.SocketType, league: Path) -> bool:
    """Whether a connection leads to a process of this user, of the league's owner, or of root."""
    if sys.platform != "linux":
        return True
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1] in (0, os.geteuid(), league.stat().st_uid)


def ask(league: Path, request: str, kind: str, what: str, reason: str, patience: float) -> Answer:
    """Asks for something once, until it is answered or the patience is over; then the request is withdrawn.

    Args:
        league: the league file.
        request: the id of the request; asked again with the same one, it is decided once.
        kind, what, reason: see `arena.runner.night.host_requests.Request`.
        patience: for how many seconds an answer is waited for.

    Raises OSError where nobody listens, or the connection is lost before the answer; GaveUp, or
    KeyboardInterrupt, where the request is withdrawn.
    """
    deadline = time.monotonic() + patience
    withdrawn: BaseException | None = None
    told: dict[str, Any] = {}
    with _Line(league, {"ask": kind, "id": request, "what": what, "reason": reason}) as line:
        while "refusal" not in told:
            try:
                told |= line.receive(deadline)
            except (TimeoutError, KeyboardInterrupt) as why:
                if withdrawn is None:
                    withdrawn, deadline = why, time.monotonic() + _AT_ONCE
                    line.shut(socket.SHUT_WR)  # which withdraws it
                else:
                    line.shut(socket.SHUT_RD)  # so what was not taken by now cannot be
            except OSError:
                if withdrawn is None:
                    raise
                break
    if "refusal" in told:
        return Answer(told["refusal"], told["lobby"])
    if isinstance(withdrawn, KeyboardInterrupt) and "taken" not in told:
        raise withdrawn
    raise GaveUp("taken" in told)


def ask_to_start(league: Path) -> bool:
    """Has a run begin without guests who are missing; returns whether it waited for any."""
    try:
        return ask(league, "", "start", "", "", _AT_ONCE).refusal is None
    except (OSError, GaveUp):
        return False


def state_of(league: Path) -> State:
    """How it is with the run in a league; that of none where none answers at once."""
    try:
        with _Line(league, {"ask": "state"}) as line:
            told = line.receive(time.monotonic() + _AT_ONCE)
    except OSError:
        return State()
    labours = told["labours"] and Labours(*told["labours"])
    if labours:
        labours = labours._replace(workers=[Labour(*each) for each in labours.workers])
    return State(told["waits"], told["lobby"], labours)


def subscribed(league: Path) -> socket.socket:
    """A connection on which comes what is played at running tables (see `Onlookers`). Raises OSError."""
    with _Line(league, {"subscribe": "tables"}) as line:
        return line.detached()


class _Line:
    """A connection to who plays in a league, on which a request was sent. Raises OSError."""

    def __init__(self, league: Path, request: dict[str, Any]) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("this system has no Unix sockets")
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = b""
        try:
            self._socket.settimeout(_AT_ONCE)
            with _short(socket_of(league)) as path:
                self._socket.connect(path)
            if not is_trusted(self._socket, league):
                raise PermissionError("somebody else listens there")
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def receive(self, deadline: float) -> dict[str, Any]:
        """The next line. Raises TimeoutError; OSError where the connection is lost."""
        while b"\n" not in self._received:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            data = self._socket.recv(_PIECE)
            if not data:
                raise ConnectionError("the connection is lost")
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        told: dict[str, Any] = json.loads(line)
        return told

    def shut(self, side: int) -> None:
        """Sends no more, or receives no more than has come."""
        with suppress(OSError):  # the other end is gone
            self._socket.shutdown(side)

    def detached(self) -> socket.socket:
        """The connection itself, which is the caller's from now on."""
        self._socket.settimeout(None)
        return socket.socket(fileno=self._socket.detach())


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name of a file that is short enough for the address of a socket. Raises OSError."""
    if sys.platform != "linux":
        yield str(path)
        return
    file = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    try:
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)
