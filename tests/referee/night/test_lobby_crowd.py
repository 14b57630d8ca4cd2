"""A lobby that hostile clients crowd still lets in a guest with its token."""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
import pytest

from arena.v1 import lobby_pb2, lobby_pb2_grpc
from tests.bots_for_tests import UNHURRIED
from tests.patience import PATIENCE
from tests.referee.crowd import KINDS
from tests.referee.crowds import children_with, crowd
from tests.referee.guests import describe, faults, guest, referee
from tests.referee.nights import wait_for

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
SOON = 5.0
"""How long a guest may take to be let in, in seconds."""


def time_to_come_in(address: str, token: str) -> float:
    """How long a guest takes that dials, in seconds; it leaves again."""
    began = time.monotonic()
    with grpc.insecure_channel(address, options=OWN_CONNECTION) as channel:
        assert next(join(channel, token)).HasField("welcome")
        return time.monotonic() - began


def join(channel: grpc.Channel, token: str) -> Any:
    """Dials in and says hello, and nothing more as long as the call lasts."""
    outbox: SimpleQueue[lobby_pb2.JoinRequest | None] = SimpleQueue()
    outbox.put(lobby_pb2.JoinRequest(hello=lobby_pb2.JoinHello(token=token, description=describe())))
    stub = lobby_pb2_grpc.LobbyStub(channel)
    call = stub.Join(iter(outbox.get, None), wait_for_ready=True, timeout=PATIENCE)
    call.add_callback(lambda: outbox.put(None))
    return call


COUNTS = {"silent": 500, "bare": 500, "loris": 100, "guesser": 4, "streams": 1, "rapid_reset": 1, "pings": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_a_guest_comes_in_whoever_else_is_at_the_door(tmp_path, kind):
    with referee(tmp_path, 4) as host, crowd(kind, host.address, COUNTS[kind]):
        took = [time_to_come_in(host.address, token) for token in host.tokens[:3]]
        with guest(tmp_path, host.address, host.tokens[3]):
            host.wait_to_say("guest 3 is in")
        assert len(re.findall("refused", host.said)) < 20  # and not a line for each call
    assert sorted(took)[1] < SOON


def test_a_league_night_behind_one_address_comes_in_at_once(tmp_path):
    with referee(tmp_path, 65) as host:  # one is missing: the games do not begin
        calls = []
        with ExitStack() as channels:
            for token in host.tokens[:64]:
                channel = grpc.insecure_channel(host.address, options=OWN_CONNECTION)
                calls.append(join(channels.enter_context(channel), token))
            assert all(next(call).HasField("welcome") for call in calls)
            host.wait_to_say(r"missing: guest 64\)")
        assert "refused" not in host.said


def test_the_third_bot_with_one_token_is_told_to_try_again_later(tmp_path):
    with referee(tmp_path, 2) as host, ExitStack() as channels:
        codes = []
        calls = [
            join(channels.enter_context(grpc.insecure_channel(host.address, options=OWN_CONNECTION)), token)
            for token in [host.tokens[0]] * 3
        ]
        for call in calls:
            try:
                next(call)
                codes.append("OK")
            except grpc.RpcError:
                codes.append(call.code().name)
        assert sorted(codes) == ["ALREADY_EXISTS", "OK", "UNAVAILABLE"]


def test_a_door_that_is_killed_opens_again_at_the_same_address(tmp_path):
    with referee(tmp_path, 2) as host:
        assert time_to_come_in(host.address, host.tokens[0]) < PATIENCE
        (door,) = children_with(host.process.pid, "arena.link.lobby.door")
        os.kill(door, signal.SIGKILL)
        assert time_to_come_in(host.address, host.tokens[1]) < PATIENCE
        assert children_with(host.process.pid, "arena.link.lobby.door") != [door]


def test_a_door_that_is_killed_costs_no_guest_a_fault_and_its_games_are_played(tmp_path):
    clock = 'concurrency = 4\n[clock]\nbank = "1s"\nmove = "1s"\n'
    with (
        referee(tmp_path, 1, boards=20, head=clock) as host,
        guest(tmp_path, host.address, host.tokens[0], UNHURRIED),
    ):
        for games in (4, 20, 40):
            wait_for(lambda enough=games: host.games() >= enough)
            (door,) = children_with(host.process.pid, "arena.link.lobby.door")
            os.kill(door, signal.SIGKILL)
            lost = host.said.count("guest 0 is in")
            wait_for(lambda before=lost: host.said.count("guest 0 is in") > before)
        summary = host.end()
    assert host.said.count("no fault of the bot's") == 3
    assert summary["games_played"] == 80
    assert [faults(row) for row in summary["standings"]] == [{}, {}]


def test_a_referee_that_is_killed_leaves_no_door_behind(tmp_path):
    with referee(tmp_path, 1) as host:
        (door,) = children_with(host.process.pid, "arena.link.lobby.door")
        host.process.kill()
        host.process.wait()
        wait_for(lambda: not Path(f"/proc/{door}").exists())
