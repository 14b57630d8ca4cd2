"""The one place that makes texts fit for people to read on a terminal.

What bots say - in their logs, in the status of a failed call, in an exception -
and what a league file holds may end on a terminal, and that obeys: it lets its
title be set, its screen be cleared, its lines be overwritten. Records, and JSON
for programs, keep texts as they are; all that is printed passes through here.
"""

from __future__ import annotations

import unicodedata

LINE_LIMIT = 1000
"""The most characters of a text that is quoted on one line."""

_CUT = " [...]"


def printable(text: str) -> str:
    """Lines of text, safe to print: what is not printable becomes its escape, such as `\\x1b`.

    That is every control character but the line end, and so every escape
    sequence; what turns the writing direction or is otherwise invisible; other
    separators of lines; and half surrogates. A tab becomes spaces, and so does
    any other space.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "\n".join(map(_printable, text.expandtabs().split("\n")))


def one_line(text: str) -> str:
    """A text to be quoted on a line: `printable`, its line ends escaped too, and cut off where very long."""
    if len(text) > LINE_LIMIT:
        text = text[:LINE_LIMIT] + _CUT
    return text if text.isprintable() else _printable(text.expandtabs())


def _printable(text: str) -> str:
    return "".join(
        each
        if each.isprintable()
        else " "
        if unicodedata.category(each) == "Zs"
        else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def counted(number: int, one: str, many: str = "") -> str:
    """`1 game`, `2 games`; `many` where the plural is not the singular and an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def installing(extras: str) -> str:
    """The command that installs optional parts of the arena, such as `rl`.

    It is typed in a clone of the arena: no index of packages has the arena yet.
    """
    return f"pip install '.[{extras}]'"
