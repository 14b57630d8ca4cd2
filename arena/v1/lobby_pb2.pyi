from arena.v1 import bot_pb2 as _bot_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JoinRequest(_message.Message):
    __slots__ = ("hello", "play", "failure", "description")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    hello: JoinHello
    play: _bot_pb2.PlayResponse
    failure: JoinFailure
    description: _bot_pb2.DescribeResponse
    def __init__(self, hello: _Optional[_Union[JoinHello, _Mapping]] = ..., play: _Optional[_Union[_bot_pb2.PlayResponse, _Mapping]] = ..., failure: _Optional[_Union[JoinFailure, _Mapping]] = ..., description: _Optional[_Union[_bot_pb2.DescribeResponse, _Mapping]] = ...) -> None: ...

class JoinResponse(_message.Message):
    __slots__ = ("welcome", "play", "describe")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    DESCRIBE_FIELD_NUMBER: _ClassVar[int]
    welcome: JoinWelcome
    play: _bot_pb2.PlayRequest
    describe: _bot_pb2.DescribeRequest
    def __init__(self, welcome: _Optional[_Union[JoinWelcome, _Mapping]] = ..., play: _Optional[_Union[_bot_pb2.PlayRequest, _Mapping]] = ..., describe: _Optional[_Union[_bot_pb2.DescribeRequest, _Mapping]] = ...) -> None: ...

class JoinHello(_message.Message):
    __slots__ = ("token", "description")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    token: str
    description: _bot_pb2.DescribeResponse
    def __init__(self, token: _Optional[str] = ..., description: _Optional[_Union[_bot_pb2.DescribeResponse, _Mapping]] = ...) -> None: ...

class JoinFailure(_message.Message):
    __slots__ = ("message",)
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: str
    def __init__(self, message: _Optional[str] = ...) -> None: ...

class JoinWelcome(_message.Message):
    __slots__ = ("protocol_version", "tournament", "entrant", "commitment", "return_token")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RETURN_TOKEN_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    tournament: str
    entrant: str
    commitment: bytes
    return_token: str
    def __init__(self, protocol_version: _Optional[int] = ..., tournament: _Optional[str] = ..., entrant: _Optional[str] = ..., commitment: _Optional[bytes] = ..., return_token: _Optional[str] = ...) -> None: ...
