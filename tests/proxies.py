"""Proxies of the environment: one that leads nowhere, and one that leads to a server of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from arena.link.tls.relay import relay

VARIABLES = tuple(
    name
    for scheme in ("http", "https", "grpc", "all")
    for name in (f"{scheme}_proxy", f"{scheme}_PROXY".upper())
)
"""The variables that name a proxy."""


class Proxy:
    """A proxy.

    Attributes:
        address, url: its address, `host:port`, and as a URL.
        asked: the first line of each request.
        heads: the head of each request.
    """

    def __init__(self, listener: socket.socket, leads_to: str) -> None:
        self.address = f"127.0.0.1:{listener.getsockname()[1]}"
        self.url = f"http://{self.address}"
        self.asked: list[str] = []
        self.heads: list[bytes] = []
        self._listener = listener
        self._leads_to = leads_to

    def serve(self) -> None:
        """Answers all requests, one after the other, until the listener is closed."""
        with suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                with line:
                    self._answer(line)

    def _answer(self, line: socket.socket) -> None:
        head, _, body = line.recv(1 << 16).partition(b"\r\n\r\n")
        first, _, rest = head.partition(b"\r\n")
        self.heads.append(head)
        self.asked.append(first.decode("latin-1"))
        if not self._leads_to:
            line.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        host, _, port = self._leads_to.rpartition(":")
        with socket.create_connection((host, int(port))) as inside:
            method, url, version = first.split(b" ")
            if method == b"CONNECT":
                line.sendall(b"HTTP/1.1 200 OK\r\nVia: test\r\n\r\n")
            else:
                path = b"/" + url.split(b"/", 3)[3]
                inside.sendall(b" ".join((method, path, version)) + b"\r\n" + rest + b"\r\n\r\n" + body)
            relay(line, inside)


@contextmanager
def proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch, leads_to: str = "") -> Iterator[Proxy]:
    """Sets the variables to a proxy that leads to one server, or refuses all requests."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = Proxy(listener, leads_to)
        for name in VARIABLES:
            monkeypatch.setenv(name, proxy.url)
        for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
            monkeypatch.delenv(name, raising=False)
        serving = threading.Thread(target=proxy.serve)
        serving.start()
        try:
            yield proxy
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            serving.join()
