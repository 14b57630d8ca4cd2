"""Who asks: one actor for a request, one cookie for all roles, and one rule against pages of other sites."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.view.serving.actors import (
    AUTHOR,
    HOST,
    JOINING,
    SEAT,
    Role,
    actor_of,
    cookies_for,
    is_from_here,
)
from tests.docs import ROOT

OWN, OTHER = "http://league.example", "http://other.example"


def request(method: str = "GET", scheme: str = "http", **headers: str) -> Request:
    """A request, as the server hands it over."""
    told = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
    return Request(
        {
            "type": "http", "method": method, "path": "/", "query_string": b"", "scheme": scheme,
            "headers": [(b"host", b"league.example"), *told], "client": ("192.0.2.1", 1),
        }
    )  # fmt: skip


def kept(asked: Request) -> dict[str, str]:
    """The cookies that the answer sets, by name: their texts."""
    found = [text.decode() for _, text in cookies_for(asked.scope)]
    return {text.partition("=")[0]: text for text in found}


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
def test_every_cookie_is_for_https_alone_if_asked_by_https_and_none_is_for_scripts(scheme, secure):
    asked = request(scheme=scheme)
    for role in (HOST, AUTHOR, SEAT, JOINING):
        actor_of(asked).enter(role, f"secret of {role}")
    found = kept(asked)
    assert {name: text.partition("SameSite=")[2].partition(";")[0] for name, text in found.items()} == {
        "arena": "strict",
        "arena-joining": "lax",
    }
    assert all(("Secure" in text) == secure for text in found.values())
    assert all("HttpOnly" in text for text in found.values())


def test_cookies_are_set_in_one_place():
    setting = (".set_cookie(", ".delete_cookie(")
    files = {
        file.name
        for file in (ROOT / "arena").rglob("*.py")
        if any(each in file.read_text("utf-8") for each in setting)
    }
    assert files == {"actors.py"}


def test_a_browser_keeps_the_secrets_of_all_roles_in_one_cookie():
    asked, secrets = request(), {HOST: "h&:=%", AUTHOR: "a.b", SEAT: "s"}
    for role, secret in secrets.items():
        actor_of(asked).enter(role, secret)
    again = request(Cookie=kept(asked)["arena"].partition(";")[0])
    assert actor_of(again).secrets == secrets
    assert kept(again) == {}
    actor_of(again).leave(HOST)
    third = request(Cookie=kept(again)["arena"].partition(";")[0])
    assert actor_of(third).secrets == {AUTHOR: "a.b", SEAT: "s"}


def test_a_secret_of_one_cookie_is_not_taken_from_the_other():
    asked = request(Cookie=f"arena=joining:x; arena-joining={HOST}:y&unknown")
    assert actor_of(asked).secrets == {}


def test_a_role_is_found_once_for_a_request_and_a_secret_that_opens_nothing_is_forgotten():
    looked: list[Mapping[str, str]] = []

    def find(secrets: Mapping[str, str]) -> str | None:
        looked.append(secrets)
        return "Ada" if secrets.get(AUTHOR) == "right" else None

    author = Role(AUTHOR, find, "Log in first.", 401)
    asked = request(Cookie="arena=author:right&seat:mine")
    assert author.of(asked) == author.require(asked) == "Ada"
    assert kept(asked) == {}
    assert len(looked) == 1
    asked = request(Cookie="arena=author:wrong&seat:mine")
    assert author.of(asked) is None
    with pytest.raises(HTTPException, match="401: Log in first"):
        author.require(asked)
    assert len(looked) == 2
    assert kept(asked)["arena"].startswith("arena=seat:mine;")


def test_a_program_shows_a_token_and_is_nothing_else():
    asked = request(Authorization="Bearer right", Cookie="arena=host:x&author:y")
    assert actor_of(asked).secrets == {AUTHOR: "right"}
    assert Role(HOST, lambda secrets: secrets.get(HOST), "").of(asked) is None
    assert Role(AUTHOR, lambda secrets: None, "").of(asked) is None
    assert kept(asked) == {}


COOKIES = ({"Cookie": "arena=host:x"}, {"Cookie": "arena-joining=joining:x"})


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_changes_something_comes_from_here_or_from_a_program(method):
    assert is_from_here(request(method, Origin=OWN))
    assert is_from_here(request(method))
    assert is_from_here(request(method, Cookie="theirs=1"))
    assert is_from_here(request(method, Authorization="Bearer x", Origin=OTHER, **COOKIES[0]))
    assert not is_from_here(request(method, Origin=OTHER))
    for cookie in COOKIES:
        assert is_from_here(request(method, Origin=OWN, **cookie))
        assert not is_from_here(request(method, **cookie))
        assert not is_from_here(request(method, Authorization="Basic YTpi", **cookie))
        for origin in (OTHER, "null", "", f"{OWN}.other", f"{OWN}:8000", "http://["):
            assert not is_from_here(request(method, Origin=origin, **cookie))


def test_what_is_only_looked_at_may_be_asked_for_from_everywhere():
    for method in ("GET", "HEAD", "OPTIONS"):
        assert is_from_here(request(method, Origin=OTHER, **COOKIES[0]))
