"""Converts the values of games that packages add to protobuf Structs, and back.

A named tuple or dataclass of plain values becomes a Struct with the same fields: numbers, texts,
booleans, None, lists for tuples, and Structs for inner named tuples. The types
of the fields say how to convert a Struct back. A field has one type, or one type and None.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from functools import cache
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from arena.cards import Card, card
from arena.games.game import WrongOption, options_of_then
from arena.link.wire.codec import BadMessage, item_type
from arena.v1 import bot_pb2


@cache
def _hints_of(value_class: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(value_class)


class StructCodec:
    """Converts between values and Structs.

    Args:
        class_of: the value class of each kind. Raises BadMessage for an unknown kind.
    """

    message_class: type[Message] = Struct

    def __init__(self, class_of: Callable[[str], type[Any]]) -> None:
        self._class_of = class_of

    def to_message(self, value: Any) -> Struct:
        """The Struct of a value."""
        return _struct(_plain(value))

    def to_value(self, message: Any) -> Any:
        """The value of a Struct. Raises BadMessage if it has no meaning."""
        plain = json_format.MessageToDict(message)
        return _value(self._class_of(str(plain.get("kind"))), plain)


class OptionsStruct:
    """Converts between the options of a game that a package adds and their message.

    Args:
        game: the game's id.
        options_class: its `Options`.
    """

    message_class: type[Message] = bot_pb2.OtherOptions

    def __init__(self, game: str, options_class: type[Any]) -> None:
        self._game = game
        self._class = options_class

    def to_message(self, value: Any) -> bot_pb2.OtherOptions:
        """The message of a game's options."""
        return bot_pb2.OtherOptions(game=self._game, options=_struct(_plain(value)))

    def to_value(self, message: Any) -> Any:
        """The options in a message. Raises BadMessage for options that the game does not have."""
        hints = typing.get_type_hints(self._class)
        stored = json_format.MessageToDict(message.options)
        given = {name: _value(hints.get(name), item) for name, item in stored.items()}
        try:
            return options_of_then(self._class, given)
        except WrongOption as problem:
            raise BadMessage(str(problem)) from None


def _struct(plain: dict[str, Any]) -> Struct:
    made = Struct()
    made.update(plain)
    return made


def _plain(value: Any) -> Any:
    """A value as JSON's types have it."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        items = [_plain(item) for item in value]
        return items if names is None else dict(zip(names, items, strict=True))
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _value(hint: Any, plain: Any) -> Any:
    """Converts a JSON value to the expected type. Raises BadMessage."""
    item = item_type(hint)
    try:
        if isinstance(plain, list):
            return tuple(_value(item, each) for each in plain)
        if plain is None or isinstance(plain, bool | str):
            return plain
        if isinstance(plain, dict):
            hints = _hints_of(item)
            return item(**{name: _value(hints[name], each) for name, each in plain.items()})
        return card(int(plain)) if item is Card else item(plain)
    except (KeyError, TypeError, ValueError) as error:
        raise BadMessage(f"{plain!r} is no {getattr(item, '__name__', item)}: {error}") from None
