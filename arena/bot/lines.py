"""Lets a program without gRPC play: `python -m arena.bot.lines -- COMMAND`, in the bot's folder.

The program reads lines from standard input and answers each with a line on standard output. A line that
it reads is a `PlayRequest` of `proto/arena/v1/bot.proto` in protobuf's JSON form, with every field that has
a default. A line that it writes is a `PlayResponse`; unknown fields in it are skipped. Its standard error is
the bot's log, and so is every line that does not begin with `{` (after blanks and a byte order mark, if there
are any). A note in the log says so after the first such line, and after the first unknown field.

This process is the bot for the referee: it serves or joins like every bot in Python (`arena.bot.serve`), and
describes itself by the folder's `bot.toml`. It starts the program once for each connection, and closes the
program's standard input when the connection ends.

Before the `--` stand the options of `serve`, and `--max-tables N` for a program that thinks long.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import re
import subprocess
import sys
import tomllib
import weakref
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from arena.bot.answering import Answer, reporting
from arena.bot.command import serve
from arena.bot.player import Action, Bot, Turn
from arena.v1 import bot_pb2

_UNKNOWN = re.compile(r'no field named "([^"]*)"')
_END_LIMIT = 1.0  # seconds in which a program has to end once its standard input is closed


class ProgramFailed(Exception):
    """The program ended, or wrote something that is no answer."""


class Program:
    """A running program that answers the batches of one connection.

    Args:
        command: the program and its arguments.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._noted: set[str] = set()
        weakref.finalize(self, _end, self._process)

    def answer(self, request: bot_pb2.PlayRequest) -> list[bot_pb2.Decision]:
        """The program's decisions. Raises ProgramFailed."""
        line = json_format.MessageToJson(request, indent=None, always_print_fields_with_no_presence=True)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(BrokenPipeError):  # then it writes nothing either
            stdin.write(f"{line}\n".encode())
            stdin.flush()
        while not (answer := _without_mark(line_read := stdout.readline())).startswith(b"{"):
            if not line_read:
                raise ProgramFailed(f"the program ended with exit code {self._process.wait()}")
            print(line_read.decode(errors="backslashreplace"), end="", file=sys.stderr)  # noqa: T201 - the bot's log
            if answer:
                self._note("this line is no answer, because it does not begin with {")
        return list(self._read(answer).decisions)

    def _read(self, answer: bytes) -> bot_pb2.PlayResponse:
        """Parses an answer. Raises ProgramFailed."""
        try:
            return json_format.Parse(answer, bot_pb2.PlayResponse())
        except (json_format.ParseError, UnicodeDecodeError) as error:
            try:
                read = json_format.Parse(answer, bot_pb2.PlayResponse(), ignore_unknown_fields=True)
            except (json_format.ParseError, UnicodeDecodeError):
                raise ProgramFailed(
                    f"the program wrote {answer[:100]!r}, which is no answer: {error}"
                ) from None
            unknown = _UNKNOWN.search(str(error))
            self._note(
                f"an answer has an unknown field, which is skipped: {unknown[1] if unknown else error}"
            )
            return read

    def _note(self, what: str) -> None:
        """Adds a note to the log, the first time."""
        if what not in self._noted:
            self._noted.add(what)
            print(f"[{what}; this is said once]", file=sys.stderr)  # noqa: T201 - the bot's log


def _without_mark(line: bytes) -> bytes:
    """A line without a byte order mark and blanks at its beginning."""
    return line.removeprefix(codecs.BOM_UTF8).lstrip()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Closes a program's standard input, and ends it if it stays."""
    with contextlib.suppress(BrokenPipeError):
        process.communicate(timeout=_END_LIMIT)
        return
    process.kill()
    process.wait()


class _Lines(Bot):
    """A bot whose turns a program answers."""

    def choose(self, turn: Turn) -> Action:
        raise NotImplementedError("the program chooses")


def _answering(command: Sequence[str]) -> Answer:
    return reporting(Program(command).answer)


def main(arguments: Sequence[str]) -> None:
    """Runs the bot in this folder, until SIGTERM or the end of the tournament; see `arena.bot.serve`."""
    options, command = list(arguments), []
    if "--" in options:
        split = options.index("--")
        options, command = options[:split], options[split + 1 :]
    if not command:
        sys.exit("give the program's command behind a --: python -m arena.bot.lines -- COMMAND")
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--max-tables", type=int, default=0)
    own, others = parser.parse_known_args(options)
    manifest: dict[str, Any] = tomllib.loads(Path("bot.toml").read_text("utf-8-sig"))
    for name in ("name", "version", "author", "games"):
        if name in manifest:
            setattr(_Lines, name, manifest[name])
    _Lines.max_tables = own.max_tables
    sys.argv[1:] = others
    serve(_Lines, partial(_answering, command))


if __name__ == "__main__":
    main(sys.argv[1:])
