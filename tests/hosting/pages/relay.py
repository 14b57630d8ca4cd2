"""A way to a page on which requests go wrong: a real HTTP server that hands on what it is asked."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Relay:
    """A way to a page.

    Args:
        page: the address of the page.

    Attributes:
        url: the address of the relay.
        asked: every request: method and path.
        before: called with the path of each request that is handed on.
        busy: how many requests are answered with 503 first.
        lose: how many answers to a POST are lost: the page has done what was asked.
        lost: how many were.
        cut_after: after how many bytes an upload breaks off, once; None for never.
        held: set when these bytes are sent.
        release: set to let it break off.
        broken_off: called when the page is told that it broke off; returns when the page has heard it.
    """

    def __init__(self, page: str) -> None:
        self.page, self.url = page, ""
        self.asked: list[str] = []
        self.before: Callable[[str], None] = lambda path: None
        self.busy = self.lose = self.lost = 0
        self.cut_after: int | None = None
        self.held, self.release = threading.Event(), threading.Event()
        self.broken_off: Callable[[], object] = lambda: None

    @property
    def starts(self) -> list[int]:
        """From which bytes on uploads were sent."""
        return [int(each.partition("from=")[2]) for each in self.asked if each.startswith("PUT")]


class _Handler(BaseHTTPRequestHandler):
    relay: Relay

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def _hand_on(self) -> None:
        relay = self.relay
        relay.asked.append(f"{self.command} {self.path}")
        length = int(self.headers.get("Content-Length", 0))
        if relay.busy:
            relay.busy -= 1
            self.rfile.read(length)
            self.send_error(503)
            return
        relay.before(self.path)
        with contextlib.closing(HTTPConnection(urlsplit(relay.page).netloc)) as page:
            if self.command == "PUT" and relay.cut_after is not None:
                self._cut(page)
                return
            page.request(self.command, self.path, self.rfile.read(length), dict(self.headers.items()))
            with page.getresponse() as answer:
                text = answer.read()
        if self.command == "POST" and relay.lost < relay.lose:
            relay.lost += 1
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = _hand_on

    def _cut(self, page: HTTPConnection) -> None:
        relay, size = self.relay, self.relay.cut_after
        relay.cut_after = None
        page.putrequest("PUT", self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            page.putheader(name, value)
        page.endheaders(self.rfile.read(size))
        relay.held.set()
        relay.release.wait()
        page.close()
        relay.broken_off()
        self.close_connection = True


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Prints nothing: who does not trust the relay hangs up, which newer Pythons report."""


@contextlib.contextmanager
def relaying(page: str, context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Relay]:
    """A way to a page, at a port (0 for a free one), with TLS if there is a context."""
    relay = Relay(page)
    with _Server(("127.0.0.1", port), type("Handler", (_Handler,), {"relay": relay})) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        relay.url = f"http{'s' * (context is not None)}://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield relay
        finally:
            relay.release.set()
            server.shutdown()
            thread.join()
