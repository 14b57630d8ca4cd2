"""The values of each game and the messages of the protocol, in both directions.

Everything a game says goes through here once. What one turn carries is put
together from encoded pieces: an action or event that was sent before is not
encoded again, and repeated fields of a message may simply be written one after
another (the protobuf wire format says so). `view_message` is the same thing
built as a message, for reading and for tests to compare.
"""

from __future__ import annotations

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
from arena.link.wire.mirror import KindMirror, Mirror
from arena.link.wire.wire_format import Encode, Remembered, embedded, encoder, field_tag, kind_encoder, varint
from arena.v1 import bot_pb2, forty_one_pb2, hyrule_pb2, kleftis_pb2, nur_mut_pb2, nyuri_pb2, series_pb2


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
        action_class, event_class = getattr(proto, f"{prefix}Action"), getattr(proto, f"{prefix}Event")
        actions, events = _branches(action_class, values), _branches(event_class, values)
        self.action = KindMirror(action_class, actions)
        self.event = KindMirror(event_class, events)
        self._observation_tag = field_tag(self.view_class, "observation")
        self._encode_observation = encoder(self.observation.message_class, values.Observation)
        self._event_pieces = _element(field_tag(self.view_class, "events"), kind_encoder(event_class, events))
        self._action_pieces = _element(
            field_tag(self.view_class, "legal_actions"), kind_encoder(action_class, actions)
        )

    def view(self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]) -> bytes:
        """An encoded view; the observation is that of the deal, not of a series."""
        seen = self._encode_observation(observation)
        return b"".join(
            (
                *map(self._event_pieces, events),
                self._observation_tag,
                varint(len(seen)),
                seen,
                *map(self._action_pieces, actions),
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


def _branches(message_class: type[Message], values: ModuleType) -> dict[str, type[Any]]:
    """The value class of each branch of a message's oneof `kind`, by the branch's field name."""
    return {
        field.name: DealEnded
        if field.name == "deal_ended"
        else getattr(values, field.name.title().replace("_", ""))
        for field in message_class.DESCRIPTOR.oneofs_by_name["kind"].fields
    }


def _element(tag: bytes, encode: Encode) -> Encode:
    """What encodes a value as an element of a repeated field, remembering what it encoded."""
    return Remembered(lambda value: embedded(tag, encode(value))).__getitem__


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
        deal=observation.deal,
        deals=observation.deals,
        scores=observation.scores,
        level=observation.level,
        tie_scores=observation.tie_scores,
    )


def series_value(message: Any, current: Observation) -> SeriesObservation:
    """The observation of a series, around that of its deal."""
    return SeriesObservation(
        deal=message.deal,
        deals=message.deals,
        scores=tuple(message.scores),
        level=tuple(message.level),
        tie_scores=tuple(message.tie_scores),
        current=current,
    )
