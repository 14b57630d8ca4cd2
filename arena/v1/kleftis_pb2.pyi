from arena.v1 import cards_pb2 as _cards_pb2
from arena.v1 import series_pb2 as _series_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KleftisPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KLEFTIS_PHASE_UNSPECIFIED: _ClassVar[KleftisPhase]
    KLEFTIS_PHASE_MAIN: _ClassVar[KleftisPhase]
    KLEFTIS_PHASE_SECURE: _ClassVar[KleftisPhase]
    KLEFTIS_PHASE_OVER: _ClassVar[KleftisPhase]

class KleftisTiebreak(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KLEFTIS_TIEBREAK_UNSPECIFIED: _ClassVar[KleftisTiebreak]
    KLEFTIS_TIEBREAK_NONE: _ClassVar[KleftisTiebreak]
    KLEFTIS_TIEBREAK_SECURED: _ClassVar[KleftisTiebreak]
KLEFTIS_PHASE_UNSPECIFIED: KleftisPhase
KLEFTIS_PHASE_MAIN: KleftisPhase
KLEFTIS_PHASE_SECURE: KleftisPhase
KLEFTIS_PHASE_OVER: KleftisPhase
KLEFTIS_TIEBREAK_UNSPECIFIED: KleftisTiebreak
KLEFTIS_TIEBREAK_NONE: KleftisTiebreak
KLEFTIS_TIEBREAK_SECURED: KleftisTiebreak

class KleftisView(_message.Message):
    __slots__ = ("events", "observation", "legal_actions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[KleftisEvent]
    observation: KleftisObservation
    legal_actions: _containers.RepeatedCompositeFieldContainer[KleftisAction]
    def __init__(self, events: _Optional[_Iterable[_Union[KleftisEvent, _Mapping]]] = ..., observation: _Optional[_Union[KleftisObservation, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[KleftisAction, _Mapping]]] = ...) -> None: ...

class KleftisObservation(_message.Message):
    __slots__ = ("phase", "seat", "to_act", "hand", "hand_sizes", "dashboards", "stock")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    DASHBOARDS_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    phase: KleftisPhase
    seat: int
    to_act: int
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    dashboards: _containers.RepeatedCompositeFieldContainer[KleftisDashboard]
    stock: int
    def __init__(self, phase: _Optional[_Union[KleftisPhase, str]] = ..., seat: _Optional[int] = ..., to_act: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., dashboards: _Optional[_Iterable[_Union[KleftisDashboard, _Mapping]]] = ..., stock: _Optional[int] = ...) -> None: ...

class KleftisDashboard(_message.Message):
    __slots__ = ("groups", "secured")
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    SECURED_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[KleftisGroup]
    secured: int
    def __init__(self, groups: _Optional[_Iterable[_Union[KleftisGroup, _Mapping]]] = ..., secured: _Optional[int] = ...) -> None: ...

class KleftisGroup(_message.Message):
    __slots__ = ("group", "cards", "touched")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    TOUCHED_FIELD_NUMBER: _ClassVar[int]
    group: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    touched: bool
    def __init__(self, group: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., touched: _Optional[bool] = ...) -> None: ...

class KleftisAction(_message.Message):
    __slots__ = ("play", "build", "steal", "secure")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    BUILD_FIELD_NUMBER: _ClassVar[int]
    STEAL_FIELD_NUMBER: _ClassVar[int]
    SECURE_FIELD_NUMBER: _ClassVar[int]
    play: KleftisPlay
    build: KleftisBuild
    steal: KleftisSteal
    secure: KleftisSecure
    def __init__(self, play: _Optional[_Union[KleftisPlay, _Mapping]] = ..., build: _Optional[_Union[KleftisBuild, _Mapping]] = ..., steal: _Optional[_Union[KleftisSteal, _Mapping]] = ..., secure: _Optional[_Union[KleftisSecure, _Mapping]] = ...) -> None: ...

class KleftisPlay(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class KleftisBuild(_message.Message):
    __slots__ = ("card", "group")
    CARD_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    group: int
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ..., group: _Optional[int] = ...) -> None: ...

class KleftisSteal(_message.Message):
    __slots__ = ("card", "owner", "group")
    CARD_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    card: _cards_pb2.Card
    owner: int
    group: int
    def __init__(self, card: _Optional[_Union[_cards_pb2.Card, str]] = ..., owner: _Optional[int] = ..., group: _Optional[int] = ...) -> None: ...

class KleftisSecure(_message.Message):
    __slots__ = ("groups",)
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, groups: _Optional[_Iterable[int]] = ...) -> None: ...

class KleftisEvent(_message.Message):
    __slots__ = ("dealt", "drew", "played", "built", "stole", "secured", "counted", "deal_ended")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    DREW_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    BUILT_FIELD_NUMBER: _ClassVar[int]
    STOLE_FIELD_NUMBER: _ClassVar[int]
    SECURED_FIELD_NUMBER: _ClassVar[int]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    DEAL_ENDED_FIELD_NUMBER: _ClassVar[int]
    dealt: KleftisDealt
    drew: KleftisDrew
    played: KleftisPlayed
    built: KleftisBuilt
    stole: KleftisStole
    secured: KleftisSecured
    counted: KleftisCounted
    deal_ended: _series_pb2.DealEnded
    def __init__(self, dealt: _Optional[_Union[KleftisDealt, _Mapping]] = ..., drew: _Optional[_Union[KleftisDrew, _Mapping]] = ..., played: _Optional[_Union[KleftisPlayed, _Mapping]] = ..., built: _Optional[_Union[KleftisBuilt, _Mapping]] = ..., stole: _Optional[_Union[KleftisStole, _Mapping]] = ..., secured: _Optional[_Union[KleftisSecured, _Mapping]] = ..., counted: _Optional[_Union[KleftisCounted, _Mapping]] = ..., deal_ended: _Optional[_Union[_series_pb2.DealEnded, _Mapping]] = ...) -> None: ...

class KleftisDealt(_message.Message):
    __slots__ = ("seat", "cards", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    count: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., count: _Optional[int] = ...) -> None: ...

class KleftisDrew(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class KleftisPlayed(_message.Message):
    __slots__ = ("seat", "card", "group")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    group: int
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., group: _Optional[int] = ...) -> None: ...

class KleftisBuilt(_message.Message):
    __slots__ = ("seat", "card", "group", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    group: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., group: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class KleftisStole(_message.Message):
    __slots__ = ("seat", "card", "owner", "group", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: _cards_pb2.Card
    owner: int
    group: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., owner: _Optional[int] = ..., group: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class KleftisSecured(_message.Message):
    __slots__ = ("seat", "group", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    group: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., group: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class KleftisCounted(_message.Message):
    __slots__ = ("seat", "secured", "unsecured")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SECURED_FIELD_NUMBER: _ClassVar[int]
    UNSECURED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    secured: int
    unsecured: int
    def __init__(self, seat: _Optional[int] = ..., secured: _Optional[int] = ..., unsecured: _Optional[int] = ...) -> None: ...

class KleftisOptions(_message.Message):
    __slots__ = ("secure_single", "auto_secure", "final_secure", "tiebreak", "series")
    SECURE_SINGLE_FIELD_NUMBER: _ClassVar[int]
    AUTO_SECURE_FIELD_NUMBER: _ClassVar[int]
    FINAL_SECURE_FIELD_NUMBER: _ClassVar[int]
    TIEBREAK_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    secure_single: bool
    auto_secure: bool
    final_secure: bool
    tiebreak: KleftisTiebreak
    series: int
    def __init__(self, secure_single: _Optional[bool] = ..., auto_secure: _Optional[bool] = ..., final_secure: _Optional[bool] = ..., tiebreak: _Optional[_Union[KleftisTiebreak, str]] = ..., series: _Optional[int] = ...) -> None: ...
