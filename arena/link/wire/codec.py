"""Encodes Python values as protobuf bytes and decodes protobuf messages, both driven by the descriptors.

The values of the games and the messages of the protocol have the same fields
under the same names, so one codec serves them all, and a field that exists on
one side only is found when the codec is made. The rules:

* a message is a named tuple or dataclass; its fields are found by name;
* a repeated field is a tuple; an absent optional field is None,
  or, for a game's option, the rule from before the option existed;
* a Card is an `arena.cards.Card`, a Face an int enum; any other protobuf enum
  is a text, the value's name without its prefix in lower case (`open`);
* a oneof named `kind` is the value itself, whose field `kind` names the branch.

A value is encoded without building a message, which would take most of the time:
the fields are written one after another in protobuf's wire format.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, call
from typing import Any, TypeVar

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from arena.cards import ALL_CARDS, Card

T = TypeVar("T")
Encode = Callable[[Any], bytes]
Decode = Callable[[Any], Any]

PIECES_KEPT = 1 << 16
"""How many encoded values of one kind the cache holds; one takes some 200 bytes."""

VALUES_KEPT = 1 << 12
"""How many decoded values of one kind the cache holds; one takes some 400 bytes."""

_VARINT, _BYTES = 0, 2  # wire types


class BadMessage(ValueError):
    """A message that can be decoded but has no meaning, such as an unset oneof or an enum value 0."""


# The wire format


def _varint(number: int) -> bytes:
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


_SHORT = (  # one or two bytes, as most lengths are
    *(bytes((number,)) for number in range(0x80)),
    *(bytes((low | 0x80, high)) for high in range(1, 0x80) for low in range(0x80)),
)


def varint(number: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    return _SHORT[number] if number < 1 << 14 else _varint(number)


def embedded(tag: bytes, payload: bytes) -> bytes:
    """An encoded message as a field of another."""
    return tag + varint(len(payload)) + payload


def field_tag(message_class: type[Message], name: str) -> bytes:
    """The tag of a field; its number follows, or its length and its bytes."""
    return _tag(message_class.DESCRIPTOR.fields_by_name[name])


def _tag(field: Any) -> bytes:
    number_follows = field.message_type is None and not field.is_repeated and not _is_text(field)
    return varint(field.number << 3 | (_VARINT if number_follows else _BYTES))


def _is_text(field: Any) -> bool:
    return field.type in (field.TYPE_STRING, field.TYPE_BYTES)


class Cache(dict[Any, T]):
    """A cache of what a function makes, such as encoded values.

    Most values are sent many times - an action, a count, a phase - and
    looking one up costs a tenth of encoding it. The cache is emptied when it
    is full.

    Args:
        make: the function.
        kept: how many things it holds.
    """

    __slots__ = ("_kept", "_make")

    def __init__(self, make: Callable[[Any], T], kept: int = PIECES_KEPT) -> None:
        self._make = make
        self._kept = kept

    def __missing__(self, value: Any) -> T:
        if len(self) >= self._kept:
            self.clear()
        made = self[value] = self._make(value)
        return made


def cached(make: Callable[[Any], T], kept: int = PIECES_KEPT) -> Callable[[Any], T]:
    """A function that does the same, with a `Cache`."""
    return Cache(make, kept).__getitem__


Schema = tuple[type[Any], list[tuple[int, Any, bool, bool]], list[Any]]
"""How the engine decodes a message into a named tuple: the class; for each field its number, its kind, and
whether it is repeated and optional; and what the tuple has after these fields. A kind is `number`, `signed`,
`truth`, `text`, the values of an enum by number, or the schema of another message."""


class Codec:
    """Encodes the values of one class, and decodes the messages that mirror them.

    Args:
        message_class: the generated message class.
        value_class: the dataclass with the same fields, or the named tuple with the same fields
            in the same order.
        apart: a field of the named tuple that the message does not have. It is the last one.

    Raises TypeError if the two do not have the same fields.
    """

    def __init__(self, message_class: type[Message], value_class: type[Any], apart: str = "") -> None:
        self.message_class = message_class
        self.value_class = value_class
        hints = typing.get_type_hints(value_class)
        fields: list[Any] = list(message_class.DESCRIPTOR.fields)
        self._names = tuple(field.name for field in fields)
        is_tuple = hasattr(value_class, "_fields")
        known = tuple(name for name in getattr(value_class, "_fields", hints) if name not in (apart, "kind"))
        if self._names != known if is_tuple else {*self._names} != {*known}:
            raise TypeError(f"{message_class.__name__} and {value_class.__name__} differ in their fields")
        made = [_field(field, hints[field.name]) for field in fields]
        self._encoders = encoders = tuple(encode for encode, _ in made)
        # A field at the tuple's end that the message does not have is not encoded.
        self.encode: Encode = (
            (lambda value: b"".join(map(call, encoders, value))) if is_tuple else self._encode_by_name
        )
        """The bytes of the message that mirrors a value."""
        before = _values_before(value_class)
        absent = {
            field.name: before.get(field.name)
            for field in fields
            if field.has_presence
            and (type(None) in typing.get_args(hints[field.name]) or field.name in before)
        }
        self._readers = [
            _reader(name, decode, absent[name]) if name in absent else _reader(name, decode)
            for name, (_, decode) in zip(self._names, made, strict=True)
        ]
        self._named = not is_tuple

    def _encode_by_name(self, value: Any) -> bytes:
        values = [getattr(value, name) for name in self._names]
        return b"".join(map(call, self._encoders, values))

    def to_message(self, value: Any) -> Any:
        """The message that mirrors a value."""
        return self.message_class.FromString(self.encode(value))

    def to_value(self, message: Any, **apart: Any) -> Any:
        """The value that mirrors a message. Raises BadMessage if it has no meaning."""
        values = [read(message) for read in self._readers]
        if self._named:
            return self.value_class(**dict(zip(self._names, values, strict=True)))
        return self.value_class(*values, **apart)

    def schema(self) -> Schema:
        """The schema of the message, for a named tuple that has all its fields."""
        return _schema(self.message_class, self.value_class)


class KindCodec:
    """Does the same as `Codec` for a message with a oneof `kind`, and the values of its branches.

    Args:
        message_class: the generated message class.
        classes: the value class of each branch, by the branch's field name.
    """

    def __init__(self, message_class: type[Message], classes: Mapping[str, type[Any]]) -> None:
        self.message_class = message_class
        branches: list[Any] = list(message_class.DESCRIPTOR.oneofs_by_name["kind"].fields)
        self._branches = {
            field.name: (_tag(field), Codec(GetMessageClass(field.message_type), classes[field.name]))
            for field in branches
        }
        self._value_in = cached(self._decoded, VALUES_KEPT)

    def encode(self, value: Any) -> bytes:
        """The bytes of the message that mirrors a value."""
        tag, codec = self._branches[value.kind]
        return embedded(tag, codec.encode(value))

    def to_message(self, value: Any) -> Any:
        """The message that mirrors a value."""
        return self.message_class.FromString(self.encode(value))

    def to_value(self, message: Any) -> Any:
        """The value that mirrors a message. Raises BadMessage if it has no meaning."""
        return self._value_in(message.SerializeToString())

    def _decoded(self, data: bytes) -> Any:
        message: Any = self.message_class.FromString(data)
        kind = message.WhichOneof("kind")
        if kind is None:
            raise BadMessage(f"{self.message_class.__name__} has no kind")
        return self._branches[kind][1].to_value(getattr(message, kind))

    def schema(self) -> dict[int, Schema]:
        """The schema of each branch, by the number of its field."""
        fields = self.message_class.DESCRIPTOR.fields_by_name
        return {fields[kind].number: codec.schema() for kind, (_, codec) in self._branches.items()}


def _schema(message_class: type[Message], value_class: Any) -> Schema:
    hints = typing.get_type_hints(value_class)
    fields = [
        (
            field.number,
            _kind(field, item_type(hints[field.name])),
            field.is_repeated,
            type(None) in typing.get_args(hints[field.name]),
        )
        for field in message_class.DESCRIPTOR.fields
    ]
    defaults = value_class._field_defaults
    return value_class, fields, [defaults[name] for name in value_class._fields[len(fields) :]]


def _kind(field: Any, item: Any) -> Any:
    if field.message_type is not None:
        return _schema(GetMessageClass(field.message_type), item)
    if field.enum_type is not None:
        return _members(field.enum_type, item)
    return {field.TYPE_UINT32: "number", field.TYPE_SINT32: "signed", field.TYPE_BOOL: "truth"}.get(
        field.type, "text"
    )


def _values_before(value_class: type[Any]) -> dict[str, Any]:
    """The values of absent options (see `games.game.option`)."""
    fields = dataclasses.fields(value_class) if dataclasses.is_dataclass(value_class) else ()
    return {
        field.name: field.metadata["before"] for field in fields if field.metadata.get("before") is not None
    }


def _reader(name: str, decode: Decode | None, *absent: Any) -> Decode:
    """What reads a field of a message; `absent` is the value of a field that may be absent."""
    item: Decode = attrgetter(name)
    read = item if decode is None else lambda message: decode(item(message))
    return (lambda message: read(message) if message.HasField(name) else absent[0]) if absent else read


def item_type(hint: Any) -> Any:
    """The type of the items of a field: `int` for int, `int | None` and `tuple[int, ...]`."""
    return next((each for each in typing.get_args(hint) if each not in (type(None), ...)), hint)


def _field(field: Any, hint: Any) -> tuple[Encode, Decode | None]:
    """The encoder of one field with its tag, and the decoder, None if it needs none.

    Absent fields and defaults are not sent.
    """
    item = item_type(hint)
    tag = _tag(field)
    encode: Encode
    decode: Decode | None
    if field.message_type is not None:
        codec = Codec(GetMessageClass(field.message_type), item)
        encode = cached(lambda value: b"" if value is None else embedded(tag, codec.encode(value)))
        decode = codec.to_value
    elif _is_text(field):
        encode, decode = _text(field), None
    else:
        number, decode = _number(field, item)
        if not field.is_repeated:
            encode = cached(_scalar(field, number))
        elif number is int and field.type != field.TYPE_UINT32:  # a byte each: cards, faces and truth values
            encode = _one_byte_each(tag)
        else:
            encode = cached(_packed(tag, number))
    if not field.is_repeated:
        return encode, decode
    if field.message_type is not None or _is_text(field):
        encode = _repeated(encode)
    return encode, tuple if decode is None else lambda items: tuple(map(decode, items))


def _repeated(encode: Encode) -> Encode:
    return lambda values: b"".join(map(encode, values))


def _one_byte_each(tag: bytes) -> Encode:
    heads = Cache(lambda length: tag + varint(length))
    return lambda values: heads[len(values)] + bytes(values) if values else b""


def _scalar(field: FieldDescriptor, number: Callable[[Any], int]) -> Encode:
    tag = _tag(field)

    def scalar(value: Any) -> bytes:
        if value is None or (not field.has_presence and number(value) == 0):
            return b""
        return tag + varint(number(value))

    return scalar


def _text(field: Any) -> Encode:
    tag = _tag(field)

    def text(value: str | bytes | None) -> bytes:
        if value is None or not (value or field.has_presence or field.is_repeated):
            return b""
        return embedded(tag, value.encode() if isinstance(value, str) else value)

    return text


def _packed(tag: bytes, number: Callable[[Any], int]) -> Encode:
    def packed(values: Sequence[Any]) -> bytes:
        payload = b"".join([varint(number(value)) for value in values])
        return embedded(tag, payload) if payload else b""

    return packed


def _number(field: Any, item: Any) -> tuple[Callable[[Any], int], Decode | None]:
    """The encoder of a scalar as a number, and the decoder."""
    if field.enum_type is not None:
        members = _members(field.enum_type, item)
        numbers = {value: number for number, value in members.items()}
        is_number = isinstance(item, type) and issubclass(item, int)
        return int if is_number else numbers.__getitem__, _Members(members, field.enum_type).__getitem__
    if field.type == field.TYPE_SINT32:
        return lambda value: value << 1 if value >= 0 else ~(value << 1), None
    if field.type in (field.TYPE_UINT32, field.TYPE_BOOL, field.TYPE_INT64):  # these are not negative here
        return int, None
    raise TypeError(f"{field.full_name} has a type that nothing here encodes")


def _members(descriptor: EnumDescriptor, item: Any) -> dict[int, Any]:
    """The values by an enum's numbers."""
    if item is Card:
        return {int(card): card for card in ALL_CARDS}
    if isinstance(item, type) and issubclass(item, enum.IntEnum):
        return {int(member): member for member in item}
    prefix = descriptor.values[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() for value in descriptor.values[1:]}


class _Members(dict[int, Any]):
    """The values by an enum's numbers. Raises BadMessage for another number."""

    __slots__ = ("_enum",)

    def __init__(self, members: Mapping[int, Any], descriptor: EnumDescriptor) -> None:
        super().__init__(members)
        self._enum = descriptor.name

    def __missing__(self, number: int) -> Any:
        raise BadMessage(f"{number} is no {self._enum}")
