"""Incomplete forms: their senders cannot hold a connection for long, and they are no bugs."""

from __future__ import annotations

import select
import socket
from contextlib import ExitStack

import pytest
import trio
import trio.testing
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.page.serving.forms import form_of
from arena.store import League
from tests.page.served import served
from tests.patience import PATIENCE

HALF = b"POST /host/enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\ntoken="


def test_what_does_not_come_is_not_waited_for():
    async def ask() -> None:
        headers = [(b"content-length", b"9000")]
        request = Request({"type": "http", "method": "POST", "headers": headers}, trio.sleep_forever)
        with pytest.raises(HTTPException, match="408: The form arrived incomplete"):
            await form_of(request)

    trio.run(ask, clock=trio.testing.MockClock(autojump_threshold=0))


def test_the_host_waits_for_nobody_who_guesses(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    guess = HALF.replace(b"9000", b"7") + b"x"
    with served(path) as page, ExitStack() as ends:
        host, _, port = page.url.removeprefix("http://").rpartition(":")
        guesses = []
        for _ in range(20):
            guesses.append(ends.enter_context(socket.create_connection((host, int(port)), PATIENCE)))
            guesses[-1].sendall(guess)
        assert guesses[0].recv(1000)  # so that the others wait
        page.answer("/host/enter", 303, f"token={page.token}".encode())
        waiting = [each for each in guesses[1:] if not select.select([each], [], [], 0)[0]]
        assert waiting


def test_whoever_hangs_up_meets_no_bug(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    with served(path) as page:  # the end of it checks the page's output
        host, _, port = page.url.removeprefix("http://").rpartition(":")
        for _ in range(3):
            with socket.create_connection((host, int(port)), PATIENCE) as half:
                half.sendall(HALF)
                half.shutdown(socket.SHUT_WR)
                while half.recv(1000):
                    pass
        assert page.get("/")
