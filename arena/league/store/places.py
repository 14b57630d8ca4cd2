"""How a league file keeps paths: those below its folder relative to it, so that the folder can be moved.

The hash chain covers the paths as they are kept. All other paths are kept absolute, as earlier versions kept
every path. A bot's relative path begins with `./`, because a bot may also be an address.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.league.store.errors import PathNotKept
from arena.league.store.values import EntrantInfo
from arena.text import one_line

_BELOW = "./"


def kept_file(path: Path, folder: Path) -> Path:
    """A tournament file's path as the league file in `folder` keeps it."""
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def found_file(kept: Path, folder: Path) -> Path:
    """The tournament file's path, from what `kept_file` returned."""
    return folder / kept


def require_utf8(*paths: str) -> None:
    """Raises PathNotKept if a path to be kept is not UTF-8."""
    for path in paths:
        if any(0xDC80 <= ord(each) <= 0xDCFF for each in path):  # how Python writes other bytes
            raise PathNotKept(
                f"the path {one_line(path)} is not in UTF-8, so no league can keep it: "
                "rename its folder or file, and try again"
            )


def kept_bot(bot: str, folder: Path) -> str:
    """A bot's absolute folder or address as the league file in `folder` keeps it."""
    path = Path(bot)
    return f"{_BELOW}{path.relative_to(folder)}" if path.is_relative_to(folder) else bot


def found_bot(kept: str, folder: Path) -> str:
    """The bot's absolute folder or address, from what `kept_bot` returned."""
    return str(folder / kept) if kept.startswith(_BELOW) else kept


def kept_ruling(ruling: str, folder: Path) -> str:
    """A ruling as the league file in `folder` keeps it: the JSON text with `kept_bot` of its source."""
    return _with_source(ruling, folder, kept=True)


def found_ruling(kept: str, folder: Path) -> str:
    """The ruling, from what `kept_ruling` returned."""
    return _with_source(kept, folder, kept=False)


def _with_source(ruling: str, folder: Path, kept: bool) -> str:
    late = latecomer_of(ruling)
    if late is None:
        return ruling
    source = late[1].bot
    changed = kept_bot(source, folder) if kept else found_bot(source, folder)
    return ruling if changed == source else json.dumps(json.loads(ruling) | {"source": changed})


def latecomer_of(decision: str) -> tuple[int, EntrantInfo] | None:
    """Number and info of the entrant that a stored ruling admits; None if it admits none.

    Such a ruling is a JSON object whose `kind` is `admit`; `entrant` is the number, and `name`, `source`,
    `version` and `author` are those of `EntrantInfo`. The entrant's row repeats them: seats refer to it.
    """
    try:
        values: Any = json.loads(decision)
        if values["kind"] != "admit":
            return None
        texts = [str(values[name]) for name in ("name", "source", "version", "author")]
        return int(values["entrant"]), EntrantInfo(*texts)
    except (LookupError, TypeError, ValueError, RecursionError):
        return None
