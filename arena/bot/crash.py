"""What the bot's own code raises: with its traceback into the log, with its name and text to the referee."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from arena.v1 import bot_pb2

Answer = Callable[[bot_pb2.PlayRequest], list[bot_pb2.Decision]]
"""What answers the batches of one connection."""

_MOST = 1000  # bytes of an exception's text: escaped in a status they take three times as much, of 4 KiB


class Crash(Exception):
    """The bot's own code raised an exception; the text is its name and what it says."""


class Stopped(BaseException):
    """SIGTERM or Ctrl-C has come while the bot plays in the main thread."""


def reporting(answer: Answer) -> Answer:
    """The same, but whatever it raises is printed and becomes a Crash: SystemExit and KeyboardInterrupt too.

    A bot's process ends by a signal or with its tournament, never by what
    happens at one table.
    """

    def answer_or_crash(request: bot_pb2.PlayRequest) -> list[bot_pb2.Decision]:
        try:
            return answer(request)
        except Stopped:
            raise
        except BaseException as error:  # noqa: BLE001 - all of it is the bot's crash, and is passed on as one
            print(_fit(traceback.format_exc()), file=sys.stderr)  # noqa: T201 - the bot's log
            raise Crash(_told(error)) from None

    return answer_or_crash


def _told(error: BaseException) -> str:
    """An exception on its way to the referee."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - its __str__ is the bot's code as well
        text = ""
    return _fit(f"{type(error).__name__}{': ' if text else ''}{text}", _MOST)


def _fit(text: str, most: int | None = None) -> str:
    """A text that UTF-8 can hold, in no more than so many bytes."""
    return text.encode("utf-8", "backslashreplace")[:most].decode("utf-8", "ignore")
