"""Bots for tests: the faulty ones, a small good one, and one that is served for all."""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.link.local.bot_manifest import BotManifest, read_bot_manifest

FAULTY = Path(__file__).parent / "faulty_bots" / "faulty.py"

FIRST = """
from arena.bot import Bot, serve

class First(Bot):
    name = "first"

    def choose(self, turn):
        return turn.actions[self.table.seed[turn.number % 16] % len(turn.actions)]

serve(First)
"""

# To any number of streams at once, until standard input ends: when this process does, in whatever way.
_SERVED = """
import os, shutil, sys
from concurrent.futures import ThreadPoolExecutor
import grpc
from arena.bot.server import BotService

server = grpc.server(ThreadPoolExecutor(200))
server.add_generic_rpc_handlers(BotService(First).handlers())
server.add_insecure_port(sys.argv[1])
server.start()
sys.stdin.read()
shutil.rmtree(os.path.dirname(sys.argv[1].removeprefix("unix:")))
os._exit(0)
"""


UNHURRIED = FIRST.replace("        return", "        time.sleep(0.01)\n        return").replace(
    "from arena", "import time\nfrom arena", 1
)
"""The same in no hurry: a tournament goes on for a while, and takes little of the machine."""


def good_bot(folder: Path, name: str, program: str = FIRST) -> Path:
    """A bot folder whose bot plays deterministically from its seed."""
    script = folder / name / "first.py"
    place = bot_folder(folder, name, [sys.executable, str(script)])
    script.write_text(program)
    return place


@cache
def served_address(program: str = FIRST) -> str:
    """Where the bot of `good_bot` runs already, for tests in which its process is not the point.

    One process, of which nothing is kept from game to game, is all the bots of
    all the tests in this process: to start one takes longer than most games.
    """
    ends = ExitStack()
    atexit.register(ends.close)
    address = f"unix:{tempfile.mkdtemp(prefix='served-')}/bot.sock"
    serving = program.replace("serve(First)", _SERVED)
    ends.enter_context(subprocess.Popen([sys.executable, "-c", serving, address], stdin=subprocess.PIPE))
    return address


class Unhurried(str):
    """The name of a bot that is served and plays in no hurry."""


class Hurried(NamedTuple):
    """The folder of a bot with so short a clock of its own; the others keep theirs, on a slow machine too."""

    bot: Path
    bank: str = "3s"
    move: str = "1s"


def entrant(bot: object) -> str:
    """An entrant of a tournament file: the bot in a folder (a Path), or by its name one that is served."""
    if isinstance(bot, Hurried):
        clock = f'bank = "{bot.bank}"\nincrement = "0s"\nmove = "{bot.move}"\n'
        return f"{entrant(bot.bot)}[entrant.clock]\n{clock}"
    if isinstance(bot, Path):
        return f'[[entrant]]\nbot = "{bot}"\n'
    address = served_address(UNHURRIED if isinstance(bot, Unhurried) else FIRST)
    return f'[[entrant]]\nname = "{bot}"\naddress = "{address}"\n'


def faulty_bot(folder: Path, way: str) -> Path:
    """A folder with a bot that goes wrong in one way."""
    place = bot_folder(folder, way, [sys.executable, FAULTY.name, way])
    (place / FAULTY.name).write_bytes(FAULTY.read_bytes())
    return place


def bot_folder(folder: Path, name: str, command: list[str]) -> Path:
    """A folder with a bot.toml that runs a command."""
    place = folder / name
    place.mkdir()
    quoted = ", ".join(f'"{word}"' for word in command)
    (place / "bot.toml").write_text(f'name = "{name}"\n[run]\ncommand = [{quoted}]\n')
    return place


def keeping_folder(bot: Path) -> Path:
    """A folder in a bot's own in which it may write, contained or not."""
    kept = bot / "kept"
    kept.mkdir()
    with (bot / "bot.toml").open("a") as file:
        file.write('[needs]\nwritable = ["kept"]\n')
    return kept


def manifest(folder: Path) -> BotManifest:
    """The manifest of a bot folder."""
    return read_bot_manifest(folder)
