"""Benchmarks gRPC without the arena: a process in place of a bot returns messages as large as a turn."""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import grpc

from arena.processes.loading import program_of
from arena.temporary import temporary_folder

_SERVICE = "arena.bench.Echo"

_MESSAGE = bytes(300)
"""A message with the size of a turn in the mix of all games."""

_AT_ONCE = 64


class Bare(NamedTuple):
    """Calls per second.

    Attributes:
        unary_1: unary calls, one at a time.
        unary_64: unary calls, 64 at once.
        stream_1: messages there and back on one stream, one at a time.
        stream_latencies: the times of these messages, in seconds, sorted.
    """

    unary_1: float
    unary_64: float
    stream_1: float
    stream_latencies: tuple[float, ...]


def measure_bare(seconds: float) -> Bare:
    """Measures each way of calling for `seconds` seconds."""
    with _echo() as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{_SERVICE}/Call")
        call(_MESSAGE, wait_for_ready=True)
        unary = _rate(lambda: call(_MESSAGE), seconds)
        at_once = _rate_at_once(call, seconds)
        latencies = _ping_pong(channel, seconds)
    return Bare(unary, at_once, len(latencies) / sum(latencies), tuple(sorted(latencies)))


@contextmanager
def _echo() -> Iterator[grpc.Channel]:
    with temporary_folder() as folder:
        socket = Path(folder, "echo.sock")
        command = program_of("arena.bench.bare", str(socket))
        with (
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the command; the process ends with its input
            ) as process,
            grpc.insecure_channel(f"unix:{socket}") as channel,
        ):
            yield channel
            process.terminate()


def _rate(call: Callable[[], object], seconds: float) -> float:
    begin = time.perf_counter()
    calls = 0
    while (now := time.perf_counter()) < begin + seconds:
        call()
        calls += 1
    return calls / (now - begin)


def _rate_at_once(call: grpc.UnaryUnaryMultiCallable[bytes, bytes], seconds: float) -> float:
    done: queue.SimpleQueue[object] = queue.SimpleQueue()
    for _ in range(_AT_ONCE):
        call.future(_MESSAGE).add_done_callback(done.put)

    def next_one() -> None:
        done.get()
        call.future(_MESSAGE).add_done_callback(done.put)

    rate = _rate(next_one, seconds)
    for _ in range(_AT_ONCE):
        done.get()
    return rate


def _ping_pong(channel: grpc.Channel, seconds: float) -> list[float]:
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    stream: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"/{_SERVICE}/Stream")
    responses = stream(iter(requests.get, b""))
    latencies = []
    begin = time.perf_counter()
    while (sent := time.perf_counter()) < begin + seconds:
        requests.put(_MESSAGE)
        next(responses)
        latencies.append(time.perf_counter() - sent)
    requests.put(b"")
    return latencies


def main(socket: str) -> None:
    """Sends every message back, over a Unix socket, until its standard input ends."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    unary: grpc.RpcMethodHandler[bytes, bytes]
    unary = grpc.unary_unary_rpc_method_handler(_same)
    stream: grpc.RpcMethodHandler[bytes, bytes]
    stream = grpc.stream_stream_rpc_method_handler(_same_stream)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(_SERVICE, {"Call": unary, "Stream": stream}),)
    )
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    sys.stdin.read()
    server.stop(None).wait()


def _same(request: bytes, context: grpc.ServicerContext) -> bytes:
    return request


def _same_stream(requests: Iterable[bytes], context: grpc.ServicerContext) -> Iterable[bytes]:
    return requests
