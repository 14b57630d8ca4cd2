"""Bots and tournaments that can travel, and clusters for tests."""

from __future__ import annotations

from pathlib import Path

from arena.results import GameKey
from arena.store import League
from tests.bots_for_tests import FIRST, bot_folder

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
