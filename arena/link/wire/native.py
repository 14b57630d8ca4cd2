"""Games by the native engine if it can play them, else by the rules in Python.

An error of the engine is the referee's own, as one of the rules in Python is: no bot is charged for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from arena.engine import engine
from arena.games import BUILT_IN
from arena.games.game import Outcome
from arena.link.wire.convert import WIRES
from arena.table.position import EncodedView, Position, View
from arena.table.record import Record
from arena.table.table import TableRules, value_position


@lru_cache(maxsize=256)
def encoded_options(game: str, options: Any) -> bytes:
    """The encoded message of a game's options."""
    encoded: bytes = WIRES[game].options.to_message(options).SerializeToString()
    return encoded


def _module_for(game: str) -> Any:
    """The engine's module; None if the rules in Python play this game."""
    return engine().module if game in BUILT_IN else None


def new_position(rules: TableRules, board_key: bytes) -> Position[View | EncodedView]:
    """The first position of a game at a table."""
    game = rules.game.id
    native = _module_for(game)
    if native is None:
        return value_position(rules, board_key)
    options = encoded_options(game, rules.options)
    position: Position[EncodedView] = native.Position(game, options, rules.seats, rules.starter, board_key)
    return position


def replayed(record: Record) -> Outcome | None:
    """The outcome of a record by the engine, with no seat ranked for a forfeit.

    None if the engine does not play the game, or finds anything wrong with the record: the rules in Python
    then say what.
    """
    native = _module_for(record.game)
    if native is None:
        return None
    options = encoded_options(record.game, record.options)
    found = native.replay(
        record.game, options, record.seats, record.starter, record.board_key, record.actions
    )
    return None if found is None else Outcome(*found)
