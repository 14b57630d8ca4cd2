from arena.v1 import cards_pb2 as _cards_pb2
from arena.v1 import series_pb2 as _series_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NyuriContest(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NYURI_CONTEST_UNSPECIFIED: _ClassVar[NyuriContest]
    NYURI_CONTEST_OPEN: _ClassVar[NyuriContest]
    NYURI_CONTEST_INSTANT: _ClassVar[NyuriContest]

class NyuriPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NYURI_PHASE_UNSPECIFIED: _ClassVar[NyuriPhase]
    NYURI_PHASE_PLACE: _ClassVar[NyuriPhase]
    NYURI_PHASE_STEAL: _ClassVar[NyuriPhase]
    NYURI_PHASE_OVER: _ClassVar[NyuriPhase]
NYURI_CONTEST_UNSPECIFIED: NyuriContest
NYURI_CONTEST_OPEN: NyuriContest
NYURI_CONTEST_INSTANT: NyuriContest
NYURI_PHASE_UNSPECIFIED: NyuriPhase
NYURI_PHASE_PLACE: NyuriPhase
NYURI_PHASE_STEAL: NyuriPhase
NYURI_PHASE_OVER: NyuriPhase

class NyuriView(_message.Message):
    __slots__ = ("events", "observation", "legal_actions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[NyuriEvent]
    observation: NyuriObservation
    legal_actions: _containers.RepeatedCompositeFieldContainer[NyuriAction]
    def __init__(self, events: _Optional[_Iterable[_Union[NyuriEvent, _Mapping]]] = ..., observation: _Optional[_Union[NyuriObservation, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[NyuriAction, _Mapping]]] = ...) -> None: ...

class NyuriObservation(_message.Message):
    __slots__ = ("phase", "seat", "hand", "hand_sizes", "piles", "stock", "placer", "claims", "stalled", "spent", "to_act")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    PILES_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    PLACER_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    STALLED_FIELD_NUMBER: _ClassVar[int]
    SPENT_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    phase: NyuriPhase
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    piles: _containers.RepeatedCompositeFieldContainer[NyuriPile]
    stock: int
    placer: int
    claims: _containers.RepeatedCompositeFieldContainer[NyuriClaim]
    stalled: int
    spent: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    to_act: int
    def __init__(self, phase: _Optional[_Union[NyuriPhase, str]] = ..., seat: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., piles: _Optional[_Iterable[_Union[NyuriPile, _Mapping]]] = ..., stock: _Optional[int] = ..., placer: _Optional[int] = ..., claims: _Optional[_Iterable[_Union[NyuriClaim, _Mapping]]] = ..., stalled: _Optional[int] = ..., spent: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., to_act: _Optional[int] = ...) -> None: ...

class NyuriPile(_message.Message):
    __slots__ = ("base", "guard")
    BASE_FIELD_NUMBER: _ClassVar[int]
    GUARD_FIELD_NUMBER: _ClassVar[int]
    base: _cards_pb2.Card
    guard: _cards_pb2.Card
    def __init__(self, base: _Optional[_Union[_cards_pb2.Card, str]] = ..., guard: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class NyuriClaim(_message.Message):
    __slots__ = ("seat", "owner", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class NyuriAction(_message.Message):
    __slots__ = ("leave", "place", "draw", "steal")
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    STEAL_FIELD_NUMBER: _ClassVar[int]
    leave: NyuriLeave
    place: NyuriPlace
    draw: NyuriDraw
    steal: NyuriSteal
    def __init__(self, leave: _Optional[_Union[NyuriLeave, _Mapping]] = ..., place: _Optional[_Union[NyuriPlace, _Mapping]] = ..., draw: _Optional[_Union[NyuriDraw, _Mapping]] = ..., steal: _Optional[_Union[NyuriSteal, _Mapping]] = ...) -> None: ...

class NyuriLeave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NyuriPlace(_message.Message):
    __slots__ = ("base", "guard")
    BASE_FIELD_NUMBER: _ClassVar[int]
    GUARD_FIELD_NUMBER: _ClassVar[int]
    base: _cards_pb2.Card
    guard: _cards_pb2.Card
    def __init__(self, base: _Optional[_Union[_cards_pb2.Card, str]] = ..., guard: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class NyuriDraw(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NyuriSteal(_message.Message):
    __slots__ = ("owner", "cards")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    owner: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, owner: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class NyuriEvent(_message.Message):
    __slots__ = ("dealt", "placed", "left", "skipped", "drew", "claimed", "overbid", "stole", "penalty", "counted", "deal_ended")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    PLACED_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    DREW_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_FIELD_NUMBER: _ClassVar[int]
    OVERBID_FIELD_NUMBER: _ClassVar[int]
    STOLE_FIELD_NUMBER: _ClassVar[int]
    PENALTY_FIELD_NUMBER: _ClassVar[int]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    DEAL_ENDED_FIELD_NUMBER: _ClassVar[int]
    dealt: NyuriDealt
    placed: NyuriPlaced
    left: NyuriLeft
    skipped: NyuriSkipped
    drew: NyuriDrew
    claimed: NyuriClaimed
    overbid: NyuriOverbid
    stole: NyuriStole
    penalty: NyuriPenalty
    counted: NyuriCounted
    deal_ended: _series_pb2.DealEnded
    def __init__(self, dealt: _Optional[_Union[NyuriDealt, _Mapping]] = ..., placed: _Optional[_Union[NyuriPlaced, _Mapping]] = ..., left: _Optional[_Union[NyuriLeft, _Mapping]] = ..., skipped: _Optional[_Union[NyuriSkipped, _Mapping]] = ..., drew: _Optional[_Union[NyuriDrew, _Mapping]] = ..., claimed: _Optional[_Union[NyuriClaimed, _Mapping]] = ..., overbid: _Optional[_Union[NyuriOverbid, _Mapping]] = ..., stole: _Optional[_Union[NyuriStole, _Mapping]] = ..., penalty: _Optional[_Union[NyuriPenalty, _Mapping]] = ..., counted: _Optional[_Union[NyuriCounted, _Mapping]] = ..., deal_ended: _Optional[_Union[_series_pb2.DealEnded, _Mapping]] = ...) -> None: ...

class NyuriDealt(_message.Message):
    __slots__ = ("seat", "cards", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    count: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., count: _Optional[int] = ...) -> None: ...

class NyuriPlaced(_message.Message):
    __slots__ = ("seat", "base", "guard", "taken_back")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    GUARD_FIELD_NUMBER: _ClassVar[int]
    TAKEN_BACK_FIELD_NUMBER: _ClassVar[int]
    seat: int
    base: _cards_pb2.Card
    guard: _cards_pb2.Card
    taken_back: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., base: _Optional[_Union[_cards_pb2.Card, str]] = ..., guard: _Optional[_Union[_cards_pb2.Card, str]] = ..., taken_back: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class NyuriLeft(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class NyuriSkipped(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class NyuriDrew(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class NyuriClaimed(_message.Message):
    __slots__ = ("seat", "owner", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class NyuriOverbid(_message.Message):
    __slots__ = ("seat", "owner")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ...) -> None: ...

class NyuriStole(_message.Message):
    __slots__ = ("seat", "owner", "pile", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    pile: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., pile: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class NyuriPenalty(_message.Message):
    __slots__ = ("seat", "owner", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class NyuriCounted(_message.Message):
    __slots__ = ("counts",)
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, counts: _Optional[_Iterable[int]] = ...) -> None: ...

class NyuriOptions(_message.Message):
    __slots__ = ("players", "spend_cards", "contest", "placer_draws", "reuse_base", "stall", "replay", "series")
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    SPEND_CARDS_FIELD_NUMBER: _ClassVar[int]
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    PLACER_DRAWS_FIELD_NUMBER: _ClassVar[int]
    REUSE_BASE_FIELD_NUMBER: _ClassVar[int]
    STALL_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    players: int
    spend_cards: bool
    contest: NyuriContest
    placer_draws: bool
    reuse_base: bool
    stall: int
    replay: int
    series: int
    def __init__(self, players: _Optional[int] = ..., spend_cards: _Optional[bool] = ..., contest: _Optional[_Union[NyuriContest, str]] = ..., placer_draws: _Optional[bool] = ..., reuse_base: _Optional[bool] = ..., stall: _Optional[int] = ..., replay: _Optional[int] = ..., series: _Optional[int] = ...) -> None: ...
