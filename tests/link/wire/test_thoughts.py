"""What a bot thought: what is kept of it, and that the rest is no fault."""

from __future__ import annotations

import math

import pytest

from arena.link.wire import MOST_TEXT, MOST_VALUES
from arena.link.wire.messages import (
    decode_decisions,
    decode_thoughts,
    encode_thoughts,
    estimate_alone,
)
from arena.table.record import BrokenRecord, Thought
from arena.v1 import bot_pb2


def heard(**thought: object) -> Thought:
    """What the referee keeps of a thought that a bot sends."""
    decision = bot_pb2.Decision(table=1, turn=2, action=3)
    decision.thought.MergeFrom(bot_pb2.Thought(**thought))  # type: ignore[arg-type]  # of any field
    [read] = decode_decisions(bot_pb2.PlayResponse(decisions=[decision]).SerializeToString())
    assert read[:3] == (1, 2, 3)
    [seat] = decode_thoughts(encode_thoughts(1, [(0, 2, read[3])]))
    return seat[2]


def test_what_is_within_the_bounds_is_kept():
    values = {index: index / 4 for index in range(MOST_VALUES)}
    assert heard(estimate=0.75, values=values, text="a" * MOST_TEXT) == Thought(0.75, values, "a" * MOST_TEXT)
    assert heard(estimate=0.0) == Thought(0.0, {}, "")


@pytest.mark.parametrize("estimate", [-0.01, 1.01, math.nan, math.inf])
def test_an_estimate_that_is_no_score_is_dropped_and_the_rest_kept(estimate):
    assert heard(estimate=estimate, values={1: 2.0}, text="well") == Thought(None, {1: 2.0}, "well")


def test_values_that_are_not_finite_or_too_many_are_dropped():
    assert heard(values={0: math.nan, 1: -math.inf, 2: -3.0}).values == {2: -3.0}
    assert heard(values=dict.fromkeys(range(MOST_VALUES + 1), 1.0), text="many") == Thought(None, {}, "many")


def test_a_text_is_one_printable_line_of_bounded_length():
    assert heard(text="a\n\x1b[31m\u202eb").text == "a\\n\\x1b[31m\\u202eb"
    assert heard(text="\x1b" * 1000).text == ("\\x1b" * MOST_TEXT)[:MOST_TEXT]


def test_a_decision_without_a_thought_has_none():
    message = bot_pb2.PlayResponse(decisions=[bot_pb2.Decision(table=1)])
    assert decode_decisions(message.SerializeToString()) == [(1, 0, 0, b"")]
    assert encode_thoughts(4, []) == b""
    assert decode_thoughts(b"") == ()


def test_of_what_is_too_much_the_estimate_remains():
    thought = bot_pb2.Thought(estimate=0.5, values={1: 1.0}, text="long")
    assert bot_pb2.Thought.FromString(estimate_alone(thought.SerializeToString())) == bot_pb2.Thought(
        estimate=0.5
    )
    assert estimate_alone(bot_pb2.Thought(text="long").SerializeToString()) == b""


def test_bytes_that_are_no_thoughts_are_refused():
    with pytest.raises(BrokenRecord, match="thoughts"):
        decode_thoughts(b"\xff")
