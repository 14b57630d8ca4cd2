"""Detects bots that send too much, by the processor time that their connections take.

HTTP/2 has many frames that are no messages, such as PING and SETTINGS. gRPC reads
and answers them, and reports nothing. So the harm itself is measured. gRPC
polls each connection that the referee dials in a thread of its own
(`arena.link` has it do so, `polling` tries it), and the system knows the processor time of each thread.
Answers take little. A flood of any frames, in large or small portions,
takes all that it gets. Unread bytes wait in the socket: gRPC stops to read
if its acknowledgements are not read. So the unread bytes are measured too.
Measuring a few times a second costs next to nothing. A relay that counts bytes
would cost every message two more wake-ups. Guests come through such a
relay anyway, the door, which counts their bytes (`arena.link.lobby.door`).

A bot's token bucket fills with time and with the turns that it was
asked. A bot that stays within it costs no more than one that answers quickly.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from arena.link.streams.bot_fault import Flood
from arena.link.streams.collecting import follow_collections, forget_collections, time_of_collections
from arena.link.streams.polling import polls_apart, time_of
from arena.token_bucket import TokenBucket

try:
    import fcntl
    import termios
except ImportError:
    _HAS_IOCTL = False
else:
    _HAS_IOCTL = True

MOST = 0.2
"""How much processor time a connection may save up, in seconds, times the `slowness` of the machine: for its
start."""

RATE = 0.05
"""How much it may use without any message, in seconds per second."""

PER_MESSAGE = 0.00015
"""How much it may use for each message in either direction, in seconds, times the `slowness` of the
machine; a message takes a third of that."""

MOST_WAKES, WAKES_RATE, WAKES_PER_MESSAGE = 500, 300, 3
"""How often a connection may wake its thread: saved up, per second, and for each message. A message
takes 1 to 2 on any machine; a thread that waits for Python's lock is woken 200 times a second, and more often
if others give the lock up often."""

_TIME_OF_WAKES = 0.001
"""How much processor time a thread takes for as many wakes as it may save up, in seconds, at the very least.
They are counted when it has taken so much, because that costs more than to read its time."""

LONG_MESSAGE = 1 << 10
"""A sent message counts as one more for each so many bytes, which may go in as many packets."""

POLL = 0.25
"""The time between two checks of a connection, in seconds."""

PILE = 1 << 15
"""More unread bytes than a bot that only answers ever leaves; a thousand decisions have ten thousand."""

PILES = 3
"""A connection is cut after so many checks in a row with `PILE` unread bytes."""

STUCK = 20
"""A connection is cut after so many checks in a row with unread bytes and no message read: 5 seconds, because
a busy machine may give no processor to the thread that reads for longer than one."""

CUTS = 3
"""After so many floods a bot is no longer let in."""

_LOOPS, _LOOPS_TOOK, _TRIES = 20_000, 0.0015, 5

_SEARCHES = 50  # for a connection that may not exist yet
_FILES = "/dev/fd"  # this process's open files, if the system shows them
_claimed: set[int] = set()  # the inodes of sockets that belong to a `Line`


@cache
def slowness(took: float = _LOOPS_TOOK) -> float:
    """How many times slower this machine is than the one on which `PER_MESSAGE` was measured; at least 1.

    `took`: the seconds that some loops took there.
    """
    return max(1.0, min(_loops() for _ in range(_TRIES)) / took)


def _loops() -> float:
    """The processor time of a little work, in seconds."""
    began, total = time.thread_time(), 0
    for number in range(_LOOPS):
        total += number * number
    return time.thread_time() - began


class Meter:
    """Measures what one connection costs the referee.

    It measures only the bytes that wait on systems other than Linux, and if gRPC does not poll the connection
    in a thread of its own.

    Args:
        line: the connection's socket; None if others look after that.
        slowness: returns how many times longer this machine takes for a message.
        now: returns the present time, in seconds.
        is_busy: whether the threads of this process have to wait for a processor, if that is known.
    """

    def __init__(
        self,
        line: Line | None = None,
        slowness: Callable[[], float] = slowness,
        now: Callable[[], float] = time.monotonic,
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self._line, self._is_busy = line, is_busy
        self._now = now
        self._slowness = slowness
        self._piles = 0  # for how many checks in a row there was one
        self._stuck = 0  # for how many checks in a row bytes were unread, and no message was read
        self._checked = now()
        self._account = TokenBucket(MOST * slowness(), RATE, now())
        self._wakes_account = TokenBucket(MOST_WAKES, WAKES_RATE, now())
        self._thread: int | None = None
        self._used = 0.0
        self._messages = 0
        self._wakes = 0
        self._counted_at = 0.0, 0  # the time that was used and the messages when wakes were last counted

    def follow(self, thread: int | None) -> None:
        """Sets the thread that polls the connection from now on, by its native id; None for none."""
        if self._thread is not None:
            forget_collections(self._thread)
        self._thread = thread if polls_apart() else None
        if self._thread is not None:
            follow_collections(self._thread)
        self._used, self._wakes = self._read_time(), self._read_wakes()
        self._counted_at = self._used, self._messages

    def check(self, messages: int, *, wakes: bool = True) -> None:
        """Measures what the connection used since the last check, and its unread bytes.

        To be called every `POLL`.

        Args:
            messages: how many were sent and read so far.
            wakes: whether the wakes of the thread count. Not while the bot describes itself: a busy process
                wakes a thread that waits for Python's lock thousands of times a second, and no message
                earns these wakes.

        Raises Flood if that is too much.
        """
        now = self._now()
        before, self._used = self._used, self._read_time()
        new, self._messages = messages - self._messages, messages
        if not self._account.spend(self._used - before, new * PER_MESSAGE * self._slowness(), now):
            raise Flood(
                "floods its connection with frames that are no answers, such as PING or SETTINGS: "
                f"{self._used:.2f} s of the referee's processor time for {messages} messages"
            )
        used_then, messages_then = self._counted_at
        if wakes and self._used - used_then >= _TIME_OF_WAKES:
            self._counted_at = self._used, messages
            wakes_before, self._wakes = self._wakes, self._read_wakes()
            earned = (messages - messages_then) * WAKES_PER_MESSAGE
            if not self._wakes_account.spend(self._wakes - wakes_before, earned, now):
                raise Flood(
                    "floods its connection with frames that are no answers, such as PING or SETTINGS: "
                    f"it wakes the referee {self._wakes:,} times for {messages} messages"
                )
        checked, self._checked = self._checked, now
        # On a busy machine the thread that reads had no turn either.
        if now - checked > 2 * POLL or self._is_busy():
            self._piles = self._stuck = 0
            return
        unread = self._line.unread() if self._line else 0
        self._piles = self._piles + 1 if unread > PILE else 0
        self._stuck = self._stuck + 1 if unread and not new else 0
        if self._piles >= PILES or self._stuck >= STUCK:
            raise Flood(
                "floods its connection with frames that are no answers, such as PING or SETTINGS: "
                f"{unread:,} bytes wait to be read"
            )

    def _read_time(self) -> float:
        """The thread's processor time so far, without the garbage collections that fell to it."""
        thread = self._thread  # another thread may end it
        if thread is None:
            return self._used
        try:
            return time_of(thread) - time_of_collections(thread)
        except OSError:  # the thread has ended
            return self._used

    def _read_wakes(self) -> int:
        """How often the thread was woken so far."""
        thread = self._thread
        if thread is None:
            return self._wakes
        try:
            return _wakes_of(thread)
        except OSError:
            return self._wakes


def _wakes_of(thread: int) -> int:
    """How often a thread has waited for something, by proc(5); 0 if that does not tell."""
    with open(f"/proc/self/task/{thread}/status", "rb") as file:
        _, found, told = file.read().rpartition(b"\nvoluntary_ctxt_switches:")
    return int(told.split()[0]) if found else 0


class Line:
    """The file descriptor of a gRPC connection to an address; all of them are used in one thread.

    If several connections to the same address are dialled at the same time, each gets its own.

    Args:
        address: the dialled address, `host:port` or `unix:/path`. Resolving it may block.
    """

    def __init__(self, address: str) -> None:
        self._ends = _ends(address)
        self._socket: socket.socket | None = None
        self._searches = 0

    def unread(self) -> int:
        """How many bytes have come and were not read yet; 0 on systems without POSIX."""
        if self._socket is not None and _other_end(self._socket) is None:
            self.close()  # gRPC may have dialled again
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
        """Ends the connection: gRPC does not end one whose other end no longer reads."""
        if self._socket is not None:
            with suppress(OSError):  # it has ended
                self._socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Closes the descriptor; gRPC still has the connection."""
        if self._socket is not None:
            _claimed.discard(os.fstat(self._socket.fileno()).st_ino)
            self._socket.close()
            self._socket = None

    def _find(self) -> None:
        names: list[str] = []
        with suppress(OSError):  # the system does not show them, or too many are open
            names = os.listdir(_FILES)
        for name in names:
            with suppress(OSError):  # it has gone meanwhile
                file = int(name)
                told = os.fstat(file)
                # Only the connection itself is duplicated and closed: closing a duplicate of a file
                # releases the process's locks on it, such as those on the league.
                is_free = stat.S_ISSOCK(told.st_mode) and told.st_ino not in _claimed
                if is_free and _end_of(file) in self._ends:
                    self._socket = socket.socket(fileno=os.dup(file))
                    _claimed.add(told.st_ino)
                    return


def _end_of(file: int) -> object:
    """The other end of a connection that another object owns; raises OSError if the file is no connection."""
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
    """The other ends that a connection to an address may have, as `getpeername` gives them."""
    if address.startswith("unix:"):
        return {address.removeprefix("unix:")}
    host, _, port = address.rpartition(":")
    with suppress(OSError, ValueError):
        found = {end for *_, end in socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)}
        return found | {(f"::ffff:{end[0]}", end[1], 0, 0) for end in found}
    return set()
