"""The `bot.toml` of a bot: what it is and how to start it. Only plain values, nothing is run.

Strictly read, so that a slip is found before the first game:

```toml
name = "greedy"
version = "1.0"              # optional, as are author, games and language
author = "Ada"
games = ["nyuri", "hyrule"]  # default: all games
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
from pathlib import Path


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
