"""The page as a process of its own: its answers, its secrets, and the host's rights."""

from __future__ import annotations

import html
import json
import re
import shutil
import urllib.parse
import urllib.request
from pathlib import Path

import apsw
import pytest

import arena.page as arena_page
from arena.page.league.reader import LeagueReader
from arena.page.views.standings import stage_tables
from arena.page.views.view import Ask
from arena.results import read_game_key
from arena.runner.leagues.stored import course_of
from arena.store import League
from arena.tournament.rulings import Admit, Newcomer, read_ruling
from tests.arena_command import arena
from tests.bots_for_tests import served_address
from tests.page.served import HOSTILE, begin, played, served
from tests.patience import PATIENCE
from tests.runner.simulation import play_course

ASSETS = Path(arena_page.__file__).parent / "assets"
OLD_LEAGUES = Path(__file__).parents[1] / "golden" / "leagues"
VIEWS = (
    "/", "/standings", "/standings/nyuri", "/crosstable", "/bracket", "/schedule", "/games",
    "/games?bot=2&game=kleftis&round=1.1&faults=1", "/games?page=99", "/bots", "/bots/2", "/decisions",
    "/season", "/screen", "/tables", "/host", "/games/1.1.1/kleftis/1.1", "/nights/1/standings", "/nights/1/",
)  # fmt: skip


EVERYWHERE = (
    "/", "/standings", "/crosstable", "/bracket", "/schedule", "/games", "/bots", "/bots/1", "/screen",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with served(played(tmp_path_factory.mktemp("page") / "night.league")) as found:
        yield found


def two_games(folder):
    """A league with a tournament of which two games were played."""
    path = folder / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)
    return path


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


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000])
@pytest.mark.parametrize(
    "path",
    ["/nights/{}/", "/tables/{}", "/games/1.1.1/kleftis/{}.1", "/steps/{}.1.1/kleftis/1.1", "/assets/{}.css"],
)
def test_what_is_too_long_to_be_there_is_not_there(page, path, number):
    text, headers = page.answer(path.format(number), 404)
    assert "There is no such" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("path", "code"),
    [("/steps/1.1.1/nyuri/1.1", 200), ("/plain/1.1.1/nyuri/1.1", 200), ("/steps/9.9.9/nyuri/1.1", 404),
     ("/seat/events", 403), ("/tables/9/steps", 404), ("/seat", 200), ("/host", 200), ("/host/end", 405)],
)  # fmt: skip
def test_nothing_is_shown_again_without_asking(page, path, code):
    _, headers = page.answer(path, code)
    assert headers.get_all("Cache-Control") in (["no-cache"], ["no-store"])


def test_every_asset_is_there_and_small(page):
    sizes = {}
    for file in (path.name for path in ASSETS.iterdir()):
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


def test_the_words_of_a_fault_are_told_with_the_hands(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=19)
        with served(path, "--no-host") as page:
            bots = "".join(page.get(f"/bots/{bot}") for bot in (1, 2, 3, 4))
            keys = [key for key in re.findall(r"/games/([\d./\w-]+)\?view=", bots) if read_game_key(key)]
            assert keys
            assert "timeout" in bots
            assert "too late" not in bots
            for key in keys:
                public = page.get(f"/plain/{key}?view=public")
                assert "timeout" in public
                assert "too late" not in public
            play_course(league, number, course)
            assert "too late" in page.get("/bots/1")
            assert "too late" in page.get(f"/plain/{keys[0]}?view=all")


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


def test_a_league_that_is_replaced_is_shown_as_it_is_then(tmp_path):
    path = played(tmp_path / "night.league")
    others = ("one", "two", "three", "four")
    other = played(tmp_path / "other.league", names=others)
    reader = LeagueReader(path)
    try:
        with served(path) as page:
            steps = "/steps/1.1.1/kleftis/1.1"
            assert "thoughtful" in page.get(steps)
            assert reader.snapshot(1).names[0] == "thoughtful"
            assert reader.refine(1)  # so that nothing more can be found out
            other.rename(path)
            assert reader.snapshot(1).names == others
            assert "thoughtful" not in page.get(steps)
            assert "one" in json.loads(page.get(steps))["names"]
    finally:
        reader.close()


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
    path = two_games(tmp_path)
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


@pytest.mark.parametrize("more", ["-1", "boards", "1e3", "9" * 12, "9" * 5000, "boards -2", "cycles 1"])
def test_what_is_no_number_to_extend_by_is_said_in_a_sentence(tmp_path, more):
    path = two_games(tmp_path)
    with served(path) as page:
        cookie, word = host_of(page)
        for about in (more, f"boards {more}"):
            text, _ = post(page, "/host/extend", 200, cookie, word=word, sure="yes", about=about)
            assert "is no number of cycles such as 1, nor of boards such as boards 2" in text
        text, _ = post(page, "/host/extend", 200, cookie, word=word, sure="yes", about="1001")
        assert "cannot have more than 1000 cycles added at once" in text
    with League.read(path) as league:
        assert not list(league.rulings(1))


def test_a_running_bot_is_admitted_at_its_address(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        late = {"about": "late", "where": served_address(), "reason": "the train"}
        post(page, "/host/admit-at", 403, sure="yes", **late)
        cookie, word = host_of(page)
        post(page, "/host/admit-at", 403, cookie, sure="yes", **late)  # a form of another site

        def said(**form):
            text, _ = post(page, "/host/admit-at", 200, cookie, word=word, **form)
            return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", "", text)))

        assert "say what. Its address" in said(about="late")
        for where, name in (("nowhere", "late"), ("127.0.0.1:1", "late"), (served_address(), "THOUGHTFUL")):
            told = arena("admit", path, "--address", where, "--name", name, cwd=tmp_path, code=2).stderr
            without = r"^.*--address: |^arena: |\n| \s+| \(arena admit .*\)$"
            sentence = re.sub(without, "", told.splitlines()[-1])
            assert f"Not done: {sentence.rstrip('.')}." in said(about=name, where=where, sure="yes")
        asked = said(**late)
        assert f"Admit a running bot: late at {served_address()}" in asked
        assert "Done: Admit a running bot (late), Night <b>one</b>." in said(sure="yes", **late)
        assert "late" in page.get("/decisions")
    with League.read(path) as league:
        (stored,) = league.rulings(1)
        assert stored.reason == "the train"
        admitted = read_ruling(stored.ruling)
        assert isinstance(admitted, Admit)
        assert (admitted.how, admitted.source, admitted.version) == ("address", served_address(), "")


def test_where_the_league_lies_is_told_the_terminal_alone(tmp_path):
    path = tmp_path / "night.league"
    played(path)
    with served(path) as page:
        page.get("/")
        broken = tmp_path / "broken"
        broken.write_bytes(b"no league " * 1000)
        broken.rename(path)
        for view in (
            "/",
            "/standings",
            "/games/1.1.1/kleftis/1.1",
            "/steps/1.1.1/kleftis/1.1",
            "/seat",
            "/host",
        ):
            text = page.get(view, 503)
            assert "night.league is not a league file" in text
            assert str(tmp_path) not in text
        assert page.process.stderr is not None
        assert f"page: {path} is not a league file" in page.process.stderr.readline()


def changed(path, statement):
    """Changes a league file as no arena does."""
    with apsw.Connection(str(path)) as database:
        database.execute(statement)
    database.close()


def test_an_error_in_a_view_is_told_once_and_ends_nothing_else(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=19)
    changed(path, "UPDATE game SET record = x'00'")
    with served(path) as page:
        stream = events(page)
        assert next(stream)[1]["games"] == 19
        for _ in range(3):
            assert "This view failed" in page.get("/bots/1", 500)
            for view in EVERYWHERE:
                if view != "/bots/1":
                    page.get(view)
        cookie, word = host_of(page)
        assert "Done: Pause" in post(page, "/host/pause", 200, cookie, word=word, sure="yes")[0]
        assert next(stream)[1]["paused"]
        assert page.process.stderr is not None
        assert "page: /bots/1 failed: BrokenRecord" in page.process.stderr.readline()  # and nothing more


def test_the_page_goes_on_while_it_cannot_tell_how_a_tournament_stands(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)

    def play_another():
        with League.create_or_open(path) as league:
            play_course(league, number, course, at_most=1)

    with served(path) as page:
        cookie, word = host_of(page)
        for kind in ("pause", "go"):
            assert "Done: " in post(page, f"/host/{kind}", 200, cookie, word=word, sure="yes")[0]
        stream = events(page)
        assert next(stream)[1]["games"] == 2
        changed(path, """UPDATE decision SET decision = replace(decision, '"go"', '"dance"')""")
        play_another()
        for _ in range(2):
            for view in ("/", "/standings", "/games", "/nights/1/"):
                assert "This view failed" in page.get(view, 500)
        for view in ("/tables", "/seat", "/assets/page.css"):
            page.get(view)
        assert "The host decides" in page.get("/host", Cookie=cookie)
        assert next(events(page))[1]["games"] == 2  # the last that is known
        changed(path, """UPDATE decision SET decision = replace(decision, '"dance"', '"go"')""")
        play_another()
        assert "4 games played" in page.get("/")
        assert next(stream)[1]["games"] == 4
        assert page.process.stderr is not None
        assert "failed: WrongRuling" in page.process.stderr.readline()  # and nothing more


def host_of(page):
    """The cookie of a host, and the word of its forms."""
    _, headers = post(page, "/host/enter", 303, token=page.token)
    cookie = headers["Set-Cookie"].split(";")[0]
    word = re.search(r'name="word" value="(\w+)"', page.get("/host", Cookie=cookie))
    assert word is not None
    return cookie, word[1]


def test_the_matches_of_a_late_bot_are_shown_as_catching_up(tmp_path):
    path = tmp_path / "night.league"
    text = 'name = "night"\ngames = ["hyrule"]\nboards = 2\n[[stage]]\nformat = "round-robin"\n'
    with League.create_or_open(path) as league, served(path) as page:
        number, course = begin(league, text, tuple(f"bot {number}" for number in range(6)))
        play_course(league, number, course, at_most=3 * 3 * 4 + 2)  # of five rounds, three and a half match
        league.record_ruling(number, Admit.of(course, Newcomer("late", "join")).to_json(), "")
        course = course_of(league, number)
        play_course(league, number, course, at_most=4 * 4)
        snapshot = LeagueReader(path).snapshot(number)
        assert [each.over for each in snapshot.rounds] == [True] * 3 + [False] * 2 + [True] * 4 + [False] * 2
        schedule = page.get("/schedule")
        shown = re.findall(r"<h1>(.*?)</h1>|<h2>(.*?)</h2>|<summary>(.*?)</summary>", schedule)
        titles = [re.sub("<.*?>", "", "".join(each)) for each in shown]
        assert titles == [
            "Round 4: 0 of 3 matches over", "late catches up: 4 of 6 matches over", "Next",
            "Over", "Round 3", "Round 2", "Round 1",
        ]  # fmt: skip
        assert len(snapshot.rounds_over) == 3
        play_course(league, number, course)
        league.finish_tournament(number)
        assert "<bdi>late</bdi></span> catches up</summary>" in page.get("/schedule")
        assert "round 6" not in page.get("/schedule").lower()


def test_a_match_that_extra_boards_decide_is_not_said_to_be_over(tmp_path):
    path = tmp_path / "night.league"
    text = 'name = "cup"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "knockout"\n'
    with League.create_or_open(path) as league, served(path) as page:
        number, course = begin(league, text, tuple(f"bot {number}" for number in range(13)))
        play_course(league, number, course, at_most=9)
        round_ = LeagueReader(path).snapshot(number).rounds[0]
        tied = sum(each.result is not None and not each.decided for each in round_.matches)
        assert tied
        for view in ("/", "/schedule"):
            assert page.get(view).count("tied: extra boards") == min(tied, 6 if view == "/" else 100)
        assert f"Round of 16: {round_.played} of 5 matches over" in page.get("/schedule")
        assert f"Knockout: {round_.played} of 13 matches over." in page.get("/")
        assert page.get("/schedule").count(">over<") == round_.played
        bracket = course.bracket(course.stages[0])
        assert bracket is not None
        assert sum(slot.goes_on is True for match in bracket.rounds[0].matches for slot in match.slots) == (
            round_.played + len(round_.byes)
        )


def test_arrows_tell_of_places_in_the_group(tmp_path):
    path = tmp_path / "night.league"
    text = 'name = "night"\ngames = ["hyrule"]\n[[stage]]\nformat = "groups"\ngroups = 3\n'
    with League.create_or_open(path) as league:
        number, course = begin(league, text, tuple(f"bot {number}" for number in range(9)))
        reader, changes = LeagueReader(path), set()
        for _ in range(18):
            play_course(league, number, course, at_most=1)
            snapshot = reader.snapshot(number)
            (stage,) = stage_tables(Ask(reader, snapshot, {}))
            for table in stage["tables"]:
                changed = [row["change"] for row in table["rows"]]
                changes.update(changed)
                for row, change in zip(table["rows"], changed, strict=True):
                    assert 1 <= row["rank"] + change <= 3
        assert len(changes) > 1
    with served(path) as page:
        text = page.get("/standings")
        assert "9 of 9 matches over." in text
        assert "Group A, those above the line go on" not in text


def test_a_form_that_is_sent_twice_is_decided_once(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        cookie, word = host_of(page)
        for kind, about in (("annul", "1.1.1"), ("admit", "late")):
            asked, _ = post(page, f"/host/{kind}", 200, cookie, word=word, about=about)
            form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
            first, _ = post(page, f"/host/{kind}", 200, cookie, **form)
            again, _ = post(page, f"/host/{kind}", 200, cookie, **form)
            assert "Done: " in first
            assert again == first
    with League.read(path) as league:
        assert len(list(league.rulings(1))) == 2


def test_without_a_host_nobody_decides(tmp_path):
    with served(played(tmp_path / "night.league"), "--no-host") as page:
        assert "no forms for the host" in page.get("/host")
        post(page, "/host/enter", 200, token="")


@pytest.mark.parametrize("stored", ["schema-1.league", "schema-2.league"])
def test_leagues_of_earlier_versions_are_shown(tmp_path, stored):
    path = tmp_path / stored
    shutil.copy(OLD_LEAGUES / stored, path)
    with served(path) as page:
        numbers = [int(found) for found in re.findall(r'href="/nights/(\d+)/"', page.get("/season"))]
        assert len(numbers) == 4
        for number in numbers:
            for view in EVERYWHERE:
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
            assert (
                '<p class="note">Of 1 question: the chance that any finding is ever wrong is at most 1 % '
                "(1 %); that any finding or interval is, 1.5 %.</p>" in text
            )
        assert 'data-key="comparison-1"' in page.get("/screen")
        assert "leads the season" not in page.get("/season")


def test_a_page_of_this_machine_alone_answers_to_no_other_name(tmp_path):
    path = played(tmp_path / "night.league")
    with served(path) as page:
        port = page.url.rpartition(":")[2]
        for name in ("localhost", f"LOCALHOST:{port}", "night.localhost", f"127.0.0.1:{port}", "[::1]:80"):
            page.get("/", Host=name)
        for name in ("elsewhere.example", f"localhost.elsewhere.example:{port}", "127.0.0.1.elsewhere", "[x"):
            answer, headers = page.answer("/", 421, Host=name)
            assert "for this machine only" in answer
            assert "default-src 'none'" in headers["Content-Security-Policy"]
