"""A Python bot that is sent what is no message of the protocol: it refuses that, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from arena.v1 import bot_pb2
from tests.patience import PATIENCE

BOT = Path(__file__).parents[2] / "bots" / "random-python" / "random_bot.py"
GARBAGE = b"\x0a\xff\xff\xff\x0f no PlayRequest"


@pytest.fixture
def bot(tmp_path) -> Iterator[tuple[subprocess.Popen[bytes], grpc.Channel]]:
    """A bot in a process of its own, and a channel to it."""
    address = f"unix:{tmp_path}/bot.sock"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(BOT)], env={**os.environ, "ARENA_LISTEN": address}, stderr=log
        )
    channel = grpc.insecure_channel(address, options=[("grpc.default_authority", "localhost")])
    try:
        grpc.channel_ready_future(channel).result(PATIENCE)
        yield process, channel
    finally:
        channel.close()
        process.kill()
        process.wait()


def status_of_garbage(channel: grpc.Channel, garbage: bytes = GARBAGE) -> grpc.StatusCode:
    """How a Play stream ends whose first message is garbage."""
    play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.Bot/Play")
    with pytest.raises(grpc.RpcError) as caught:
        list(play(iter([garbage]), timeout=PATIENCE))
    return caught.value.code()


def memory(process: subprocess.Popen[bytes]) -> int:
    """The bytes of memory that a process holds."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def ends_on_sigterm(process: subprocess.Popen[bytes]) -> float:
    """How long a bot takes to end."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    return time.monotonic() - began


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_thousand_bad_messages_leave_no_memory_behind_and_sigterm_ends_the_bot(bot):
    process, channel = bot
    for _ in range(200):  # what is made once, and kept
        status_of_garbage(channel)
    before = memory(process)
    for _ in range(2000):
        assert status_of_garbage(channel) is grpc.StatusCode.INVALID_ARGUMENT
    assert memory(process) - before < 4 << 20  # 30 MB when each stayed
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
