"""Encoded messages have the games' values, and both encoders agree."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bot.player import Turn
from arena.cards import Card
from arena.games import GAMES
from arena.games.series import SeriesObservation
from arena.link.wire.codec import BadMessage, Codec, varint
from arena.link.wire.convert import WIRES
from arena.link.wire.messages import (
    Decision,
    decode_decisions,
    decode_record,
    encode_record,
    encode_times,
    encode_turn,
)
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.record import BrokenRecord
from arena.table.table import Table, TableRules
from arena.v1 import bot_pb2, nyuri_pb2, record_pb2
from tests.games.random_play import random_options

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "nyuri": [{}, {"series": 2}, {"contest": "instant"}],
    "forty-one": [{}, {"series": 2, "cumulative": True}],
    "nur-mut": [{}, {"model": "one"}, {"rounds": 2}],
    "kleftis": [{}, {"secure_single": True}],
    "hyrule": [{}, {"mode": "chance"}, {"runoff": 1}],
}


@given(
    st.sampled_from([(game, given) for game in GAMES for given in OPTIONS[game]]),
    st.integers(2, 4),
    st.integers(0, 10**6),
)
def test_every_turn_arrives_as_it_was_sent(chosen, seats, seed):
    game, options = chosen
    rules = TableRules(
        GAMES[game], GAMES[game].parse_options(options), seats, TimeControl(SECOND, 0, SECOND), 3
    )
    table = Table(rules, board_key(seed.to_bytes(32, "big"), game, "test"))
    rng = random.Random(seed)
    wire = WIRES[game]
    for _ in range(60):
        for ask in table.asks():
            request = bot_pb2.PlayRequest.FromString(encode_turn(7, game, ask))
            (message,) = request.turns
            assert (message.table, message.turn) == (7, ask.turn)
            turn = Turn(message)
            assert turn.observation == ask.view.observation
            assert turn.events == ask.view.events
            assert list(turn.actions) == list(ask.view.actions)
            observation = ask.view.observation
            if isinstance(observation, SeriesObservation):
                observation = observation.current
            view = getattr(message, wire.field).SerializeToString()  # as protobuf itself encodes it
            assert wire.view(ask.view.events, observation, ask.view.actions) == view
            table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)


@given(st.sampled_from([*GAMES]), st.integers(0, 10**6))
def test_options_arrive_as_they_were_sent(game, seed):
    options = random_options(GAMES[game], random.Random(seed))
    codec = WIRES[game].options
    message = codec.to_message(options)
    assert codec.to_value(message) == options
    for field, value in message.ListFields():
        if not field.message_type and not field.enum_type:
            expected = getattr(options, field.name)
            assert (tuple(value) if field.is_repeated else value) == expected


def test_a_run_off_arrives_as_it_was_sent():
    game = GAMES["hyrule"]
    rules = TableRules(game, game.parse_options({"runoff": 3}), 4, TimeControl(SECOND, 0, SECOND), 3)
    for seed in range(100):
        table = Table(rules, board_key(seed.to_bytes(32, "big"), "hyrule", "test"))
        rng = random.Random(seed)
        told: set[Any] = set()
        while not table.over:
            for ask in table.asks():
                assert isinstance(ask.view.observation, SeriesObservation)
                (message,) = bot_pb2.PlayRequest.FromString(encode_turn(7, "hyrule", ask)).turns
                assert Turn(message).observation == ask.view.observation
                told.add((ask.view.observation.level, ask.view.observation.tie_scores))
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)
        if len(told) > 2:
            break
    assert ((), ()) in told
    assert any(level and any(tie_scores) for level, tie_scores in told)


@given(st.integers(0, 2**64 - 1))
def test_varints_are_protobuf_varints(number):
    assert b"\x08" + varint(number) == nyuri_pb2.NyuriOptions(
        players=0
    ).SerializeToString() + b"\x08" + varint(number)
    if 0 < number < 2**32:
        assert nyuri_pb2.NyuriOptions(players=number).SerializeToString() == b"\x08" + varint(number)


def test_a_mirror_refuses_values_with_other_fields():
    with pytest.raises(TypeError, match="NyuriPile"):
        Codec(nyuri_pb2.NyuriPile, Card)


def test_messages_without_meaning_are_refused():
    wire = WIRES["nyuri"]
    with pytest.raises(BadMessage):
        wire.action.to_value(nyuri_pb2.NyuriAction())
    with pytest.raises(BadMessage):
        wire.action.to_value(nyuri_pb2.NyuriAction(place=nyuri_pb2.NyuriPlace()))
    with pytest.raises(BadMessage):
        wire.options.to_value(nyuri_pb2.NyuriOptions())


@given(st.binary(max_size=64))
def test_any_bytes_are_decisions_or_refused(data):
    decisions: list[Decision] = []
    with contextlib.suppress(BadMessage):
        decisions = decode_decisions(data)
    assert all(isinstance(number, int) for decision in decisions for number in decision[:3])
    assert all(isinstance(thought, bytes) for _, _, _, thought in decisions)


@given(st.binary(max_size=64))
def test_any_bytes_are_a_record_or_refused(data):
    with pytest.raises(BrokenRecord):
        decode_record(data)


def test_a_record_survives_encoding():
    rules = TableRules(
        GAMES["kleftis"], GAMES["kleftis"].parse_options({"auto_secure": True}), 3, TimeControl(1, 0, 1), 2
    )
    table = Table(rules, bytes(32))
    while not table.over:
        for ask in table.asks():
            table.fault(ask.seat, "timeout", "late: ž", 0) if ask.seat == 1 else table.answer(
                ask.seat, ask.turn, 1, 0
            )
    record = table.record()
    assert record.forfeits == (1,)
    assert decode_record(encode_record(record)) == record
    seated = record._replace(seating=(0, 2, 1))
    assert decode_record(encode_record(seated)) == seated


def test_times_are_microseconds():
    times = record_pb2.GameTimes.FromString(encode_times((0, 1_999, 2_000, 10**16)))
    assert list(times.microseconds) == [0, 1, 2, 2**32 - 1]
