"""How many people may look at the page at once: open files, event streams, and time for computing."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator

_MOST_STREAMS = 2000
_FILES = _MOST_STREAMS + 1000  # open ones: with what is asked for besides
_RESERVE = 60  # of them, so that what is asked for is answered however many listen
_SWITCH = 0.0005  # seconds; at 5 ms each system call of the thread that answers may wait that long
_WORDS = "page: more people connect than this system allows it open files; some wait (ulimit -n)\n"


def raise_limits() -> None:
    """Allows this process as many open files as it needs, or as the system lets it have.

    Where they are too few nobody else is let in for a while; that is said once.
    Threads take turns more often than usual, for people wait for one of them.
    """
    sys.setswitchinterval(_SWITCH)
    import resource  # POSIX only

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        with contextlib.suppress(OSError, ValueError):  # macOS allows fewer than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
    logging.getLogger("trio.serve_listeners").addFilter(_Once())


def most_streams() -> int:
    """How many browsers may listen at once."""
    import resource  # POSIX only

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_STREAMS if soft == resource.RLIM_INFINITY else max(1, min(_MOST_STREAMS, soft - _RESERVE))


class TokenBucket:
    """A token bucket of seconds for computing. Its methods may be called in any thread.

    Args:
        share: how much of all time may be spent.
        most: how many seconds are in hand, at the most.
    """

    def __init__(self, share: float, most: float) -> None:
        self._share = share
        self._most = self._left = most
        self._at = time.monotonic()
        self._lock = threading.Lock()

    @property
    def empty(self) -> bool:
        """Whether more was spent than was there."""
        return self._take(0.0) < 0

    @contextlib.contextmanager
    def spending(self) -> Iterator[None]:
        """Takes the time that is spent in this context."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._take(time.monotonic() - begun)

    def _take(self, seconds: float) -> float:
        with self._lock:
            now = time.monotonic()
            filled = min(self._most, self._left + self._share * (now - self._at))
            self._left, self._at = max(-self._most, filled - seconds), now
            return self._left


class _Once(logging.Filter):
    """Says in our own words, once, what trio would log ten times a second with a traceback."""

    said = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not self.said:
            self.said = True
            sys.stderr.write(_WORDS)
            sys.stderr.flush()
        return False
