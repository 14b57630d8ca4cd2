"""The values of each game and the messages of the protocol, in both directions.

Everything a game says goes through here once. What one turn carries is put
together from encoded pieces: an action or event that was sent before is not
encoded again, and repeated fields of a message may simply be written one after
another (the protobuf wire format says so). `view_message` is the same thing
built as a message, for reading and for tests to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
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
        self._values = values
        self._message_class: Callable[[str], type[Message]] = lambda name: getattr(proto, prefix + name)

    # What follows is made for those games that are played, when the first one is.

    @cached_property
    def options(self) -> Mirror:
        """The game's options."""
        return Mirror(self._message_class("Options"), GAMES[self.game_id].Options)

    @cached_property
    def observation(self) -> Mirror:
        """What a seat sees."""
        return Mirror(self._message_class("Observation"), self._values.Observation)

    @cached_property
    def action(self) -> KindMirror:
        """Its actions."""
        return KindMirror(self._message_class("Action"), self._branches("Action"))

    @cached_property
    def event(self) -> KindMirror:
        """Its events."""
        return KindMirror(self._message_class("Event"), self._branches("Event"))

    @cached_property
    def _observation_tag(self) -> bytes:
        return field_tag(self.view_class, "observation")

    @cached_property
    def _encode_observation(self) -> Encode:
        return encoder(self._message_class("Observation"), self._values.Observation)

    @cached_property
    def _event_pieces(self) -> Encode:
        return self._element("events", "Event")

    @cached_property
    def _action_pieces(self) -> Encode:
        return self._element("legal_actions", "Action")

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

    def _branches(self, kind: str) -> dict[str, type[Any]]:
        """The value class of each branch of a message's oneof `kind`, by the branch's field name."""
        return {
            field.name: DealEnded
            if field.name == "deal_ended"
            else getattr(self._values, field.name.title().replace("_", ""))
            for field in self._message_class(kind).DESCRIPTOR.oneofs_by_name["kind"].fields
        }

    def _element(self, field: str, kind: str) -> Encode:
        """What encodes a value as an element of a repeated field of the view, remembering what it encoded."""
        tag = field_tag(self.view_class, field)
        encode = kind_encoder(self._message_class(kind), self._branches(kind))
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
