"""What a bot is built from: the files that the `sources` of its bot.toml match, and their fingerprint.

The patterns are those of Python's glob. Folders behind links are looked into, but each only once for a
pattern, and no more is read than `MOST` names and `MOST_BYTES`: a link may lead to its own folder, and a
file be as large as it says.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

MOST = 100_000
"""How many names are looked at in all."""

MOST_BYTES = 1 << 30
"""How many bytes are read in all."""

_CHUNK = 1 << 18
_MAGIC = "*?["


class TooMuch(Exception):
    """There is more than is read; the text says what, without a subject."""


def fingerprint(folder: Path, command: Sequence[str], patterns: Sequence[str]) -> str | None:
    """The SHA-256 over a build command and all that the patterns match; None where that is nothing.

    Raises TooMuch.
    """
    looked = _Look(folder)
    names = sorted({name for pattern in patterns for name in looked.matching(pattern)})
    if not names:
        return None
    digest = hashlib.sha256(json.dumps([command, names]).encode())
    left = MOST_BYTES
    for name in names:
        content = hashlib.sha256()
        try:
            with open(folder / name, "rb") as file:
                while data := file.read(_CHUNK):
                    content.update(data)
                    left -= len(data)
                    if left < 0:
                        raise TooMuch(f"match files of more than {MOST_BYTES >> 20:,} MiB")
        except OSError as error:
            content.update(str(error).encode())  # a file that goes just now, or may not be read
        digest.update(content.digest())
    return digest.hexdigest()


class _Look:
    """One look through a folder, for all patterns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = 0

    def matching(self, pattern: str) -> Iterator[str]:
        """The files that a pattern matches, by their names in the folder; of a folder all that is in it."""
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if not any(character in pattern for character in _MAGIC) and os.path.isdir(self._folder / pattern):
            parts.append("**")
        return self._below("", parts, set())

    def _below(self, place: str, parts: Sequence[str], seen: set[tuple[int, int, int]]) -> Iterator[str]:
        """The files in a folder that the rest of a pattern matches; `seen`: where it was looked for."""
        part, *rest = parts
        if part != "**" and not any(character in part for character in _MAGIC):
            yield from self._match(os.path.join(place, part), rest, seen)
            return
        try:
            status = os.stat(self._folder / place)
            entries = os.listdir(self._folder / place)
        except OSError:  # no folder, or not to be read
            return
        identity = (status.st_dev, status.st_ino, len(parts))
        if identity in seen:
            return
        seen.add(identity)
        self._names += len(entries)
        if self._names > MOST:
            raise TooMuch(f"are looked for among more than {MOST:,} names")
        if part == "**" and rest:
            yield from self._below(place, rest, seen)
        for entry in entries:
            name = os.path.join(place, entry)
            if part != "**":
                if fnmatch.fnmatchcase(entry, part) and (entry[0] != "." or part[0] == "."):
                    yield from self._match(name, rest, seen)
            elif entry[0] != ".":
                if os.path.isdir(self._folder / name):
                    yield from self._below(name, parts, seen)
                elif not rest and os.path.isfile(self._folder / name):
                    yield name

    def _match(self, name: str, rest: Sequence[str], seen: set[tuple[int, int, int]]) -> Iterator[str]:
        """The file itself where nothing of the pattern is left, else what is below it."""
        if rest:
            yield from self._below(name, rest, seen)
        elif os.path.isfile(self._folder / name):
            yield name
