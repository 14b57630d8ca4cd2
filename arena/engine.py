"""The native engine: the rules of the built-in games in Rust, which play the same games in less time.

The package `bot-arena-engine` brings the module `arena_engine` (docs/speed.md). Whether it is used changes no
byte of a message or a record. The rules in Python are the reference: they play where the engine is not
installed, where it is of another version than the arena, where `ARENA_ENGINE=python`, and all games that
packages add. An error of the engine is an error of the referee, as one in the rules in Python is.
"""

from __future__ import annotations

import os
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

from arena.games import BUILT_IN
from arena.games.game import Outcome
from arena.link.wire.convert import WIRES
from arena.table.position import EncodedView, Position, View
from arena.table.record import Record
from arena.table.table import TableRules, value_position

SWITCH = "ARENA_ENGINE"
"""The environment variable that turns the engine off by the value `python`."""


class Engine(NamedTuple):
    """What plays the built-in games.

    Attributes:
        module: the module `arena_engine`; None if the rules in Python play.
        text: the same in words, such as `native engine 0.1.0`.
        wrong: why an installed engine is not used, in one sentence that names the remedy; else empty.
    """

    module: Any
    text: str
    wrong: str = ""


@cache
def engine() -> Engine:
    """The engine of this process. Raises ValueError for another value of `ARENA_ENGINE` than `python`."""
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "python"):
        raise ValueError(
            f"{SWITCH} is {switch!r}: set it to python to turn the native engine off, or not at all"
        )
    if switch:
        return Engine(None, f"rules in Python, by {SWITCH}")
    try:
        module = import_module("arena_engine")
    except ModuleNotFoundError:
        return Engine(None, "rules in Python")
    except ImportError as error:
        return Engine(
            None, "rules in Python", f"the native engine cannot be loaded ({error}): install it again"
        )
    own = version("bot-arena")
    if own != module.VERSION:
        wrong = (
            f"the native engine is of version {module.VERSION} and the arena of {own}, so the rules in Python "
            "play: install the engine of this version"
        )
        return Engine(None, "rules in Python", wrong)
    return Engine(module, f"native engine {own}")


@lru_cache(maxsize=256)
def _encoded_options(game: str, options: Any) -> bytes:
    return WIRES[game].options.encode(options)


def _plays(game: str) -> Any:
    """The engine's module if it plays a game."""
    return engine().module if game in BUILT_IN else None


def new_position(rules: TableRules, board_key: bytes) -> Position[View | EncodedView]:
    """The first position of a game at a table, by the engine if it can."""
    game = rules.game.id
    native = _plays(game)
    if native is None:
        return value_position(rules, board_key)
    options = _encoded_options(game, rules.options)
    position: Position[EncodedView] = native.Position(game, options, rules.seats, rules.starter, board_key)
    return position


def replayed(record: Record) -> Outcome | None:
    """The outcome of a record by the engine, with no seat ranked for a forfeit.

    None if the engine does not play the game, or finds anything wrong: then the rules in Python say what.
    """
    native = _plays(record.game)
    if native is None:
        return None
    options = _encoded_options(record.game, record.options)
    found = native.replay(
        record.game, options, record.seats, record.starter, record.board_key, record.actions
    )
    return None if found is None else Outcome(*found)
