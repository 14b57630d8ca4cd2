"""What is done when the file of an open league is deleted, moved or replaced: nothing of it is lost.

What was written into it is still there while it is open, under no name or
another: so it is copied into a new file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import apsw

from arena.store.errors import LeagueMoved, StoreError
from arena.store.reading import Reading


class Place:
    """Where the file of an open league, and the log beside it, were when it was opened."""

    def __init__(self, path: Path) -> None:
        self._paths = (str(path), f"{path}-wal")
        self._files = self._now()

    def unchanged(self) -> bool:
        """Whether the same files are there still."""
        return self._now() == self._files

    def _now(self) -> list[tuple[int, int] | None]:
        return [_identity(path) for path in self._paths]


def keep_copy(league: Reading) -> LeagueMoved:
    """Copies a league whose file is gone into a new one; the error says where it is."""
    lost = f"{league.path} was deleted, moved or replaced while it was being written"
    problem = ""
    for copy in _places_for_copy(league.path):
        try:
            league.backup(copy)
        except (StoreError, apsw.Error) as error:
            problem = str(error)
            continue
        return LeagueMoved(f"{lost}; all its games are in {copy}, go on with: arena resume {copy}")
    return LeagueMoved(f"{lost}, and its games could not be kept elsewhere ({problem}); look for the file")


def _places_for_copy(path: Path) -> Iterator[Path]:
    """A new file in its folder; where that is gone in the current one, or in that of temporary files."""
    folders: tuple[Callable[[], str | Path], ...] = (lambda: path.parent, os.getcwd, tempfile.gettempdir)
    for find in folders:
        with suppress(FileNotFoundError):  # there is no such folder
            names = (Path(find(), f"{path.stem}-kept-{number}.league") for number in count(1))
            yield next(name for name in names if not name.exists())


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
