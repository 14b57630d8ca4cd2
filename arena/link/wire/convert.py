"""Encodes each game's values: the codecs of its messages, and the view in a turn.

A view is put together from encoded pieces: an action or event that was
sent before is not encoded again. The protobuf wire format allows repeated fields
to be written one after another.
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
    KindCodec,
    cached,
    embedded,
    field_tag,
    varint,
)
from arena.link.wire.structs import OptionsStruct, StructCodec
from arena.v1 import bot_pb2, series_pb2

CHOICES_KEPT = 1 << 12
"""How many encoded choices of a game the cache holds; all subsets of 8 groups (K15) take 1,700 bytes."""

OTHER = "other"
"""The field for the games that packages add, beside every `oneof game`."""


class GameWire:
    """The codecs of one built-in game.

    Its messages are found by its id: those of `forty-one` are in `arena.v1.forty_one_pb2` and have names
    such as `FortyOneView`.

    Args:
        game_id: the game's id.

    Attributes:
        field: the name of the game's branch in every `oneof game`, or `OTHER`.
        enum: its name in the enum Game; empty if it has none.
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.field = game_id.replace("-", "_")
        self.enum = f"GAME_{self.field.upper()}"
        self._messages = import_module(f"arena.v1.{self.field}_pb2")
        self._game = find_game(game_id)

    # The codecs are made when the game is first played.

    @cached_property
    def _values(self) -> Any:
        return import_module(self._game.values)

    @cached_property
    def options(self) -> Codec:
        """The codec of the game's options."""
        return Codec(self._message_class("Options"), self._game.Options)

    @cached_property
    def observation(self) -> Codec:
        """The codec of observations."""
        return Codec(self._message_class("Observation"), self._values.Observation)

    @cached_property
    def action(self) -> KindCodec:
        """The codec of actions."""
        return self._kinds("Action")

    @cached_property
    def event(self) -> KindCodec:
        """The codec of events."""
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
        offered = self._choice_again(actions) if type(actions) is tuple else self._choice(actions)
        return b"".join(
            (*map(self._event_pieces, events), self._observation_tag, varint(len(seen)), seen, offered)
        )

    @cached_property
    def _choice_again(self) -> Encode:
        """The encoder of legal actions in a tuple: the rules give one where the same choice comes again."""
        return cached(self._choice, CHOICES_KEPT)

    def _choice(self, actions: Sequence[Action]) -> bytes:
        return b"".join(map(self._action_pieces, actions))

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
        """An encoder, with a cache, of values as elements of a repeated field of the view."""
        tag = field_tag(self._message_class("View"), field)
        return cached(lambda value: embedded(tag, codec.encode(value)))


def _class_name(field: str) -> str:
    return field.title().replace("_", "")


class OtherWire:
    """The codecs of a game that a package adds: all its values are Structs.

    It has the same methods as `GameWire`.
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
    """The class of a kind of values, from a game's module of values. Raises BadMessage if it has none."""
    found = DealEnded if kind == "deal_ended" else getattr(values, _class_name(kind), None)
    if not isinstance(found, type):
        raise BadMessage(f"{values.__name__} has no values of the kind {kind!r}")
    return found


class _Wires(dict[str, GameWire | OtherWire]):
    """The codecs by game id; those of a package's game are made when they are first needed."""

    def __missing__(self, game: str) -> OtherWire:
        wire = self[game] = OtherWire(game)
        return wire


WIRES = _Wires({game: GameWire(game) for game in BUILT_IN})
"""The codecs of each game, by game id. Raises ValueError for an unknown game."""

_BY_FIELD: Mapping[str | None, GameWire | OtherWire] = {wire.field: wire for wire in WIRES.values()}
WIRE_BY_ENUM = {bot_pb2.Game.Value(wire.enum): wire for wire in WIRES.values()}


def wire_in(message: Any) -> GameWire | OtherWire:
    """The codecs of the game that a message is about, by its branch `game` or its field `other`.

    Raises BadMessage if it names no known game.
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
"""The codec of a table's place in a series of deals; the game's codec encodes the deal's observation."""
