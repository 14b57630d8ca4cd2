"""How each game goes over the wire: the codecs of its values, and what a turn carries.

What one turn carries is put together from encoded pieces: an action or event that was
sent before is not encoded again, and repeated fields of a message may simply be written
one after another (the protobuf wire format says so).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from google.protobuf.message import Message

from arena.games import BUILT_IN, find_game
from arena.games.game import Action, Event, Observation
from arena.games.series import DealEnded, SeriesObservation
from arena.link.wire.codec import (
    BadMessage,
    Codec,
    Encode,
    EncodeCache,
    KindCodec,
    embedded,
    field_tag,
    varint,
)
from arena.link.wire.structs import OptionsStruct, StructCodec
from arena.v1 import bot_pb2, series_pb2

OTHER = "other"
"""The field, beside every `oneof game`, of the games that packages add."""


class GameWire:
    """How one game of the protocol goes over the wire.

    Its messages are found by its id: those of `forty-one` are in `arena.v1.forty_one_pb2` and have names
    such as `FortyOneView`.

    Args:
        game_id: the game's id.

    Attributes:
        field: the name of the game's branch in every `oneof game`, or `OTHER`.
        enum: its name in the enum Game; empty where it has none.
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.field = game_id.replace("-", "_")
        self.enum = f"GAME_{self.field.upper()}"
        self._messages = import_module(f"arena.v1.{self.field}_pb2")
        self._game = find_game(game_id)

    # What follows is made for those games that are played, when the first one is.

    @cached_property
    def _values(self) -> Any:
        return import_module(self._game.values)

    @cached_property
    def options(self) -> Codec:
        """The game's options."""
        return Codec(self._message_class("Options"), self._game.Options)

    @cached_property
    def observation(self) -> Codec:
        """What a seat sees."""
        return Codec(self._message_class("Observation"), self._values.Observation)

    @cached_property
    def action(self) -> KindCodec:
        """Its actions."""
        return self._kinds("Action")

    @cached_property
    def event(self) -> KindCodec:
        """Its events."""
        return self._kinds("Event")

    @cached_property
    def _observation_tag(self) -> bytes:
        return field_tag(self._message_class("View"), "observation")

    @cached_property
    def _event_pieces(self) -> Encode:
        return self._elements("events", self.event)

    @cached_property
    def _action_pieces(self) -> Encode:
        return self._elements("legal_actions", self.action)

    def view(self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]) -> bytes:
        """An encoded view; the observation is that of the deal, not of a series."""
        seen = self.observation.encode(observation)
        return b"".join(
            (
                *map(self._event_pieces, events),
                self._observation_tag,
                varint(len(seen)),
                seen,
                *map(self._action_pieces, actions),
            )
        )

    def _message_class(self, name: str) -> type[Message]:
        found: type[Message] = getattr(self._messages, _class_name(self.field) + name)
        return found

    def _kinds(self, name: str) -> KindCodec:
        """The codec of a message with a oneof `kind`; its branches are named like their value classes."""
        message_class = self._message_class(name)
        classes = {
            field.name: value_class(self._values, field.name)
            for field in message_class.DESCRIPTOR.oneofs_by_name["kind"].fields
        }
        return KindCodec(message_class, classes)

    def _elements(self, field: str, codec: KindCodec) -> Encode:
        """What encodes a value as an element of a repeated field of the view, remembering what it encoded."""
        tag = field_tag(self._message_class("View"), field)
        return EncodeCache(lambda value: embedded(tag, codec.encode(value))).__getitem__


def _class_name(field: str) -> str:
    return field.title().replace("_", "")


class OtherWire:
    """How a game that a package adds goes over the wire: with all its values as Structs.

    It has what a `GameWire` has.
    """

    field = OTHER
    enum = ""

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        game = find_game(game_id)
        values = import_module(game.values)
        self.options = OptionsStruct(game_id, game.Options)
        self.observation = StructCodec(lambda kind: values.Observation)
        self.action = self.event = StructCodec(lambda kind: value_class(values, kind))

    def view(self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]) -> bytes:
        """See `GameWire`."""
        message = bot_pb2.OtherView(
            game=self.game_id,
            events=map(self.event.to_message, events),
            observation=self.observation.to_message(observation),
            legal_actions=map(self.action.to_message, actions),
        )
        return message.SerializeToString(deterministic=True)


def value_class(values: Any, kind: str) -> type[Any]:
    """The class of a game's values of a kind, in the module of its values. Raises BadMessage for none."""
    found = DealEnded if kind == "deal_ended" else getattr(values, _class_name(kind), None)
    if not isinstance(found, type):
        raise BadMessage(f"{values.__name__} has no values of the kind {kind!r}")
    return found


class _Wires(dict[str, GameWire | OtherWire]):
    """How each game goes over the wire; that of a package's game is made when it is first needed."""

    def __missing__(self, game: str) -> OtherWire:
        wire = self[game] = OtherWire(game)
        return wire


WIRES = _Wires({game: GameWire(game) for game in BUILT_IN})
"""How each game goes over the wire, by game id. Raises ValueError for a game that there is not."""

_BY_FIELD: Mapping[str | None, GameWire | OtherWire] = {wire.field: wire for wire in WIRES.values()}
WIRE_BY_ENUM = {bot_pb2.Game.Value(wire.enum): wire for wire in WIRES.values()}


def wire_in(message: Any) -> GameWire | OtherWire:
    """How the game goes over the wire that a message is about, in its branch `game` or its field `other`.

    Raises BadMessage where it names no game that there is.
    """
    if wire := _BY_FIELD.get(message.WhichOneof("game")):
        return wire
    if not message.HasField(OTHER):
        raise BadMessage("it names no game")
    try:
        return WIRES[message.other.game]
    except ValueError as unknown:
        raise BadMessage(str(unknown)) from None


SERIES = Codec(series_pb2.SeriesObservation, SeriesObservation, apart="current")
"""Where a table stands in a series of deals; the observation of the deal is encoded as the game's."""
