"""The running tables, as far as an onlooker may see them by now."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.loading import program_of
from arena.runner.night.control_client import subscribed

_AGAIN = 1.0  # seconds between two tries to reach a process that plays
_KEPT = 600.0  # seconds that a table is kept which runs no more, for those who watched it
_MOST_KEPT = 64  # such tables
_LOG = 100  # steps before the present one whose words a browser is told at first


class Table:
    """A table, of which more and more is told.

    Args:
        number: its number.
        heading: what is known of it from the start.
        now: tells the time, in seconds.

    Attributes:
        steps: what can be seen of it.
        picture: what lies where after the last step.
        end: empty while it runs; else `over`, `void`, or `gone` if nobody plays any more, or nobody
            tells of it for now.
        ended: when the end was shown.
        is_lost: whether no more is told of it.
    """

    def __init__(self, number: int, heading: dict[str, Any], now: Callable[[], float]) -> None:
        self._now = now
        self.number = number
        self.heading = heading
        self.steps: list[dict[str, Any]] = []
        self.picture: dict[str, Any] = {}
        self.end = ""
        self.ended = 0.0
        self.is_lost = False
        self._coming: deque[dict[str, Any]] = deque()  # what is told and not to be seen yet

    def hear(self, told: dict[str, Any]) -> None:
        """Hears a step, or the end, which is shown when it is due."""
        self._coming.append(told)

    def show(self, delay: float) -> None:
        """Shows what is due, `delay` seconds late at the least."""
        late = max(delay, self.heading["delay"])
        due = self._now() - late
        while self._coming and (not late or self._coming[0]["t"] <= due):
            self._show(self._coming.popleft())
        if self.is_lost and not self._coming and not self.end:
            self._show({"end": "gone"})

    def _show(self, told: dict[str, Any]) -> None:
        if "end" in told:
            self.end, self.ended = told["end"], self._now()
        else:
            del told["t"]
            self.steps.append(told)
            self.picture.update(told["changed"])


class Tables:
    """The running tables of a league; for threads.

    Args:
        delay: how many seconds late they are shown, at the least.
        now: tells the time, in seconds.
    """

    def __init__(self, delay: float = 0.0, now: Callable[[], float] = time.monotonic) -> None:
        self._delay = delay
        self._now = now
        self._lock = threading.Lock()
        self._tables: dict[int, Table] = {}

    def follow(self, league: Path) -> None:
        """Hears of the tables that are played in a league, for ever: in a thread."""
        while True:
            # OSError: nobody plays. ValueError: the process was killed within a line.
            with suppress(OSError, ValueError), subscribed(league) as line:
                process = subprocess.Popen(
                    program_of("arena.page.pictures.running"), stdin=line.fileno(), stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL, start_new_session=True,  # Ctrl-C is for the page
                )  # fmt: skip
                line.close()
                with process:
                    assert process.stdout is not None
                    for told in process.stdout:
                        self.hear(json.loads(told))
            self.lose()
            time.sleep(_AGAIN)

    def hear(self, told: dict[str, Any]) -> None:
        """Hears of a table: first what is known from its start, then what is seen (`RunningPictures`)."""
        number = told.pop("table")
        with self._lock:
            if "key" in told:
                self._tables.pop(number, None)  # it had the number in a run before, or was lost
                self._tables[number] = Table(number, told, self._now)
            else:
                self._tables[number].hear(told)

    def lose(self) -> None:
        """No more is told of the tables that run."""
        with self._lock:
            for table in self._tables.values():
                table.is_lost = True

    def show_due(self) -> dict[int, int]:
        """Shows what is due; returns how many steps can be seen of each table, below 0 if it has ended."""
        with self._lock:
            for table in self._tables.values():
                if not table.end:
                    table.show(self._delay)
            self._forget()
            return {
                number: -len(each.steps) if each.end else len(each.steps)
                for number, each in self._tables.items()
                if each.steps
            }

    def _forget(self) -> None:
        """Forgets tables that have ended long ago."""
        ended = [number for number, each in self._tables.items() if each.end]
        old = self._now() - _KEPT
        for place, number in enumerate(reversed(ended)):
            if place >= _MOST_KEPT or self._tables[number].ended < old:
                del self._tables[number]

    def running(self) -> list[Table]:
        """The tables that run, in order."""
        with self._lock:
            return [each for _, each in sorted(self._tables.items()) if each.steps and not each.end]

    def table(self, number: int) -> Table | None:
        """A table that runs, or did not long ago."""
        with self._lock:
            found = self._tables.get(number)
            return found if found and found.steps else None

    def seated(self, game: str, seat: int, name: str) -> tuple[int, int, str] | None:
        """The running table where somebody sits, how many steps of it can be seen, and the key of its game.

        None if there is none, or if onlookers see it late: the person who plays there is ahead of that.
        """
        with self._lock:
            for number, each in self._tables.items():
                heading = each.heading
                if not each.steps or each.end or heading["game"] != game:
                    continue
                if [name] == heading["names"][seat : seat + 1]:
                    late = max(self._delay, heading["delay"])
                    return None if late else (number, len(each.steps), heading["key"])
        return None

    def seen(self, number: int, first: int | None) -> dict[str, Any] | None:
        """What can be seen of a table, as data for a browser.

        Args:
            number: the table.
            first: the first step that is wanted; None for a browser that comes anew: then it is the
                present picture, and the last steps for their words.

        Returns None if there is no such table.
        """
        with self._lock:
            found = self._tables.get(number)
            if found is None or not found.steps:
                return None
            count = len(found.steps)
            told = {"end": found.end, "count": count, "key": found.heading["key"]}
            if first is not None and first >= count - _LOG:
                return told | {"first": first, "steps": found.steps[first:]}
            begin = max(0, count - _LOG)
            heading = {key: found.heading[key] for key in ("game", "title", "seats", "names")}
            return (
                told | heading | {"first": begin, "picture": {**found.picture}, "steps": found.steps[begin:]}
            )

    @property
    def delay(self) -> float:
        """How many seconds late the tables are shown that run."""
        with self._lock:
            told = [float(each.heading.get("delay", 0.0)) for each in self._tables.values()]
            return max([self._delay, *told])
