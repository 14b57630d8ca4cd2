"""The lobby under siege: while strangers crowd its door, a guest with its token comes in."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from arena.v1 import lobby_pb2, lobby_pb2_grpc
from tests.runner.crowd import KINDS
from tests.runner.test_joining import describe, guest, referee
from tests.runner.test_tournament import PATIENCE

ROOT = Path(__file__).parents[2]
SOON = 5.0
"""How long a guest may take to be let in, in seconds."""


@contextmanager
def crowd(kind: str, address: str, count: int) -> Iterator[subprocess.Popen[str]]:
    callers = subprocess.Popen(
        [sys.executable, "-m", "tests.runner.crowd", kind, address, str(count)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert callers.stdout is not None
        assert callers.stdout.readline() == "all have called\n"
        yield callers
    finally:
        callers.kill()
        callers.communicate()


def time_to_come_in(address: str, token: str) -> float:
    """How long a guest takes that dials, in seconds; it leaves again."""
    hello = lobby_pb2.JoinRequest(hello=lobby_pb2.JoinHello(token=token, description=describe()))
    began = time.monotonic()
    with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        call = lobby_pb2_grpc.LobbyStub(channel).Join(iter([hello]), wait_for_ready=True, timeout=PATIENCE)
        assert next(call).HasField("welcome")
        return time.monotonic() - began


COUNTS = {"silent": 500, "bare": 500, "loris": 100, "guesser": 4, "streams": 1, "rapid_reset": 1, "pings": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_a_guest_comes_in_whoever_else_is_at_the_door(tmp_path, kind):
    with referee(tmp_path, 4) as host, crowd(kind, host.address, COUNTS[kind]):
        took = [time_to_come_in(host.address, token) for token in host.tokens[:3]]
        with guest(tmp_path, host.address, host.tokens[3]):
            host.wait_to_say("guest 3 is in")
        assert len(re.findall("refused", host.said)) < 10
    print(kind, [f"{each:.2f}" for each in took], [l for l in host.said.splitlines() if "refused" in l])
    assert sorted(took)[1] < SOON
