"""Finds floods: measures what a bot's connection costs the referee, against token buckets.

HTTP/2 has many frames that are no messages, such as PING and SETTINGS; gRPC reads
whatever comes, answers it, and tells nobody. So the harm itself is measured. gRPC
polls every connection that the referee dials in a thread of that connection's own
(`arena.link` has it do so), and the system knows how long each thread has used a
processor. Answers take little of it; a flood, of whatever frames, in portions large
or small, takes all that it gets. What is not even read waits in the socket: gRPC
stops to read where its acknowledgements are not read, and that is looked at, too.
Looking a few times a second costs next to nothing, where a relay that counts bytes
would cost every message two more wake-ups. Bots that dial in come through such a
relay anyway, the door, and there bytes are counted (`arena.link.lobby.door`).

What a bot may use is a token bucket that fills with the time and with what it was
asked. So one that stays within it costs no more than one that answers quickly.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from arena.link import GRPC_SETTINGS
from arena.link.streams.bot_fault import Flood

try:
    import fcntl
    import termios
except ImportError:
    _HAS_IOCTL = False
else:
    _HAS_IOCTL = True

MOST = 0.2
"""How much processor time a connection may save up, in seconds: for its beginning, and for a slow machine."""

RATE = 0.05
"""How much it may use without any message, in seconds a second."""

PER_MESSAGE = 0.00015
"""How much it may use for each message there or back, in seconds, and by so much more as the machine is
slower; one takes a third of that."""

MOST_WAKES, WAKES_RATE, WAKES_PER_MESSAGE = 500, 300, 3
"""How often a connection may wake its thread: likewise saved up, in a second, and for each message. One
takes 1 to 2, whatever the machine; who waits for Python's lock is woken 200 times a second by that."""

LONG_MESSAGE = 1 << 10
"""A message that is sent counts as one more for each so many bytes: they may go in as many packets."""

GLANCE = 0.25
"""The time between two looks at a connection, in seconds."""

PILE = 1 << 15
"""More bytes than ever wait to be read of a bot that only answers; a thousand decisions have ten thousand."""

PILES = 3
"""At so many looks in a row there may not be that many."""

STUCK = 5
"""At so many looks in a row there may not be as much as a byte while no message is read."""

CUTS = 3
"""After so many floods a bot is not let in any more."""

_CAN_TELL = sys.platform == "linux"
_LOOPS, _LOOPS_TOOK, _TRIES = 20_000, 0.0015, 5

_SEARCHES = 50  # for a connection that may not be there yet
_FILES = "/dev/fd"  # this process's open files, where the system shows them
_claimed: set[int] = set()  # the inodes of sockets that are some line's


class TokenBucket:
    """It fills with the time and with what is earned, up to a limit.

    Args:
        most: the limit, and what there is at first.
        rate: what comes to it in a second.
        now: the present time, in seconds.
    """

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most = most
        self._rate = rate
        self._balance = most
        self._then = now

    def spend(self, amount: float, earned: float, now: float) -> bool:
        """Takes an amount out of it, after what was earned meanwhile came in; whether there was so much.

        A user that takes no more than comes in is never found out, however rarely this is called.
        """
        income = (now - self._then) * self._rate + earned
        self._then = now
        self._balance = min(self._most, self._balance + income - amount)
        return self._balance >= 0


@cache
def slowness(took: float = _LOOPS_TOOK) -> float:
    """How many times longer this machine takes than that on which `PER_MESSAGE` was found; at least 1.

    `took`: the seconds that some loops took there.
    """
    return max(1.0, min(_loops() for _ in range(_TRIES)) / took)


def _loops() -> float:
    """The processor time of a little work, in seconds."""
    began, total = time.thread_time(), 0
    for number in range(_LOOPS):
        total += number * number
    return time.thread_time() - began


def polls_apart() -> bool:
    """Whether gRPC polls each connection in a thread of its own; a user can have it do otherwise."""
    needed = ("GRPC_EXPERIMENTS", "GRPC_POLL_STRATEGY")
    return all(os.environ.get(name) == GRPC_SETTINGS[name] for name in needed)


class Meter:
    """What one connection costs the referee.

    That is nothing where the system does not tell what a thread uses (Linux does), or nobody knows
    which thread polls the connection.

    Args:
        line: the connection's socket; None where others look after that.
        slowness: tells how many times longer this machine takes for a message.
    """

    def __init__(self, line: Line | None = None, slowness: Callable[[], float] = slowness) -> None:
        self._line = line
        self._slowness = slowness
        self._piles = 0  # at how many looks in a row there was one
        self._stuck = 0  # at how many looks in a row something was unread, but no message was read
        self._account = TokenBucket(MOST, RATE, time.monotonic())
        self._wakes_account = TokenBucket(MOST_WAKES, WAKES_RATE, time.monotonic())
        self._thread: int | None = None
        self._used = 0.0
        self._wakes = 0
        self._messages = 0

    def follow(self, thread: int | None) -> None:
        """From now on the connection is polled in this thread, by its native id; None for in none."""
        self._thread = thread if _CAN_TELL and polls_apart() else None
        self._used, self._wakes = self._read()

    def check(self, messages: int) -> None:
        """Looks at what it has used since it was looked at last, and what waits to be read.

        To be called every `GLANCE`.

        Args:
            messages: how many were sent and read so far.

        Raises Flood where that is too much.
        """
        now = time.monotonic()
        before, wakes_before = self._used, self._wakes
        self._used, self._wakes = self._read()
        new, self._messages = messages - self._messages, messages
        wakes = self._wakes - wakes_before
        if not self._account.spend(self._used - before, new * PER_MESSAGE * self._slowness(), now):
            raise Flood(
                "floods its connection with what are no answers, such as PING or SETTINGS frames: "
                f"{self._used:.2f} s of the referee's processor time for {messages} messages"
            )
        if not self._wakes_account.spend(wakes, new * WAKES_PER_MESSAGE, now):
            raise Flood(
                "floods its connection with what are no answers, such as PING or SETTINGS frames: "
                f"it wakes the referee {self._wakes:,} times for {messages} messages"
            )
        unread = self._line.unread() if self._line else 0
        self._piles = self._piles + 1 if unread > PILE else 0
        self._stuck = self._stuck + 1 if unread and not new else 0
        if self._piles >= PILES or self._stuck >= STUCK:
            raise Flood(
                "floods its connection with what are no answers, such as PING or SETTINGS frames: "
                f"{unread:,} bytes wait to be read"
            )

    def _read(self) -> tuple[float, int]:
        """The processor time that the thread has used, and how often it was woken."""
        if self._thread is None:
            return self._used, self._wakes
        try:
            return time.clock_gettime(_clock_of(self._thread)), _wakes_of(self._thread)
        except OSError:  # the thread has ended
            return self._used, self._wakes


def _clock_of(thread: int) -> int:
    """The clock of the processor time of a thread, by its native id, as clock_getcpuclockid(3) makes it."""
    return ~thread << 3 | 0b110  # of one thread, by the scheduler


def _wakes_of(thread: int) -> int:
    """How often a thread has waited for something, as proc(5) tells it; 0 where it does not."""
    with open(f"/proc/self/task/{thread}/status", "rb") as file:
        _, found, told = file.read().rpartition(b"\nvoluntary_ctxt_switches:")
    return int(told.split()[0]) if found else 0


def begun_since(before: set[threading.Thread]) -> int | None:
    """The native id of the first thread that a library has begun; None where it has begun none."""
    for thread in threading.enumerate():
        if thread not in before and type(thread) is threading.Thread and thread.daemon:
            return thread.native_id
    return None


class Line:
    """One connection of this process to an address; to be used in one thread, as all lines are.

    Where several are dialled to the same address at the same time, each is somebody's.

    Args:
        address: what is dialled, `host:port` or `unix:/path`. Resolving it may block.
    """

    def __init__(self, address: str) -> None:
        self._ends = _ends(address)
        self._socket: socket.socket | None = None
        self._searches = 0

    def unread(self) -> int:
        """How many bytes have come and were not read yet, 0 where no system tells (POSIX does)."""
        if self._socket is not None and _other_end(self._socket) is None:
            self.close()  # and gRPC may have dialled again
        if self._socket is None and self._searches < _SEARCHES:
            self._searches += 1
            self._find()
        if self._socket is None or not _HAS_IOCTL:
            return 0
        try:
            return int.from_bytes(fcntl.ioctl(self._socket, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def hang_up(self) -> None:
        """Ends the connection: gRPC alone ends none whose other end takes nothing any more."""
        if self._socket is not None:
            with suppress(OSError):  # it has ended
                self._socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Lets go of the connection; gRPC has it still."""
        if self._socket is not None:
            _claimed.discard(os.fstat(self._socket.fileno()).st_ino)
            self._socket.close()
            self._socket = None

    def _find(self) -> None:
        for name in os.listdir(_FILES) if os.path.isdir(_FILES) else ():
            with suppress(OSError):  # it has gone meanwhile
                file = int(name)
                told = os.fstat(file)
                # Nothing but what is looked for is duplicated and closed: for any file, closing
                # a duplicate lets go of the process's locks on it, such as those on the league.
                is_free = stat.S_ISSOCK(told.st_mode) and told.st_ino not in _claimed
                if is_free and _end_of(file) in self._ends:
                    self._socket = socket.socket(fileno=os.dup(file))
                    _claimed.add(told.st_ino)
                    return


def _end_of(file: int) -> object:
    """Who is at the other end of a connection that is somebody else's; raises OSError where it is none."""
    connection = socket.socket(fileno=file)
    try:
        return connection.getpeername()
    finally:
        connection.detach()


def _other_end(connection: socket.socket) -> object:
    try:
        return connection.getpeername()
    except OSError:
        return None  # it has ended


def _ends(address: str) -> set[object]:
    """The other ends that a connection to an address may have, as sockets tell them."""
    if address.startswith("unix:"):
        return {address.removeprefix("unix:")}
    host, _, port = address.rpartition(":")
    with suppress(OSError, ValueError):
        found = {end for *_, end in socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)}
        return found | {(f"::ffff:{end[0]}", end[1], 0, 0) for end in found}
    return set()
