"""Encodes and decodes the referee's messages on a play stream, and the records of games."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from arena.games.game import Action, Outcome, Seat
from arena.games.series import SeriesObservation
from arena.link.wire import MOST_TEXT, MOST_VALUES
from arena.link.wire.codec import BadMessage, Cache, Codec, embedded, field_tag, varint
from arena.link.wire.convert import SERIES, WIRES, wire_in
from arena.table.clock import SECOND
from arena.table.position import EncodedView, View
from arena.table.record import BrokenRecord, Fault, Record, Thought
from arena.table.table import Ask, TableRules
from arena.text import one_line
from arena.v1 import analysis_pb2, bot_pb2, record_pb2

RECORD_VERSION = 1

_FAULT = Codec(bot_pb2.Fault, Fault)

_START_TAG = field_tag(bot_pb2.PlayRequest, "starts")
_TURN_TAG = field_tag(bot_pb2.PlayRequest, "turns")
_END_TAG = field_tag(bot_pb2.PlayRequest, "ends")
_TABLE_TAG = field_tag(bot_pb2.Turn, "table")
_TURN_NUMBER_TAG = field_tag(bot_pb2.Turn, "turn")
_TIME_LEFT_TAG = field_tag(bot_pb2.Turn, "time_left")
_SERIES_TAG = field_tag(bot_pb2.Turn, "series")
_TURN_GAME_TAGS = Cache(lambda game: field_tag(bot_pb2.Turn, WIRES[game].field))
_END_GAME_TAGS = Cache(lambda game: field_tag(bot_pb2.TableEnd, WIRES[game].field))


_TABLE_PIECES = Cache(lambda table: _TABLE_TAG + varint(table))
_TURN_PIECES = Cache(lambda turn: _TURN_NUMBER_TAG + varint(turn))
_SECONDS_TAG = field_tag(Duration, "seconds")
_NANOS_TAG = field_tag(Duration, "nanos")


Decision: TypeAlias = tuple[int, int, int, bytes]
"""A bot's answer to a turn: the table, the turn, the index of the action, and an encoded Thought within its
bounds, or nothing. (A named tuple takes four times as long to make, and ten times as long to pickle.)"""


def duration(nanoseconds: int) -> Duration:
    """A number of nanoseconds as a protobuf duration."""
    return Duration(seconds=nanoseconds // SECOND, nanos=nanoseconds % SECOND)


def _time_left(nanoseconds: int) -> bytes:
    """The time left as part of an encoded Turn. (A cache does not help: it is seldom the same twice.)"""
    seconds, nanos = divmod(nanoseconds, SECOND)
    payload = _SECONDS_TAG + varint(seconds) if seconds else b""
    if nanos:
        payload += _NANOS_TAG + varint(nanos)
    return embedded(_TIME_LEFT_TAG, payload)


def encode_start(table: int, rules: TableRules, seat: Seat, seed: bytes, names: Sequence[str]) -> bytes:
    """A table's start as part of an encoded PlayRequest.

    Args:
        table: the number of the table on the stream.
        rules: what is played.
        seat: the bot's seat.
        seed: the 16 bytes for the bot's own random numbers.
        names: the names of the entrants by seat; empty to hide them.
    """
    wire = WIRES[rules.game.id]
    control = rules.clock_of(seat)
    played: dict[str, Any] = {wire.field: wire.options.to_message(rules.options)}
    start = bot_pb2.TableStart(
        table=table,
        seats=rules.seats,
        seat=seat,
        starter=rules.starter,
        time_control=bot_pb2.TimeControl(
            bank=duration(control.bank), increment=duration(control.increment), move=duration(control.move)
        ),
        seed=seed,
        names=names,
        **played,
    )
    return embedded(_START_TAG, start.SerializeToString())


def encode_view(game: str, view: View) -> EncodedView:
    """A view as the messages have it."""
    events, observation, actions = view
    series = b""
    if isinstance(observation, SeriesObservation):
        series, observation = SERIES.encode(observation), observation.current
    return series, WIRES[game].view(events, observation, actions)


def encode_turn(table: int, game: str, ask: Ask[View | EncodedView]) -> bytes:
    """A turn as part of an encoded PlayRequest."""
    series, view = encode_view(game, ask.view) if isinstance(ask.view, View) else ask.view
    head = _TABLE_PIECES[table] + _TURN_PIECES[ask.turn] + _time_left(ask.time_left)
    if series:
        head += embedded(_SERIES_TAG, series)
    tag, view_length = _TURN_GAME_TAGS[game], varint(len(view))
    length = varint(len(head) + len(tag) + len(view_length) + len(view))
    return b"".join((_TURN_TAG, length, head, tag, view_length, view))


def encode_tries(start: bytes, turn: bytes, actions: Sequence[int], worlds: int) -> bytes:
    """A TryActionsRequest.

    Args:
        start: the table, from `encode_start`.
        turn: the turn, from `encode_turn`; start and turn have the same numbers here as in a PlayRequest.
        actions: the indices of the actions to try.
        worlds: in how many worlds.
    """
    return start + turn + analysis_pb2.TryActionsRequest(actions=actions, worlds=worlds).SerializeToString()


def encode_end(
    table: int,
    game: str,
    outcome: tuple[Outcome, tuple[Seat, ...]] | None,
    faults: Iterable[Fault],
    view: View | EncodedView | None,
) -> bytes:
    """A table's end as part of an encoded PlayRequest.

    Args:
        table: the number of the table on the stream.
        game: the game's id.
        outcome: how it ended and who forfeited; None if the game was void.
        faults: the faults charged to the seat.
        view: the last events and the final position; None if the game was void.
    """
    end = bot_pb2.TableEnd(table=table, faults=map(_FAULT.to_message, faults))
    if outcome is not None:
        end.outcome.CopyFrom(_outcome_message(*outcome))
    payload = end.SerializeToString()
    if view is not None:
        _, encoded = encode_view(game, view) if isinstance(view, View) else view  # the outcome says the rest
        payload += embedded(_END_GAME_TAGS[game], encoded)
    return embedded(_END_TAG, payload)


def _outcome_message(outcome: Outcome, forfeits: Iterable[Seat]) -> bot_pb2.Outcome:
    """The message for an outcome."""
    return bot_pb2.Outcome(
        places=outcome.places, points=outcome.points, reason=outcome.reason, forfeits=forfeits
    )


def decode_decisions(data: bytes) -> list[Decision]:
    """The decisions of an encoded PlayResponse. Raises BadMessage."""
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        raise BadMessage("a message is not a PlayResponse") from None
    return [
        (
            item.table,
            item.turn,
            item.action,
            _bounded(item.thought).SerializeToString(deterministic=True) if item.HasField("thought") else b"",
        )
        for item in response.decisions
    ]


def _bounded(thought: bot_pb2.Thought) -> bot_pb2.Thought:
    """What is within its bounds of a thought, with a text that can be printed."""
    kept = bot_pb2.Thought(text=one_line(thought.text[:MOST_TEXT])[:MOST_TEXT])
    if thought.HasField("estimate") and 0 <= thought.estimate <= 1:
        kept.estimate = thought.estimate
    if len(thought.values) <= MOST_VALUES:
        kept.values.update({at: value for at, value in thought.values.items() if math.isfinite(value)})
    return kept


def estimate_alone(thought: bytes) -> bytes:
    """An encoded Thought without all but its estimate; empty if it has none."""
    message = bot_pb2.Thought.FromString(thought)
    message.ClearField("values")
    message.ClearField("text")
    return message.SerializeToString()


def request_json(data: bytes) -> dict[str, Any]:
    """An encoded PlayRequest in protobuf's JSON form."""
    return json_format.MessageToDict(bot_pb2.PlayRequest.FromString(data))


def request_from_json(data: Any) -> bytes:
    """The encoded PlayRequest of its JSON form. Raises BadMessage."""
    return _from_json(data, bot_pb2.PlayRequest())


def response_from_json(data: Any) -> bytes:
    """The encoded PlayResponse of its JSON form. Raises BadMessage."""
    return _from_json(data, bot_pb2.PlayResponse())


def _from_json(data: Any, message: Any) -> bytes:
    try:
        encoded: bytes = json_format.ParseDict(data, message).SerializeToString()
    except (json_format.ParseError, TypeError, AttributeError, RecursionError):
        raise BadMessage(f"it is no {message.DESCRIPTOR.name}") from None
    return encoded


def turn_in(data: bytes) -> tuple[str, int, tuple[Action, ...]]:
    """The game, the number and the legal actions of the turn in an encoded PlayRequest. Raises BadMessage."""
    turns = bot_pb2.PlayRequest.FromString(data).turns
    if len(turns) != 1:
        raise BadMessage("it has not one turn")
    wire = wire_in(turns[0])
    actions = getattr(turns[0], wire.field).legal_actions
    return wire.game_id, turns[0].turn, tuple(map(wire.action.to_value, actions))


def view_in(data: bytes) -> View:
    """What the seat is told by the turn in an encoded PlayRequest. Raises BadMessage."""
    [turn] = bot_pb2.PlayRequest.FromString(data).turns
    wire = wire_in(turn)
    view = getattr(turn, wire.field)
    seen = wire.observation.to_value(view.observation)
    if turn.HasField("series"):
        seen = SERIES.to_value(turn.series, current=seen)
    events, actions = map(wire.event.to_value, view.events), map(wire.action.to_value, view.legal_actions)
    return View(tuple(events), seen, tuple(actions))


def start_in(data: bytes) -> tuple[str, Any, int, Seat, Seat]:
    """The game, its options, the number of seats, the own seat and the starter in an encoded PlayRequest.

    Raises BadMessage.
    """
    starts = bot_pb2.PlayRequest.FromString(data).starts
    if len(starts) != 1:
        raise BadMessage("it has not one start")
    [start] = starts
    wire = wire_in(start)
    options = wire.options.to_value(getattr(start, wire.field))
    return wire.game_id, options, start.seats, start.seat, start.starter


def end_in(data: bytes) -> tuple[list[Fault], tuple[Seat, ...]]:
    """The faults of the seat, and the seats that forfeited, in an encoded PlayRequest. Raises BadMessage."""
    ends = bot_pb2.PlayRequest.FromString(data).ends
    if len(ends) != 1:
        raise BadMessage("it has not one end")
    return list(map(_FAULT.to_value, ends[0].faults)), tuple(ends[0].outcome.forfeits)


def response_json(decisions: Iterable[Decision]) -> dict[str, Any]:
    """The PlayResponse with these decisions in protobuf's JSON form."""
    response = bot_pb2.PlayResponse()
    for table, turn, action, thought in decisions:
        message = response.decisions.add(table=table, turn=turn, action=action)
        if thought:
            message.thought.ParseFromString(thought)
    return json_format.MessageToDict(response)


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
            record_pb2.RecordedFault(seat=seat, step=step, fault=_FAULT.to_message(fault))
            for seat, step, fault in record.faults
        ],
        outcome=_outcome_message(record.outcome, record.forfeits),
        seating=record_pb2.Seating(positions=record.seating) if record.seating else None,
        **played,
    )
    return message.SerializeToString(deterministic=True)


def decode_record(data: bytes) -> Record:
    """The record in an encoded GameRecord. Raises BrokenRecord."""
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
        options = wire.options.to_value(getattr(message, wire.field))
        faults = [(item.seat, item.step, _FAULT.to_value(item.fault)) for item in message.faults]
    except BadMessage as error:
        raise BrokenRecord(f"the record means nothing: {error}") from None
    outcome = message.outcome
    return Record(
        game=wire.game_id,
        options=options,
        seats=message.seats,
        starter=message.starter,
        board_key=message.board_key,
        actions=tuple(message.actions),
        faults=tuple(faults),
        outcome=Outcome(tuple(outcome.places), tuple(outcome.points), outcome.reason),
        forfeits=tuple(outcome.forfeits),
        seating=tuple(message.seating.positions),
    )


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


def encode_thoughts(seats: int, thoughts: Iterable[tuple[Seat, int, bytes]]) -> bytes:
    """What the bots of a game thought as an encoded GameThoughts, empty for nothing.

    Args:
        seats: the number of seats.
        thoughts: the seat, the turn, and an encoded Thought.
    """
    message = record_pb2.GameThoughts(seats=[record_pb2.SeatThoughts()] * seats)
    found = False
    for seat, turn, thought in thoughts:
        message.seats[seat].turns[turn].ParseFromString(thought)
        found = True
    return message.SerializeToString(deterministic=True) if found else b""


def encoded_thoughts(data: bytes) -> tuple[dict[int, bytes], ...]:
    """What each seat's bot thought, by its turns; empty if no bot told anything. Raises BrokenRecord."""
    try:
        message = record_pb2.GameThoughts.FromString(data)
    except DecodeError:
        raise BrokenRecord("the bytes are not the thoughts of a game") from None
    return tuple(
        {turn: each.SerializeToString(deterministic=True) for turn, each in sorted(seat.turns.items())}
        for seat in message.seats
    )


def decode_thoughts(data: bytes) -> tuple[dict[int, Thought], ...]:
    """The same as values. Raises BrokenRecord."""
    return tuple(map(thoughts_by_turn, encoded_thoughts(data)))


def thoughts_by_turn(encoded: Mapping[int, bytes]) -> dict[int, Thought]:
    """What a seat's bot thought as values; turns without a thought are left out."""
    messages = {turn: bot_pb2.Thought.FromString(each) for turn, each in encoded.items() if each}
    return {
        turn: Thought(
            each.estimate if each.HasField("estimate") else None, dict(each.values), one_line(each.text)
        )
        for turn, each in messages.items()
    }
