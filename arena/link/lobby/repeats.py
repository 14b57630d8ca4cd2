"""Telling people what happens again and again, without a line for each time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

PERIOD = 10.0
"""How long what is repeated is counted before it is told, in seconds."""


class Repeats:
    """Tells the first of a kind at once, and how many more there were every ten seconds.

    Its methods may be called in any thread.

    Args:
        say: called, in any thread, with what is to be told.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._kinds: dict[Hashable, _Kind] = {}

    def tell(self, kind: Hashable, sentence: str) -> None:
        """It happened.

        Args:
            kind: what counts as the same; of these there must not be many.
            sentence: what is told of it, without its full stop.
        """
        with self._lock:
            known = self._kinds.get(kind)
            if known is not None:
                known.count += 1
                known.sentence = sentence
                return
            self._kinds[kind] = _Kind(self._begin_period(kind))
        self._say(sentence)

    def close(self) -> None:
        """Tells what has not been told yet."""
        with self._lock:
            kinds = list(self._kinds.values())
            self._kinds.clear()
        for kind in kinds:
            kind.timer.cancel()
            self._sum_up(kind)

    def _begin_period(self, kind: Hashable) -> threading.Timer:
        timer = threading.Timer(PERIOD, self._period_over, [kind])
        timer.daemon = True
        timer.start()
        return timer

    def _period_over(self, kind: Hashable) -> None:
        with self._lock:
            over = self._kinds.pop(kind, None)
            if over is not None and over.count:
                self._kinds[kind] = _Kind(self._begin_period(kind))
        if over is not None:
            self._sum_up(over)

    def _sum_up(self, kind: _Kind) -> None:
        if kind.count:
            self._say(f"{kind.sentence} ({kind.count:,} more in the last {PERIOD:.0f} s)")


class _Kind:
    """What was told, and how often it has happened since."""

    def __init__(self, timer: threading.Timer) -> None:
        self.timer = timer
        self.count = 0
        self.sentence = ""
