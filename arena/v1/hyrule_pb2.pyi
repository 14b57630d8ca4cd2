from arena.v1 import cards_pb2 as _cards_pb2
from arena.v1 import series_pb2 as _series_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HyruleDoubleJoker(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HYRULE_DOUBLE_JOKER_UNSPECIFIED: _ClassVar[HyruleDoubleJoker]
    HYRULE_DOUBLE_JOKER_FIRST: _ClassVar[HyruleDoubleJoker]
    HYRULE_DOUBLE_JOKER_LAST: _ClassVar[HyruleDoubleJoker]

class HyruleMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HYRULE_MODE_UNSPECIFIED: _ClassVar[HyruleMode]
    HYRULE_MODE_STRATEGY: _ClassVar[HyruleMode]
    HYRULE_MODE_CHANCE: _ClassVar[HyruleMode]

class HyrulePhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HYRULE_PHASE_UNSPECIFIED: _ClassVar[HyrulePhase]
    HYRULE_PHASE_OPEN: _ClassVar[HyrulePhase]
    HYRULE_PHASE_FOLLOW: _ClassVar[HyrulePhase]
    HYRULE_PHASE_SEAL: _ClassVar[HyrulePhase]
    HYRULE_PHASE_OVER: _ClassVar[HyrulePhase]
HYRULE_DOUBLE_JOKER_UNSPECIFIED: HyruleDoubleJoker
HYRULE_DOUBLE_JOKER_FIRST: HyruleDoubleJoker
HYRULE_DOUBLE_JOKER_LAST: HyruleDoubleJoker
HYRULE_MODE_UNSPECIFIED: HyruleMode
HYRULE_MODE_STRATEGY: HyruleMode
HYRULE_MODE_CHANCE: HyruleMode
HYRULE_PHASE_UNSPECIFIED: HyrulePhase
HYRULE_PHASE_OPEN: HyrulePhase
HYRULE_PHASE_FOLLOW: HyrulePhase
HYRULE_PHASE_SEAL: HyrulePhase
HYRULE_PHASE_OVER: HyrulePhase

class HyruleView(_message.Message):
    __slots__ = ("events", "observation", "legal_actions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[HyruleEvent]
    observation: HyruleObservation
    legal_actions: _containers.RepeatedCompositeFieldContainer[HyruleAction]
    def __init__(self, events: _Optional[_Iterable[_Union[HyruleEvent, _Mapping]]] = ..., observation: _Optional[_Union[HyruleObservation, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[HyruleAction, _Mapping]]] = ...) -> None: ...

class HyruleObservation(_message.Message):
    __slots__ = ("phase", "seat", "hand", "hand_sizes", "trick", "leader", "tallest", "swapped", "captured", "played", "discards", "stock", "to_act", "must_lead", "no_swap")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    TALLEST_FIELD_NUMBER: _ClassVar[int]
    SWAPPED_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    MUST_LEAD_FIELD_NUMBER: _ClassVar[int]
    NO_SWAP_FIELD_NUMBER: _ClassVar[int]
    phase: HyrulePhase
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    trick: _containers.RepeatedCompositeFieldContainer[HyrulePlayedCard]
    leader: int
    tallest: int
    swapped: bool
    captured: _containers.RepeatedScalarFieldContainer[int]
    played: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    discards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    stock: int
    to_act: int
    must_lead: bool
    no_swap: bool
    def __init__(self, phase: _Optional[_Union[HyrulePhase, str]] = ..., seat: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., trick: _Optional[_Iterable[_Union[HyrulePlayedCard, _Mapping]]] = ..., leader: _Optional[int] = ..., tallest: _Optional[int] = ..., swapped: _Optional[bool] = ..., captured: _Optional[_Iterable[int]] = ..., played: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., discards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., stock: _Optional[int] = ..., to_act: _Optional[int] = ..., must_lead: _Optional[bool] = ..., no_swap: _Optional[bool] = ...) -> None: ...

class HyrulePlayedCard(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class HyruleAction(_message.Message):
    __slots__ = ("play", "swap")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    SWAP_FIELD_NUMBER: _ClassVar[int]
    play: HyrulePlay
    swap: HyruleSwap
    def __init__(self, play: _Optional[_Union[HyrulePlay, _Mapping]] = ..., swap: _Optional[_Union[HyruleSwap, _Mapping]] = ...) -> None: ...

class HyrulePlay(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class HyruleSwap(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class HyruleEvent(_message.Message):
    __slots__ = ("dealt", "played", "swapped", "trick_won", "deal_ended")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    SWAPPED_FIELD_NUMBER: _ClassVar[int]
    TRICK_WON_FIELD_NUMBER: _ClassVar[int]
    DEAL_ENDED_FIELD_NUMBER: _ClassVar[int]
    dealt: HyruleDealt
    played: HyrulePlayed
    swapped: HyruleSwapped
    trick_won: HyruleTrickWon
    deal_ended: _series_pb2.DealEnded
    def __init__(self, dealt: _Optional[_Union[HyruleDealt, _Mapping]] = ..., played: _Optional[_Union[HyrulePlayed, _Mapping]] = ..., swapped: _Optional[_Union[HyruleSwapped, _Mapping]] = ..., trick_won: _Optional[_Union[HyruleTrickWon, _Mapping]] = ..., deal_ended: _Optional[_Union[_series_pb2.DealEnded, _Mapping]] = ...) -> None: ...

class HyruleDealt(_message.Message):
    __slots__ = ("seat", "cards", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    count: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., count: _Optional[int] = ...) -> None: ...

class HyrulePlayed(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class HyruleSwapped(_message.Message):
    __slots__ = ("seat", "discarded", "drawn")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    discarded: _cards_pb2.Card
    drawn: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., discarded: _Optional[_Union[_cards_pb2.Card, str]] = ..., drawn: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class HyruleTrickWon(_message.Message):
    __slots__ = ("seat", "card", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    count: int
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., count: _Optional[int] = ...) -> None: ...

class HyruleOptions(_message.Message):
    __slots__ = ("mode", "double_joker", "last_winner", "runoff", "series", "no_swap_after_swap")
    MODE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_JOKER_FIELD_NUMBER: _ClassVar[int]
    LAST_WINNER_FIELD_NUMBER: _ClassVar[int]
    RUNOFF_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    NO_SWAP_AFTER_SWAP_FIELD_NUMBER: _ClassVar[int]
    mode: HyruleMode
    double_joker: HyruleDoubleJoker
    last_winner: bool
    runoff: int
    series: int
    no_swap_after_swap: bool
    def __init__(self, mode: _Optional[_Union[HyruleMode, str]] = ..., double_joker: _Optional[_Union[HyruleDoubleJoker, str]] = ..., last_winner: _Optional[bool] = ..., runoff: _Optional[int] = ..., series: _Optional[int] = ..., no_swap_after_swap: _Optional[bool] = ...) -> None: ...
