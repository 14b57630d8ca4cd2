"""Checks a submitted bot's folder before anything in it is built or started.

A submitted folder is input, like a message. Files are refused, with one sentence, if they
would block or mislead a reader, and links if they lead to files that the bot may not read. No link is
followed, and no more than `MOST` names are read.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.link.local.containment import readable
from arena.text import size_text

MOST = 200_000
"""How many files and folders a submitted folder may hold; large ones of npm have 50,000."""

DEEPEST = 100
"""How deep its folders may be nested."""

SMALL, MOST_SMALL = 1 << 20, 1 << 30
"""The most bytes of a small file, and of all small files together."""

_TRUST = 'or say sandbox = "none" if you trust the bot'
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_MARKS = "\u061c\u200e\u200f"  # these turn the writing direction too


def problem_in(folder: Path, command: Sequence[str], trusted: bool, most: int = MOST) -> str | None:
    """Why a bot's folder is refused, in words with the remedy; None for a folder that is fine.

    Args:
        folder: the bot's folder.
        command: the words of its commands, as `readable.readable` takes them.
        trusted: whether the bot may do all that its user may. Then links may lead
            anywhere, and the folder may have any number of files.
        most: the number of files and folders it may hold.
    """
    return next(_problems(folder, _Places(folder, command), trusted, most), None)


class _Places:
    """The places to which links in a bot's folder may lead: the folder, and what every bot may read.

    The kernel's own files are excluded: reading some of them takes for ever or changes something.
    """

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        paths = [
            str(folder),
            *(path for path in readable.readable(command, folder) if not path.startswith(_KERNEL)),
        ]
        self._paths = [os.path.realpath(path) for path in paths]

    def has(self, target: str) -> bool:
        """Whether a path without links lies in one of the places."""
        return any(target == path or target.startswith(f"{path.rstrip('/')}/") for path in self._paths)


_KERNEL = ("/proc", "/sys", "/dev")


def _problems(folder: Path, places: _Places, trusted: bool, most: int) -> Iterator[str]:
    count = small = 0
    left = [("", 1)]
    while left:
        place, depth = left.pop()
        for entry, status in _entries(folder / place):
            name = os.path.join(place, entry)
            count += 1
            if trusted and count > most:
                return
            if count > most:
                yield f"are more than {most:,} files, the last of them in {place or folder}: {_fewer()}"
            if not _is_plain(entry):
                yield f"the name {name!a} has characters that do not show, or is not UTF-8: rename it"
            kind = stat.S_IFMT(status.st_mode)
            if kind in _KINDS:
                yield f"{name} is {_KINDS[kind]}, not a file: take it out of the folder"
            if kind == stat.S_IFLNK and not trusted:
                yield from _link_problem(folder / name, name, places)
            if kind == stat.S_IFREG:
                if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
                    yield f"{name} would run as another user (setuid or setgid): chmod ug-s it"
                small += status.st_size if status.st_size <= SMALL else 0
                if small > MOST_SMALL and not trusted:
                    yield f"small files have more than {size_text(MOST_SMALL)} in all: {_fewer()}"
            if kind == stat.S_IFDIR:
                if depth == DEEPEST and not trusted:
                    yield f"{name} lies more than {DEEPEST} folders deep: move it up, {_TRUST}"
                elif depth < DEEPEST:
                    left.append((name, depth + 1))


def _entries(place: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The names in a folder with their status; none if the folder is unreadable, or gone by now."""
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                yield entry.name, entry.stat(follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR):
            raise


def _link_problem(path: Path, name: str, places: _Places) -> Iterator[str]:
    try:
        target = os.path.realpath(path)
    except OSError:  # a link that leads to itself
        return
    if not places.has(target):
        yield (
            f"{name} is a symbolic link to {ascii(target)[1:-1]}, where bots may not read: "
            f"put what the bot needs into its folder, {_TRUST}"
        )


def _fewer() -> str:
    return f"take out what the bot does not need, {_TRUST}"


def _is_plain(name: str) -> bool:
    """Whether a name can be shown as it is."""
    return (name.isascii() and name.isprintable()) or not any(map(_is_hidden, name))


def _is_hidden(character: str) -> bool:
    """Whether a character ends a line, controls a terminal, turns the writing direction, or is undefined."""
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in _TURNING
        or character in _MARKS
    )
