"""Bot folders for tests: the faulty bots, and small good ones."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.link.local.bot_manifest import BotManifest, read_bot_manifest

FAULTY = Path(__file__).parent / "faulty_bots" / "faulty.py"


def faulty_bot(folder: Path, way: str) -> Path:
    """A folder with a bot that goes wrong in one way."""
    return bot_folder(folder, way, [sys.executable, str(FAULTY), way])


def bot_folder(folder: Path, name: str, command: list[str]) -> Path:
    """A folder with a bot.toml that runs a command."""
    place = folder / name
    place.mkdir()
    quoted = ", ".join(f'"{word}"' for word in command)
    (place / "bot.toml").write_text(f'name = "{name}"\n[run]\ncommand = [{quoted}]\n')
    return place


def manifest(folder: Path) -> BotManifest:
    """The manifest of a bot folder."""
    return read_bot_manifest(folder)
