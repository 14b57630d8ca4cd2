"""Has gRPC's threads wait long for a message: to wake one costs as much as a message.

gRPC wakes a thread that reads ten times a second, so that a main thread hears signals on systems where they
do not interrupt a wait for a lock (https://github.com/grpc/grpc/issues/19464): on Windows. It wakes the
thread of a server once a second, to end a server that the program has forgotten.
"""

from __future__ import annotations

import sys

LONGEST_WAIT = 10.0
"""After how many seconds without a message gRPC wakes a thread."""

SETTINGS = {
    "grpc._common": "MAXIMUM_WAIT_TIMEOUT",
    "grpc._server": "_DEALLOCATED_SERVER_CHECK_PERIOD_S",
}
"""The settings, by the modules of gRPC that have them. They are gRPC's own, and may go with a version. The
second module is loaded with the first server."""


def wait_long(longest: float = LONGEST_WAIT) -> None:
    """Has the threads wait for so many seconds, as far as gRPC's modules are loaded.

    A main thread hears a signal at once that comes while it waits for a message, but one that comes in the
    moment before it waits only afterwards.
    """
    if sys.platform != "win32":
        for module in SETTINGS.keys() & sys.modules.keys():
            vars(sys.modules[module])[SETTINGS[module]] = longest
