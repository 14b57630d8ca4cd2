import datetime

from arena.v1 import forty_one_pb2 as _forty_one_pb2
from arena.v1 import hyrule_pb2 as _hyrule_pb2
from arena.v1 import kleftis_pb2 as _kleftis_pb2
from arena.v1 import nur_mut_pb2 as _nur_mut_pb2
from arena.v1 import nyuri_pb2 as _nyuri_pb2
from arena.v1 import series_pb2 as _series_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Game(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GAME_UNSPECIFIED: _ClassVar[Game]
    GAME_NYURI: _ClassVar[Game]
    GAME_FORTY_ONE: _ClassVar[Game]
    GAME_NUR_MUT: _ClassVar[Game]
    GAME_KLEFTIS: _ClassVar[Game]
    GAME_HYRULE: _ClassVar[Game]

class FaultReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_REASON_UNSPECIFIED: _ClassVar[FaultReason]
    FAULT_REASON_TIMEOUT: _ClassVar[FaultReason]
    FAULT_REASON_ILLEGAL_ACTION: _ClassVar[FaultReason]
    FAULT_REASON_UNKNOWN_TURN: _ClassVar[FaultReason]
    FAULT_REASON_CRASH: _ClassVar[FaultReason]
    FAULT_REASON_DISCONNECT: _ClassVar[FaultReason]
    FAULT_REASON_PROTOCOL: _ClassVar[FaultReason]
GAME_UNSPECIFIED: Game
GAME_NYURI: Game
GAME_FORTY_ONE: Game
GAME_NUR_MUT: Game
GAME_KLEFTIS: Game
GAME_HYRULE: Game
FAULT_REASON_UNSPECIFIED: FaultReason
FAULT_REASON_TIMEOUT: FaultReason
FAULT_REASON_ILLEGAL_ACTION: FaultReason
FAULT_REASON_UNKNOWN_TURN: FaultReason
FAULT_REASON_CRASH: FaultReason
FAULT_REASON_DISCONNECT: FaultReason
FAULT_REASON_PROTOCOL: FaultReason

class DescribeRequest(_message.Message):
    __slots__ = ("protocol_version", "commitment", "pledges")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    PLEDGES_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    commitment: bytes
    pledges: bytes
    def __init__(self, protocol_version: _Optional[int] = ..., commitment: _Optional[bytes] = ..., pledges: _Optional[bytes] = ...) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("protocol_version", "name", "version", "author", "games", "max_tables", "pledge", "contribution", "other_games", "language")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    PLEDGE_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTION_FIELD_NUMBER: _ClassVar[int]
    OTHER_GAMES_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    name: str
    version: str
    author: str
    games: _containers.RepeatedScalarFieldContainer[Game]
    max_tables: int
    pledge: bytes
    contribution: bytes
    other_games: _containers.RepeatedScalarFieldContainer[str]
    language: str
    def __init__(self, protocol_version: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[str] = ..., author: _Optional[str] = ..., games: _Optional[_Iterable[_Union[Game, str]]] = ..., max_tables: _Optional[int] = ..., pledge: _Optional[bytes] = ..., contribution: _Optional[bytes] = ..., other_games: _Optional[_Iterable[str]] = ..., language: _Optional[str] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("starts", "turns", "ends")
    STARTS_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    starts: _containers.RepeatedCompositeFieldContainer[TableStart]
    turns: _containers.RepeatedCompositeFieldContainer[Turn]
    ends: _containers.RepeatedCompositeFieldContainer[TableEnd]
    def __init__(self, starts: _Optional[_Iterable[_Union[TableStart, _Mapping]]] = ..., turns: _Optional[_Iterable[_Union[Turn, _Mapping]]] = ..., ends: _Optional[_Iterable[_Union[TableEnd, _Mapping]]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("decisions",)
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    def __init__(self, decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ...) -> None: ...

class TableStart(_message.Message):
    __slots__ = ("table", "seats", "seat", "starter", "time_control", "seed", "names", "other", "nyuri", "forty_one", "nur_mut", "kleftis", "hyrule")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    NYURI_FIELD_NUMBER: _ClassVar[int]
    FORTY_ONE_FIELD_NUMBER: _ClassVar[int]
    NUR_MUT_FIELD_NUMBER: _ClassVar[int]
    KLEFTIS_FIELD_NUMBER: _ClassVar[int]
    HYRULE_FIELD_NUMBER: _ClassVar[int]
    table: int
    seats: int
    seat: int
    starter: int
    time_control: TimeControl
    seed: bytes
    names: _containers.RepeatedScalarFieldContainer[str]
    other: OtherOptions
    nyuri: _nyuri_pb2.NyuriOptions
    forty_one: _forty_one_pb2.FortyOneOptions
    nur_mut: _nur_mut_pb2.NurMutOptions
    kleftis: _kleftis_pb2.KleftisOptions
    hyrule: _hyrule_pb2.HyruleOptions
    def __init__(self, table: _Optional[int] = ..., seats: _Optional[int] = ..., seat: _Optional[int] = ..., starter: _Optional[int] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ..., seed: _Optional[bytes] = ..., names: _Optional[_Iterable[str]] = ..., other: _Optional[_Union[OtherOptions, _Mapping]] = ..., nyuri: _Optional[_Union[_nyuri_pb2.NyuriOptions, _Mapping]] = ..., forty_one: _Optional[_Union[_forty_one_pb2.FortyOneOptions, _Mapping]] = ..., nur_mut: _Optional[_Union[_nur_mut_pb2.NurMutOptions, _Mapping]] = ..., kleftis: _Optional[_Union[_kleftis_pb2.KleftisOptions, _Mapping]] = ..., hyrule: _Optional[_Union[_hyrule_pb2.HyruleOptions, _Mapping]] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("bank", "increment", "move")
    BANK_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    bank: _duration_pb2.Duration
    increment: _duration_pb2.Duration
    move: _duration_pb2.Duration
    def __init__(self, bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., increment: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., move: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("table", "turn", "time_left", "series", "other", "nyuri", "forty_one", "nur_mut", "kleftis", "hyrule")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TIME_LEFT_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    NYURI_FIELD_NUMBER: _ClassVar[int]
    FORTY_ONE_FIELD_NUMBER: _ClassVar[int]
    NUR_MUT_FIELD_NUMBER: _ClassVar[int]
    KLEFTIS_FIELD_NUMBER: _ClassVar[int]
    HYRULE_FIELD_NUMBER: _ClassVar[int]
    table: int
    turn: int
    time_left: _duration_pb2.Duration
    series: _series_pb2.SeriesObservation
    other: OtherView
    nyuri: _nyuri_pb2.NyuriView
    forty_one: _forty_one_pb2.FortyOneView
    nur_mut: _nur_mut_pb2.NurMutView
    kleftis: _kleftis_pb2.KleftisView
    hyrule: _hyrule_pb2.HyruleView
    def __init__(self, table: _Optional[int] = ..., turn: _Optional[int] = ..., time_left: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., series: _Optional[_Union[_series_pb2.SeriesObservation, _Mapping]] = ..., other: _Optional[_Union[OtherView, _Mapping]] = ..., nyuri: _Optional[_Union[_nyuri_pb2.NyuriView, _Mapping]] = ..., forty_one: _Optional[_Union[_forty_one_pb2.FortyOneView, _Mapping]] = ..., nur_mut: _Optional[_Union[_nur_mut_pb2.NurMutView, _Mapping]] = ..., kleftis: _Optional[_Union[_kleftis_pb2.KleftisView, _Mapping]] = ..., hyrule: _Optional[_Union[_hyrule_pb2.HyruleView, _Mapping]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("table", "turn", "action", "thought")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    THOUGHT_FIELD_NUMBER: _ClassVar[int]
    table: int
    turn: int
    action: int
    thought: Thought
    def __init__(self, table: _Optional[int] = ..., turn: _Optional[int] = ..., action: _Optional[int] = ..., thought: _Optional[_Union[Thought, _Mapping]] = ...) -> None: ...

class Thought(_message.Message):
    __slots__ = ("estimate", "values", "text")
    class ValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: float
        def __init__(self, key: _Optional[int] = ..., value: _Optional[float] = ...) -> None: ...
    ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    estimate: float
    values: _containers.ScalarMap[int, float]
    text: str
    def __init__(self, estimate: _Optional[float] = ..., values: _Optional[_Mapping[int, float]] = ..., text: _Optional[str] = ...) -> None: ...

class TableEnd(_message.Message):
    __slots__ = ("table", "outcome", "faults", "other", "nyuri", "forty_one", "nur_mut", "kleftis", "hyrule")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    NYURI_FIELD_NUMBER: _ClassVar[int]
    FORTY_ONE_FIELD_NUMBER: _ClassVar[int]
    NUR_MUT_FIELD_NUMBER: _ClassVar[int]
    KLEFTIS_FIELD_NUMBER: _ClassVar[int]
    HYRULE_FIELD_NUMBER: _ClassVar[int]
    table: int
    outcome: Outcome
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    other: OtherView
    nyuri: _nyuri_pb2.NyuriView
    forty_one: _forty_one_pb2.FortyOneView
    nur_mut: _nur_mut_pb2.NurMutView
    kleftis: _kleftis_pb2.KleftisView
    hyrule: _hyrule_pb2.HyruleView
    def __init__(self, table: _Optional[int] = ..., outcome: _Optional[_Union[Outcome, _Mapping]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., other: _Optional[_Union[OtherView, _Mapping]] = ..., nyuri: _Optional[_Union[_nyuri_pb2.NyuriView, _Mapping]] = ..., forty_one: _Optional[_Union[_forty_one_pb2.FortyOneView, _Mapping]] = ..., nur_mut: _Optional[_Union[_nur_mut_pb2.NurMutView, _Mapping]] = ..., kleftis: _Optional[_Union[_kleftis_pb2.KleftisView, _Mapping]] = ..., hyrule: _Optional[_Union[_hyrule_pb2.HyruleView, _Mapping]] = ...) -> None: ...

class OtherOptions(_message.Message):
    __slots__ = ("game", "options")
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    game: str
    options: _struct_pb2.Struct
    def __init__(self, game: _Optional[str] = ..., options: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class OtherView(_message.Message):
    __slots__ = ("game", "events", "observation", "legal_actions")
    GAME_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    game: str
    events: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    observation: _struct_pb2.Struct
    legal_actions: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    def __init__(self, game: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., observation: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("places", "points", "reason", "forfeits")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    forfeits: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ..., forfeits: _Optional[_Iterable[int]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("reason", "message", "turn")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    reason: FaultReason
    message: str
    turn: int
    def __init__(self, reason: _Optional[_Union[FaultReason, str]] = ..., message: _Optional[str] = ..., turn: _Optional[int] = ...) -> None: ...
