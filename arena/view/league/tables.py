"""The running tables, as onlookers see them."""

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

from arena.processes.loading import program_of
from arena.referee.night.control import subscribed

_AGAIN = 1.0  # seconds between two attempts to reach a process that plays
_KEPT = 600.0  # seconds that a table is kept after its end, for its onlookers
_MOST_KEPT = 64  # how many tables are kept after their end
_MOST_OVER = 10_000  # how many tables are known by the keys of their games after that
_LOG = 100  # the last steps whose words a new browser gets


class Table:
    """A table, and the steps of it that are known so far.

    Args:
        number: its number.
        heading: the data known from the start.

    Attributes:
        steps: the steps that are shown.
        picture: the picture after the last step.
        end: empty while it runs; else `over`, `void`, or `gone` if the game was stopped or the connection
            to it is lost.
        ended: when the end was shown.
        moved: when the last step was shown.
        is_lost: whether the connection to it is lost.
    """

    def __init__(self, number: int, heading: dict[str, Any], now: Callable[[], float]) -> None:
        self._now = now
        self.number = number
        self.heading = heading
        self.steps: list[dict[str, Any]] = []
        self.picture: dict[str, Any] = {}
        self.end = ""
        self.ended = self.moved = 0.0
        self.is_lost = False
        self._coming: deque[dict[str, Any]] = deque()  # steps that are known and not shown yet

    def hear(self, told: dict[str, Any]) -> None:
        """Takes a step, or the end, which is shown when it is due."""
        self._coming.append(told)

    def show(self, delay: float) -> None:
        """Shows the steps that are due, at least `delay` seconds late."""
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
            self.moved = self._now()
            self.steps.append(told)
            self.picture.update(told["changed"])


class Tables:
    """The running tables of a league. Threads may use it.

    Args:
        delay: how many seconds late they are shown, at least.

    Attributes:
        now: tells the time of `Table.ended`, in seconds.
        playing: whether a process plays the league.
    """

    def __init__(self, delay: float = 0.0, now: Callable[[], float] = time.monotonic) -> None:
        self._delay = delay
        self.now = now
        self._lock = threading.Lock()
        self._tables: dict[int, Table] = {}
        self._over: dict[int, str] = {}  # by table, the key of its game that is over
        self.playing = False
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def follow(self, league: Path) -> None:
        """Receives the tables that are played in a league, until `stop` is called: in a thread."""
        while not self._stopped.is_set():
            # OSError: nobody plays. ValueError: the process was killed within a line.
            with suppress(OSError, ValueError), subscribed(league) as line:
                process = subprocess.Popen(
                    program_of("arena.view.pictures.running"), stdin=line.fileno(), stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL, start_new_session=True,  # Ctrl-C is for the page
                )  # fmt: skip
                line.close()
                self._process = process
                if self._stopped.is_set():  # `stop` did not see this process
                    process.terminate()
                self.playing = True
                with process:
                    assert process.stdout is not None
                    for told in process.stdout:
                        self.hear(json.loads(told))
            self.playing = False
            self.lose()
            self._stopped.wait(_AGAIN)

    def stop(self) -> None:
        """Ends `follow`."""
        self._stopped.set()
        if self._process is not None:
            self._process.terminate()

    def hear(self, told: dict[str, Any]) -> None:
        """Takes news of a table: first its heading, then its steps (`RunningPictures`)."""
        number = told.pop("table")
        with self._lock:
            if "key" in told:
                # A table of an earlier run had the number, or this one was lost.
                self._tables.pop(number, None)
                self._over.pop(number, None)
                self._tables[number] = Table(number, told, self.now)
            else:
                self._tables[number].hear(told)

    def lose(self) -> None:
        """Marks the running tables as lost."""
        with self._lock:
            for table in self._tables.values():
                table.is_lost = True

    def show_due(self) -> dict[int, int]:
        """Shows the steps that are due; returns how many are shown of each table, below 0 if it has ended."""
        with self._lock:
            for table in self._tables.values():
                if not table.end:
                    table.show(self._delay)
            for number, table in self._tables.items():
                if table.end == "over":
                    self._over[number] = table.heading["key"]
            while len(self._over) > _MOST_OVER:
                del self._over[next(iter(self._over))]
            self._forget()
            return {
                number: -len(each.steps) if each.end else len(each.steps)
                for number, each in self._tables.items()
                if each.steps
            }

    def _forget(self) -> None:
        """Drops the tables that ended long ago."""
        ended = [number for number, each in self._tables.items() if each.end]
        old = self.now() - _KEPT
        for place, number in enumerate(reversed(ended)):
            if place >= _MOST_KEPT or self._tables[number].ended < old:
                del self._tables[number]

    def running(self) -> list[Table]:
        """The tables that run, in order."""
        with self._lock:
            return [each for _, each in sorted(self._tables.items()) if each.steps and not each.end]

    def table(self, number: int) -> Table | None:
        """A running table, or one that ended a short time ago."""
        with self._lock:
            found = self._tables.get(number)
            return found if found and found.steps else None

    def over(self, number: int) -> str | None:
        """The key of the game of a table that is over, also if it ended long ago; else None."""
        with self._lock:
            return self._over.get(number)

    def seated(self, game: str, seat: int, name: str) -> tuple[int, int, str] | None:
        """The running table of a player, how many of its steps are shown, and the key of its game.

        None if there is none, or if onlookers see it late: then the person who plays there is ahead of it.
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
        """The shown steps of a table, as data for a browser.

        Args:
            number: the table.
            first: the first step that is wanted; None for a new browser, which gets the current picture and
                the last steps for their words.

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
            heading = {key: found.heading[key] for key in ("game", "title", "seats", "names", "emblems")}
            return (
                told | heading | {"first": begin, "picture": {**found.picture}, "steps": found.steps[begin:]}
            )

    @property
    def delay(self) -> float:
        """How many seconds late running tables are shown."""
        with self._lock:
            told = [float(each.heading.get("delay", 0.0)) for each in self._tables.values()]
            return max([self._delay, *told])
