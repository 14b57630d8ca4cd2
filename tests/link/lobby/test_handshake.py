"""The door reads the beginning of a client's connection: TLS, and HTTP/2 up to the first message."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.link.lobby.handshake import LIMIT, SETTINGS, Greeting, Unacceptable, refusal
from tests.referee.crowd import ACKNOWLEDGEMENT, PREFACE, frame, headers, hello, reset

HELLO = hello("token")
MESSAGE = HELLO[9 + 5 :]
PING = frame(6, 0, 0, bytes(8))


def data(payload: bytes, flags: int = 0, stream: int = 1) -> bytes:
    return frame(0, flags, stream, payload)


def message(payload: bytes, compressed: int = 0) -> bytes:
    return struct.pack(">BL", compressed, len(payload)) + payload


@given(st.data())
def test_a_hello_is_read_however_it_is_cut_up(choices):
    body = message(MESSAGE)
    cut = choices.draw(st.integers(0, len(body)))
    padded = data(bytes([3]) + body[cut:] + bytes(3), flags=8)
    parts = [PREFACE, SETTINGS, PING, headers(1), data(body[:cut]), padded, PING]
    parts.insert(choices.draw(st.integers(1, len(parts))), ACKNOWLEDGEMENT)
    sent = b"".join(parts)
    ends = sorted(choices.draw(st.sets(st.integers(1, len(sent)), max_size=8)) | {len(sent)})
    greeting = Greeting()
    for begin, end in zip([0, *ends], ends, strict=False):
        greeting.feed(sent[begin:end])
    assert greeting.complete
    assert greeting.message == MESSAGE
    assert greeting.stream == 1
    assert greeting.passed_on() == b"".join(part for part in parts if part != ACKNOWLEDGEMENT)


def test_it_is_not_complete_before_our_settings_are_acknowledged():
    greeting = Greeting()
    greeting.feed(PREFACE + SETTINGS + headers(1) + HELLO)
    assert not greeting.complete
    greeting.feed(ACKNOWLEDGEMENT)
    assert greeting.complete


@pytest.mark.parametrize(
    "rest",
    [
        headers(1) + headers(3),
        headers(1) + reset(1),
        data(message(MESSAGE)),
        headers(1) + data(message(MESSAGE), stream=3),
        headers(1) + data(bytes([9]), flags=8),
        ACKNOWLEDGEMENT + ACKNOWLEDGEMENT,
        PING * 1000,
        frame(4, 0, 0, bytes(6)) * 1200,
        b"\xff" * 9,
    ],
)
def test_who_does_what_no_bot_does_is_hung_up_on(rest):
    greeting = Greeting()
    greeting.feed(PREFACE + SETTINGS)
    with pytest.raises(Unacceptable):
        greeting.feed(rest)


@pytest.mark.parametrize(
    "rest",
    [
        data(message(MESSAGE, compressed=1)),
        data(message(MESSAGE)[:9], flags=1),
        data(b"", flags=1),
        data(struct.pack(">BL", 0, 1 << 30)),
    ],
)
def test_a_stream_without_a_first_message_has_an_empty_one(rest):
    greeting = Greeting()
    greeting.feed(PREFACE + SETTINGS + ACKNOWLEDGEMENT + headers(1) + rest)
    assert greeting.complete
    assert greeting.message == b""


@given(st.lists(st.binary(max_size=2000), max_size=20), st.booleans())
def test_whatever_is_sent_is_read_or_unacceptable(chunks, polite):
    greeting = Greeting()
    received = 0
    try:
        greeting.feed(PREFACE if polite else b"")
        for chunk in chunks:
            greeting.feed(chunk)
            received += len(chunk)
            assert received <= LIMIT
    except Unacceptable:
        pass


def test_a_refusal_has_the_status_and_ends_the_connection():
    frames = refusal(5, 16, "no")
    assert b"grpc-status\x0216" in frames
    assert b"grpc-message\x02no" in frames
    assert frames.endswith(frame(7, 0, 0, struct.pack(">LL", 5, 0)))
