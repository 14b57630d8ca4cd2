"""Helpers for tests of floods."""

from __future__ import annotations

import socket
import threading
import time


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


class Slowness:
    """How many times longer than on a quiet machine a program takes now, that works and waits by turns.

    It is found by such a program: a thread that compares how long it worked with what it used of a processor.
    """

    def __init__(self) -> None:
        self._over = threading.Event()
        self._took = self._used = 0.0
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Slowness:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(0.05):
            began, used = time.monotonic(), time.thread_time()
            sum(number * number for number in range(20_000))
            self._took += time.monotonic() - began
            self._used += time.thread_time() - used

    @property
    def factor(self) -> float:
        """It, so far; at least 1."""
        return max(1.0, self._took / self._used) if self._used else 1.0
