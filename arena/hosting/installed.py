"""Notices that the arena was installed anew while it runs.

The processes that a host process starts later would then be of another version than the host process. The
file RECORD, which an installer writes last, tells one installation from another.
"""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple, Self


class Installed(NamedTuple):
    """An installation of the arena.

    Attributes:
        version: its version.
        record: the file RECORD.
        mark: what tells this file from another of the same name: its inode and its time.
    """

    version: str
    record: Path
    mark: tuple[int, int]

    @classmethod
    def find(cls, package: str = "bot-arena") -> Self | None:
        """The installation that is there now; None while it is made, or if the arena is not installed."""
        importlib.invalidate_caches()
        try:
            found = distribution(package)
            record = next((each for each in found.files or () if each.name == "RECORD"), None)
            if record is None:
                return None
            path = Path(str(found.locate_file(record)))
            return cls(found.version, path, _mark(path))
        except (PackageNotFoundError, OSError):
            return None

    @property
    def is_there(self) -> bool:
        """Whether nothing has been installed since."""
        try:
            return _mark(self.record) == self.mark
        except OSError:
            return False


def _mark(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns
