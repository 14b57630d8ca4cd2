"""The report on a version, and its result: files in the version's folder.

The report is a file of JSON lines that only grows, so a reader can follow it. The result is written whole, in
the moment in which everything about the version is decided.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal, NamedTuple

from arena.hosting.database import now
from arena.text import one_line

Step = Literal["unpack", "build", "check", "end"]
Line = Literal["info", "passed", "noted", "failed"]


class Result(NamedTuple):
    """What became of a version.

    Attributes:
        state: `trouble` is the host's own, and the version is tried again.
        reason: why it was not accepted, a sentence.
        content: the hash of what was unpacked, in hex.
        disk: the bytes of its folder.
        name, language: as its bot.toml says.
    """

    state: Literal["accepted", "refused", "trouble"]
    reason: str = ""
    content: str = ""
    disk: int = 0
    name: str = ""
    language: str = ""


class Report:
    """The report on a version; see `arena.hosting.place` for its folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "report.jsonl"
        _end_last_line(self._path)

    def add(self, step: Step, text: str, level: Line = "info") -> None:
        """Adds a text, line by line."""
        with self._path.open("a", encoding="utf-8") as file:
            for line in text.split("\n"):
                text = one_line(line).rstrip()
                file.write(json.dumps({"at": now(), "step": step, "text": text, "level": level}) + "\n")


def _end_last_line(path: Path) -> None:
    """Ends a line that a killed builder left half."""
    if path.exists() and not (text := path.read_bytes()).endswith(b"\n"):
        os.truncate(path, text.rfind(b"\n") + 1)


def write_result(folder: Path, result: Result) -> None:
    """Writes `result.json`, whole or not at all."""
    half = folder / "result.json.part"
    with half.open("w", encoding="utf-8") as file:
        json.dump(result._asdict(), file)
        file.flush()
        os.fsync(file.fileno())
    half.replace(folder / "result.json")


def read_result(folder: Path) -> Result | None:
    """The result of a version, None while there is none."""
    try:
        return Result(**json.loads((folder / "result.json").read_text("utf-8")))
    except FileNotFoundError:
        return None
