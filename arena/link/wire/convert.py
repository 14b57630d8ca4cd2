"""The values of each game and the messages of the protocol, in both directions.

Everything a game says goes through here once. What one turn carries is put
together from encoded pieces: an action or event that was sent before is not
encoded again, and repeated fields of a message may simply be written one after
another (the protobuf wire format says so). `view_message` is the same thing
built as a message, for reading and for tests to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from google.protobuf.message import Message

from arena.games import BUILT_IN, find_game
from arena.games.game import Action, Event, Observation
from arena.games.series import DealEnded, SeriesObservation
from arena.link.wire.mirror import BadMessage, KindMirror, Mirror
from arena.link.wire.structs import OptionsStruct, StructMirror
from arena.link.wire.wire_format import Encode, Remembered, embedded, encoder, field_tag, kind_encoder, varint
from arena.v1 import bot_pb2, series_pb2

OTHER = "other"
"""The field, beside every `oneof game`, of the games that packages add."""


class GameWire:
    """How one game of the protocol goes over the wire.

    Its messages are in the module of the game's name in `arena.v1`, and have its name as
    their prefix, such as `FortyOne`.

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
        proto = import_module(f"arena.v1.{self.field}_pb2")
        prefix = self.field.title().replace("_", "")
        self._message_class: Callable[[str], type[Message]] = lambda name: getattr(proto, prefix + name)
        self.view_class: type[Message] = self._message_class("View")
        self._game = find_game(game_id)

    # What follows is made for those games that are played, when the first one is.

    @cached_property
    def _values(self) -> Any:
        return import_module(self._game.values)

    @cached_property
    def options(self) -> Mirror:
        """The game's options."""
        return Mirror(self._message_class("Options"), self._game.Options)

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
            field.name: value_class(self._values, field.name)
            for field in self._message_class(kind).DESCRIPTOR.oneofs_by_name["kind"].fields
        }

    def _element(self, field: str, kind: str) -> Encode:
        """What encodes a value as an element of a repeated field of the view, remembering what it encoded."""
        tag = field_tag(self.view_class, field)
        encode = kind_encoder(self._message_class(kind), self._branches(kind))
        return Remembered(lambda value: embedded(tag, encode(value))).__getitem__


class OtherWire:
    """How a game that a package adds goes over the wire: with all its values as Structs.

    It has what a `GameWire` has.
    """

    field = OTHER
    enum = ""
    view_class = bot_pb2.OtherView

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        game = find_game(game_id)
        values = import_module(game.values)
        self.options = OptionsStruct(game_id, game.Options)
        self.observation = StructMirror(lambda kind: values.Observation)
        self.action = self.event = StructMirror(lambda kind: value_class(values, kind))

    def view(self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]) -> bytes:
        """See `GameWire`."""
        return self.view_message(events, observation, actions).SerializeToString(deterministic=True)

    def view_message(
        self, events: Iterable[Event], observation: Observation, actions: Sequence[Action]
    ) -> Message:
        """See `GameWire`."""
        return bot_pb2.OtherView(
            game=self.game_id,
            events=map(self.event.to_message, events),
            observation=self.observation.to_message(observation),
            legal_actions=map(self.action.to_message, actions),
        )


def value_class(values: Any, kind: str) -> type[Any]:
    """The class of a game's values of a kind, in the module of its values. Raises BadMessage for none."""
    found = DealEnded if kind == "deal_ended" else getattr(values, kind.title().replace("_", ""), None)
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
