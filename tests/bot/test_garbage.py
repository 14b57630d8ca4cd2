"""A Python bot refuses bytes that are no message of the protocol, and leaks nothing."""

from __future__ import annotations

import sys

import grpc
import pytest

from arena.v1 import bot_pb2
from tests.bot.serving import ends_on_sigterm, memory
from tests.patience import PATIENCE

GARBAGE = b"\x0a\xff\xff\xff\x0f no PlayRequest"


def status_of_garbage(channel: grpc.Channel, garbage: bytes = GARBAGE) -> grpc.StatusCode:
    """The status of a Play stream whose first message is garbage."""
    play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Bot/Play")
    with pytest.raises(grpc.RpcError) as caught:
        list(play(iter([garbage]), timeout=PATIENCE))
    return caught.value.code()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_hundreds_of_bad_messages_leave_no_memory_behind_and_sigterm_ends_the_bot(bot):
    process, channel = bot
    for _ in range(200):  # what is made once, and kept
        status_of_garbage(channel)
    before = memory(process)
    for _ in range(600):
        assert status_of_garbage(channel) is grpc.StatusCode.INVALID_ARGUMENT
    assert memory(process) - before < 4 << 20  # 9 MB when each stayed
    describe = channel.unary_unary("/arena.v1.Bot/Describe")
    answer = bot_pb2.DescribeResponse.FromString(describe(b"", timeout=PATIENCE))
    assert answer.name == "random"
    ends_on_sigterm(process)


def test_garbage_instead_of_a_describe_request_is_refused(bot):
    process, channel = bot
    describe = channel.unary_unary("/arena.v1.Bot/Describe")
    for _ in range(20):
        with pytest.raises(grpc.RpcError) as caught:
            describe(GARBAGE, timeout=PATIENCE)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    ends_on_sigterm(process)


def test_garbage_in_the_middle_of_a_stream_ends_that_stream_alone(bot):
    process, channel = bot
    play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Bot/Play")
    with pytest.raises(grpc.RpcError) as caught:
        list(play(iter([b"", bot_pb2.PlayRequest().SerializeToString(), GARBAGE]), timeout=PATIENCE))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "PlayRequest" in str(caught.value.details())
    assert list(play(iter([b""]), timeout=PATIENCE)) == []
    ends_on_sigterm(process)
