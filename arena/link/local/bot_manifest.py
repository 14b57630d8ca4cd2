"""Reads a bot's manifest, `bot.toml`: what it is and how to start it. Nothing is run.

It is read strictly, so that a mistake is found before the first game:

```toml
name = "greedy"
version = "1.0"              # optional, as are author, games and language
author = "Ada"
games = ["nyuri", "hyrule"]  # default: the five games of the first release
language = "go"

[emblem]                     # optional: instead of the one made from the name
squares = '''
..#..
.###.
#####
..#..
..#..
'''
colour = "teal"              # optional; default the one that follows from the name

[build]                      # optional: run once before the bot is started
command = ["go", "build", "-o", "bot"]
sources = ["*.go", "go.mod"] # what the build reads: built again only when these change

[run]
command = ["./bot"]          # or one text, split as a shell would: "python bot.py"

[needs]                      # optional: more than every bot gets, if the host allows it
memory = "2GiB"              # default 1GiB
threads = 4                  # that think at the same time; default 1
network = true               # default false
writable = ["cache"]         # folders in its own in which it may write as it plays; default none
locks = true                 # to lock files, as SQLite does; default false
```

Commands run in the bot's own folder.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from pathlib import Path, PurePath

from arena.face import COLOUR_NAMES, SIDE, squares_of
from arena.games import FIRST_GAMES, GAMES
from arena.link.local.sandbox import EVERYBODYS, Needs
from arena.link.local.submitted import DEEPEST
from arena.names import did_you_mean
from arena.strict_toml import Section, WrongFile, parse, read_text, show
from arena.text import size_text

FILE_NAME = "bot.toml"
MAX_THREADS = 1024
MIN_MEMORY, MAX_MEMORY = 64 << 20, 1 << 40


AUTHOR_LENGTH = 80
MAX_SIZE = 1 << 20
"""The most bytes of a `bot.toml`."""

_LONGEST_COMMAND = 100_000  # characters of a command that is one text
_LONGEST_GLOB, _MOST_WRITABLE = 1000, 100


@dataclasses.dataclass(frozen=True, slots=True)
class BotManifest:
    """A bot's manifest.

    Attributes:
        folder: the bot's folder, absolute; commands run in it.
        name: the bot's own name, 1 to 40 printable characters.
        command: the program and its arguments, at least the program.
        version: up to 40 printable characters, may be empty.
        author: up to 80 printable characters, may be empty.
        games: the ids of the games it plays.
        language: the programming language, may be empty.
        build: the command that builds the bot, empty if it needs none.
        needs: what it asks for beyond what every bot gets.
        sources: globs, relative to the folder, of what the build reads; empty
            if the manifest does not say.
        emblem: the author's emblem (see `arena.face`), empty if there is none.
    """

    folder: Path
    name: str
    command: tuple[str, ...]
    version: str
    author: str
    games: tuple[str, ...]
    language: str
    build: tuple[str, ...]
    sources: tuple[str, ...]
    needs: Needs = EVERYBODYS
    emblem: str = ""


class BotManifestError(WrongFile):
    """A `bot.toml` that cannot be used; the text says in one sentence where and why."""


def read_bot_manifest(folder: Path) -> BotManifest:
    """Reads the `bot.toml` in a bot's folder.

    Raises BotManifestError if the folder or the file is missing, or if the file
    has an unknown key or a wrong value.
    """
    folder = Path(os.path.abspath(folder))
    path = folder / FILE_NAME
    if not os.path.exists(path):  # also False for an impossible or forbidden path
        bots = _bots_in(folder.parent)
        hint = f"; {did_you_mean(folder.name, bots)}" if bots else ""
        what = "there is no such folder"
        if os.path.isdir(folder) and not os.access(folder, os.X_OK):
            raise BotManifestError(f"{folder}: this user may not enter it: allow that by chmod u+rx {folder}")
        if os.path.isdir(folder):
            what = f"not a bot: there is no {FILE_NAME} in it"
        elif os.path.isfile(folder):
            what, hint = f"this is a file: give the folder of a bot, with its {FILE_NAME}", ""
        raise BotManifestError(f"{folder}: {what}{hint}")
    _require_file(path)
    top = parse(read_text(path, BotManifestError), path, BotManifestError)
    top.only("name", "version", "author", "games", "language", "run", "build", "needs", "emblem")
    run, build = top.table("run"), top.table("build")
    run.only("command")
    build.only("command", "sources")
    if "sources" in build and "command" not in build:
        build.fail("command is missing; sources alone build nothing")
    return BotManifest(
        folder=folder,
        name=top.name("name"),
        command=_command(run),
        version=top.name("version", ""),
        author=top.name("author", "", length=AUTHOR_LENGTH),
        games=top.choices("games", tuple(GAMES)) if "games" in top else FIRST_GAMES,
        language=top.name("language", ""),
        build=_command(build) if "command" in build else (),
        sources=_globs(build),
        needs=_needs(top.table("needs")),
        emblem=_emblem(top.table("emblem")) if "emblem" in top else "",
    )


def _require_file(path: Path) -> None:
    """Raises BotManifestError for a file that would block its reader, or belongs to another user."""
    real = os.path.realpath(path)
    if not os.path.isfile(real) or not Path(real).is_relative_to(os.path.realpath(path.parent)):
        raise BotManifestError(f"{path}: it must be a file in the bot's own folder, and no link out of it")
    if os.path.getsize(real) > MAX_SIZE:
        raise BotManifestError(
            f"{path}: it has more than {size_text(MAX_SIZE)}: say only what bot.toml may hold"
        )


def _bots_in(folder: Path) -> list[str]:
    """The names of the bots' folders in a folder, as far as it can be read."""
    try:
        return sorted(name for name in os.listdir(folder) if os.path.exists(folder / name / FILE_NAME))
    except (OSError, ValueError):
        return []


def _command(table: Section) -> tuple[str, ...]:
    """The command: a list of texts, or one text that is split like a shell's."""
    if "command" not in table:
        table.fail('command is missing; it must be a list such as ["python", "bot.py"]')
    if isinstance(table.values()["command"], list):
        words = table.texts("command")
    else:
        text = table.text("command")
        if len(text) > _LONGEST_COMMAND:
            table.fail(f"command has more than {_LONGEST_COMMAND:,} characters: put them into a script")
        try:
            words = tuple(shlex.split(text))
        except ValueError as problem:
            table.fail(f"command cannot be split into words: {problem}")
    if not words or not words[0]:
        table.fail("command must name a program")
    if any("\0" in word for word in words):
        table.fail("command must not hold the character U+0000")
    return words


def _emblem(table: Section) -> str:
    table.only("squares", "colour", meant={"color": "colour"})
    text = table.text("squares")
    emblem = "\n".join(row.strip() for row in text.strip().splitlines())
    if emblem.count("\n") != SIDE - 1 or not squares_of(emblem):
        table.fail(
            f"squares must be {SIDE} lines of {SIDE} characters, # for a filled square and . for an empty "
            f"one, and at least one #, not {show(text)}"
        )
    if "colour" in table:
        emblem += "\n" + table.choice("colour", COLOUR_NAMES)
    return emblem


def _needs(table: Section) -> Needs:
    table.only("network", "memory", "threads", "writable", "locks")
    if len(table.texts("writable", ())) > _MOST_WRITABLE:
        table.fail(f"writable names more than {_MOST_WRITABLE} folders: put them into one")
    return Needs(
        network=table.flag("network", False),
        memory=memory(table, EVERYBODYS.memory),
        threads=table.number("threads", EVERYBODYS.threads, 1, MAX_THREADS),
        writable=tuple(_inner_folder(table, name) for name in table.texts("writable", ())),
        locks=table.flag("locks", EVERYBODYS.locks),
    )


def memory(table: Section, default: int) -> int:
    """A table's `memory`, such as "512MiB", in bytes, or the default."""
    size = table.size("memory", default)
    if not MIN_MEMORY <= size <= MAX_MEMORY:
        table.fail(f"memory must be from 64MiB to 1024GiB, not {table.text('memory')}")
    return size


def _inner_folder(table: Section, name: str) -> str:
    path = PurePath(name)
    if path.is_absolute() or len(path.parts) != 1 or ".." in path.parts:
        table.fail(f"writable must name folders that lie right in the bot's own, unlike {show(name)}")
    return str(path)


def _globs(table: Section) -> tuple[str, ...]:
    globs = table.texts("sources", ())
    for glob in globs:
        path = PurePath(glob)
        if len(glob) > _LONGEST_GLOB or len(path.parts) > DEEPEST:
            table.fail(
                f"sources has a pattern of more than {_LONGEST_GLOB:,} characters or {DEEPEST} folders: "
                f"shorten {show(glob)}"
            )
        if path.is_absolute() or ".." in path.parts or not path.parts:
            table.fail(f"sources must lie in the bot's folder, unlike {show(glob)}")
    return globs
