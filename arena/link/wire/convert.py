"""How each game goes over the wire: the codecs of its values, and what a turn carries.

What one turn carries is put together from encoded pieces: an action or event that was
sent before is not encoded again, and repeated fields of a message may simply be written
one after another (the protobuf wire format says so).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import import_module

from google.protobuf.message import Message

from arena.games import GAMES
from arena.games.game import Action, Event, Observation
from arena.games.series import DealEnded, SeriesObservation
from arena.link.wire.codec import Codec, Encode, EncodeCache, KindCodec, embedded, field_tag, varint
from arena.v1 import bot_pb2, series_pb2


class GameWire:
    """How one game goes over the wire.

    Its values and messages are found by its id: those of `forty-one` are in `arena.games.forty_one_values`
    and `arena.v1.forty_one_pb2`, where messages have names such as `FortyOneView`.

    Args:
        game_id: the game's id.

    Attributes:
        field: the name of the game's branch in every `oneof game`.
        enum: its number in the enum Game.
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.field = game_id.replace("-", "_")
        self.enum = bot_pb2.Game.Value(f"GAME_{self.field.upper()}")
        self._values = import_module(f"arena.games.{self.field}_values")
        self._messages = import_module(f"arena.v1.{self.field}_pb2")

    # What follows is made for those games that are played, when the first one is.

    @cached_property
    def options(self) -> Codec:
        """The game's options."""
        return Codec(self._message_class("Options"), GAMES[self.game_id].Options)

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
            field.name: DealEnded
            if field.name == "deal_ended"
            else getattr(self._values, _class_name(field.name))
            for field in message_class.DESCRIPTOR.oneofs_by_name["kind"].fields
        }
        return KindCodec(message_class, classes)

    def _elements(self, field: str, codec: KindCodec) -> Encode:
        """What encodes a value as an element of a repeated field of the view, remembering what it encoded."""
        tag = field_tag(self._message_class("View"), field)
        return EncodeCache(lambda value: embedded(tag, codec.encode(value))).__getitem__


def _class_name(field: str) -> str:
    return field.title().replace("_", "")


WIRES = {game: GameWire(game) for game in GAMES}
"""How each game goes over the wire, by game id."""

WIRE_BY_FIELD = {wire.field: wire for wire in WIRES.values()}
WIRE_BY_ENUM = {wire.enum: wire for wire in WIRES.values()}

SERIES = Codec(series_pb2.SeriesObservation, SeriesObservation, apart="current")
"""Where a table stands in a series of deals; the observation of the deal is encoded as the game's."""
