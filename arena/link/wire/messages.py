"""The messages of a play stream, encoded and decoded for the referee."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from arena.games.game import Event, Observation, Outcome, Seat
from arena.games.series import SeriesObservation
from arena.link.wire.convert import WIRES, series_message
from arena.link.wire.mirror import BadMessage
from arena.link.wire.wire_format import Remembered, embedded, field_tag, varint
from arena.table.clock import TimeControl
from arena.table.record import Fault
from arena.table.table import Ask, TableRules
from arena.v1 import bot_pb2

_SECOND = 1_000_000_000

_START_TAG = field_tag(bot_pb2.PlayRequest, "starts")
_TURN_TAG = field_tag(bot_pb2.PlayRequest, "turns")
_END_TAG = field_tag(bot_pb2.PlayRequest, "ends")
_TABLE_TAG = field_tag(bot_pb2.Turn, "table")
_TURN_NUMBER_TAG = field_tag(bot_pb2.Turn, "turn")
_TIME_LEFT_TAG = field_tag(bot_pb2.Turn, "time_left")
_SERIES_TAG = field_tag(bot_pb2.Turn, "series")
_TURN_GAME_TAGS = Remembered(lambda game: field_tag(bot_pb2.Turn, WIRES[game].field))
_END_GAME_TAGS = Remembered(lambda game: field_tag(bot_pb2.TableEnd, WIRES[game].field))


_TABLE_PIECES = Remembered(lambda table: _TABLE_TAG + varint(table))
_TURN_PIECES = Remembered(lambda turn: _TURN_NUMBER_TAG + varint(turn))
_TIME_LEFT_PIECES = Remembered(lambda left: embedded(_TIME_LEFT_TAG, duration(left).SerializeToString()))


class Decision(NamedTuple):
    """A bot's answer to a turn."""

    table: int
    turn: int
    action: int


def duration(nanoseconds: int) -> Duration:
    """A protobuf duration of so many nanoseconds."""
    return Duration(seconds=nanoseconds // _SECOND, nanos=nanoseconds % _SECOND)


def encode_start(table: int, rules: TableRules, seat: Seat, seed: bytes, names: Sequence[str]) -> bytes:
    """A table's start as part of an encoded PlayRequest.

    Args:
        table: the number of the table on the stream.
        rules: what is played.
        seat: the bot's seat.
        seed: the 16 bytes for the bot's own chance.
        names: the names of the entrants by seat; empty to hide them.
    """
    wire = WIRES[rules.game.id]
    played: dict[str, Any] = {wire.field: wire.options.to_message(rules.options)}
    start = bot_pb2.TableStart(
        table=table,
        seats=rules.seats,
        seat=seat,
        starter=rules.starter,
        time_control=_time_control(rules.clock_of(seat)),
        seed=seed,
        names=names,
        **played,
    )
    return embedded(_START_TAG, start.SerializeToString())


def _time_control(control: TimeControl) -> bot_pb2.TimeControl:
    return bot_pb2.TimeControl(
        bank=duration(control.bank), increment=duration(control.increment), move=duration(control.move)
    )


def encode_turn(table: int, game: str, ask: Ask) -> bytes:
    """A turn as part of an encoded PlayRequest."""
    observation, series = ask.observation, b""
    if isinstance(observation, SeriesObservation):
        series = embedded(_SERIES_TAG, series_message(observation).SerializeToString())
        observation = observation.current
    view = WIRES[game].view(ask.events, observation, ask.actions)
    head = _TABLE_PIECES[table] + _TURN_PIECES[ask.turn] + _TIME_LEFT_PIECES[ask.time_left] + series
    tag, view_length = _TURN_GAME_TAGS[game], varint(len(view))
    length = varint(len(head) + len(tag) + len(view_length) + len(view))
    return b"".join((_TURN_TAG, length, head, tag, view_length, view))


def encode_end(
    table: int,
    game: str,
    outcome: tuple[Outcome, tuple[Seat, ...]] | None,
    faults: Iterable[Fault],
    view: tuple[tuple[Event, ...], Observation] | None,
) -> bytes:
    """A table's end as part of an encoded PlayRequest.

    Args:
        table: the number of the table on the stream.
        game: the game's id.
        outcome: how it ended and who forfeited; None where the game was void.
        faults: the faults charged to the seat.
        view: the last events and the final position; None where the game was void.
    """
    end = bot_pb2.TableEnd(table=table, faults=[fault_message(fault) for fault in faults])
    if outcome is not None:
        end.outcome.CopyFrom(outcome_message(*outcome))
    payload = end.SerializeToString()
    if view is not None:
        events, observation = view
        if isinstance(observation, SeriesObservation):
            observation = observation.current  # the outcome says the rest
        payload += embedded(_END_GAME_TAGS[game], WIRES[game].view(events, observation, ()))
    return embedded(_END_TAG, payload)


def outcome_message(outcome: Outcome, forfeits: Iterable[Seat]) -> bot_pb2.Outcome:
    """The message for an outcome."""
    return bot_pb2.Outcome(
        places=outcome.places, points=outcome.points, reason=outcome.reason, forfeits=forfeits
    )


def fault_message(fault: Fault) -> bot_pb2.Fault:
    """The message for a fault."""
    return bot_pb2.Fault(
        reason=f"FAULT_REASON_{fault.reason.upper()}",
        message=fault.message,
        turn=fault.turn,
    )


def decode_decisions(data: bytes) -> list[Decision]:
    """The decisions of an encoded PlayResponse. Raises BadMessage for bytes that are none."""
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        raise BadMessage("a message is not a PlayResponse") from None
    return [Decision(item.table, item.turn, item.action) for item in response.decisions]


def request_json(data: bytes) -> dict[str, Any]:
    """An encoded PlayRequest in protobuf's JSON form."""
    return json_format.MessageToDict(bot_pb2.PlayRequest.FromString(data))


def response_json(decisions: Iterable[Decision]) -> dict[str, Any]:
    """The PlayResponse with these decisions in protobuf's JSON form."""
    response = bot_pb2.PlayResponse(decisions=[bot_pb2.Decision(**item._asdict()) for item in decisions])
    return json_format.MessageToDict(response)
