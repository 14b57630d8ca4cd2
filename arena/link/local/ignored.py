"""Says what of a folder is ignored, in the patterns of a .gitignore."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

STAMP = ".arena-build"
"""The name of the stamp in a bot's folder, with which a build says of what it was (`build`)."""

_REPOSITORIES = (".git", ".github", ".hg", ".svn")
_CACHES = ("__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache")
NEVER = (*_REPOSITORIES, *_CACHES, ".DS_Store", STAMP)
"""What stays behind wherever a bot's folder is packed or copied."""

BUILT = ("build/", "dist/", "node_modules/", "target/")
"""The folders that a build makes."""


class IgnoreList:
    """What the lines of an ignore file leave out; the last pattern that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [pattern for line in lines if (pattern := _pattern(line))]

    def leaves_out(self, name: str, is_folder: bool) -> bool:
        """Whether a file or a folder is left out; `name` is its path in the folder that has the list."""
        out = False
        for pattern in self._patterns:
            if (is_folder or not pattern.folders) and pattern.path.fullmatch(name):
                out = not pattern.again
        return out


class _Pattern(NamedTuple):
    """A line of an ignore file: what it matches, whether it takes that in again, and only folders."""

    path: re.Pattern[str]
    again: bool
    folders: bool


def _pattern(line: str) -> _Pattern | None:
    """A line as a pattern; None for an empty line and a comment."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    again = text.startswith("!")
    text = text.removeprefix("!")
    folders = text.endswith("/")
    text = text.rstrip("/")
    anchor = "" if "/" in text else "(?:.*/)?"
    return _Pattern(re.compile(anchor + _translated(text.removeprefix("/"))), again, folders)


_PARTS = re.compile(r"\*\*/|/\*\*$|\*|\?|\[!?\]?[^]]*\]|\\.|.", re.DOTALL)
_MEANING = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}


def _translated(text: str) -> str:
    """A pattern of a .gitignore as a regular expression."""
    return "".join(_MEANING.get(part) or _single(part) for part in _PARTS.findall(text))


def _single(part: str) -> str:
    if len(part) > 1 and part[0] == "[":
        negated, inside = part.startswith("[!"), part[1:-1].removeprefix("!")
        escaped = inside.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
        return f"(?!/)[{'^' if negated else ''}{escaped}]"
    return re.escape(part[-1])
