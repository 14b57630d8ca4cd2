from arena.v1 import bot_pb2 as _bot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TryActionsRequest(_message.Message):
    __slots__ = ("start", "turn", "actions", "worlds")
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    WORLDS_FIELD_NUMBER: _ClassVar[int]
    start: _bot_pb2.TableStart
    turn: _bot_pb2.Turn
    actions: _containers.RepeatedScalarFieldContainer[int]
    worlds: int
    def __init__(self, start: _Optional[_Union[_bot_pb2.TableStart, _Mapping]] = ..., turn: _Optional[_Union[_bot_pb2.Turn, _Mapping]] = ..., actions: _Optional[_Iterable[int]] = ..., worlds: _Optional[int] = ...) -> None: ...

class TryActionsResponse(_message.Message):
    __slots__ = ("scores",)
    SCORES_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, scores: _Optional[_Iterable[float]] = ...) -> None: ...
