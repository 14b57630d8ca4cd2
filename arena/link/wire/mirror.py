"""Python values and protobuf messages that mirror each other, converted field by field.

The values of the games and the messages of the protocol have the same fields
under the same names, so one mirror serves them all, and a field that exists on
one side only is found when the mirror is made. The rules:

* a message is a named tuple or dataclass; its fields are found by name;
* a repeated field is a tuple; an optional field is None where it is absent,
  or, of a game's options, what was done before there was such an option;
* a Card is an `arena.cards.Card`, a Face an int enum; any other protobuf enum
  is a text, the value's name without its prefix in lower case (`open`);
* a oneof named `kind` is the value itself, whose field `kind` names the branch.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.cards import ALL_CARDS, Card

Convert = Callable[[Any], Any]


class BadMessage(ValueError):
    """A message that decodes but means nothing, such as an unset oneof or an enum value 0."""


class Mirror:
    """Converts between one message class and one value class.

    Args:
        message_class: the generated message class.
        value_class: the named tuple or dataclass with the same fields.

    Raises TypeError where the two do not have the same fields.
    """

    def __init__(self, message_class: type[Message], value_class: type[Any]) -> None:
        self.message_class = message_class
        self.value_class = value_class
        hints = typing.get_type_hints(value_class)
        fields: list[Any] = list(message_class.DESCRIPTOR.fields)
        names = {field.name for field in fields}
        if names != hints.keys() - {"kind"}:
            raise TypeError(
                f"{message_class.__name__} has {sorted(names)}, "
                f"but {value_class.__name__} has {sorted(hints)}"
            )
        self._plain: list[tuple[str, Convert | None, Convert | None]] = []  # never absent
        self._optional: list[tuple[str, Convert | None, Convert | None]] = []
        self._before = _values_before(value_class)
        for field in fields:
            encode, decode = _converters(field, hints[field.name])
            absent = field.has_presence and (
                type(None) in typing.get_args(hints[field.name]) or field.name in self._before
            )
            (self._optional if absent else self._plain).append((field.name, encode, decode))

    def to_message(self, value: Any) -> Any:
        """The message that mirrors a value."""
        arguments = {}
        for name, encode, _ in self._plain:
            item = getattr(value, name)
            arguments[name] = encode(item) if encode is not None else item
        for name, encode, _ in self._optional:
            item = getattr(value, name)
            if item is not None:
                arguments[name] = encode(item) if encode is not None else item
        return self.message_class(**arguments)

    def to_value(self, message: Any) -> Any:
        """The value that mirrors a message. Raises BadMessage for a message without meaning."""
        arguments = {}
        for name, _, decode in self._plain:
            item = getattr(message, name)
            arguments[name] = decode(item) if decode is not None else item
        for name, _, decode in self._optional:
            if message.HasField(name):
                item = getattr(message, name)
                arguments[name] = decode(item) if decode is not None else item
            else:
                arguments[name] = self._before.get(name)
        return self.value_class(**arguments)


class KindMirror:
    """Converts between a message with a oneof `kind` and the values of its branches.

    Args:
        message_class: the generated message class.
        classes: the value class of each branch, by the branch's field name.
    """

    def __init__(self, message_class: type[Message], classes: Mapping[str, type[Any]]) -> None:
        self.message_class = message_class
        branches: list[Any] = list(message_class.DESCRIPTOR.oneofs_by_name["kind"].fields)
        self._branches = {
            field.name: Mirror(GetMessageClass(field.message_type), classes[field.name]) for field in branches
        }

    def to_message(self, value: Any) -> Any:
        """The message that mirrors a value."""
        return self.message_class(**{value.kind: self._branches[value.kind].to_message(value)})

    def to_value(self, message: Any) -> Any:
        """The value that mirrors a message. Raises BadMessage where the oneof is unset."""
        kind = message.WhichOneof("kind")
        if kind is None:
            raise BadMessage(f"{self.message_class.__name__} has no kind")
        return self._branches[kind].to_value(getattr(message, kind))


def _converters(field: FieldDescriptor, hint: Any) -> tuple[Convert | None, Convert | None]:
    """How a field's item is encoded and decoded; None where it needs no converting."""
    item_hint = item_type(hint)
    encode: Convert | None = None
    decode: Convert | None = None
    if field.message_type is not None:
        mirror = Mirror(GetMessageClass(field.message_type), item_hint)
        encode, decode = mirror.to_message, mirror.to_value
    elif field.enum_type is not None:
        encode, decode = _enum_converters(field.enum_type, item_hint)
    if not field.is_repeated:
        return encode, decode
    return (
        None if encode is None else _each(encode, list),
        tuple if decode is None else _each(decode, tuple),
    )


def _values_before(value_class: type[Any]) -> dict[str, Any]:
    """What absent options mean (see `games.game.option`)."""
    fields = dataclasses.fields(value_class) if dataclasses.is_dataclass(value_class) else ()
    return {
        field.name: field.metadata["before"] for field in fields if field.metadata.get("before") is not None
    }


def item_type(hint: Any) -> Any:
    """The type of a field's items: `int` for int, `int | None` and `tuple[int, ...]`."""
    return next((argument for argument in typing.get_args(hint) if argument not in (type(None), ...)), hint)


def enum_numbers(descriptor: EnumDescriptor, hint: Any) -> dict[str, int] | None:
    """The numbers of an enum's values by their texts; None where the value is a number itself."""
    if isinstance(hint, type) and issubclass(hint, int):
        return None
    prefix = descriptor.values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower(): value.number for value in descriptor.values[1:]}


def _each(convert: Convert, collect: Convert) -> Convert:
    return lambda items: collect(map(convert, items))


def _enum_converters(descriptor: EnumDescriptor, hint: Any) -> tuple[Convert | None, Convert]:
    if hint is Card:
        return None, _known({card: card for card in ALL_CARDS}, descriptor)
    if isinstance(hint, type) and issubclass(hint, enum.IntEnum):
        return None, _known({int(member): member for member in hint}, descriptor)
    numbers = enum_numbers(descriptor, hint)
    assert numbers is not None
    return numbers.__getitem__, _known({number: name for name, number in numbers.items()}, descriptor)


def _known(values: Mapping[int, Any], descriptor: EnumDescriptor) -> Convert:
    def decode(number: int) -> Any:
        try:
            return values[number]
        except KeyError:
            raise BadMessage(f"{number} is no {descriptor.name}") from None

    return decode
