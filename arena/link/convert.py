"""The values of each game and the messages of the protocol, in both directions.

Everything a game says goes through here once. What one turn carries is put
together from encoded pieces: an action or event that was sent before is not
encoded again, and repeated fields of a message may simply be written one after
another (the protobuf wire format says so). `view_message` is the same thing
built as a message, for reading and for tests to compare.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from google.protobuf.message import Message

from arena.games import (
    GAMES,
    forty_one_values,
    hyrule_values,
    kleftis_values,
    nur_mut_values,
    nyuri_values,
)
from arena.games.game import Action, Event, Observation
from arena.games.series import DealEnded, SeriesObservation
from arena.link.mirror import KindMirror, Mirror
from arena.v1 import bot_pb2, forty_one_pb2, hyrule_pb2, kleftis_pb2, nur_mut_pb2, nyuri_pb2, series_pb2

_PIECES_KEPT = 1 << 16
"""How many encoded actions and events are kept per game and kind; one takes some 200 bytes."""


class GameWire:
    """How one game goes over the wire.

    Args:
        game_id: the game's id.
        values: the module of its actions, events and observation.
        proto: its generated module.
        prefix: the prefix of its messages, such as `FortyOne`.

    Attributes:
        field: the name of the game's branch in every `oneof game`.
        enum: its number in the enum Game.
    """

    def __init__(self, game_id: str, values: ModuleType, proto: ModuleType, prefix: str) -> None:
        self.game_id = game_id
        self.field = game_id.replace("-", "_")
        self.enum = bot_pb2.Game.Value(f"GAME_{self.field.upper()}")
        self.view_class: type[Message] = getattr(proto, f"{prefix}View")
        self.options = Mirror(getattr(proto, f"{prefix}Options"), GAMES[game_id].Options)
        self.observation = Mirror(getattr(proto, f"{prefix}Observation"), values.Observation)
        self.action = _kind_mirror(getattr(proto, f"{prefix}Action"), values)
        self.event = _kind_mirror(getattr(proto, f"{prefix}Event"), values)
        numbers = {field.name: field.number for field in self.view_class.DESCRIPTOR.fields}
        self._observation_tag = _tag(numbers["observation"])
        self._encode_event = _cached(self.event, _tag(numbers["events"]))
        self._encode_action = _cached(self.action, _tag(numbers["legal_actions"]))

    def view(self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]) -> bytes:
        """An encoded view; the observation is that of the deal, not of a series."""
        encoded = self.observation.to_message(observation).SerializeToString()
        return b"".join(
            (
                *map(self._encode_event, events),
                self._observation_tag,
                varint(len(encoded)),
                encoded,
                *map(self._encode_action, actions),
            )
        )

    def view_message(
        self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]
    ) -> Message:
        """The message that `view` encodes."""
        arguments: dict[str, Any] = {
            "events": [self.event.to_message(event) for event in events],
            "observation": self.observation.to_message(observation),
            "legal_actions": [self.action.to_message(action) for action in actions],
        }
        return self.view_class(**arguments)


def varint(number: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    if number < 0x80:
        return bytes((number,))
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def embedded(tag: bytes, payload: bytes) -> bytes:
    """An encoded message as a field of another."""
    return tag + varint(len(payload)) + payload


def _tag(number: int) -> bytes:
    """The tag of a length-delimited field."""
    return varint(number << 3 | 2)


def field_tag(message_class: type[Message], name: str) -> bytes:
    """The tag of a message field, to be followed by its length and its bytes."""
    return _tag(message_class.DESCRIPTOR.fields_by_name[name].number)


def _cached(mirror: KindMirror, tag: bytes) -> Any:
    @functools.lru_cache(_PIECES_KEPT)
    def encode(value: Any) -> bytes:
        return embedded(tag, mirror.to_message(value).SerializeToString())

    return encode


def _kind_mirror(message_class: type[Message], values: ModuleType) -> KindMirror:
    classes = {
        field.name: DealEnded
        if field.name == "deal_ended"
        else getattr(values, field.name.title().replace("_", ""))
        for field in message_class.DESCRIPTOR.oneofs_by_name["kind"].fields
    }
    return KindMirror(message_class, classes)


WIRES: dict[str, GameWire] = {
    wire.game_id: wire
    for wire in (
        GameWire("nyuri", nyuri_values, nyuri_pb2, "Nyuri"),
        GameWire("forty-one", forty_one_values, forty_one_pb2, "FortyOne"),
        GameWire("nur-mut", nur_mut_values, nur_mut_pb2, "NurMut"),
        GameWire("kleftis", kleftis_values, kleftis_pb2, "Kleftis"),
        GameWire("hyrule", hyrule_values, hyrule_pb2, "Hyrule"),
    )
}
"""How each game goes over the wire, by game id."""

WIRE_BY_FIELD = {wire.field: wire for wire in WIRES.values()}
WIRE_BY_ENUM = {wire.enum: wire for wire in WIRES.values()}


def series_message(observation: SeriesObservation) -> Message:
    """The message for where a table stands in a series of deals."""
    return series_pb2.SeriesObservation(
        deal=observation.deal, deals=observation.deals, scores=observation.scores
    )


def series_value(message: Any, current: Observation) -> SeriesObservation:
    """The observation of a series, around that of its deal."""
    return SeriesObservation(message.deal, message.deals, tuple(message.scores), current)
