"""Texts on a terminal: how wide they are, where they are cut, where lines break."""

from __future__ import annotations

from collections.abc import Iterator

from arena.text import counted as counted

WIDTH = 80
"""The cells of a line where nobody says otherwise."""

_ELLIPSIS = "…"


def cells(text: str) -> int:
    """How many cells of a terminal a printable text takes: none for an accent of its own, two for a kanji."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # only here: its tables take long to load

    width = wcswidth(text)
    return len(text) if width < 0 else width


def padded(text: str, width: int) -> str:
    """The text with spaces behind it, so that it takes so many cells."""
    return text + " " * (width - cells(text))


def shortened(text: str, width: int) -> str:
    """The text in at most so many cells: where it must be cut, its beginning, an ellipsis and its end."""
    if cells(text) <= width:
        return text
    tail = _end(text, (width - 1) // 3)
    head = _beginning(text, width - 1 - cells(tail))
    return f"{head}{_ELLIPSIS}{tail}"


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """The text in lines that break between words; only a word wider than a line is cut.

    Args:
        text: words; spaces before the first are kept.
        width: the most cells of a line.
        indent: what the lines after the first begin with.
    """
    line = text[: len(text) - len(text.lstrip())]
    for word in text.split():
        longer = f"{line} {word}" if line.strip() else f"{line}{word}"
        if line.strip() and cells(longer) > width:
            yield line
            longer = f"{indent}{word}"
        line = shortened(longer, width)
    yield line


def fitting(line: str, width: int, indent: str) -> str:
    """The line as it is where it fits, else broken between words."""
    return line if cells(line) <= width else "\n".join(wrapped(line, width, indent))


def _beginning(text: str, width: int) -> str:
    return next((text[:end] for end in range(len(text), 0, -1) if cells(text[:end]) <= width), "")


def _end(text: str, width: int) -> str:
    return next((text[start:] for start in range(len(text)) if cells(text[start:]) <= width), "")
