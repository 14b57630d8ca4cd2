"""Games by the native engine if it can play them, else by the rules in Python.

An error of the engine is the referee's own, as one of the rules in Python is: no bot is charged for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from arena.engine import engine
from arena.games import BUILT_IN
from arena.games.game import Outcome, Seat
from arena.link.wire.convert import WIRES
from arena.table.position import EncodedView, Position, View
from arena.table.record import Record
from arena.table.table import TableRules, value_position

Ends = tuple[Sequence[int], Sequence[int]]
"""The place of each seat at the end of the game: after a choice, and after the baseline's one instead."""


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
    found = _of_record(record, "replay")
    return None if found is None else Outcome(*found)


def choices(record: Record, samples: int, baseline: str) -> list[tuple[Seat, Ends, list[Ends]]] | None:
    """The choices of a record that are not the baseline's, and how the game ends if all play on like it.

    For each: its seat, the ends with the later cards as they lay, and those with each of so many fresh orders
    of the later cards, which follow from the record's key.

    None if the engine does not play the game, or finds an action that is not legal: the rules in Python then
    say which.
    """
    found: list[tuple[Seat, Ends, list[Ends]]] | None = _of_record(record, "choices", samples, baseline)
    return found


def _of_record(record: Record, function: str, *more: Any) -> Any:
    """What a function of the engine finds in a record; None if the engine does not play the game."""
    native = _module_for(record.game)
    if native is None:
        return None
    options = encoded_options(record.game, record.options)
    setup = (record.game, options, record.seats, record.starter, record.board_key)
    return getattr(native, function)(*setup, record.actions, *more)
