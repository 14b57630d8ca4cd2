"""Bots, tournaments and clusters for the tests of clusters."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from arena.league.store import League
from arena.results import GameKey
from tests.bots_for_tests import FIRST, bot_folder

EXAMPLES = Path(__file__).parents[3] / "bots"
ROBIN = '[[stage]]\nformat = "round-robin"\n'


def travelling_bot(folder: Path, name: str, program: str = FIRST) -> Path:
    """A bot whose command names nothing of this machine."""
    place = bot_folder(folder, name, ["python", "bot.py"])
    (place / "bot.py").write_text(program)
    return place


def records(league: Path) -> dict[GameKey, bytes]:
    """The record of every game of a league's first tournament."""
    with League.read(league) as store:
        return {result.key: store.game(number).record for number, result in store.games(1)}


def thinking_bot(folder: Path, example: str, seconds: float) -> Path:
    """The example bot of a name, `greedy` or `random`, that waits before every decision and then decides."""
    module = {"greedy": "greedy.bot", "random": "random_bot"}[example]
    place = shutil.copytree(EXAMPLES / f"{example}-python", folder / example)
    (place / "thinking.py").write_text(
        f"import time\nfrom arena.bot import serve\nfrom {module} import {example.title()}\n\n\n"
        f"class Thinking({example.title()}):\n    def choose(self, turn):\n"
        f"        time.sleep({seconds})\n        return super().choose(turn)\n\n\nserve(Thinking)\n"
    )
    manifest = place / "bot.toml"
    manifest.write_text(re.sub(r"command = .*", 'command = ["python", "thinking.py"]', manifest.read_text()))
    return place
