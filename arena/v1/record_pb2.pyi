from arena.v1 import bot_pb2 as _bot_pb2
from arena.v1 import forty_one_pb2 as _forty_one_pb2
from arena.v1 import hyrule_pb2 as _hyrule_pb2
from arena.v1 import kleftis_pb2 as _kleftis_pb2
from arena.v1 import nur_mut_pb2 as _nur_mut_pb2
from arena.v1 import nyuri_pb2 as _nyuri_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GameRecord(_message.Message):
    __slots__ = ("record_version", "seats", "starter", "board_key", "actions", "faults", "outcome", "seating", "other", "nyuri", "forty_one", "nur_mut", "kleftis", "hyrule")
    RECORD_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    BOARD_KEY_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    NYURI_FIELD_NUMBER: _ClassVar[int]
    FORTY_ONE_FIELD_NUMBER: _ClassVar[int]
    NUR_MUT_FIELD_NUMBER: _ClassVar[int]
    KLEFTIS_FIELD_NUMBER: _ClassVar[int]
    HYRULE_FIELD_NUMBER: _ClassVar[int]
    record_version: int
    seats: int
    starter: int
    board_key: bytes
    actions: _containers.RepeatedScalarFieldContainer[int]
    faults: _containers.RepeatedCompositeFieldContainer[RecordedFault]
    outcome: _bot_pb2.Outcome
    seating: Seating
    other: _bot_pb2.OtherOptions
    nyuri: _nyuri_pb2.NyuriOptions
    forty_one: _forty_one_pb2.FortyOneOptions
    nur_mut: _nur_mut_pb2.NurMutOptions
    kleftis: _kleftis_pb2.KleftisOptions
    hyrule: _hyrule_pb2.HyruleOptions
    def __init__(self, record_version: _Optional[int] = ..., seats: _Optional[int] = ..., starter: _Optional[int] = ..., board_key: _Optional[bytes] = ..., actions: _Optional[_Iterable[int]] = ..., faults: _Optional[_Iterable[_Union[RecordedFault, _Mapping]]] = ..., outcome: _Optional[_Union[_bot_pb2.Outcome, _Mapping]] = ..., seating: _Optional[_Union[Seating, _Mapping]] = ..., other: _Optional[_Union[_bot_pb2.OtherOptions, _Mapping]] = ..., nyuri: _Optional[_Union[_nyuri_pb2.NyuriOptions, _Mapping]] = ..., forty_one: _Optional[_Union[_forty_one_pb2.FortyOneOptions, _Mapping]] = ..., nur_mut: _Optional[_Union[_nur_mut_pb2.NurMutOptions, _Mapping]] = ..., kleftis: _Optional[_Union[_kleftis_pb2.KleftisOptions, _Mapping]] = ..., hyrule: _Optional[_Union[_hyrule_pb2.HyruleOptions, _Mapping]] = ...) -> None: ...

class RecordedFault(_message.Message):
    __slots__ = ("seat", "step", "fault")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    step: int
    fault: _bot_pb2.Fault
    def __init__(self, seat: _Optional[int] = ..., step: _Optional[int] = ..., fault: _Optional[_Union[_bot_pb2.Fault, _Mapping]] = ...) -> None: ...

class Seating(_message.Message):
    __slots__ = ("positions",)
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    positions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, positions: _Optional[_Iterable[int]] = ...) -> None: ...

class GameTimes(_message.Message):
    __slots__ = ("microseconds",)
    MICROSECONDS_FIELD_NUMBER: _ClassVar[int]
    microseconds: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, microseconds: _Optional[_Iterable[int]] = ...) -> None: ...

class GameThoughts(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[SeatThoughts]
    def __init__(self, seats: _Optional[_Iterable[_Union[SeatThoughts, _Mapping]]] = ...) -> None: ...

class SeatThoughts(_message.Message):
    __slots__ = ("turns",)
    class TurnsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: _bot_pb2.Thought
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[_bot_pb2.Thought, _Mapping]] = ...) -> None: ...
    TURNS_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.MessageMap[int, _bot_pb2.Thought]
    def __init__(self, turns: _Optional[_Mapping[int, _bot_pb2.Thought]] = ...) -> None: ...
