"""The process that writes the feed of running tables, for the process that plays them.

It is told what is played, a line of JSON on its standard input for each glimpse, with the key of the
board: so it plays along. What it writes is what an onlooker may see. It ends with its input, whatever
ends that, and removes what it wrote.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from arena.games import GAMES
from arena.games.game import Outcome
from arena.page.feed import Feed
from arena.page.pictures.running import RunningPictures
from arena.table.record import Record

_NICENESS = 10  # games go before those who look at them


class _Table:
    """A table, and the file in which it is shown."""

    def __init__(self, told: dict[str, Any], path: Path, delay: float) -> None:
        game = GAMES[told["game"]]
        record = Record(
            game=game.id,
            options=game.parse_options(told["options"]),
            seats=told["seats"],
            starter=told["starter"],
            board_key=bytes.fromhex(told["board"]),
            actions=(),
            faults=(),
            outcome=Outcome((), (), ""),
            forfeits=(),
        )
        self._pictures = RunningPictures(record, told["names"])
        self._path = path
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        self._file: TextIO = os.fdopen(handle, "a", encoding="utf-8")
        self._write(
            {
                "key": told["key"],
                "players": told["players"],
                "delay": delay,
                **self._pictures.heading(),
            },
            self._pictures.opening(),
        )

    def play(self, actions: list[int], end: str) -> None:
        """Shows what was played."""
        steps = [*self._pictures.after(actions)]
        self._write(*steps, *([{"end": end}] if end else []))

    def close(self) -> None:
        """Whoever reads the file still may; nobody else finds it."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _write(self, *lines: dict[str, Any]) -> None:
        """Writes lines, all at once, with the moment, by a clock that nobody sets."""
        now = round(time.monotonic(), 1)
        self._file.write(
            "".join(json.dumps({"t": now, **line}, separators=(",", ":")) + "\n" for line in lines)
        )
        self._file.flush()


def main(folder: str, delay: float) -> None:
    """Writes the feed in this folder; it is to be shown so many seconds late."""
    os.nice(_NICENESS)
    feed = Feed(Path(folder))
    writing = feed.write()
    tables: dict[int, _Table] = {}
    try:
        for line in sys.stdin.buffer:
            told = json.loads(line)
            number = told["table"]
            if "game" in told:
                tables[number] = _Table(told, feed.file_of(number), delay)
            tables[number].play(told["actions"], told["end"])
            if told["end"]:
                tables.pop(number).close()
    finally:
        for table in tables.values():
            table.close()
        writing.release()
        feed.leave()
