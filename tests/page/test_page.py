"""The page as a process of its own: what it answers, what it keeps to itself, what only the host may do."""

from __future__ import annotations

import json
import re
import shutil
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from arena.results import read_game_key
from arena.store import League
from tests.page.served import HOSTILE, begin, played, served
from tests.patience import PATIENCE
from tests.runner.simulation import play_course

OLD_LEAGUES = Path(__file__).parents[1] / "golden" / "leagues"
VIEWS = (
    "/", "/standings", "/standings/nyuri", "/crosstable", "/bracket", "/schedule", "/games",
    "/games?bot=2&game=kleftis&round=1.1&faults=1", "/games?page=99", "/bots", "/bots/2", "/decisions",
    "/season", "/screen", "/tables", "/host", "/games/1.1.1/kleftis/1.1", "/nights/1/standings", "/nights/1/",
)  # fmt: skip


EVERYWHERE = (
    "/",
    "/standings",
    "/crosstable",
    "/bracket",
    "/schedule",
    "/games",
    "/bots",
    "/bots/1",
    "/screen",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with served(played(tmp_path_factory.mktemp("page") / "night.league")) as found:
        yield found


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_holds_nothing_that_a_strict_policy_would_stop(page, view):
    text, headers = page.answer(view)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "<script>" not in text
    assert not re.search(r"\sstyle=|\son\w+=|<style", text)
    assert HOSTILE not in text
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    assert len(text) < 60_000


def test_names_are_texts(page):
    text = page.get("/standings")
    assert "&lt;script&gt;document.title" in text
    assert "<bdi>&lt;script&gt;" in text
    assert "Night &lt;b&gt;one&lt;/b&gt;" in text


@pytest.mark.parametrize(
    "wrong",
    ["/nowhere", "/bots/99", "/bots/0", "/standings/chess", "/games?game=chess", "/games?bot=x",
     "/games?round=9", "/games/1.1.1/kleftis/9.9", "/games/..%2f..%2fetc/passwd", "/steps/9.9.9/nyuri/1.1",
     "/nights/7/standings", "/assets/..%2fapp.py", "/assets/nothing.js", "/steps/1.1.1/nyuri/1.1?view=5",
     "/steps/1.1.1/nyuri/1.1?view=x"],
)  # fmt: skip
def test_what_is_not_there_is_said_in_a_sentence(page, wrong):
    text = page.get(wrong, 404)
    assert "There is no such" in text or "This game is not played here" in text


def test_every_asset_is_there_and_small(page):
    sizes = {}
    styles = ("page.css", "stage.css", "screen.css", "seat.css")
    for file in (*styles, "cards.js", "stage.js", "replay.js", "live.js", "screen.js", "watch.js", "seat.js"):
        text, headers = page.answer(f"/assets/{file}")
        assert headers["Content-Type"].startswith("text/css" if file.endswith("css") else "text/javascript")
        sizes[file] = len(text)
    assert sizes["page.css"] + sizes["stage.css"] < 25_000  # of a replay
    assert sizes["page.css"] + sizes["stage.css"] + max(sizes["screen.css"], sizes["seat.css"]) < 29_000
    assert sum(sizes[file] for file in ("cards.js", "stage.js", "replay.js", "live.js", "screen.js")) < 50_000
    assert sum(sizes.values()) < 95_000
    first = len(page.get("/")) + len(page.get("/assets/page.css")) + len(page.get("/assets/live.js"))
    assert first < 100_000


def test_the_log_beside_a_replay_is_what_the_terminal_prints(page):
    data = json.loads(page.get("/steps/1.1.1/hyrule/1.1?view=all"))
    lines = [line for step in data["steps"] for line in step["log"]] + data["end"]
    assert page.get("/plain/1.1.1/hyrule/1.1") == "\n".join(lines) + "\n"


def test_hands_are_shown_when_nobody_is_to_play_that_deal_any_more(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=3)
        with served(path, "--no-host") as page:
            text = page.get("/games")
            keys = [key for key in re.findall(r"/games/([\d.]+/[\w-]+/[\d.]+)", text) if read_game_key(key)]
            assert len(keys) == 3
            for key in keys:
                assert "Hands are shown when the round is over" in page.get(f"/steps/{key}?view=all", 403)
                assert "Hands are shown" in page.get(f"/steps/{key}?view=0", 403)
                assert "Hands are shown" in page.get(f"/plain/{key}?view=all", 403)
                seen = page.get(f"/steps/{key}?view=public")
                hands = re.findall(r'"hand\.\d":(null|\[[^]]*\])', seen)
                if key.split("/")[1] not in ("nur-mut", "forty-one"):
                    assert set(hands) == {"null"}
                assert "everyone&#39;s" not in page.get(f"/games/{key}")
            assert KEY_HEX not in page.get("/")
            play_course(league, number, course)
            for key in keys:
                page.get(f"/steps/{key}?view=all")


KEY_HEX = bytes(range(32)).hex()


def test_the_key_of_the_deals_is_shown_at_the_end(page):
    assert KEY_HEX in page.get("/")


def events(page, last=None):
    """The events of a stream, as they come."""
    request = urllib.request.Request(
        f"{page.url}/events", headers={"Last-Event-ID": str(last)} if last else {}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
        number = None
        for line in stream:
            text = line.decode().strip()
            if text.startswith("id: "):
                number = int(text[4:])
            elif text.startswith("data: "):
                yield number, json.loads(text[6:])


def test_the_stream_tells_of_growth_and_what_was_missed(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)
        with served(path) as page:
            stream = events(page)
            first, told = next(stream)
            assert first == league.length() == 3
            assert told["games"] == 2
            play_course(league, number, course, at_most=7)
            second, told = next(stream)
            assert second == 10
            assert told["games"] == 9
            assert "hand" not in json.dumps(told)
            stream.close()
            again, told = next(events(page, first))
            assert (again, told["missed"]) == (10, 7)
        with served(path) as page:  # the numbers outlive the page
            assert next(events(page, first))[0] == 10


def test_a_league_without_a_tournament_says_so(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league, served(path) as page:
        assert "No tournament yet." in page.get("/")
        begin(league)
        assert "No results yet." in page.get("/")
        assert "No match is over yet" not in page.get("/standings")


def post(page, path, code, cookie="", **form):
    headers = {"Cookie": cookie} if cookie else {}
    return page.answer(path, code, urllib.parse.urlencode(form).encode(), **headers)


def test_only_whoever_entered_the_token_decides(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)
    with served(path) as page:
        assert page.token not in page.get("/host")
        post(page, "/host/pause", 403, sure="yes")
        post(page, "/host/enter", 200, token="wrong")
        _, headers = post(page, "/host/enter", 303, token=page.token)
        given = headers["Set-Cookie"]
        assert "HttpOnly" in given
        assert "SameSite=strict" in given
        cookie = given.split(";")[0]
        text = page.get("/host", Cookie=cookie)
        word = re.search(r'name="word" value="(\w+)"', text)
        assert word is not None
        post(page, "/host/pause", 403, cookie, sure="yes")  # a form of another site does not know the word
        post(page, "/host/pause", 403, "arena-host=stolen", sure="yes", word=word[1])
        text, _ = page.answer(
            "/host/pause", 403, b"sure=yes&word=" + word[1].encode(), Cookie=cookie, Origin="http://elsewhere"
        )
        page.get("/host/pause", 405, Cookie=cookie)
        asked, _ = post(page, "/host/pause", 200, cookie, word=word[1])
        assert "Yes, pause" in asked
        assert "Stopped until" not in page.get("/")
        done, _ = post(page, "/host/pause", 200, cookie, word=word[1], sure="yes", reason="dinner <b>")
        assert "Done: Pause" in done
        assert "Stopped until the host resumes" in page.get("/")
        assert "dinner &lt;b&gt;" in page.get("/decisions")
        refused, _ = post(page, "/host/withdraw", 200, cookie, word=word[1], sure="yes", about="nobody")
        assert "Not done" in refused
        admitted, _ = post(page, "/host/admit", 200, cookie, word=word[1], sure="yes", about="late")
        assert re.search(
            "Done: Admit a guest .late.*The token of late, shown this once: [a-z0-9]{12,}", admitted
        )
        assert "late" in page.get("/decisions")
        refused, _ = post(page, "/host/admit", 200, cookie, word=word[1], sure="yes", about="late")
        assert "has an entrant late already" in refused
        refused, _ = post(page, "/host/start", 200, cookie, word=word[1], sure="yes")
        assert "Not done: it waits for nobody." in refused
        post(page, "/host/leave", 303, cookie, word=word[1])
        post(page, "/host/go", 403, cookie, word=word[1], sure="yes")


def test_without_a_host_nobody_decides(tmp_path):
    with served(played(tmp_path / "night.league"), "--no-host") as page:
        assert "only to be looked at" in page.get("/host")
        post(page, "/host/enter", 200, token="")


@pytest.mark.parametrize("stored", ["schema-1.league", "schema-2.league"])
def test_leagues_of_earlier_versions_are_shown(tmp_path, stored):
    path = tmp_path / stored
    shutil.copy(OLD_LEAGUES / stored, path)
    with served(path) as page:
        numbers = [int(found) for found in re.findall(r'href="/nights/(\d+)/"', page.get("/season"))]
        assert len(numbers) == 4
        for number in numbers:
            for view in (
                "/",
                "/standings",
                "/crosstable",
                "/bracket",
                "/schedule",
                "/games",
                "/bots",
                "/bots/1",
            ):
                page.get(f"/nights/{number}{view}")
            key = re.search(r"/games/([\d.]+/[\w-]+/[\d.]+)", page.get(f"/nights/{number}/games"))
            assert key is not None
            assert len(json.loads(page.get(f"/nights/{number}/steps/{key[1]}"))["steps"]) > 10


def test_a_comparison_is_drawn_and_told_in_words(tmp_path):
    path = tmp_path / "compared.league"
    text = 'name = "c"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "comparison"\ncap = 20\n'
    with League.create_or_open(path) as league:
        number, course = begin(league, text, ("one", "two"))
        play_course(league, number, course)
        league.finish_tournament(number)
    with served(path) as page:
        for view in EVERYWHERE:
            page.get(view)
        for view in ("/", "/standings"):
            text = page.get(view)
            assert "<bdi>one</bdi> against <bdi>two</bdi>" in text
            assert text.count('class="strip"') == 1
            assert re.search(r"[\d.]+ to [\d.]+", text)
            assert "mean score of the first bot" in text
        assert 'data-key="comparison-1"' in page.get("/screen")
        assert "leads the season" not in page.get("/season")
