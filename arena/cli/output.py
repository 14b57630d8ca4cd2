"""Output of the `arena` command: safe for a terminal, in characters that its encoding has."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from arena.engine import engine
from arena.text import printable

_ERRORS = "arena.plain"
_TELL_EVERY = 5.0  # seconds between two lines about the work, if there is no terminal
_PLAIN = {
    "♣": "C", "♦": "D", "♥": "H", "♠": "S", "✓": "+", "✗": "x", "…": "...", "·": "-", "−": "-",
    "─": "-", "┌": "+", "├": "+", "└": "+", "◀": "<", "—": "-", "⌈": "[", "⌉": "]", "⌊": "[", "⌋": "]",
}  # fmt: skip


def use_plain_signs() -> None:
    """Makes standard output and error write plain letters for what their encoding lacks, such as suits."""
    codecs.register_error(_ERRORS, _replacement)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not _is_utf8(stream.encoding):
            stream.reconfigure(errors=_ERRORS)


def use_closed_streams() -> None:
    """Opens a stream for each standard stream that was closed when the command was started (`>&-`).

    Writing to standard output then fails, as if its disk were full; what goes to standard error is for
    people, and is lost. No file that is opened later can take the place of a stream.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with contextlib.suppress(OSError):  # other systems than POSIX may not have this number
                null = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
                if null != number:
                    os.dup2(null, number)
                    os.close(null)
                setattr(sys, name, open(number, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115


def lost_output() -> str | None:
    """Why standard output cannot be written; None if it can be, or if its reader has closed the pipe."""
    try:
        _write(sys.stdout, "")
    except OSError as problem:
        if problem.errno != errno.EPIPE:
            return "it is closed" if problem.errno == errno.EBADF else os.strerror(problem.errno or 0)
    return None


def say_engine() -> str:
    """What plays the built-in games, in words; says on standard error why an installed engine does not."""
    found = engine()
    if found.unused:
        echo(f"arena: {found.unused}", err=True)
    return found.text


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each, "?") for each in missing), error.end


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def screen_width() -> int:
    """How many cells a line may have: COLUMNS, or those of the terminal; 80 if there is neither."""
    return screen_size()[0]


def screen_size() -> tuple[int, int]:
    """How many cells a line may have, as `screen_width`, and how many lines there are: 24 if nobody knows."""
    return shutil.get_terminal_size((80, 24))


def echo(text: str, err: bool = False) -> None:
    """Prints a text for people, on standard output, or on standard error."""
    if not err:
        _write(sys.stdout, printable(text))
        return
    with contextlib.suppress(OSError):  # there is nowhere to say so
        _write(sys.stderr, printable(text))


def _write(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def echo_json(data: Any) -> None:
    """Prints data as JSON: exact, but without characters that control a terminal."""
    text = json.dumps(data, indent=2, ensure_ascii=not _is_utf8(sys.stdout.encoding or ""))
    _write(sys.stdout, escaped_json(text))


def escaped_json(text: str) -> str:
    """The same JSON with an escape for every character that is not printable."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        each if each.isprintable() or each == "\n" else json.dumps(each).strip('"') for each in text
    )


@contextlib.contextmanager
def status_line(text: str) -> Iterator[Callable[[str], None]]:
    """Shows the text on standard error, if that is a terminal; gives a function that changes the text."""
    from rich.console import Console  # only here, because it loads much

    with Console(stderr=True).status(text) as status:
        yield status.update


@contextlib.contextmanager
def share_line(text: str) -> Iterator[Callable[[float], None]]:
    """Shows how much of the work is done: on a terminal in one line, else in a line now and then.

    Gives a function that takes the share, from 0 to 1.
    """
    if not sys.stderr.isatty():
        due = time.monotonic() + _TELL_EVERY

        def say(share: float) -> None:
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + _TELL_EVERY
                echo(f"arena: {text} {share:.0%}", err=True)

        yield say
        return
    with status_line(text) as show:
        yield lambda share: show(f"{text} {share:.0%}")
