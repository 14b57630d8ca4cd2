"""Forms: incomplete ones hold no connection for long, and all tokens take as long."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import trio
import trio.testing
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.cli.composed import compose
from arena.cli.page_beside import Page
from arena.cli.serve import settings_of
from arena.hosting.database import Database
from arena.league.store import League
from arena.view.listening import listening
from arena.view.serving.forms import form_of
from arena.view.serving.server import ComposedPage, Start
from tests.hosting.pages.standing import Club
from tests.patience import PATIENCE
from tests.view.every_view import ask
from tests.view.served import served

TOKEN = "t" * 32
HALF = b"POST /host/enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\ntoken="


def test_what_does_not_come_is_not_waited_for():
    async def ask() -> None:
        headers = [(b"content-length", b"9000")]
        request = Request({"type": "http", "method": "POST", "headers": headers}, trio.sleep_forever)
        with pytest.raises(HTTPException, match="408: The form arrived incomplete"):
            await form_of(request)

    trio.run(ask, clock=trio.testing.MockClock(autojump_threshold=0))


def composed(folder: Path) -> ComposedPage:
    """The page of a standing league with an author, without a server."""
    club = Club(folder)
    with Database(club.place.database, writer=True) as database:
        database.give_secret(database.add_account("Ada", "author"), "token", TOKEN)
    with listening("127.0.0.1:0") as listener:
        settings = settings_of(club.place.league, Page(), TOKEN, None, folder)
        return compose(settings, Start(listener, 3, print))


@pytest.mark.parametrize("address", ["/host/enter", "/login"])
def test_a_right_token_takes_as_long_as_a_wrong_one_and_nobody_waits_for_others(tmp_path, address):
    page, took = composed(tmp_path), dict[str, set[float]]()

    async def enter(token: str, code: int) -> None:
        begun = trio.current_time()
        assert (await ask(page, address, form=f"token={token}".encode())).code == code
        took.setdefault(token, set()).add(trio.current_time() - begun)

    async def enter_all() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(enter, "wrong", 200)
                nursery.start_soon(enter, TOKEN, 303)

    trio.run(enter_all, clock=trio.testing.MockClock(autojump_threshold=0))
    page.reader.close()
    assert took["wrong"] == took[TOKEN]
    [seconds] = took[TOKEN]
    assert 0 < seconds < 1


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
