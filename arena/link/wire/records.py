"""Game records as bytes, for the league file."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from arena.games.game import Outcome
from arena.link.wire.convert import WIRES, wire_in
from arena.link.wire.messages import fault_message, outcome_message
from arena.link.wire.mirror import BadMessage
from arena.table.record import BrokenRecord, Fault, Record
from arena.v1 import bot_pb2, record_pb2

RECORD_VERSION = 1
_REASON_PREFIX = "FAULT_REASON_"


def encode_record(record: Record) -> bytes:
    """A record as an encoded GameRecord; the same record always gives the same bytes."""
    wire = WIRES[record.game]
    played: dict[str, Any] = {wire.field: wire.options.to_message(record.options)}
    message = record_pb2.GameRecord(
        record_version=RECORD_VERSION,
        seats=record.seats,
        starter=record.starter,
        board_key=record.board_key,
        actions=record.actions,
        faults=[
            record_pb2.RecordedFault(seat=seat, step=step, fault=fault_message(fault))
            for seat, step, fault in record.faults
        ],
        outcome=outcome_message(record.outcome, record.forfeits),
        seating=record_pb2.Seating(positions=record.seating) if record.seating else None,
        **played,
    )
    return message.SerializeToString(deterministic=True)


def decode_record(data: bytes) -> Record:
    """The record in an encoded GameRecord. Raises BrokenRecord for bytes that hold none."""
    try:
        message = record_pb2.GameRecord.FromString(data)
    except DecodeError:
        raise BrokenRecord("the bytes are not a game record") from None
    if message.record_version != RECORD_VERSION:
        raise BrokenRecord(
            f"the record has version {message.record_version}; this program reads version {RECORD_VERSION}"
        )
    try:
        wire = wire_in(message)
    except BadMessage as error:
        raise BrokenRecord(f"the record cannot be read: {error}") from None
    try:
        options = wire.options.to_value(getattr(message, wire.field))
    except BadMessage as error:
        raise BrokenRecord(f"the record's options mean nothing: {error}") from None
    outcome = message.outcome
    return Record(
        game=wire.game_id,
        options=options,
        seats=message.seats,
        starter=message.starter,
        board_key=message.board_key,
        actions=tuple(message.actions),
        faults=tuple((item.seat, item.step, _fault(item.fault)) for item in message.faults),
        outcome=Outcome(tuple(outcome.places), tuple(outcome.points), outcome.reason),
        forfeits=tuple(outcome.forfeits),
        seating=tuple(message.seating.positions),
    )


def _fault(message: bot_pb2.Fault) -> Fault:
    reason = bot_pb2.FaultReason.Name(message.reason).removeprefix(_REASON_PREFIX).lower()
    return Fault(reason, message.message, message.turn)


def encode_times(nanoseconds: tuple[int, ...]) -> bytes:
    """The times of a game's actions as an encoded GameTimes, in microseconds."""
    micros = [min(time // 1000, (1 << 32) - 1) for time in nanoseconds]
    return record_pb2.GameTimes(microseconds=micros).SerializeToString()


def decode_times(data: bytes) -> tuple[int, ...]:
    """The times of a game's actions in nanoseconds, to the microsecond. Raises BrokenRecord."""
    try:
        return tuple(1000 * time for time in record_pb2.GameTimes.FromString(data).microseconds)
    except DecodeError:
        raise BrokenRecord("the bytes are not the times of a game") from None
