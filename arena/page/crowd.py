"""Many who look at once: a connection for each of them is an open file, and of these there may be too few."""

from __future__ import annotations

import contextlib
import logging
import sys

_MOST_STREAMS = 2000
_FILES = _MOST_STREAMS + 1000  # open ones: with what is asked for besides
_RESERVE = 60  # of them, so that what is asked for is answered however many listen
_WORDS = "page: more people connect than this system allows it open files; some wait (ulimit -n)\n"


def prepare_for_crowds() -> None:
    """Allows this process as many open files as it needs, or as the system lets it have.

    Where they are too few nobody else is let in for a while; that is said once.
    """
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


class _Once(logging.Filter):
    """Says in our own words, once, what trio would log ten times a second with a traceback."""

    said = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not self.said:
            self.said = True
            sys.stderr.write(_WORDS)
            sys.stderr.flush()
        return False
