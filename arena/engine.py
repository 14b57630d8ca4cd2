"""Finds the native engine: the rules of the built-in games in Rust, which play the same games in less time.

The package `bot-arena-engine` brings the module `arena_engine` (docs/speed.md). Whether it is used changes no
byte of a message or a record. The rules in Python are the reference. They play where the engine is not
installed, where it was built from other sources than those of this arena, and where `ARENA_ENGINE=python`.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

SWITCH: Final = "ARENA_ENGINE"
"""The environment variable that turns the engine off by the value `python`."""

RULES_IN_PYTHON: Final = "rules in Python"
"""What plays without the engine, in words."""


class Engine(NamedTuple):
    """What plays the built-in games.

    Attributes:
        module: the module `arena_engine`; None if the rules in Python play.
        text: the same in words, such as `native engine 0.1.0`.
        unused: why an installed engine is not used without anybody's wish, in one sentence that names the
            remedy; else empty.
    """

    module: Any
    text: str
    unused: str = ""


class NeedsEngine(Exception):
    """Something needs the native engine, which does not play here.

    Args:
        why: what needs it, in a sentence without its full stop.
    """

    def __init__(self, why: str) -> None:
        remedy = "install it by pip install ./engine in a clone of the arena"
        if os.environ.get(SWITCH):
            remedy = f"leave {SWITCH} out"
        elif engine().unused:
            remedy = engine().unused
        super().__init__(f"{why}: {remedy}")


@cache
def engine() -> Engine:
    """The engine of this process."""
    switch = os.environ.get(SWITCH, "")
    if switch == "python":
        return Engine(None, RULES_IN_PYTHON)
    if switch:
        unused = f"{SWITCH} is {switch!r}, so the {RULES_IN_PYTHON} play: set it to python, or not at all"
        return Engine(None, RULES_IN_PYTHON, unused)
    try:
        module = import_module("arena_engine")
    except ModuleNotFoundError:
        return Engine(None, RULES_IN_PYTHON)
    except ImportError as error:
        unused = (
            f"the native engine cannot be loaded ({error}), so the {RULES_IN_PYTHON} play: install it again"
        )
        return Engine(None, RULES_IN_PYTHON, unused)
    from importlib.metadata import version  # only here: it loads much, and not every process needs it

    own = version("bot-arena")
    if own != module.VERSION or _digest(_sources()) not in (None, module.SOURCES):
        unused = (
            f"the native engine is not the one of this arena ({own}), so the {RULES_IN_PYTHON} play: "
            "install it again with pip install ./engine"
        )
        return Engine(None, RULES_IN_PYTHON, unused)
    return Engine(module, f"native engine {own}")


def _sources() -> Path:
    """The folder of the engine's sources, in the installed package or beside it in the source tree."""
    package = Path(__file__).parent
    inside = Path("bots", "hawk-rust", "engine", "src")
    installed = package / "kits" / inside
    return installed if installed.is_dir() else package.parent / inside


def _digest(folder: Path) -> str | None:
    """The SHA-256, in hex, of the names and texts of a folder's Rust files, as the engine's build has it.

    None if there are none that this process may read, as in a contained bot.
    """
    digest, found = hashlib.sha256(), False
    try:
        for name, path in sorted(
            (path.relative_to(folder).as_posix(), path) for path in folder.rglob("*.rs")
        ):
            text, found = path.read_bytes(), True
            digest.update(f"{name}\n{len(text)}\n".encode() + text)
    except OSError:
        return None
    return digest.hexdigest() if found else None
