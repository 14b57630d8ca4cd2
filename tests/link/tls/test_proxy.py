"""Proxies: when one is used, and how a connection goes through it."""

from __future__ import annotations

import socket
import threading

import pytest

from arena.link.tls.proxy import Proxy, connect, proxy_for, read_proxy
from tests.patience import PATIENCE
from tests.proxies import VARIABLES, proxy_of_the_environment


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("proxy:8080", Proxy("proxy", 8080)),
        ("http://proxy.example.org", Proxy("proxy.example.org", 80)),
        ("http://[::1]:8080/", Proxy("::1", 8080)),
        ("http://ada:p%40ss@proxy:8080", Proxy("proxy", 8080, "Basic YWRhOnBAc3M=")),
        ("", None),
        ("socks5://proxy:1080", None),
        ("https://proxy:8080", None),
        ("proxy:port", None),
        ("proxy:8080\r\nX: y", None),
    ],
)
def test_a_text_names_a_proxy(text, proxy):
    assert read_proxy(text) == proxy


@pytest.mark.parametrize(
    ("scheme", "host", "named"),
    [
        ("https", "arena.example.org", "secure"),
        ("http", "arena.example.org", "plain"),
        ("https", "9.9.9.9", "secure"),
        ("https", "inside.example.com", ""),  # no_proxy
        *(("http", near, "") for near in (
            "localhost", "127.0.0.1", "::1", "192.168.1.17", "10.0.0.1", "169.254.1.1", "fe80::1", "fd00::1",
            "club", "club.local",
        )),
    ],
)  # fmt: skip
def test_pages_of_the_internet_are_asked_for_through_the_proxy_of_the_environment(
    monkeypatch, scheme, host, named
):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "example.com")
    monkeypatch.setenv("HTTPS_PROXY", "http://secure:1")
    monkeypatch.setenv("all_proxy", "http://plain:1")
    assert proxy_for(scheme, host) == (named and f"http://{named}:1")


def test_what_a_server_says_first_comes_through_whole(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def speak() -> None:
            line, _ = server.accept()
            with line:
                line.sendall(b"first words")

        speaking = threading.Thread(target=speak)
        speaking.start()
        with proxy_of_the_environment(monkeypatch, f"127.0.0.1:{server.getsockname()[1]}") as proxy:
            through = read_proxy(proxy.url.replace("//", "//ada:secret@"))
            with connect("::1", 7, PATIENCE, through) as line:
                assert line.makefile("rb").read() == b"first words"
        speaking.join()
    assert proxy.heads == [
        b"CONNECT [::1]:7 HTTP/1.1\r\nHost: [::1]:7\r\nProxy-Authorization: Basic YWRhOnNlY3JldA=="
    ]


def test_a_proxy_that_refuses_is_an_error_with_its_words(monkeypatch):
    with (
        proxy_of_the_environment(monkeypatch) as proxy,
        pytest.raises(PermissionError, match="it answers 403 Forbidden"),
    ):
        connect("arena.example.org", 443, PATIENCE, read_proxy(proxy.address))
