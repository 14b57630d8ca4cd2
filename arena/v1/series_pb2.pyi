from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class SeriesObservation(_message.Message):
    __slots__ = ("deal", "deals", "scores", "level", "tie_scores")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TIE_SCORES_FIELD_NUMBER: _ClassVar[int]
    deal: int
    deals: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    level: _containers.RepeatedScalarFieldContainer[int]
    tie_scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, deal: _Optional[int] = ..., deals: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., level: _Optional[_Iterable[int]] = ..., tie_scores: _Optional[_Iterable[int]] = ...) -> None: ...

class DealEnded(_message.Message):
    __slots__ = ("deal", "places", "points", "next_starter")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_STARTER_FIELD_NUMBER: _ClassVar[int]
    deal: int
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    next_starter: int
    def __init__(self, deal: _Optional[int] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., next_starter: _Optional[int] = ...) -> None: ...
