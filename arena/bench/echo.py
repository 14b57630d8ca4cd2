"""The other side of the bare measurements: a gRPC server that sends every message back, and nothing else.

python -m arena.bench.echo SOCKET
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import grpc

SERVICE = "arena.bench.Echo"


def main(socket: str) -> None:
    """Serves on a Unix socket until standard input ends."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    unary: grpc.RpcMethodHandler[bytes, bytes]
    unary = grpc.unary_unary_rpc_method_handler(_same)
    stream: grpc.RpcMethodHandler[bytes, bytes]
    stream = grpc.stream_stream_rpc_method_handler(_same_stream)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {"Call": unary, "Stream": stream}),)
    )
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    sys.stdin.read()
    server.stop(None).wait()


def _same(request: bytes, context: grpc.ServicerContext) -> bytes:
    return request


def _same_stream(requests: Iterable[bytes], context: grpc.ServicerContext) -> Iterable[bytes]:
    return requests


if __name__ == "__main__":
    main(sys.argv[1])
