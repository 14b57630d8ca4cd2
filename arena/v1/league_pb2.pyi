from arena.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeagueLine(_message.Message):
    __slots__ = ("head", "tournament", "game", "end", "decision", "faces")
    HEAD_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    FACES_FIELD_NUMBER: _ClassVar[int]
    head: LeagueHead
    tournament: TournamentBegun
    game: GameRecorded
    end: TournamentEnded
    decision: DecisionMade
    faces: FacesKept
    def __init__(self, head: _Optional[_Union[LeagueHead, _Mapping]] = ..., tournament: _Optional[_Union[TournamentBegun, _Mapping]] = ..., game: _Optional[_Union[GameRecorded, _Mapping]] = ..., end: _Optional[_Union[TournamentEnded, _Mapping]] = ..., decision: _Optional[_Union[DecisionMade, _Mapping]] = ..., faces: _Optional[_Union[FacesKept, _Mapping]] = ...) -> None: ...

class LeagueHead(_message.Message):
    __slots__ = ("export_version", "written_by")
    EXPORT_VERSION_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_BY_FIELD_NUMBER: _ClassVar[int]
    export_version: int
    written_by: str
    def __init__(self, export_version: _Optional[int] = ..., written_by: _Optional[str] = ...) -> None: ...

class TournamentBegun(_message.Message):
    __slots__ = ("id", "name", "file_path", "file_text", "key_commitment", "key", "started", "entrants", "plan")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_PATH_FIELD_NUMBER: _ClassVar[int]
    FILE_TEXT_FIELD_NUMBER: _ClassVar[int]
    KEY_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    file_path: str
    file_text: str
    key_commitment: str
    key: bytes
    started: str
    entrants: _containers.RepeatedCompositeFieldContainer[LeagueEntrant]
    plan: str
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., file_path: _Optional[str] = ..., file_text: _Optional[str] = ..., key_commitment: _Optional[str] = ..., key: _Optional[bytes] = ..., started: _Optional[str] = ..., entrants: _Optional[_Iterable[_Union[LeagueEntrant, _Mapping]]] = ..., plan: _Optional[str] = ...) -> None: ...

class LeagueEntrant(_message.Message):
    __slots__ = ("name", "bot", "version", "author")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    name: str
    bot: str
    version: str
    author: str
    def __init__(self, name: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., author: _Optional[str] = ...) -> None: ...

class GameRecorded(_message.Message):
    __slots__ = ("tournament", "stage", "round", "match", "board", "rotation", "game", "seats", "record", "times", "recorded")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    RECORDED_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    stage: int
    round: int
    match: int
    board: int
    rotation: int
    game: str
    seats: _containers.RepeatedCompositeFieldContainer[LeagueSeat]
    record: _record_pb2.GameRecord
    times: _record_pb2.GameTimes
    recorded: str
    def __init__(self, tournament: _Optional[int] = ..., stage: _Optional[int] = ..., round: _Optional[int] = ..., match: _Optional[int] = ..., board: _Optional[int] = ..., rotation: _Optional[int] = ..., game: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[LeagueSeat, _Mapping]]] = ..., record: _Optional[_Union[_record_pb2.GameRecord, _Mapping]] = ..., times: _Optional[_Union[_record_pb2.GameTimes, _Mapping]] = ..., recorded: _Optional[str] = ...) -> None: ...

class LeagueSeat(_message.Message):
    __slots__ = ("entrant", "place", "points", "forfeit", "faults", "decisions", "microseconds")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    MICROSECONDS_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    place: int
    points: int
    forfeit: bool
    faults: _containers.RepeatedScalarFieldContainer[int]
    decisions: int
    microseconds: int
    def __init__(self, entrant: _Optional[int] = ..., place: _Optional[int] = ..., points: _Optional[int] = ..., forfeit: _Optional[bool] = ..., faults: _Optional[_Iterable[int]] = ..., decisions: _Optional[int] = ..., microseconds: _Optional[int] = ...) -> None: ...

class DecisionMade(_message.Message):
    __slots__ = ("tournament", "decision", "reason", "decided")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECIDED_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    decision: str
    reason: str
    decided: str
    def __init__(self, tournament: _Optional[int] = ..., decision: _Optional[str] = ..., reason: _Optional[str] = ..., decided: _Optional[str] = ...) -> None: ...

class FacesKept(_message.Message):
    __slots__ = ("tournament", "faces")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    FACES_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    faces: _containers.RepeatedCompositeFieldContainer[LeagueFace]
    def __init__(self, tournament: _Optional[int] = ..., faces: _Optional[_Iterable[_Union[LeagueFace, _Mapping]]] = ...) -> None: ...

class LeagueFace(_message.Message):
    __slots__ = ("entrant", "language", "emblem")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    EMBLEM_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    language: str
    emblem: str
    def __init__(self, entrant: _Optional[int] = ..., language: _Optional[str] = ..., emblem: _Optional[str] = ...) -> None: ...

class TournamentEnded(_message.Message):
    __slots__ = ("id", "finished")
    ID_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    id: int
    finished: str
    def __init__(self, id: _Optional[int] = ..., finished: _Optional[str] = ...) -> None: ...
