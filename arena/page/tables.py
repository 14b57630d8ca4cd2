"""The tables that run, as far as an onlooker may see them by now."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.loading import program_of
from arena.runner.night.control_client import subscribed

_AGAIN = 1.0  # seconds between two tries to reach a process that plays
_KEPT = 600.0  # seconds that a table is kept which runs no more, for those who watched it
_MOST_KEPT = 64  # such tables
_LOG = 100  # steps before the present one whose words whoever comes is told


class TableView(NamedTuple):
    """A table for a list.

    Attributes:
        number: its number.
        heading: what is known of it from the start.
        end: empty while it runs; else `over`, `void`, or `gone` where nobody plays any more, or nobody
            writes it for now.
    """

    number: int
    heading: dict[str, Any]
    end: str


class _Table:
    """A table, of which more and more is told.

    Args:
        heading: what is known of it from the start.
    """

    def __init__(self, heading: dict[str, Any]) -> None:
        self.heading = heading
        self.coming: list[dict[str, Any]] = []  # what is told and not to be seen yet
        self.is_lost = False  # whether no more is told of it
        self.steps: list[dict[str, Any]] = []
        self.picture: dict[str, Any] = {}  # after the last of them
        self.end = ""
        self.ended = 0.0

    def show(self, delay: float) -> None:
        """Shows what is due, `delay` seconds late at the least."""
        late = max(delay, self.heading["delay"])
        due = time.monotonic() - late
        while self.coming and (not late or self.coming[0]["t"] <= due):
            self._show(self.coming.pop(0))
        if self.is_lost and not self.coming and not self.end:
            self._show({"end": "gone"})

    def _show(self, line: dict[str, Any]) -> None:
        if "end" in line:
            self.end, self.ended = line["end"], time.monotonic()
        else:
            del line["t"]
            self.steps.append(line)
            self.picture.update(line["changed"])


class Tables:
    """The running tables of a league; for threads.

    Args:
        delay: how many seconds late they are shown, at the least.
    """

    def __init__(self, delay: float = 0.0) -> None:
        self._delay = delay
        self._lock = threading.Lock()
        self._tables: dict[int, _Table] = {}

    def follow(self, league: Path) -> None:
        """Hears of the tables of whoever plays in a league, for ever: in a thread."""
        while True:
            # The first is raised where nobody plays, the second where the process was killed within a line.
            with suppress(OSError, ValueError), subscribed(league) as line:
                process = subprocess.Popen(
                    program_of("arena.page.feeder"), stdin=line.fileno(), stdout=subprocess.PIPE,
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
        """Hears of a table: first what is known from its start, then what is seen (`arena.page.feeder`)."""
        number = told.pop("table")
        with self._lock:
            if "key" in told:
                self._tables.pop(number, None)  # it had the number in a run before, or was lost
                self._tables[number] = _Table(told)
            else:
                self._tables[number].coming.append(told)

    def lose(self) -> None:
        """No more is told of the tables that run."""
        with self._lock:
            for table in self._tables.values():
                table.is_lost = True

    def snapshot(self) -> dict[int, int]:
        """Shows what is due; returns how many steps can be seen of each table, below 0 where it has ended."""
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
        old = time.monotonic() - _KEPT
        for place, number in enumerate(reversed(ended)):
            if place >= _MOST_KEPT or self._tables[number].ended < old:
                del self._tables[number]

    def running(self) -> list[TableView]:
        """The tables that run, in order."""
        with self._lock:
            return [
                TableView(number, each.heading, each.end)
                for number, each in sorted(self._tables.items())
                if each.steps and not each.end
            ]

    def table(self, number: int) -> TableView | None:
        """A table that runs, or did not long ago."""
        with self._lock:
            found = self._tables.get(number)
            return TableView(number, found.heading, found.end) if found and found.steps else None

    def seated(self, game: str, seat: int, name: str) -> tuple[int, int, str] | None:
        """The running table where somebody sits, how many steps of it can be seen, and the key of its game.

        None where there is none, or an onlooker sees it late: who plays there is ahead of that.
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
            first: the first step that is wanted; None for whoever comes anew: then it is the present
                picture, and the last steps for their words.

        Returns None where there is no such table.
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
            return told | heading | {"first": begin, "picture": found.picture, "steps": found.steps[begin:]}

    @property
    def delay(self) -> float:
        """How many seconds late the tables are shown that run."""
        with self._lock:
            told = [float(each.heading.get("delay", 0.0)) for each in self._tables.values()]
            return max([self._delay, *told])
