"""A bot that waits takes no processor time for its own part."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import grpc
import pytest

from arena.link.streams import waits
from tests.bot.serving import BOT
from tests.bot.serving import bot as bot
from tests.patience import PATIENCE

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how often a thread waits")


def waits_of(process: int) -> dict[int, int]:
    """How often each thread of a process has waited for something."""
    return {
        int(task.name): int(
            (task / "status").read_text().partition("\nvoluntary_ctxt_switches:")[2].split()[0]
        )
        for task in Path(f"/proc/{process}/task").iterdir()
    }


@linux
def test_the_main_thread_of_a_serving_bot_sleeps_until_a_signal_comes(bot):
    process, _ = bot
    deadline = time.monotonic() + PATIENCE
    before = after = waits_of(process.pid)
    while after[process.pid] > before[process.pid] or sum(after.values()) < sum(before.values()) + 20:
        assert time.monotonic() < deadline, "it never slept while other threads woke twenty times"
        if after[process.pid] > before[process.pid]:
            before = after  # it had only begun
        time.sleep(0.05)
        after = waits_of(process.pid)


@pytest.fixture
def guest() -> Iterator[subprocess.Popen[bytes]]:
    """A bot that has joined at a lobby where no game begins."""
    joined, over = threading.Event(), threading.Event()

    def play(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        joined.set()
        over.wait()
        yield from ()

    server = grpc.server(ThreadPoolExecutor(1))
    join: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("arena.v1.Lobby", {"Join": join})])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    surroundings = {**os.environ, "ARENA_JOIN": f"127.0.0.1:{port}", "ARENA_TOKEN": "a-token"}
    with subprocess.Popen([sys.executable, str(BOT)], env=surroundings) as process:
        try:
            assert joined.wait(PATIENCE)
            yield process
        finally:
            process.kill()
            over.set()
            server.stop(None)


@linux
def test_the_main_thread_of_a_guest_wakes_once_a_second(guest):
    begun, before = time.monotonic(), waits_of(guest.pid)
    after = before
    while sum(after.values()) < sum(before.values()) + 60:
        assert time.monotonic() < begun + PATIENCE, "its threads never woke sixty times"
        time.sleep(0.05)
        after = waits_of(guest.pid)
    assert after[guest.pid] - before[guest.pid] < 5 + 2 * (time.monotonic() - begun)  # not ten a second


@pytest.mark.parametrize(("module", "setting"), waits.SETTINGS.items())
def test_grpc_still_reads_the_settings_by_which_its_threads_sleep(module, setting):
    source = Path(import_module(module).__file__ or "").read_text()
    assert source.count(setting) > 1
