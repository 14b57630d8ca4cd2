"""What goes wrong in the page itself: it is told once, and the rest of the page goes on."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

import trio

from arena.text import one_line

_PAUSE = 2.0  # seconds after an error in the background


class Bugs:
    """The errors that the terminal was told of. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._told: set[tuple[type[BaseException], str]] = set()

    def tell(self, where: str, error: BaseException) -> None:
        """Tells the terminal of an error, unless the same happened at the same place before."""
        while error.__cause__ is not None:
            error = error.__cause__
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        if (type(error), place) not in self._told:
            self._told.add((type(error), place))
            what = f"page: {where} failed: {type(error).__name__}: {error} ({place})"
            sys.stderr.write(f"{one_line(what)}\n")
            sys.stderr.flush()

    async def survive(self, where: str, work: Callable[[], Awaitable[None]]) -> None:
        """Does work that never ends; after an error it begins again."""
        while True:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - of any kind, for the page goes on
                self.tell(where, error)
                await trio.sleep(_PAUSE)
