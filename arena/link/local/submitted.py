"""What a bot's folder may hold: it is looked through before anything of it is built or started.

A folder that somebody submits is input, as a message is. What has no business in one is refused by a
sentence: what blocks or misleads whoever reads it, and links to what its bot may not read. No link is
followed, and no more than `MOST` names are looked at, whatever is in it.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.link.local.containment import readable

MOST = 200_000
"""How many files and folders a submitted folder may hold; large ones of npm have 50,000."""

DEEPEST = 100
"""How deep its folders may lie in each other."""

SMALL, MOST_SMALL = 1 << 20, 1 << 30
"""How many bytes a small file has at the most, and all of them together."""

_TRUST = 'or say sandbox = "none" if you trust the bot'
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_MARKS = "\u061c\u200e\u200f"  # which turn the writing direction too


def problem_in(folder: Path, command: Sequence[str], trusted: bool, most: int = MOST) -> str | None:
    """What a bot's folder holds that is refused, in words with the remedy; None for a folder that is fine.

    Args:
        folder: the bot's folder.
        command: the words of its commands, as `readable.readable` takes them.
        trusted: whether the bot may do all that its user may: then links may lead
            anywhere, and there may be any number of files.
        most: how many files and folders it may hold.
    """
    return next(_problems(folder, _Places(folder, command), trusted, most), None)


class _Places:
    """Where links in a bot's folder may lead: into the folder, and to what every bot may read.

    Not to the files that the kernel makes up, for reading some of them takes for ever or changes something.
    """

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        paths = [
            str(folder),
            *(path for path in readable.readable(command, folder) if not path.startswith(_KERNEL)),
        ]
        self._paths = [os.path.realpath(path) for path in paths]

    def has(self, target: str) -> bool:
        """Whether a path without links lies in one of them."""
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
                    yield f"small files have more than {MOST_SMALL >> 30} GiB in all: {_fewer()}"
            if kind == stat.S_IFDIR:
                if depth == DEEPEST and not trusted:
                    yield f"{name} lies more than {DEEPEST} folders deep: move it up, {_TRUST}"
                elif depth < DEEPEST:
                    left.append((name, depth + 1))


def _entries(place: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The names in a folder with what they are; none where nobody may look, or it is gone by now."""
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
    except OSError:  # it leads to itself
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
    """Whether a character ends a line, commands a terminal, turns the writing direction, or is none."""
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in _TURNING
        or character in _MARKS
    )
