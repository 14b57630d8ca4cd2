"""The tables that run, as far as an onlooker may see them by now: read from their feed."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Set
from typing import Any, NamedTuple, TextIO

from arena.page.feed import Feed

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
    """A table, read on as its file grows."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._rest = ""  # the beginning of a line that is not written yet
        self._coming: list[dict[str, Any]] = []  # what is read and not to be seen yet
        self.heading: dict[str, Any] = {}
        self.steps: list[dict[str, Any]] = []
        self.picture: dict[str, Any] = {}  # after the last of them
        self.end = ""
        self.ended = 0.0
        self.left = False  # whether nobody writes it any more: what has its number then is another table

    def read_on(self, delay: float, is_gone: bool) -> None:
        """Reads what is new, and shows what is due, `delay` seconds late at the least."""
        text = self._rest + self._file.read()
        *lines, self._rest = text.split("\n")
        self._coming += map(json.loads, lines)
        if self._coming and not self.heading:
            self.heading = self._coming.pop(0)
        late = max(delay, self.heading.get("delay", 0.0))
        due = time.monotonic() - late
        while self._coming and (not late or self._coming[0]["t"] <= due):
            self._show(self._coming.pop(0))
        if is_gone and not self._coming and not self.end:
            self._show({"end": "gone"})

    def _show(self, line: dict[str, Any]) -> None:
        if "end" in line:
            self.end, self.ended = line["end"], time.monotonic()
            self.close()
        else:
            del line["t"]
            self.steps.append(line)
            self.picture.update(line["changed"])

    def close(self) -> None:
        """Closes its file."""
        self._file.close()


class Tables:
    """The running tables of a league; for threads.

    Args:
        feed: what is read.
        delay: how many seconds late they are shown, at the least.
    """

    def __init__(self, feed: Feed, delay: float = 0.0) -> None:
        self._feed = feed
        self._delay = delay
        self._asked = feed.ask()
        self._lock = threading.Lock()
        self._tables: dict[int, _Table] = {}

    def look(self) -> dict[int, int]:
        """Reads what is new; returns how many steps can be seen of each table, below 0 where it has ended."""
        with self._lock:
            there = set(self._feed.tables()) if self._feed.is_written else set()
            lost = {number for number, each in self._tables.items() if each.end == "gone"}
            for number in there - (self._tables.keys() - lost):  # what was lost is written anew
                with contextlib.suppress(OSError):  # over meanwhile
                    self._tables[number] = _Table(self._feed.file_of(number).open(encoding="utf-8"))
            for number, table in self._tables.items():
                table.left = table.left or number not in there
                if not table.end:
                    table.read_on(self._delay, table.left)
            self._forget(there)
            return {
                number: -len(each.steps) if each.end else len(each.steps)
                for number, each in self._tables.items()
                if each.steps
            }

    def _forget(self, there: Set[int]) -> None:
        """Forgets tables that have ended long ago, and those whose number another has that is there."""
        for number in there & self._tables.keys():
            if self._tables[number].end and self._tables[number].left:
                del self._tables[number]
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

    def close(self) -> None:
        """Asks for them no more."""
        with self._lock:
            for table in self._tables.values():
                table.close()
        if self._asked is not None:
            self._asked.release()
            self._feed.leave()
