"""The page as a process of its own: its answers and its secrets."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
import urllib.parse
import urllib.request
from pathlib import Path

import apsw
import pytest

from arena.league.store import League
from arena.league.stored import course_of
from arena.results import read_game_key
from arena.tournament.rulings import Admit, Newcomer
from arena.view.league.reader import ComputingTime, LeagueReader
from arena.view.views.standings import stage_tables
from arena.view.views.view import Ask
from tests.arena_command import arena
from tests.docs import ROOT
from tests.patience import PATIENCE
from tests.referee.simulation import play_course
from tests.view.hosted import host_of, post
from tests.view.served import HOSTILE, begin, played, served

OF_A_STANDING_LEAGUE = ROOT / "arena" / "hosting" / "pages" / "assets"
ASSETS = [file for name in ("view", "seat", "steer") for file in (ROOT / "arena" / name / "assets").iterdir()]
OLD_LEAGUES = Path(__file__).parents[1] / "golden" / "leagues"
VIEWS = (
    "/", "/standings", "/standings/nyuri", "/crosstable", "/bracket", "/schedule", "/games",
    "/games?bot=2&game=kleftis&round=1.1&faults=1", "/games?page=99", "/bots", "/bots/2", "/decisions",
    "/rivals/1/2", "/season", "/screen", "/tables", "/host", "/games/1.1.1/kleftis/1.1",
    "/nights/1/standings", "/nights/1/",
)  # fmt: skip


KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
EVERYWHERE = (
    "/", "/standings", "/crosstable", "/bracket", "/schedule", "/games", "/bots", "/bots/1", "/screen",
)  # fmt: skip


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
    sizes, sent = {}, 0
    for file in (path.name for path in ASSETS):
        text, headers = page.answer(f"/assets/{file}")
        assert headers["Content-Type"].startswith(KINDS[Path(file).suffix])
        sizes[file] = len(text)
        sent += len(gzip.compress(text.encode()))
        assert not re.search(r"^\s*(/\*|//)", text, re.MULTILINE)
    others = sum(len(gzip.compress(file.read_bytes())) for file in OF_A_STANDING_LEAGUE.iterdir())
    assert sent + others < 150_000 / 2
    page.get(f"/assets/{next(OF_A_STANDING_LEAGUE.iterdir()).name}", 404)
    for view in (*EVERYWHERE, "/games/1.1.1/kleftis/1.1", "/seat", "/host", "/tables"):
        loaded = set(re.findall(r"/assets/([\w.]+)", page.get(view)))
        for _ in range(3):  # modules that modules import
            found = (page.get(f"/assets/{file}") for file in loaded if file.endswith("js"))
            loaded |= {
                file for text in found for file in re.findall(r'^import .*"\./([\w.]+)"', text, re.MULTILINE)
            }
        assert sum(sizes[file] for file in loaded if file.endswith("css")) < 40_000
        assert sum(sizes[file] for file in loaded if file.endswith("js")) < 90_000
    first = len(page.get("/")) + len(page.get("/assets/page.css")) + len(page.get("/assets/live.js"))
    assert first < 100_000


def test_the_plain_log_of_a_game_is_what_the_terminal_prints(tmp_path):
    league = played(tmp_path / "night.league", names=("a", "b", "c", "d"))
    printed = arena("replay", league, "1.1.1/hyrule/1.1", cwd=tmp_path).stdout
    with served(league) as found:
        assert found.get("/plain/1.1.1/hyrule/1.1") == printed
        data = json.loads(found.get("/steps/1.1.1/hyrule/1.1?view=all"))
    for line in (line for step in data["steps"][1:] for line in step["log"]):
        text = "".join(part if isinstance(part, str) else f"seat {part}" for part in line)
        _, fault, reason = text.partition(" is charged with a fault: ")  # in other words
        assert (reason.partition(": ")[0].replace(" ", "_") if fault else text) in printed


def test_hands_are_shown_when_nobody_is_to_play_that_deal_any_more(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=3)
        with served(path, no_host=True) as page:
            text = page.get("/games")
            links = dict.fromkeys(re.findall(r"/games/([\d.]+/[\w-]+/[\d.]+)", text))
            keys = [key for key in links if read_game_key(key)]
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
        with served(path, no_host=True) as page:
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
    reader.work = ComputingTime(1.0, 1e9)
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
        assert "No tournament has begun yet." in page.get("/")
        begin(league)
        assert "No results yet." in page.get("/")
        assert "No match is over yet" not in page.get("/standings")


def test_where_the_league_lies_is_told_the_terminal_alone(tmp_path):
    path = tmp_path / "night.league"
    played(path)
    with served(path) as page:
        page.get("/")
        broken = tmp_path / "broken"
        broken.write_bytes(b"no league " * 1000)
        broken.rename(path)
        end = time.monotonic() + PATIENCE
        while page.any("/")[0] != 503:  # a busy page shows what it has for a moment
            assert time.monotonic() < end
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
        assert page.said[0].startswith(f"page: {path} is not a league file")
        page.said.clear()


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
        cookie = host_of(page)
        assert "Done: Pause" in post(page, "/host/pause", 200, cookie, sure="yes")[0]
        assert next(stream)[1]["state"] == "paused"
        assert page.said.pop().startswith("page: /bots/1 failed: BrokenRecord")  # and nothing more


def test_the_page_goes_on_while_it_cannot_tell_how_a_tournament_stands(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)

    def play_another():
        with League.create_or_open(path) as league:
            play_course(league, number, course, at_most=1)

    with served(path) as page:
        cookie = host_of(page)
        for kind in ("pause", "go"):
            assert "Done: " in post(page, f"/host/{kind}", 200, cookie, sure="yes")[0]
        stream = events(page)
        assert next(stream)[1]["games"] == 2
        changed(path, """UPDATE decision SET decision = replace(decision, '"go"', '"dance"')""")
        play_another()
        for _ in range(2):
            for view in ("/", "/standings", "/games", "/nights/1/"):
                assert "This view failed" in page.get(view, 500)
        for view in ("/tables", "/seat", "/assets/page.css"):
            page.get(view)
        room = page.get("/host", Cookie=cookie)
        assert "The page cannot tell how it stands; what you decide is carried out." in room
        asked, _ = post(page, "/host/go", 200, cookie)
        assert "What would be lost cannot be told now." in asked
        assert next(events(page))[1]["games"] == 2  # the last that is known
        changed(path, """UPDATE decision SET decision = replace(decision, '"dance"', '"go"')""")
        play_another()
        assert "4 games played" in page.get("/")
        assert next(stream)[1]["games"] == 4
        assert "failed: WrongRuling" in page.said.pop()  # and nothing more


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
        reader.work = ComputingTime(1.0, 1e9)
        for _ in range(18):
            play_course(league, number, course, at_most=1)
            snapshot = reader.snapshot(number)
            (stage,) = stage_tables(Ask(reader, snapshot, {}))
            for table in stage["tables"]:
                changed = [row["change"] for row in table["rows"]]
                changes.update(changed)
                for row, change in zip(table["rows"], changed, strict=True):
                    absent = row["rank"] == "–"  # no decision until now
                    assert change == 0 if absent else 1 <= row["rank"] + change <= 3
        assert len(changes) > 1
    with served(path) as page:
        text = page.get("/standings")
        assert "9 of 9 matches over." in text
        assert "Group A, those above the line go on" not in text


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
            key = re.search(r"/games/([\d.]+/[\w-]+/[\d.]+)", page.get(f"/nights/{number}/games?match=1.1.1"))
            assert key is not None
            assert len(json.loads(page.get(f"/nights/{number}/steps/{key[1]}"))["steps"]) > 10


def test_the_season_has_ratings_of_one_fit_over_all_nights(tmp_path):
    path = tmp_path / "season.league"
    text = 'name = "n"\ngames = ["hyrule"]\nboards = 4\n[[stage]]\nformat = "round-robin"\n'
    with League.create_or_open(path) as league:
        for names in (("one", "two", "three"), ("two", "three", "four")):
            number, course = begin(league, text, names)
            play_course(league, number, course)
            league.finish_tournament(number)
    said = json.loads(arena("season", path, "--json", cwd=tmp_path).stdout)
    ratings = [round(row["rating"]["rating"]) for row in said["season"]]
    assert len(ratings) == 4
    with served(path) as page:
        text = page.get("/season")
        cells = re.findall(r'<td class="n">(\d+)</td><td class="n wide dim">\d+ to \d+</td>', text)
        assert [int(cell) for cell in cells] == ratings
        assert "one fit of all games of all tournaments" in text


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


def test_a_race_is_one_table(tmp_path):
    path = tmp_path / "race.league"
    text = 'name = "r"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "comparison"\n'
    text += 'pairs = "best"\ncap = 20\n'
    with League.create_or_open(path) as league:
        number, course = begin(league, text, ("one", "two", "three"))
        play_course(league, number, course)
        league.finish_tournament(number)
    with served(path) as page:
        for view in ("/", "/standings"):
            text = page.get(view).partition('data-key="swings"')[0]  # the boards that swung are another table
            assert text.count('<tr data-key="') == 3
            assert text.count('class="strip"') == 2  # of the first bot against each other one
            assert len(re.findall("<td[^>]*>(?:best|may be best|out)</td>", text)) == 3
            assert "however many bots there are" in text
        assert 'data-key="race"' in page.get("/screen")


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
