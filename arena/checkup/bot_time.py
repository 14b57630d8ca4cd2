"""Counts the time of a bot without what it waited for a processor, and so judges it alike on a busy machine.

Every limit of time of a checkup counts this time. A stretch in which the bot slept or ran counts whole. What
a thread of the bot, or of the process that checks it, waited for a processor meanwhile is left out. But at
least the processor time that the bot took counts: that of its busiest thread, and its share of all
processors. So a bot that keeps itself waiting gains nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeVar

import trio

from arena.link.local.containment.activity import below

_STRETCH = 0.25  # seconds
_LONGEST_STRETCH = 0.5  # seconds; in a longer one the process that checks the bot stood still
_AT_LEAST = 1 / 50  # of each stretch counts, however busy the machine is: so every wait ends
BUSY = 0.2
"""A machine is busy on which at least this share of the time is left out."""

_MOST_OWED = 5.0  # seconds: the system tells of a wait only when it is over

Result = TypeVar("Result")


class Used(NamedTuple):
    """How long a thread has run, and has waited for a processor, in seconds."""

    ran: float
    waited: float


def used_below(process: int) -> Mapping[str, Used]:
    """What each thread of a process and its descendants has used; the process itself has run for nobody.

    Empty on other systems than Linux.
    """
    used: dict[str, Used] = {}
    for pid in (process, *(pid for pid, _ in below(process))):
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                    ran, waited, _ = file.read().split()
                used[thread] = Used(0.0 if pid == process else int(ran) / 1e9, int(waited) / 1e9)
        except (OSError, ValueError):
            continue  # it has ended, or the system counts nothing
    return used


def used_by_bots() -> Mapping[str, Used]:
    """What each thread of the bots of this process has used, and how long its own threads waited."""
    return used_below(os.getpid())


class BotTime:
    """The time of a bot; see the module. To be used in trio's thread.

    Args:
        used: returns what each thread has used so far.
        read: reads a monotonic clock, in nanoseconds.
        processors: how many processors the bot may use.

    Attributes:
        left_out: the seconds of waiting that were left out so far.
        is_busy: whether much was left out between the last two looks.
    """

    def __init__(
        self,
        used: Callable[[], Mapping[str, Used]] = used_by_bots,
        read: Callable[[], int] = time.perf_counter_ns,
        processors: int = os.cpu_count() or 1,
    ) -> None:
        self._used, self._read, self._processors = used, read, processors
        self._seen, self.is_busy = used(), False
        self._looked = trio.current_time()
        self._passed = self._owed = self.left_out = 0.0
        self._at = (0, read())  # the bot's time at the last look, and that of the clock, in nanoseconds

    def look(self) -> float:
        """The bot's time so far, in seconds; to be called every `_STRETCH`, while anything waits for it."""
        used, now, read = self._used(), trio.current_time(), self._read()
        new = [
            (each.ran - seen.ran, each.waited - seen.waited)
            for thread, each in used.items()
            for seen in (self._seen.get(thread, Used(0.0, 0.0)),)
        ]
        stretch = min(now - self._looked, _LONGEST_STRETCH)
        ran = max(max((ran for ran, _ in new), default=0.0), sum(ran for ran, _ in new) / self._processors)
        owed = self._owed + max((waited for _, waited in new), default=0.0)
        left_out = min(owed, max(0.0, stretch - max(ran, stretch * _AT_LEAST)))
        share = 1 - left_out / stretch if stretch else 1.0
        self.is_busy = share < 1 - BUSY
        self._seen, self._looked, self._owed = used, now, min(owed - left_out, _MOST_OWED)
        self._passed += stretch - left_out
        self.left_out += left_out
        before, last = self._at
        self._at = before + int(share * min(read - last, _LONGEST_STRETCH * 1e9)), read
        return self._passed

    def now(self) -> int:
        """The bot's time for its clocks at the tables, in nanoseconds; in any thread, while `keep` runs."""
        before, last = self._at
        return before + min(self._read() - last, int(_LONGEST_STRETCH * 1e9))

    async def keep(self) -> None:
        """Counts the time until it is cancelled."""
        await self.passes(float("inf"))

    async def passes(self, seconds: float) -> None:
        """Returns after so many seconds of the bot's time."""
        end = self.look() + seconds
        while self.look() < end:
            await trio.sleep(_STRETCH)

    async def within(self, seconds: float, wait: Callable[[], Awaitable[Result]]) -> Result | None:
        """What `wait` returns; None, and it is cancelled, if it takes more seconds of the bot's time."""
        result = None
        async with trio.open_nursery() as nursery:

            async def limit() -> None:
                await self.passes(seconds)
                nursery.cancel_scope.cancel()

            nursery.start_soon(limit)
            result = await wait()
            nursery.cancel_scope.cancel()
        return result
