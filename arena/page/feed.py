"""The feed of running tables: a folder beside the league, which only its owner can enter.

It holds a file for each table that runs, with what an onlooker may see of it and nothing else, as
pictures, a line of JSON each; `arena.page.feeder` writes it, in a process of its own. It is there
as long as a page holds `asked` in it: so nothing is written where nobody serves a page. What a
process leaves behind that was killed is not believed, as it does not hold `written` any more, and
removed by the next one.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from arena.store.holding import Held, is_held

_ASKED, _WRITTEN = "asked", "written"


class Feed:
    """The feed of a league.

    Args:
        folder: where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, league: Path) -> Feed:
        """That of a league file."""
        return cls(Path(f"{os.path.realpath(league)}-tables"))

    @property
    def asked(self) -> Path:
        """What is held by those who want to see the tables."""
        return self.folder / _ASKED

    def command(self, delay: float) -> tuple[str, ...]:
        """The process that writes it; moments are to be shown so many seconds late."""
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; from arena.loading import loaded; "
            f"loaded('arena.page.feeder').main({str(self.folder)!r}, {delay!r})"
        )
        return sys.executable, "-P", "-c", program

    def ask(self) -> Held | None:
        """Asks for it until what is returned is released; None where nothing can be written here."""
        try:
            self._make()
            return Held(self.asked)
        except OSError:
            return None

    def write(self) -> Held:
        """Says that it is written, until what is returned is released; what is old goes. Raises OSError."""
        self._make()
        self.clear()
        return Held(self.folder / _WRITTEN)

    @property
    def is_written(self) -> bool:
        """Whether anybody writes it."""
        return is_held(self.folder / _WRITTEN)

    def file_of(self, table: int) -> Path:
        """The file of a table."""
        return self.folder / f"{table}.table"

    def tables(self) -> list[int]:
        """The tables that have a file, in order."""
        with contextlib.suppress(OSError):
            return sorted(
                int(path.stem) for path in self.folder.iterdir()
                if path.suffix == ".table" and path.stem.isdecimal()
            )  # fmt: skip
        return []

    def clear(self) -> None:
        """Removes the files of all tables."""
        for table in self.tables():
            self.file_of(table).unlink(missing_ok=True)

    def leave(self) -> None:
        """Removes the folder where nobody needs it any more."""
        with contextlib.suppress(OSError):
            if not is_held(self.asked):
                self.asked.unlink(missing_ok=True)  # of a page that was killed
            if not self.is_written:
                self.clear()  # what a writer left that was killed
                (self.folder / _WRITTEN).unlink(missing_ok=True)
            self.folder.rmdir()

    def _make(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
