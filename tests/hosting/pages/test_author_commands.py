"""The commands of authors at the real page of a standing league."""

from __future__ import annotations

import contextlib
import http.client
import http.cookies
import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.arena_command import ARENA, arena
from tests.hosting.pages.relay import relaying
from tests.hosting.pages.standing import Author, standing


def test_login_submit_and_bots_work_at_the_page(tmp_path, monkeypatch):
    folder, bot = tmp_path / "league", tmp_path / "bot"
    for each in (folder, bot):
        each.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    text = 'name = "walker"\ngames = ["nyuri"]\n[run]\ncommand = ["python3", "bot.py"]\n'
    (bot / "bot.toml").write_text(text)
    (bot / "bot.py").write_text("print('hello')\n")

    def typed(*words: str) -> str:
        return arena(*words, cwd=tmp_path).stdout

    with standing(folder) as club:
        assert "You are Ada" in typed("login", f"{club.page.url}/join/{club.invitation('Ada')}")
        assert "Python" in typed("submit", str(bot), "--dry-run")
        done = json.loads(typed("submit", str(bot), "--no-wait", "--json"))
        assert (done["version"], done["state"]) == (1, "received")
        club.decided("walker", 1)
        assert "walker" in typed("bots", "list")
        assert "accepted" in typed("bots", "versions", "walker")
        typed("bots", "note", "walker", "1", "good")
        assert "good" in typed("bots", "versions", "walker")
        typed("bots", "withdraw", "walker")
        typed("bots", "activate", "walker", "1")
        typed("bots", "log", "walker")
        typed("bots", "games", "walker")
        typed("logout")


@contextlib.contextmanager
def losing(url: str, times: int) -> Iterator[str]:
    """A way to a page that loses so many answers to a POST: its address."""
    with relaying(url) as relay:
        relay.lose = times
        yield relay.url
        assert relay.lost


def test_an_invitation_whose_answer_is_lost_is_used_again_by_the_same_person(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "league").mkdir()
    with standing(tmp_path / "league") as club:
        link = f"/join/{club.invitation('Ada')}"
        with losing(club.page.url, 2) as lossy:
            arena("login", lossy + link, cwd=tmp_path)
            assert json.loads(arena("bots", "list", "--json", cwd=tmp_path).stdout) == []
            left = json.loads((tmp_path / "home" / "arena" / "joining.json").read_text())
            assert left == {}
            said = arena("login", lossy + link, cwd=tmp_path, code=2).stderr
            assert "this invitation is used, too old or wrong" in said
        assert json.loads((tmp_path / "home" / "arena" / "joining.json").read_text()) == {}


def test_a_command_that_is_killed_while_it_joins_is_typed_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "league").mkdir()
    with standing(tmp_path / "league") as club:
        link = f"/join/{club.invitation('Ada')}"
        with losing(club.page.url, 1000) as lossy:
            command = [*ARENA, "login", lossy + link]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
                assert process.stderr is not None
                warned = process.stderr.readline()
                process.kill()
        assert "the league does not answer yet" in warned
        assert "You are Ada" in arena("login", club.page.url + link, cwd=tmp_path).stdout


def test_a_browser_whose_answer_is_lost_sends_the_form_again(tmp_path):
    with standing(tmp_path) as club:
        invitation = club.invitation("Ada")
        link = f"/join/{invitation}"
        [kept] = club.page.answer(link)[1].get_all("Set-Cookie", [])
        assert "HttpOnly" in kept
        cookie = kept.partition(";")[0]
        with losing(club.page.url, 1) as lossy, pytest.raises(http.client.RemoteDisconnected):
            club.page._replace(url=lossy).any(link, b"", Cookie=cookie, Origin=lossy)
        assert "is used, too old" in club.page.answer(link, 409, b"")[0]
        # Who has seen the cookie alone, or the invitation alone, opens nothing.
        secret = cookie.partition(":")[2]
        Author(club.page).ask("POST", "/api/join", 409, {"invitation": invitation, "token": secret})
        welcome, told = club.page.answer(link, 200, b"", Cookie=cookie, Origin=club.page.url)
        assert "Welcome, <bdi>Ada</bdi>" in welcome
        joined = http.cookies.SimpleCookie()
        for each in told.get_all("Set-Cookie", []):
            joined.load(each)
        assert joined["arena-joining"].value == ""
        token = joined["arena"].value.removeprefix("author:")
        assert Author(club.page, token).ask("GET", "/api/me")["name"] == "Ada"
