"""The first program in a bot's own namespaces: it takes on the restrictions, and becomes the bot."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from arena.link.local.containment.restrictions import Walls, enter

CANNOT_START = "cannot start "
"""With what it is said that a command cannot be started; the exit code is `EXIT_CODE` then."""

EXIT_CODE = 127


def command_of(walls: Walls, command: Sequence[str]) -> list[str]:
    """The command that steps behind walls and becomes another command."""
    root = str(Path(__file__).resolve().parents[4])
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from arena.loading import loaded; "
        "loaded('arena.link.local.containment.enter').main()"
    )
    return [sys.executable, "-I", "-S", "-c", code, json.dumps(walls), *command]


def main() -> NoReturn:
    """Steps behind the walls in the first argument, and becomes the command in the others."""
    walls, command = Walls(*json.loads(sys.argv[1])), sys.argv[2:]
    try:
        enter(walls)
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{CANNOT_START}{command[0]}: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(EXIT_CODE)
