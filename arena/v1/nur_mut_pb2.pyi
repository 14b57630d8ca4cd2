from arena.v1 import series_pb2 as _series_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NurMutFace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NUR_MUT_FACE_UNSPECIFIED: _ClassVar[NurMutFace]
    NUR_MUT_FACE_ONE: _ClassVar[NurMutFace]
    NUR_MUT_FACE_TWO: _ClassVar[NurMutFace]
    NUR_MUT_FACE_THREE: _ClassVar[NurMutFace]
    NUR_MUT_FACE_FOUR: _ClassVar[NurMutFace]
    NUR_MUT_FACE_FIVE: _ClassVar[NurMutFace]
    NUR_MUT_FACE_SIX: _ClassVar[NurMutFace]
    NUR_MUT_FACE_SEVEN: _ClassVar[NurMutFace]
    NUR_MUT_FACE_EIGHT: _ClassVar[NurMutFace]
    NUR_MUT_FACE_NINE: _ClassVar[NurMutFace]
    NUR_MUT_FACE_JOKER: _ClassVar[NurMutFace]
    NUR_MUT_FACE_HIDDEN: _ClassVar[NurMutFace]

class NurMutLaidReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NUR_MUT_LAID_REASON_UNSPECIFIED: _ClassVar[NurMutLaidReason]
    NUR_MUT_LAID_REASON_PLACE: _ClassVar[NurMutLaidReason]
    NUR_MUT_LAID_REASON_COURAGE: _ClassVar[NurMutLaidReason]
    NUR_MUT_LAID_REASON_COVER: _ClassVar[NurMutLaidReason]
    NUR_MUT_LAID_REASON_REFILL: _ClassVar[NurMutLaidReason]

class NurMutModel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NUR_MUT_MODEL_UNSPECIFIED: _ClassVar[NurMutModel]
    NUR_MUT_MODEL_TWO: _ClassVar[NurMutModel]
    NUR_MUT_MODEL_ONE: _ClassVar[NurMutModel]

class NurMutPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NUR_MUT_PHASE_UNSPECIFIED: _ClassVar[NurMutPhase]
    NUR_MUT_PHASE_TURN: _ClassVar[NurMutPhase]
    NUR_MUT_PHASE_CHOOSE_PILE: _ClassVar[NurMutPhase]
    NUR_MUT_PHASE_OVER: _ClassVar[NurMutPhase]
NUR_MUT_FACE_UNSPECIFIED: NurMutFace
NUR_MUT_FACE_ONE: NurMutFace
NUR_MUT_FACE_TWO: NurMutFace
NUR_MUT_FACE_THREE: NurMutFace
NUR_MUT_FACE_FOUR: NurMutFace
NUR_MUT_FACE_FIVE: NurMutFace
NUR_MUT_FACE_SIX: NurMutFace
NUR_MUT_FACE_SEVEN: NurMutFace
NUR_MUT_FACE_EIGHT: NurMutFace
NUR_MUT_FACE_NINE: NurMutFace
NUR_MUT_FACE_JOKER: NurMutFace
NUR_MUT_FACE_HIDDEN: NurMutFace
NUR_MUT_LAID_REASON_UNSPECIFIED: NurMutLaidReason
NUR_MUT_LAID_REASON_PLACE: NurMutLaidReason
NUR_MUT_LAID_REASON_COURAGE: NurMutLaidReason
NUR_MUT_LAID_REASON_COVER: NurMutLaidReason
NUR_MUT_LAID_REASON_REFILL: NurMutLaidReason
NUR_MUT_MODEL_UNSPECIFIED: NurMutModel
NUR_MUT_MODEL_TWO: NurMutModel
NUR_MUT_MODEL_ONE: NurMutModel
NUR_MUT_PHASE_UNSPECIFIED: NurMutPhase
NUR_MUT_PHASE_TURN: NurMutPhase
NUR_MUT_PHASE_CHOOSE_PILE: NurMutPhase
NUR_MUT_PHASE_OVER: NurMutPhase

class NurMutView(_message.Message):
    __slots__ = ("events", "observation", "legal_actions")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[NurMutEvent]
    observation: NurMutObservation
    legal_actions: _containers.RepeatedCompositeFieldContainer[NurMutAction]
    def __init__(self, events: _Optional[_Iterable[_Union[NurMutEvent, _Mapping]]] = ..., observation: _Optional[_Union[NurMutObservation, _Mapping]] = ..., legal_actions: _Optional[_Iterable[_Union[NurMutAction, _Mapping]]] = ...) -> None: ...

class NurMutObservation(_message.Message):
    __slots__ = ("phase", "seat", "to_act", "piles", "pile_sizes", "deck_sizes", "top_faces", "flipped", "passes", "stalled", "turns", "again", "by_courage")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    PILES_FIELD_NUMBER: _ClassVar[int]
    PILE_SIZES_FIELD_NUMBER: _ClassVar[int]
    DECK_SIZES_FIELD_NUMBER: _ClassVar[int]
    TOP_FACES_FIELD_NUMBER: _ClassVar[int]
    FLIPPED_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    STALLED_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    BY_COURAGE_FIELD_NUMBER: _ClassVar[int]
    phase: NurMutPhase
    seat: int
    to_act: int
    piles: _containers.RepeatedScalarFieldContainer[NurMutFace]
    pile_sizes: _containers.RepeatedScalarFieldContainer[int]
    deck_sizes: _containers.RepeatedScalarFieldContainer[int]
    top_faces: _containers.RepeatedScalarFieldContainer[NurMutFace]
    flipped: NurMutFace
    passes: int
    stalled: int
    turns: int
    again: bool
    by_courage: bool
    def __init__(self, phase: _Optional[_Union[NurMutPhase, str]] = ..., seat: _Optional[int] = ..., to_act: _Optional[int] = ..., piles: _Optional[_Iterable[_Union[NurMutFace, str]]] = ..., pile_sizes: _Optional[_Iterable[int]] = ..., deck_sizes: _Optional[_Iterable[int]] = ..., top_faces: _Optional[_Iterable[_Union[NurMutFace, str]]] = ..., flipped: _Optional[_Union[NurMutFace, str]] = ..., passes: _Optional[int] = ..., stalled: _Optional[int] = ..., turns: _Optional[int] = ..., again: _Optional[bool] = ..., by_courage: _Optional[bool] = ...) -> None: ...

class NurMutAction(_message.Message):
    __slots__ = ("pass_turn", "tuck", "place", "try_top", "courage", "choose_pile")
    PASS_TURN_FIELD_NUMBER: _ClassVar[int]
    TUCK_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    TRY_TOP_FIELD_NUMBER: _ClassVar[int]
    COURAGE_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_PILE_FIELD_NUMBER: _ClassVar[int]
    pass_turn: NurMutPassTurn
    tuck: NurMutTuck
    place: NurMutPlace
    try_top: NurMutTryTop
    courage: NurMutCourage
    choose_pile: NurMutChoosePile
    def __init__(self, pass_turn: _Optional[_Union[NurMutPassTurn, _Mapping]] = ..., tuck: _Optional[_Union[NurMutTuck, _Mapping]] = ..., place: _Optional[_Union[NurMutPlace, _Mapping]] = ..., try_top: _Optional[_Union[NurMutTryTop, _Mapping]] = ..., courage: _Optional[_Union[NurMutCourage, _Mapping]] = ..., choose_pile: _Optional[_Union[NurMutChoosePile, _Mapping]] = ...) -> None: ...

class NurMutPassTurn(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NurMutTuck(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NurMutPlace(_message.Message):
    __slots__ = ("pile",)
    PILE_FIELD_NUMBER: _ClassVar[int]
    pile: int
    def __init__(self, pile: _Optional[int] = ...) -> None: ...

class NurMutTryTop(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NurMutCourage(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NurMutChoosePile(_message.Message):
    __slots__ = ("pile",)
    PILE_FIELD_NUMBER: _ClassVar[int]
    pile: int
    def __init__(self, pile: _Optional[int] = ...) -> None: ...

class NurMutEvent(_message.Message):
    __slots__ = ("dealt", "pile_started", "top_shown", "passed", "tucked", "flipped", "laid", "took_pile", "deal_ended", "joker_set_aside")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    PILE_STARTED_FIELD_NUMBER: _ClassVar[int]
    TOP_SHOWN_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    TUCKED_FIELD_NUMBER: _ClassVar[int]
    FLIPPED_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    TOOK_PILE_FIELD_NUMBER: _ClassVar[int]
    DEAL_ENDED_FIELD_NUMBER: _ClassVar[int]
    JOKER_SET_ASIDE_FIELD_NUMBER: _ClassVar[int]
    dealt: NurMutDealt
    pile_started: NurMutPileStarted
    top_shown: NurMutTopShown
    passed: NurMutPassed
    tucked: NurMutTucked
    flipped: NurMutFlipped
    laid: NurMutLaid
    took_pile: NurMutTookPile
    deal_ended: _series_pb2.DealEnded
    joker_set_aside: NurMutJokerSetAside
    def __init__(self, dealt: _Optional[_Union[NurMutDealt, _Mapping]] = ..., pile_started: _Optional[_Union[NurMutPileStarted, _Mapping]] = ..., top_shown: _Optional[_Union[NurMutTopShown, _Mapping]] = ..., passed: _Optional[_Union[NurMutPassed, _Mapping]] = ..., tucked: _Optional[_Union[NurMutTucked, _Mapping]] = ..., flipped: _Optional[_Union[NurMutFlipped, _Mapping]] = ..., laid: _Optional[_Union[NurMutLaid, _Mapping]] = ..., took_pile: _Optional[_Union[NurMutTookPile, _Mapping]] = ..., deal_ended: _Optional[_Union[_series_pb2.DealEnded, _Mapping]] = ..., joker_set_aside: _Optional[_Union[NurMutJokerSetAside, _Mapping]] = ...) -> None: ...

class NurMutDealt(_message.Message):
    __slots__ = ("seat", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    count: int
    def __init__(self, seat: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class NurMutPileStarted(_message.Message):
    __slots__ = ("pile", "face")
    PILE_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    pile: int
    face: NurMutFace
    def __init__(self, pile: _Optional[int] = ..., face: _Optional[_Union[NurMutFace, str]] = ...) -> None: ...

class NurMutJokerSetAside(_message.Message):
    __slots__ = ("pile",)
    PILE_FIELD_NUMBER: _ClassVar[int]
    pile: int
    def __init__(self, pile: _Optional[int] = ...) -> None: ...

class NurMutTopShown(_message.Message):
    __slots__ = ("seat", "face")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    face: NurMutFace
    def __init__(self, seat: _Optional[int] = ..., face: _Optional[_Union[NurMutFace, str]] = ...) -> None: ...

class NurMutPassed(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class NurMutTucked(_message.Message):
    __slots__ = ("seat", "face")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    face: NurMutFace
    def __init__(self, seat: _Optional[int] = ..., face: _Optional[_Union[NurMutFace, str]] = ...) -> None: ...

class NurMutFlipped(_message.Message):
    __slots__ = ("seat", "face")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    face: NurMutFace
    def __init__(self, seat: _Optional[int] = ..., face: _Optional[_Union[NurMutFace, str]] = ...) -> None: ...

class NurMutLaid(_message.Message):
    __slots__ = ("seat", "pile", "face", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    pile: int
    face: NurMutFace
    reason: NurMutLaidReason
    def __init__(self, seat: _Optional[int] = ..., pile: _Optional[int] = ..., face: _Optional[_Union[NurMutFace, str]] = ..., reason: _Optional[_Union[NurMutLaidReason, str]] = ...) -> None: ...

class NurMutTookPile(_message.Message):
    __slots__ = ("seat", "pile", "count")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    pile: int
    count: int
    def __init__(self, seat: _Optional[int] = ..., pile: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class NurMutOptions(_message.Message):
    __slots__ = ("model", "deck", "min_value", "chain_courage_only", "joker_replay", "stall", "max_turns", "rounds")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    MIN_VALUE_FIELD_NUMBER: _ClassVar[int]
    CHAIN_COURAGE_ONLY_FIELD_NUMBER: _ClassVar[int]
    JOKER_REPLAY_FIELD_NUMBER: _ClassVar[int]
    STALL_FIELD_NUMBER: _ClassVar[int]
    MAX_TURNS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    model: NurMutModel
    deck: _containers.RepeatedScalarFieldContainer[str]
    min_value: int
    chain_courage_only: bool
    joker_replay: bool
    stall: int
    max_turns: int
    rounds: int
    def __init__(self, model: _Optional[_Union[NurMutModel, str]] = ..., deck: _Optional[_Iterable[str]] = ..., min_value: _Optional[int] = ..., chain_courage_only: _Optional[bool] = ..., joker_replay: _Optional[bool] = ..., stall: _Optional[int] = ..., max_turns: _Optional[int] = ..., rounds: _Optional[int] = ...) -> None: ...
