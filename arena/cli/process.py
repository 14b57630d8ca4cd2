"""Ends a command: exit codes, Ctrl-C while the command loads, and the signals that end a tournament."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import NoReturn, Self, TypeVar

from arena.processes.loading import uncollected

T = TypeVar("T")

FAILED = 1
"""The work found a failure, such as a bot that never came."""

WRONG_USE = 2
"""A command, a file or a name that cannot be used."""

INTERRUPTED = 130
"""Ended by Ctrl-C, SIGTERM or SIGHUP."""

_ALWAYS = (signal.SIGINT, signal.SIGTERM)
SIGNALS = (*_ALWAYS, signal.SIGHUP) if hasattr(signal, "SIGHUP") else _ALWAYS  # Windows has none
"""The signals that end a command in order."""

_CLOSE_LIMIT = 2.0  # seconds to close the league before the process ends
_SHOW_CURSOR = "\x1b[?25h"  # which a progress bar hides


def keep_own_rights() -> None:
    """Lets this user use the files and folders that the process makes, whatever its umask says."""
    os.umask(os.umask(0o077) & 0o077)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Lets Ctrl-C end the process silently and at once, while there is nothing to clean up.

    An exception would do it with a traceback, or be lost in what the import
    system calls.
    """
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heard or threading.current_thread() is not threading.main_thread():
        with uncollected():
            yield  # the caller of the command ignores Ctrl-C or handles it
        return
    signal.signal(signal.SIGINT, _end_loading)
    try:
        with uncollected():
            yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_loading(*_: object) -> None:
    if "--json" in sys.argv:
        with contextlib.suppress(OSError):
            os.write(1, b'{"interrupted": true}\n')
    os._exit(INTERRUPTED)


def first_error(error: BaseException) -> BaseException:
    """The error to show for an exception group: Ctrl-C if the group has one, else its first error."""
    if isinstance(error, BaseExceptionGroup):
        error = error.subgroup(KeyboardInterrupt) or error
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def run_async(function: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Runs a function in trio. Raises the first error of an exception group, not the group."""
    import trio  # only here, because it takes long to load

    try:
        return trio.run(function, *arguments)
    except BaseExceptionGroup as group:
        raise first_error(group) from None


class Ending:
    """Handles Ctrl-C, SIGTERM and SIGHUP while its context is entered.

    The first signal calls `stop`. The second ends the process at once, with the same exit code, whatever
    the process is doing, also after the context is left, while the rest is closed. A program that nohup
    started gets no SIGHUP.

    Args:
        close: closes the league file; called in a thread of its own, while the file may be in use, before
            the process ends at once.
        last_words: gives the last message.

    Attributes:
        last_words: see above.
        stop: called at the first signal, in the main thread between any two of its steps.
        asked: whether a signal came.
    """

    def __init__(self, close: Callable[[], object], last_words: Callable[[], str]) -> None:
        self._close = close
        self.last_words = last_words
        self._before: dict[int, signal._HANDLER] = {}
        self.stop: Callable[[], object] = lambda: None
        self.asked = False

    def __enter__(self) -> Self:
        for number in SIGNALS:
            if number in _ALWAYS or signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.asked:
            for number, handler in self._before.items():
                signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            self.end_at_once()
        self.asked = True
        self.stop()

    def end_at_once(self) -> NoReturn:
        """Ends the process; the bots' supervisors and the workers see it and end too."""
        closing = threading.Thread(target=self._close_quietly, daemon=True)
        closing.start()
        closing.join(_CLOSE_LIMIT)
        with contextlib.suppress(OSError):  # nobody can read it
            cursor = _SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(sys.stderr.fileno(), f"{cursor}{self.last_words()}\n".encode(errors="replace"))
        os._exit(INTERRUPTED)

    def _close_quietly(self) -> None:
        with contextlib.suppress(Exception):  # in use, or its disk fails: the stored games are safe anyway
            self._close()
