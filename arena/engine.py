"""Finds the native engine: the rules of the built-in games in Rust, which play the same games in less time.

The package `bot-arena-engine` brings the module `arena_engine` (docs/speed.md). Whether it is used changes no
byte of a message or a record. The rules in Python are the reference. They play where the engine is not
installed, where it is of another version than the arena, and where `ARENA_ENGINE=python`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.metadata import version
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
    own = version("bot-arena")
    if own != module.VERSION:
        unused = (
            f"the native engine is of version {module.VERSION} and the arena of version {own}, so the "
            f"{RULES_IN_PYTHON} play: install the engine of this version"
        )
        return Engine(None, RULES_IN_PYTHON, unused)
    return Engine(module, f"native engine {own}")
