"""Talks to the page of a standing league, for its authors' commands.

What was interrupted is done again: each request means the same when it comes twice. An upload goes on where
it stopped.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import re
import selectors
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from arena.link.tls.address import fingerprint_of, is_loopback
from arena.link.tls.proxy import Proxy, connect, proxy_for, read_proxy

_ANSWER_WITHIN = 60.0  # seconds
_PATIENCE = 60.0  # seconds in which nothing comes through, before it is given up
_TELL_AFTER, _TELL_EVERY = 3.0, 10.0  # seconds of waiting until a person is told, and between two lines
_PAUSE = 0.5  # seconds between two attempts
_CHUNK = 1 << 16
_PINNED = re.compile(r"/(sha256:[0-9a-f]{64})(?=/|$)", re.IGNORECASE)
_LATER = (502, 503, 504)


class Problem(Exception):
    """Something does not work; the text is one sentence with the remedy."""


class Refused(Problem):
    """The page refuses a request; the text is its sentence.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class _Later(Exception):
    """The page asks to try again later."""

    def __init__(self, refused: Refused, seconds: float) -> None:
        super().__init__()
        self.refused, self.seconds = refused, seconds


def say_on_standard_error(line: str) -> None:
    """Prints a line for people."""
    with suppress(OSError):  # there is nowhere to say so
        sys.stderr.write(f"arena: {line}\n")
        sys.stderr.flush()


class _Server(NamedTuple):
    """Where a page is: the host, the port, TLS, its certificate's fingerprint (or empty), and a prefix."""

    host: str
    port: int | None
    tls: bool
    fingerprint: str
    prefix: str


class Client:
    """A client of a standing league's page. It asks through the proxy of the environment: see `proxy_for`.

    Args:
        url: the page's address. `/sha256:` and a fingerprint in it name the only certificate to trust.
        token: the author's token; empty for nobody's.
        tell: takes a line for people when the league has not answered for some seconds; as it is, the line
            goes to standard error.

    Attributes:
        url: the address, without a slash at its end.
        token: the token.

    Raises Problem if the address is none.
    """

    def __init__(
        self, url: str, token: str = "", tell: Callable[[str], None] = say_on_standard_error
    ) -> None:
        self.url, self.token, self._tell = url.rstrip("/"), token, tell
        self._server = _server(self.url)
        named = proxy_for("https" if self._server.tls else "http", self._server.host)
        self._proxy = read_proxy(named)
        self._unusable = named.rpartition("@")[2] if self._proxy is None else ""  # without a password
        self._came_on = 0.0  # when an upload last came further than before

    @property
    def in_the_clear(self) -> bool:
        """Whether others in the network can read the token."""
        return not self._server.tls and not is_loopback(self._server.host)

    def get(self, path: str) -> Any:
        """What is at a path of the API. Raises Problem."""
        return self._again(lambda: self._ask("GET", path))

    def post(self, path: str, **values: object) -> Any:
        """Asks for something. Raises Problem."""
        return self._again(lambda: self._ask("POST", path, json.dumps(values).encode()))

    def upload(self, path: Path, digest: str, show: Callable[[int], None]) -> None:
        """Uploads a file, from where an earlier upload stopped.

        Args:
            path: the file.
            digest: its SHA-256, in hex.
            show: called with the number of bytes that are there.

        Raises Problem.
        """
        size, furthest = path.stat().st_size, -1

        def sent(there: int) -> None:
            nonlocal furthest
            if there > furthest:
                furthest, self._came_on = there, time.monotonic()
            show(there)

        def attempt() -> bool:
            there = int(self._ask("GET", f"/api/uploads/{digest}")["received"])
            if there == size:
                return True
            if there > size:
                there = 0
            answer = self._ask(
                "PUT", f"/api/uploads/{digest}?from={there}", _rest(path, there, sent), size - there
            )
            return bool(answer.get("complete"))

        if not self._again(attempt) and not self._again(attempt):
            raise Problem("the upload arrived damaged twice: try again, and tell the host if it stays so")
        show(size)

    def _again(self, attempt: Callable[[], Any]) -> Any:
        """Makes an attempt until it comes through."""
        began = time.monotonic()
        tell_at = began + _TELL_AFTER
        while True:
            try:
                return attempt()
            except ssl.SSLCertVerificationError as error:
                raise Problem(
                    f"the certificate of {self.url} is not trusted ({error.verify_message}): ask the host "
                    "for the address with its fingerprint"
                ) from None
            except _Later as later:
                problem: Problem = later.refused
                pause = later.seconds
            except (OSError, http.client.HTTPException) as error:
                said = getattr(error, "strerror", None) or str(error) or type(error).__name__
                said = f"{said}{self._through}"
                if not isinstance(error, OSError | http.client.IncompleteRead):
                    raise Problem(f"{self.url} is no standing league: check the address") from None
                problem = Problem(
                    f"{self.url} does not answer ({said}): check the address and your network, "
                    "or ask its host"
                )
                pause = _PAUSE
                if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
                    raise problem from None  # there is no such host, say
            now = time.monotonic()
            left = max(began, self._came_on) + _PATIENCE - now
            if pause > left:
                raise problem
            if now >= tell_at:
                self._say_left(left)
                tell_at = now + _TELL_EVERY
            time.sleep(pause)

    def _say_left(self, seconds: float) -> None:
        self._tell(f"the league does not answer yet; trying for another {seconds:.0f} s")

    def _wait(self, stream: socket.socket) -> None:
        """Waits until an answer begins. Raises TimeoutError."""
        end = time.monotonic() + _ANSWER_WITHIN
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while not selector.select(min(_TELL_EVERY, end - time.monotonic())):
                if (left := end - time.monotonic()) <= 0:
                    raise TimeoutError("timed out")
                self._say_left(left)

    def _ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, size: int | None = None
    ) -> Any:
        """Makes one request in a connection of its own."""
        headers = {"Accept": "application/json"}
        if self._proxy is not None and not self._server.tls:
            headers |= self._proxy.headers
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/json"
        elif body is not None:
            headers["Content-Type"], headers["Content-Length"] = "application/zip", str(size)
        connection = self._connection()
        try:
            try:
                connection.request(method, self._prefix + path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                if connection.sock is None:
                    raise
                # The page may have answered before it had read all.
            self._wait(connection.sock)
            with connection.getresponse() as answer:
                return self._read(answer, answer.read())
        finally:
            connection.close()

    def _read(self, answer: http.client.HTTPResponse, text: bytes) -> Any:
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if answer.status < 300 and data is not None:
            return data
        if 300 <= answer.status < 400:
            raise Refused(
                f"the page has moved to {answer.getheader('Location')}: log in there", answer.status
            )
        sentence = data.get("error") if isinstance(data, dict) else None
        if answer.status == 401:
            sentence = f"{self.url} does not know your token: log in again, or ask the host for an invitation"
        refused = Refused(
            str(
                sentence
                or f"{self.url} answers {answer.status} {answer.reason}{self._through}: "
                "is it a standing league?"
            ),
            answer.status,
        )
        wait = answer.getheader("Retry-After") or ""
        if answer.status in _LATER or (answer.status == 429 and wait):
            raise _Later(refused, float(wait) if wait.isdecimal() else _PAUSE)
        raise refused

    @property
    def _through(self) -> str:
        """The proxy that is asked, or cannot be, as part of a sentence; empty for none."""
        if self._unusable:
            return f", asked directly, because the proxy {self._unusable} of the environment is no HTTP proxy"
        if self._proxy is None:
            return ""
        return (
            f", through the proxy {self._proxy} of the environment, which no_proxy={self._server.host} avoids"
        )

    @property
    def _prefix(self) -> str:
        """What stands before a path in a request: a proxy for pages without TLS is told the server too."""
        server = self._server
        if self._proxy is None or server.tls:
            return server.prefix
        host = f"[{server.host}]" if ":" in server.host else server.host
        return f"http://{host}{'' if server.port is None else f':{server.port}'}{server.prefix}"

    def _connection(self) -> http.client.HTTPConnection:
        server, proxy = self._server, self._proxy
        if server.tls:
            return _Secure(server, proxy)
        host, port = (server.host, server.port) if proxy is None else (proxy.host, proxy.port)
        return http.client.HTTPConnection(host, port, timeout=_ANSWER_WITHIN)


class _Secure(http.client.HTTPSConnection):
    """A connection by TLS, through a proxy if there is one."""

    def __init__(self, server: _Server, proxy: Proxy | None) -> None:
        self._tls = ssl.create_default_context()
        if server.fingerprint:
            self._tls.check_hostname, self._tls.verify_mode = False, ssl.CERT_NONE  # compared below
        super().__init__(server.host, server.port, timeout=_ANSWER_WITHIN, context=self._tls)
        self._server, self._proxy = server, proxy

    def connect(self) -> None:
        """Connects, and compares the certificate, if one is named, before anything is sent."""
        line = connect(self.host, self.port, _ANSWER_WITHIN, self._proxy)
        try:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = self._tls.wrap_socket(line, server_hostname=self.host)
        except BaseException:
            line.close()
            raise
        certificate = self.sock.getpeercert(binary_form=True) or b""
        found = fingerprint_of(hashlib.sha256(certificate).digest())
        if self._server.fingerprint and not hmac.compare_digest(found, self._server.fingerprint):
            self.close()
            raise Problem(
                f"the server at {self._server.host} has another certificate than the one in the address: "
                "ask the host for the present address"
            )


def _server(url: str) -> _Server:
    pinned = _PINNED.search(url)
    plain = _PINNED.sub("", url)
    try:
        parts = urlsplit(plain)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host or not plain.isprintable() or parts.query:
        raise Problem(f"{url} is no address of a standing league, such as https://arena.example.org")
    if pinned and parts.scheme != "https":
        raise Problem(f"{url} has the fingerprint of a certificate, so it has to begin with https://")
    return _Server(
        host, port, parts.scheme == "https", pinned[1].lower() if pinned else "", parts.path.rstrip("/")
    )


def _rest(path: Path, there: int, show: Callable[[int], None]) -> Iterator[bytes]:
    """The bytes of a file from a position on."""
    with path.open("rb") as file:
        file.seek(there)
        show(there)
        while chunk := file.read(_CHUNK):
            yield chunk
            there += len(chunk)
            show(there)


def quoted(name: str | int) -> str:
    """A name as a part of a path."""
    return quote(str(name), safe="")
