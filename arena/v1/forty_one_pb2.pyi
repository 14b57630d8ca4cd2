from arena.v1 import cards_pb2 as _cards_pb2
from arena.v1 import series_pb2 as _series_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FortyOnePhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORTY_ONE_PHASE_UNSPECIFIED: _ClassVar[FortyOnePhase]
    FORTY_ONE_PHASE_DRAW: _ClassVar[FortyOnePhase]
    FORTY_ONE_PHASE_DISCARD: _ClassVar[FortyOnePhase]
    FORTY_ONE_PHASE_OVER: _ClassVar[FortyOnePhase]
FORTY_ONE_PHASE_UNSPECIFIED: FortyOnePhase
FORTY_ONE_PHASE_DRAW: FortyOnePhase
FORTY_ONE_PHASE_DISCARD: FortyOnePhase
FORTY_ONE_PHASE_OVER: FortyOnePhase

class FortyOneView(_message.Message):
    __slots__ = ("events", "observation", "legal_actions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[FortyOneEvent]
    observation: FortyOneObservation
    legal_actions: _containers.RepeatedCompositeFieldContainer[FortyOneAction]
    def __init__(self, events: _Optional[_Iterable[_Union[FortyOneEvent, _Mapping]]] = ..., observation: _Optional[_Union[FortyOneObservation, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[FortyOneAction, _Mapping]]] = ...) -> None: ...

class FortyOneObservation(_message.Message):
    __slots__ = ("phase", "seat", "hand", "drawn", "hand_sizes", "discards", "taken", "stock", "starter", "stalled")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    STALLED_FIELD_NUMBER: _ClassVar[int]
    phase: FortyOnePhase
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    drawn: _cards_pb2.Card
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    discards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    taken: _containers.RepeatedScalarFieldContainer[bool]
    stock: int
    starter: int
    stalled: int
    def __init__(self, phase: _Optional[_Union[FortyOnePhase, str]] = ..., seat: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., drawn: _Optional[_Union[_cards_pb2.Card, str]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., discards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., taken: _Optional[_Iterable[bool]] = ..., stock: _Optional[int] = ..., starter: _Optional[int] = ..., stalled: _Optional[int] = ...) -> None: ...

class FortyOneAction(_message.Message):
    __slots__ = ("draw_stock", "take_discard", "end_play", "discard")
    DRAW_STOCK_FIELD_NUMBER: _ClassVar[int]
    TAKE_DISCARD_FIELD_NUMBER: _ClassVar[int]
    END_PLAY_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    draw_stock: FortyOneDrawStock
    take_discard: FortyOneTakeDiscard
    end_play: FortyOneEndPlay
    discard: FortyOneDiscard
    def __init__(self, draw_stock: _Optional[_Union[FortyOneDrawStock, _Mapping]] = ..., take_discard: _Optional[_Union[FortyOneTakeDiscard, _Mapping]] = ..., end_play: _Optional[_Union[FortyOneEndPlay, _Mapping]] = ..., discard: _Optional[_Union[FortyOneDiscard, _Mapping]] = ...) -> None: ...

class FortyOneDrawStock(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FortyOneTakeDiscard(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FortyOneEndPlay(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FortyOneDiscard(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class FortyOneEvent(_message.Message):
    __slots__ = ("dealt", "drew_stock", "took_discard", "discarded", "play_ended", "shown", "deal_ended")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    DREW_STOCK_FIELD_NUMBER: _ClassVar[int]
    TOOK_DISCARD_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    PLAY_ENDED_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    DEAL_ENDED_FIELD_NUMBER: _ClassVar[int]
    dealt: FortyOneDealt
    drew_stock: FortyOneDrewStock
    took_discard: FortyOneTookDiscard
    discarded: FortyOneDiscarded
    play_ended: FortyOnePlayEnded
    shown: FortyOneShown
    deal_ended: _series_pb2.DealEnded
    def __init__(self, dealt: _Optional[_Union[FortyOneDealt, _Mapping]] = ..., drew_stock: _Optional[_Union[FortyOneDrewStock, _Mapping]] = ..., took_discard: _Optional[_Union[FortyOneTookDiscard, _Mapping]] = ..., discarded: _Optional[_Union[FortyOneDiscarded, _Mapping]] = ..., play_ended: _Optional[_Union[FortyOnePlayEnded, _Mapping]] = ..., shown: _Optional[_Union[FortyOneShown, _Mapping]] = ..., deal_ended: _Optional[_Union[_series_pb2.DealEnded, _Mapping]] = ...) -> None: ...

class FortyOneDealt(_message.Message):
    __slots__ = ("seat", "cards", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    count: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., count: _Optional[int] = ...) -> None: ...

class FortyOneDrewStock(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class FortyOneTookDiscard(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class FortyOneDiscarded(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class FortyOnePlayEnded(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class FortyOneShown(_message.Message):
    __slots__ = ("seat", "cards", "score")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    score: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., score: _Optional[int] = ...) -> None: ...

class FortyOneOptions(_message.Message):
    __slots__ = ("players", "min_stop_score", "stall", "fixed_rotation", "cumulative", "series")
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    MIN_STOP_SCORE_FIELD_NUMBER: _ClassVar[int]
    STALL_FIELD_NUMBER: _ClassVar[int]
    FIXED_ROTATION_FIELD_NUMBER: _ClassVar[int]
    CUMULATIVE_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    players: int
    min_stop_score: int
    stall: int
    fixed_rotation: bool
    cumulative: bool
    series: int
    def __init__(self, players: _Optional[int] = ..., min_stop_score: _Optional[int] = ..., stall: _Optional[int] = ..., fixed_rotation: _Optional[bool] = ..., cumulative: _Optional[bool] = ..., series: _Optional[int] = ...) -> None: ...
