"""The `bot.toml` of a bot: what it is and how to start it. Only plain values, nothing is run.

Strictly read, so that a slip is found before the first game:

```toml
name = "greedy"
version = "1.0"              # optional, as are author, games and language
author = "Ada"
games = ["nyuri", "hyrule"]  # default: the five games of the first release
language = "go"

[build]                      # optional: run once before the bot is started
command = ["go", "build", "-o", "bot"]
sources = ["*.go", "go.mod"] # what the build reads: built again only when these change

[run]
command = ["./bot"]          # or one text, split as a shell would: "python bot.py"
```

Commands run in the bot's own folder.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from pathlib import Path, PurePath

from arena.games import FIRST_GAMES, GAMES
from arena.names import did_you_mean
from arena.strict_toml import Section, WrongFile, parse, read_text, show

FILE_NAME = "bot.toml"
AUTHOR_LENGTH = 80


@dataclasses.dataclass(frozen=True, slots=True)
class BotManifest:
    """What a bot's `bot.toml` says.

    Attributes:
        folder: the bot's folder, absolute; commands run in it.
        name: the bot's own name, 1 to 40 printable characters.
        command: the program and its arguments, at least the program.
        version: up to 40 printable characters, may be empty.
        author: up to 80 printable characters, may be empty.
        games: the ids of the games it plays.
        language: the programming language, may be empty.
        build: the command that builds the bot, empty where there is none.
        sources: globs, relative to the folder, of what the build reads; empty
            where the manifest does not say.
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


class BotManifestError(WrongFile):
    """A `bot.toml` that cannot be used; the text says in one sentence where and why."""


def read_bot_manifest(folder: Path) -> BotManifest:
    """Reads the `bot.toml` in a bot's folder.

    Raises BotManifestError where the folder or the file is missing, or says
    something unknown or of the wrong kind.
    """
    folder = Path(os.path.abspath(folder))
    path = folder / FILE_NAME
    if not os.path.exists(path):  # which is also False where a path is impossible or forbidden
        bots = _bots_in(folder.parent)
        hint = f"; {did_you_mean(folder.name, bots)}" if bots else ""
        what = "there is no such folder"
        if os.path.isdir(folder):
            what = f"not a bot, for there is no {FILE_NAME} in it"
        raise BotManifestError(f"{folder}: {what}{hint}")
    top = parse(read_text(path, BotManifestError), path, BotManifestError)
    top.only("name", "version", "author", "games", "language", "run", "build")
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
    )


def _bots_in(folder: Path) -> list[str]:
    """The names of the bots' folders in a folder, as far as it can be looked into."""
    try:
        return sorted(name for name in os.listdir(folder) if os.path.exists(folder / name / FILE_NAME))
    except (OSError, ValueError):
        return []


def _command(table: Section) -> tuple[str, ...]:
    """The command as a list of texts, or as one text that is split as a shell would."""
    if "command" not in table:
        table.fail('command is missing; it must be a list such as ["python", "bot.py"]')
    if isinstance(table.values()["command"], list):
        words = table.texts("command")
    else:
        text = table.text("command")
        try:
            words = tuple(shlex.split(text))
        except ValueError as problem:
            table.fail(f"command cannot be split into words: {problem}")
    if not words or not words[0]:
        table.fail("command must name a program")
    if any("\0" in word for word in words):
        table.fail("command must not hold the character U+0000")
    return words


def _globs(table: Section) -> tuple[str, ...]:
    globs = table.texts("sources", ())
    for glob in globs:
        path = PurePath(glob)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            table.fail(f"sources must lie in the bot's folder, unlike {show(glob)}")
    return globs
