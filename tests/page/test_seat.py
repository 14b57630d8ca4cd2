"""A person's seat on the page: entered by its token alone, played by keyboard, as any bot plays."""

from __future__ import annotations

import re
import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.runner.night.tokens import lobby_of
from arena.store import League
from tests.arena_command import ARENA
from tests.bots_for_tests import good_bot
from tests.page.browser import chromium, tab
from tests.page.served import served
from tests.patience import PATIENCE
from tests.runner.test_tournament import wait_for

NIGHT = """
name = "A night"
games = ["hyrule"]
boards = 1
[clock]
bank = "20s"
[[stage]]
format = "round-robin"
[[entrant]]
bot = "{bot}"
[[entrant]]
name = "Ada"
join = true
[entrant.clock]
bank = "1h"
move = "30m"
"""


@pytest.fixture(scope="module")
def browser():
    expect.set_options(timeout=1000 * PATIENCE)
    with chromium() as found:
        yield found


@pytest.fixture
def night(tmp_path):
    """The league of a tournament that waits for a person, its process, and the person's token."""
    file, league = tmp_path / "night.toml", tmp_path / "night.league"
    file.write_text(NIGHT.format(bot=good_bot(tmp_path, "house")))
    command = [*ARENA, "run", str(file), "--league", str(league), "--lobby", "127.0.0.1:0"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        try:
            token = None
            while token is None:
                line = process.stderr.readline()
                assert line, "no token was printed"
                token = re.search("ARENA_TOKEN=([a-z0-9]+)", line)
            wait_for(lambda: lobby_of(league))
            yield league, process, token[1]
        finally:
            process.kill()


def test_a_person_plays_a_tournament_by_keyboard(browser, night):
    league, process, token = night
    with served(league) as page, tab(browser, 390, 844) as view:
        view.goto(f"{page.url}/seat")
        view.get_by_label("The token of your seat").fill("wrong")
        view.keyboard.press("Enter")
        expect(view.get_by_role("alert")).to_contain_text("unknown token")
        view.get_by_label("The token of your seat").fill(token)
        view.keyboard.press("Enter")
        expect(view.locator("#note")).to_contain_text("Your turn.")
        assert view.url == f"{page.url}/seat"
        assert [(each["httpOnly"], each["sameSite"]) for each in view.context.cookies()] == [(True, "Strict")]
        send, find, choices = view.locator("#send"), view.locator("#find"), view.locator(".choices li")
        expect(view.locator("#clock")).to_have_text(re.compile(r"(29|30):\d\d"))
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        serious = [
            each
            for each in Axe().run(view).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == []

        expect(send).to_be_disabled()
        count = choices.count()
        view.locator(".pick").first.focus()
        view.keyboard.press("ArrowRight")
        view.keyboard.press("Space")
        expect(choices).to_have_count(1)
        expect(send).to_be_enabled()
        view.keyboard.press("Escape")  # takes it back
        expect(send).to_be_disabled()
        expect(choices).to_have_count(count)
        view.reload()
        expect(choices).to_have_count(count)
        refused_without_its_cookie(page, view)

        while True:
            expect(view.locator("#find:visible, #note:has-text('Thank you')").first).to_be_visible()
            if not find.is_visible():
                break
            before = view.locator(".stage").inner_html(), view.locator(".since").inner_html()
            find.fill("1")
            view.keyboard.press("Enter")
            view.keyboard.press("Enter")
            view.wait_for_function(
                "before => document.querySelector('.resting') || before !=="
                " ['.stage', '.since'].map(each => document.querySelector(each).innerHTML).join('')",
                arg="".join(before),
            )
        _, wrong = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, wrong
        view.get_by_role("link", name="Show me everything").click()
        expect(view.locator(".count")).to_contain_text("0/")
        expect(view.locator(".versus")).to_contain_text("Ada")
        view.goto(f"{page.url}/host")  # a form of the page is known as one in a browser too
        view.get_by_label("The token").fill(page.token)
        view.keyboard.press("Enter")
        expect(view.get_by_role("heading", level=1)).to_have_text("The host decides")
    assert lobby_of(league) == ""
    with League.read(league) as stored:
        games = [result for _, result in stored.games(1)]
    assert len(games) == 2
    assert not any(sum(seat.faults) for result in games for seat in result.seats)


def refused_without_its_cookie(page, view):
    page.get("/seat/events", 403)
    page.get("/seat/last", 403)
    page.answer("/seat/play", 403, b"turn=1&action=0")
    (cookie,) = view.context.cookies()
    named = f"{cookie['name']}={cookie['value']}"
    page.answer("/seat/play", 403, b"turn=1&action=0", Cookie=named)  # no form of this page
    page.answer("/seat/leave", 403, b"word=x", Cookie=named)
    page.answer("/seat/play", 403, b"turn=1&action=0", Cookie=named, Origin="http://elsewhere")
    word = view.locator(".seat").get_attribute("data-word").encode()
    page.answer("/seat/play", 400, b"turn=-1&action=x&word=" + word, Cookie=named)
    page.answer("/seat/play", 409, b"turn=999&action=0&word=" + word, Cookie=named)


def test_nobody_sits_down_where_nobody_is_expected(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    with served(path) as page:
        assert "no tournament here waits for guests" in page.answer("/seat/enter", 200, b"token=x")[0]
        assert "without a token" in page.answer("/seat/enter", 200, b"token=")[0]


def test_the_host_begins_without_those_who_are_missing(night):
    league, process, _ = night
    with served(league) as page:
        _, headers = page.answer("/host/enter", 303, f"token={page.token}".encode())
        cookie = headers["Set-Cookie"].partition(";")[0]
        text = page.get("/host", Cookie=cookie)
        assert "The tournament waits for guests who are missing." in text
        assert "Withdraw a bot" not in text
        word = re.search('name="word" value="([0-9a-f]+)"', text)
        assert word is not None
        asked, _ = page.answer("/host/start", 200, f"word={word[1]}".encode(), Cookie=cookie)
        assert "their games are forfeited" in asked
        done, _ = page.answer("/host/start", 200, f"word={word[1]}&sure=yes".encode(), Cookie=cookie)
        assert "Done: it begins." in done
        _, wrong = process.communicate(timeout=PATIENCE)
    assert not list(league.parent.glob("night.league-*")), wrong
    with League.read(league) as stored:
        assert {seat.forfeit for _, result in stored.games(1) for seat in result.seats} == {True, False}
