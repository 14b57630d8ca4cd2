"""Protobuf's wire format, as far as messages are put together by hand, and encoders made from it.

`encoder` makes a function that turns a value into the bytes of the message
that mirrors it (see `mirror`) without building the message: the message is the
reference, and the tests compare the two.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from operator import getitem
from typing import Any, Protocol

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.link.wire.mirror import enum_numbers, item_type

Encode = Callable[[Any], bytes]

PIECES_KEPT = 1 << 16
"""How many encoded values of one kind are remembered; one takes some 200 bytes."""

_VARINT, _BYTES = 0, 2  # wire types


def _varint(number: int) -> bytes:
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


_SHORT = (  # those of one and two bytes, which most lengths are
    *(bytes((number,)) for number in range(0x80)),
    *(bytes((number & 0x7F | 0x80, number >> 7)) for number in range(0x80, 1 << 14)),
)


def varint(number: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    return _SHORT[number] if number < 1 << 14 else _varint(number)


def embedded(tag: bytes, payload: bytes) -> bytes:
    """An encoded message as a field of another."""
    return tag + varint(len(payload)) + payload


def field_tag(message_class: type[Message], name: str) -> bytes:
    """The tag of a field, to be followed by its number, or by its length and its bytes."""
    return _tag(message_class.DESCRIPTOR.fields_by_name[name])


def _tag(field: Any) -> bytes:
    number_follows = field.message_type is None and not field.is_repeated and field.type != field.TYPE_STRING
    return varint(field.number << 3 | (_VARINT if number_follows else _BYTES))


class Pieces(Protocol):
    """An encoder as a mapping, `pieces[value]`, so that a row of them is applied without a loop in Python."""

    def __getitem__(self, value: Any) -> bytes: ...


class Remembered(dict[Any, bytes]):
    """Pieces that are encoded when they are first asked for.

    Much of what is sent was sent before - an action, a count, a phase - and
    looking it up costs a tenth of encoding it. All is forgotten when there is
    too much of it.

    Args:
        encode: the encoder.
    """

    __slots__ = ("_encode",)

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def __missing__(self, value: Any) -> bytes:
        if len(self) >= PIECES_KEPT:
            self.clear()
        piece = self[value] = self._encode(value)
        return piece


class Computed:
    """Pieces that are encoded whenever they are asked for, since they seldom come again."""

    __slots__ = ("_encode",)

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def __getitem__(self, value: Any) -> bytes:
        return self._encode(value)


def encoder(message_class: type[Message], value_class: type[Any]) -> Encode:
    """What encodes the named tuples of a class as a message with the same fields in the same order."""
    hints = typing.get_type_hints(value_class)
    fields: list[Any] = list(message_class.DESCRIPTOR.fields)
    names = tuple(field.name for field in fields)
    if names != tuple(name for name in value_class._fields if name != "kind"):
        raise TypeError(f"{message_class.__name__} and {value_class.__name__} differ in their fields")
    pieces = tuple(_field_pieces(field, hints[field.name]) for field in fields)
    # A field `kind` at the value's end has no piece.
    return lambda value: b"".join(map(getitem, pieces, value))


def kind_encoder(message_class: type[Message], classes: Mapping[str, type[Any]]) -> Encode:
    """What encodes the values of the branches of a message's oneof `kind`."""
    branches: list[Any] = list(message_class.DESCRIPTOR.oneofs_by_name["kind"].fields)
    encoders = {
        field.name: (
            _tag(field),
            encoder(GetMessageClass(field.message_type), classes[field.name]),
        )
        for field in branches
    }

    def encode(value: Any) -> bytes:
        tag, encode_branch = encoders[value.kind]
        return embedded(tag, encode_branch(value))

    return encode


def _field_pieces(field: Any, hint: Any) -> Pieces:
    """One field, its tag included; nothing for an absent one, or a default that goes unsent."""
    item = item_type(hint)
    if field.message_type is not None:
        tag = _tag(field)
        payload = encoder(GetMessageClass(field.message_type), item)
        element = Remembered(lambda value: b"" if value is None else embedded(tag, payload(value)))
        return Computed(_each(element)) if field.is_repeated else element
    number = _number(field, item)
    if not field.is_repeated:
        return Remembered(_scalar(field, number))
    if number is int and field.type != field.TYPE_UINT32:
        return Computed(_packed_bytes(field))
    return Remembered(_packed(field, number))


def _number(field: Any, item: Any) -> Callable[[Any], int]:
    """What makes a scalar the number that is sent for it."""
    if field.enum_type is not None:
        names = enum_numbers(field.enum_type, item)
        return int if names is None else names.__getitem__
    if field.type == field.TYPE_SINT32:
        return lambda value: value << 1 if value >= 0 else ~(value << 1)
    if field.type in (field.TYPE_UINT32, field.TYPE_BOOL, field.TYPE_INT64):  # which are not negative here
        return int
    raise TypeError(f"{field.full_name} has a type that nothing here encodes")


def _scalar(field: Any, number: Callable[[Any], int]) -> Encode:
    tag = _tag(field)

    def scalar(value: Any) -> bytes:
        if value is None or (not field.has_presence and number(value) == 0):
            return b""
        return tag + varint(number(value))

    return scalar


def _packed(field: Any, number: Callable[[Any], int]) -> Encode:
    tag = _tag(field)

    def packed(values: Sequence[Any]) -> bytes:
        payload = b"".join([varint(number(value)) for value in values])
        return embedded(tag, payload) if payload else b""

    return packed


def _packed_bytes(field: Any) -> Encode:
    """For numbers that are a byte each: cards, faces and truth values."""
    tag = _tag(field)
    heads = Remembered(lambda length: tag + varint(length))
    return lambda values: heads[len(values)] + bytes(values) if values else b""


def _each(pieces: Pieces) -> Encode:
    return lambda values: b"".join(map(pieces.__getitem__, values))
