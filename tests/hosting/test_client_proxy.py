"""The client of a standing league asks through the proxy of the environment, and says so if that fails."""

from __future__ import annotations

import hashlib
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

from arena.hosting.client import Client, Problem
from arena.link.tls.address import fingerprint_of
from tests.certificates import Authority
from tests.proxies import proxy_of_the_environment

PATH = "/api/environment"
ENVIRONMENT = {"name": "Club"}


class Handler(BaseHTTPRequestHandler):
    """Answers every question alike."""

    def do_GET(self):
        body = json.dumps(ENVIRONMENT).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Prints nothing."""


@contextmanager
def hosting(context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a server, `http://host:port`, which speaks TLS if it has a context."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "url", ["http://club.example.org", "http://club.example.org:8000", "http://[2a00::1]:8000"]
)
def test_a_page_without_tls(monkeypatch, url):
    with hosting() as club, proxy_of_the_environment(monkeypatch, urlsplit(club).netloc) as proxy:
        assert Client(url).get(PATH) == ENVIRONMENT
    assert proxy.asked == [f"GET {url}{PATH} HTTP/1.1"]
    assert f"Host: {urlsplit(url).netloc}".encode() in proxy.heads[0]


def test_a_page_with_tls(monkeypatch, tmp_path):
    own = Authority(tmp_path).signed("club.example.org")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.certificate, own.key)
    pem = own.certificate.read_text("ascii")
    der = ssl.PEM_cert_to_DER_cert(pem[: pem.index("-----END CERTIFICATE-----") + 25])
    pinned = f"https://club.example.org/{fingerprint_of(hashlib.sha256(der).digest())}"
    wrong = f"https://club.example.org/sha256:{'0' * 64}"
    with hosting(context) as club, proxy_of_the_environment(monkeypatch, urlsplit(club).netloc) as proxy:
        assert Client(pinned).get(PATH) == ENVIRONMENT
        with pytest.raises(Problem, match=r"the server at club\.example\.org has another certificate"):
            Client(wrong).get(PATH)
    assert [line.rpartition(" HTTP/")[0] for line in proxy.asked] == ["CONNECT club.example.org:443"] * 2


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_named_with_the_way_around_it(monkeypatch, scheme):
    with proxy_of_the_environment(monkeypatch) as proxy, pytest.raises(Problem) as caught:
        Client(f"{scheme}://club.example.org").get(PATH)
    told = str(caught.value)
    assert "403 Forbidden" in told
    assert f"through the proxy {proxy.address} of the environment, which no_proxy=club.example.org" in told


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("kind", ["socks5", "https"])
def test_a_proxy_of_another_kind_is_named_where_the_page_does_not_answer(monkeypatch, scheme, kind):
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv(f"{scheme}_proxy", f"{kind}://me:secret@proxy.example:1080")
    with pytest.raises(Problem) as caught:
        Client(f"{scheme}://224.0.0.1").get(PATH)  # no system connects to it
    told = str(caught.value)
    assert ", asked directly, because the proxy proxy.example:1080 of the environment is" in told
    assert "secret" not in told


def test_a_page_of_this_machine_is_asked_directly(monkeypatch):
    with hosting() as club, proxy_of_the_environment(monkeypatch) as proxy:
        assert Client(club).get(PATH) == ENVIRONMENT
    assert proxy.asked == []
