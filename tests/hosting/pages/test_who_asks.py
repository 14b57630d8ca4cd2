"""Who asks a standing league: nobody uses up what others at an address may do, and proxies tell it."""

from __future__ import annotations

import contextlib
import socket
from urllib.parse import urlsplit

import pytest

from arena.league.store import League
from arena.view.proxies import Proxies, site_of
from tests.hosting.pages.standing import LEAGUE, Author, standing
from tests.patience import PATIENCE
from tests.view.served import served

MANY = 25  # wrong tokens or invitations: more than may be typed at an address in a row


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    with standing(tmp_path_factory.mktemp("club")) as found:
        found.people = {"ada": found.author("Ada")}
        yield found


def guess(page, times, **headers):
    """Types wrong invitations; returns the codes of the answers."""
    return {page.any("/api/join", b'{"invitation": "x"}', **headers)[0] for _ in range(times)}


def test_wrong_tokens_shut_nobody_out_who_has_a_right_one(club):
    invitation, wrong = club.invitation("Late"), Author(club.page, "x" * 32)
    assert guess(club.page, MANY) == {409, 429}
    for _ in range(MANY):
        wrong.ask("GET", "/api/me", 401)
    ada = club.people["ada"]
    assert ada.ask("GET", "/api/me")["name"] == "Ada"
    assert "Ada" in club.page.get("/authors", Cookie=f"arena=author:{ada.token}")
    club.page.answer("/login", 303, f"token={ada.token}".encode())
    assert Author(club.page).ask("POST", "/api/join", 200, {"invitation": invitation})["name"] == "Late"


def test_a_cookie_that_opens_nothing_is_deleted_and_costs_nothing(tmp_path):
    with standing(tmp_path) as club:
        for path, code in (("/bots", 200), ("/authors", 303), ("/api/me", 401)):
            for _ in range(15):
                _, headers = club.page.answer(path, code, Cookie="arena=author:old")
                [cookie] = headers.get_all("Set-Cookie", [])
                assert cookie.startswith('arena=""; ')
                assert "Max-Age=0" in cookie
        ada = club.author("Ada")
        assert club.page.answer("/bots", Cookie=f"arena=author:{ada.token}")[1].get("Set-Cookie") is None


def test_a_trusted_proxy_tells_the_address_and_the_scheme(club):
    joining = f"/join/{club.invitation('Joan')}"
    https = {"X_Forwarded_Proto": "https"}
    assert "secure" in club.page.answer(joining, **https)[1]["Set-Cookie"].lower()
    assert guess(club.page, MANY, X_Forwarded_For="192.0.2.1") == {409, 429}
    assert guess(club.page, 3, X_Forwarded_For="192.0.2.2") == {409}
    assert guess(club.page, MANY, X_Forwarded_For="192.0.2.9, 192.0.2.3") == {409, 429}
    assert guess(club.page, 3, X_Forwarded_For="192.0.2.9") == {409}


def test_what_another_address_tells_is_not_believed(tmp_path):
    with standing(tmp_path, f'proxies = ["10.88.0.0/16"]\n{LEAGUE}') as club:
        joining = f"/join/{club.invitation('Joan')}"
        _, headers = club.page.answer(joining, X_Forwarded_Proto="https")
        assert "secure" not in headers["Set-Cookie"].lower()
        codes = [guess(club.page, 1, X_Forwarded_For=f"192.0.2.{number}") for number in range(MANY)]
        assert {429} in codes


def test_one_address_takes_the_event_streams_of_no_other(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    with served(path, most=60) as page, contextlib.ExitStack() as ends:

        def listen(address):
            stream = socket.create_connection(("127.0.0.1", urlsplit(page.url).port), PATIENCE)
            ends.callback(stream.close)
            stream.sendall(
                f"GET /events HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n\r\n".encode()
            )
            assert b"200" in stream.recv(100)
            return stream

        def rest(stream):
            while data := stream.recv(10_000):
                yield data

        first = listen("192.0.2.1")
        greedy = [listen("192.0.2.2") for _ in range(80)]
        listen("192.0.2.3")
        for stream in greedy[:41]:  # the oldest end for the newest of the same address, and for another one
            assert all(rest(stream))
        first.setblocking(False)
        with pytest.raises(BlockingIOError):  # it has not ended
            list(rest(first))
        assert page.get("/", X_Forwarded_For="192.0.2.4")


@pytest.mark.parametrize(
    ("peer", "told", "asker"),
    [
        ("127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("::ffff:127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        ("127.0.0.1", ["10.0.0.1", "192.0.2.1, 10.88.0.7"], "192.0.2.1"),
        ("127.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("192.0.2.9", ["192.0.2.1"], "192.0.2.9"),
        ("", ["192.0.2.1"], ""),
    ],
)
def test_addresses_are_read_from_the_nearest_proxy_back(peer, told, asker):
    assert Proxies(["127.0.0.1", "10.88.0.0/16"]).asker(peer, told) == asker


def test_the_addresses_of_one_customer_are_one_asker():
    assert site_of("2001:db8::1") == site_of("2001:db8::ffff") != site_of("2001:db8:0:1::1")
    assert site_of("192.0.2.1") != site_of("192.0.2.2")
    assert site_of("::ffff:192.0.2.1") == site_of("192.0.2.1")


def test_what_is_no_address_is_refused():
    with pytest.raises(ValueError, match="a network such as"):
        Proxies(["10.88.0.1/16"])
