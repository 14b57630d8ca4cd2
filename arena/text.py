"""Makes texts safe to print on a terminal, and words for people.

Texts from bots - logs, the status of a failed call, an exception -
and from a league file may be printed on a terminal. A terminal obeys escape sequences, which set its
title, clear its screen or overwrite its lines. Records, and JSON
for programs, keep texts unchanged; all that is printed passes through here.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import unicodedata
from collections.abc import Sequence
from math import floor
from pathlib import Path

LINE_LIMIT = 1000
"""The most characters of a text that is quoted on one line."""


def printable(text: str) -> str:
    """Lines of text, safe to print: unprintable characters become their escapes, such as `\\x1b`.

    These are all control characters except the line end, and so all escape
    sequences; characters that turn the writing direction or are otherwise invisible; other
    line separators; and half surrogates. A tab becomes spaces, and so does
    any other space.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "\n".join(map(_printable, text.expandtabs().split("\n")))


def one_line(text: str, most: int = LINE_LIMIT) -> str:
    """A text to be quoted on a line: `printable`, with line ends escaped too.

    If it has more than `most` characters, only so many of its beginning and its end are left.
    """
    if len(text) > most:
        half = most // 2
        text = f"{text[: most - half]} [...] {text[-half:]}"
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
    """`1 game`, `2 games`; `many` is the plural if it is not the singular and an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`; `11th`, `12th` and `13th` too."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def joined(texts: Sequence[str]) -> str:
    """Texts as a list in a sentence: `a`, `a and b`, `a, b and c`; there must be one."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def size_text(number: int) -> str:
    """A number of bytes as `12.5 KiB`, `340 MiB` or `1.5 GiB`, with up to four digits."""
    unit, name = next(
        ((unit, name) for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")) if number >= unit),
        (1 << 10, "KiB"),
    )
    value = number / unit
    return f"{value:,.0f} {name}" if value >= 1000 else f"{value:.4g} {name}"


def span_text(seconds: float) -> str:
    """A span of time, roughly: `40 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{_rounded(seconds)} s"
    return f"{_rounded(seconds / 60)} min" if seconds < 5400 else f"{_rounded(seconds / 360) / 10:.1f} h"


def estimate_text(seconds: float) -> str:
    """An estimated span of time: `about 45 s`, `about 3 min`, `about 2.5 h`; so does `words.js`."""
    return f"about {span_text(max(5, 5 * _rounded(seconds / 5)) if seconds < 100 else seconds)}"


def _rounded(number: float) -> int:
    """The nearest whole number; of two the larger, as in JavaScript."""
    return floor(number + 0.5)


def clock_text(seconds: float) -> str:
    """A span of time as a clock shows it, such as `2:10`, `1:02:10`, `3 d 4 h`; `clocks.js` goes on."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def installing(extras: str) -> str:
    """The command that installs optional parts of the arena, such as `rl`.

    It must be typed in a clone of the arena: no package index has the arena yet.
    """
    return f"pip install '.[{extras}]'"


def shell_word(text: str | Path) -> str:
    """A path or a name as one word of a command that people copy into their shell (bash, zsh and the like).

    What cannot be printed, such as a byte of a path that is not UTF-8, is written as its escape.
    """
    word = f"./{text}" if isinstance(text, Path) and str(text).startswith("-") else str(text)
    if word.isprintable():
        return shlex.quote(word)
    escaped = "".join(
        f"\\{each}" if each in "\\'" else each if each.isprintable() else _bytes_of(each) for each in word
    )
    return f"$'{escaped}'"


def _bytes_of(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def file_name(name: str) -> str:
    """A name as a part of the name of a file that is not hidden; different names have different ones."""
    plain = "".join(each if each.isalnum() or each in "-_ ." else "_" for each in name)
    if plain.startswith("."):
        plain = f"_{plain[1:]}"
    return plain if plain == name else f"{plain}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"
