"""The pages of a standing league with a ladder that was played: what each person sees, and nobody else."""

from __future__ import annotations

import hashlib
import json
import re
import urllib.error
import urllib.request
import zipfile
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.cli.composed import compose
from arena.cli.page_beside import Page
from arena.cli.serve import settings_of
from arena.hosting.pages.ladder_news import LadderNews, points_risen
from arena.hosting.pages.season_bots import Entry, season_of
from arena.hosting.place import Place
from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.summary import LadderSummary, summarize
from arena.report.standings_text import certain_place
from arena.results import GameResult
from arena.standings.values import Rating
from arena.text import file_name
from arena.view.league.reader import LeagueReader
from arena.view.listening import listening, url_of
from arena.view.pictures.emblem import emblem_of
from arena.view.serving.server import Start, serve_here
from tests.hosting.pages.standing import LEAGUE, Author, Club, deciding, standing
from tests.referee.simulation import simulate
from tests.threads import in_a_thread
from tests.view.browser import tab
from tests.view.hosted import host_of, post
from tests.view.served import Served, served

LADDER = 'name = "Season 1"\ngames = ["nyuri", "kleftis"]\n[[stage]]\nformat = "ladder"\n'
ENTRANTS = ("walker v1", "walker v3", "other v1", "house")
NOTE, REPORT, REASON, LOG, SECRET_BOT = "MARKnote", "MARKreport", "MARKreason", "MARKlog", "MARKbot"
FAULT = "too late"  # the words of the faults of simulated games
GAMES = 160
PEAK = 123_456_789  # bytes
MOST_OF_A_KIND = 3  # pages that differ by their numbers or queries; `test_private` crawls all of them


def submit(author: Author, bot: str, data: bytes, note: str = "") -> None:
    upload = hashlib.sha256(data).hexdigest()
    author.ask("PUT", f"/api/uploads/{upload}?from=0", 200, data)
    author.ask("POST", f"/api/bots/{bot}/versions", 200, {"upload": upload, "size": len(data), "note": note})


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    """A league of two authors and a host: `walker` has an accepted, a refused and an accepted version."""
    folder = tmp_path_factory.mktemp("club")
    bots = [Place(folder).bot(version) for version in (1, 3, 5)]  # the fourth one is secret
    with League.create_or_open(folder / "league.arena") as league:
        simulate(league, LADDER, len(ENTRANTS), finish=False, at_most=GAMES, names=ENTRANTS, folders=bots)
    logs = folder / "league.logs"
    logs.mkdir()
    (logs / "walker v3.log").write_text(LOG)
    (logs / "walker v3.memory").write_text(f"{70 << 20} {1 << 30}\n")
    (logs / "walker v3#2.log").write_text("")
    (logs / "walker v3#2.memory").write_text(f"{PEAK} {1 << 30}\n")
    with standing(folder) as club:
        ada, bob = club.author("Ada"), club.author("Bob")
        club.people = {"ada": ada, "bob": bob, "host": club.author("Hilda", "host")}
        for number, reason in ((1, ""), (2, REASON), (3, "")):
            submit(ada, "walker", bytes([number]), f"{NOTE}{number}")
            club.report(club.version_id("walker", number), REPORT)
            club.decided("walker", number, reason)
        submit(ada, SECRET_BOT, b"secret")
        submit(bob, "other", b"other")
        club.decided("other", 1)
        yield club


def test_an_ended_season_shows_its_final_ladder_table_with_intervals(tmp_path):
    with League.create_or_open(tmp_path / "league.arena") as league:
        simulate(league, LADDER, 4, at_most=240, names=["ada v1", "bob v2", "cyd v1", "dan v1"])
        simulate(league, LADDER.replace("1", "2"), 4, finish=False, at_most=20, names=list("efgh"))
        summary = summarize(league, 1)
    [best, *_] = summary.placed
    share = summary.shares[0]
    assert share.score is not None
    assert share.low is not None
    assert share.high is not None
    words = [summary.tournament.entrants[best.entrant].name, f"{100 * share.score:.1f}"]
    words.append(f"{100 * share.low:.1f} to {100 * share.high:.1f}")
    with standing(tmp_path) as club:
        for path in ("/season", "/nights/1/", "/nights/1/standings"):
            text = club.page.get(path)
            rows = re.sub(r"<[^>]+>|\s+", " ", text[text.index("Final ranking") :])
            # phones show the certain places below the name
            row = rf" 1 +(1(?: to \d)?) +{words[0]} +certain: \1 +{words[1]} +{words[2]} "
            assert re.search(row, rows), path
            assert "expected against the whole field" in text.lower()
        assert 'href="/nights/1/standings"' in club.page.get("/season")
        running = club.page.get("/standings")
        assert "Bracket" not in running, "a ladder has none"
        assert "Ranking so far" in running
        assert 'title="provisional: not ranked before it has 10 boards in each game"' in running


def test_a_host_s_account_opens_the_control_room_as_long_as_it_is_one(tmp_path):
    club = Club(tmp_path)
    listener = listening("127.0.0.1:0")
    page = Served(url_of(listener).rstrip("/"), "printed", [])
    settings = settings_of(club.place.league, Page(), page.token, None, tmp_path)
    with (
        deciding(club),
        in_a_thread(partial(serve_here, Start(listener, say=page.said.append), partial(compose, settings))),
    ):
        club.page = page
        host, author = club.author("Hilda", "host"), club.author("Ada")
        post(page, "/host/enter", 200, token=author.token)
        post(page, "/host/enter", 303, token=page.token)
        cookie = host_of(page._replace(token=host.token))
        asked, _ = post(page, "/host/start", 200, cookie)
        assert "Not possible now" in asked
        newer = host.ask("POST", "/api/token", 200, {})["token"]
        post(page, "/host/start", 403, cookie)
        assert "The token that the terminal printed" in page.get("/host", Cookie=cookie)
        assert host_of(page._replace(token=newer)) == f"arena=author:{newer}", "a host's login is the same"
        assert "Leave the control room" not in page.get("/host", Cookie=f"arena=author:{author.token}")
    with served(club.place.league, no_host=True, standing=tmp_path) as without:
        assert "no forms for the host" in without.get("/host", Cookie=f"arena=author:{newer}")
        post(without, "/host/start", 403, f"arena=author:{newer}")
    assert page.said == []


def test_the_headline_of_a_ladder_goes_by_the_score_of_its_table(club):
    page = club.page.get("/standings")
    [first, second, *_] = map(float, re.findall(r'class="n score">([0-9.]+)', page))
    [ahead] = re.findall(r"leads by ([0-9.]+)\.", re.sub(r"<title>.*?</title>|<meta[^>]*>", "", page))
    assert abs(float(ahead) - (first - second)) < 0.11


def test_a_name_in_the_running_season_leads_to_the_page_of_the_bot(club):
    running = club.page.get("/standings")
    assert 'href="/bots/walker"' in running
    assert 'href="/bots/4"' in running, "a bot of the host has no versions"
    assert not re.search(r'href="/bots/[123]"', running)
    assert 'href="/nights/1/bots/2"' in club.page.get("/bots/walker")
    assert 'href="/nights/1/bots/2"' in club.page.get("/nights/1/standings")
    assert 'href="/bots/walker"' in club.page.get("/nights/1/bots/2")


def test_the_bots_of_the_host_are_listed_with_their_ratings(tmp_path):
    house = Place(tmp_path).house / "random-python"
    with League.create_or_open(tmp_path / "league.arena") as league:
        names = ["random", "other v1"]
        simulate(league, LADDER, 2, finish=False, at_most=80, names=names, folders=[house])
    with standing(tmp_path, f'house = ["random-python", "greedy-python"]\n{LEAGUE}') as club:
        [first, second] = Author(club.page).ask("GET", "/api/bots")
        assert (first["name"], first["author"], first["games"]) == ("random", "the host", 80)
        assert first["rating"] is not None
        assert (second["name"], second["rating"]) == ("greedy", None)
        shown = club.page.get("/bots")
        assert '<a href="/nights/1/bots/1"><bdi>random</bdi></a>' in shown
        assert "<bdi>greedy</bdi></th>" in shown, "it has not played, so it has no page"
        assert shown.count("<bdi>the host</bdi>") == 2


def test_a_bot_shows_its_rating_and_its_results(club):
    found = Author(club.page).ask("GET", "/api/bots/walker")
    assert found["version"] == 3
    assert found["rating"] is not None
    assert found["games"] > 10
    scores = [each["score"] for each in found["opponents"]]
    assert scores == sorted(scores)
    assert {each["what"] for each in found["by_game"]} == {"nyuri", "kleftis"}
    assert not {"versions", "faults", "times", "change"} & set(found)
    assert "By opponent" in club.page.get("/bots/walker")


def newest(reader: LeagueReader, entrant: int) -> list[GameResult]:
    wanted = Wanted(entrant=entrant)
    return [result for _, result in reader.ask(lambda league: league.newest_games(1, wanted, 5))]


def test_the_page_of_a_bot_begins_with_what_the_ladder_says_of_it(club):
    with closing(LeagueReader(club.place.league, private=True)) as reader:
        names = reader.snapshot(1).names
        assert reader.refine(1)
        season, summary = season_of(reader, club.place), reader.snapshot(1).summary
        assert season is not None
        assert isinstance(summary, LadderSummary)
        for entrant in (1, 3):
            told = season.face_of(Entry(3, entrant, None, 0, False))
            best = [
                [seat.entrant for seat in each.seats if seat.place == 1] for each in newest(reader, entrant)
            ]
            assert told["last"] == [
                "won" if each == [entrant] else "level" if entrant in each else "lost" for each in best
            ]
            assert told["place"] == [each for each, _ in summary.there].index(entrant) + 1
            assert told["certain"] == certain_place(summary.certain_places[entrant], " to ")
            assert told["emblem"] == emblem_of(names[entrant]).drawn
    assert '<h1><svg class="emblem' in club.page.get("/bots/walker")


def test_the_home_of_a_ladder_tells_of_the_newest_versions_and_of_no_rounds(club):
    home = club.page.get("/")
    [news] = re.findall(r"Newest versions: (.*?)</p>", home)
    versions = re.findall(r"<bdi>(.*?)</bdi></a> v(\d+)", news)
    assert {*versions} == {("other", "1"), ("walker", "3"), ("walker", "1")}, "and not what was refused"
    assert "Round " not in home


def test_the_news_of_a_ladder_are_looked_for_again_after_some_seconds(club):
    times = iter((0.0, 0.0, 9.9, 10.0, 10.0))
    with closing(LeagueReader(club.place.league, private=True)) as reader:
        news = LadderNews(reader, club.place, now=lambda: next(times))
        first = news()
        assert [each.bot for each in first["newest"]]
        assert first["risen"] == (), "no earlier ratings are known"
        assert news() is first
        assert news() is not first


def test_a_rating_rises_if_it_is_above_the_interval_that_it_had():
    then = Rating(1, 30, 1000.0, 900.0, 1100.0)
    for rating, points in ((1101.0, 101.0), (1100.0, None), (950.0, None), (None, None)):
        assert points_risen(then._replace(rating=rating), then) == points
    assert points_risen(then, then._replace(high=None)) is None


def test_an_author_sees_times_faults_and_what_a_change_did(club):
    found = club.people["ada"].ask("GET", "/api/bots/walker")
    assert [each["version"] for each in found["versions"]] == [3, 2, 1]
    assert {each["game"] for each in found["times"]} == {"nyuri", "kleftis"}
    assert all(0 < each["p50"] <= each["p99"] <= each["longest"] for each in found["times"])
    assert {each["limit"] for each in found["times"]} == {5000.0}
    assert any(each["kind"] == "timeout" and each["message"] == FAULT for each in found["faults"])
    assert "It is open whether version 3 is better than version 1" in found["change"]
    assert "rating" not in found["change"]  # for that is open
    assert "boards against the same opponents" in found["change"]
    assert club.people["ada"].ask("GET", "/api/bots/walker/log") == {"log": LOG}


def test_an_author_sees_the_memory_of_a_bot_against_its_limit(club):
    ada = club.people["ada"]
    memory = {"peak": PEAK, "limit": 1 << 30}
    assert ada.ask("GET", "/api/bots/walker")["memory"] == memory
    listed = {each["name"]: each for each in ada.ask("GET", "/api/bots")}
    assert listed["walker"]["memory"] == memory
    assert "memory" not in listed["other"]
    assert club.people["bob"].ask("GET", "/api/bots/other")["memory"] is None
    shown = club.page.get("/bots/walker", Cookie=f"arena=author:{ada.token}")
    assert "117.7 MiB at most; the limit is 1 GiB." in shown


def test_a_session_of_a_game_is_what_rehearse_reads(club):
    games = club.people["ada"].ask("GET", "/api/bots/walker/games")
    assert games
    assert {each["version"] for each in games} == {1, 3}
    found = club.people["ada"].ask("GET", f"/api/bots/walker/games/{games[0]['game'].replace('/', '%2F')}")
    assert "request" in found["session"][0]
    assert "response" in found["session"][1]
    club.people["bob"].ask("GET", f"/api/bots/walker/games/{games[0]['game']}", 403)
    club.people["ada"].ask("GET", "/api/bots/walker/games/1/9.9.9/nyuri/1.1", 404)
    club.people["ada"].ask("GET", "/api/bots/walker/games/nothing", 404)


def test_a_version_that_plays_again_shows_what_it_plays_now(tmp_path):
    again = "walker v1 (2)"
    names, folders = ["walker v1", again, "walker v11"], [Place(tmp_path).bot(1)] * 2
    with League.create_or_open(tmp_path / "league.arena") as league:
        simulate(league, LADDER, 3, finish=False, at_most=80, names=names, folders=folders)
        numbers = [number for number, _ in league.newest_games(1, Wanted(entrant=1), 1)]
        key = league.game(numbers[0]).result.key
    logs = tmp_path / "league.logs"
    logs.mkdir()
    (logs / f"{file_name(again)}.log").write_text(LOG)
    with standing(tmp_path) as club:
        ada = club.author("Ada")
        submit(ada, "walker", b"1")
        club.decided("walker", 1)
        assert ada.ask("GET", "/api/bots/walker/log") == {"log": LOG}
        opponents = {each["what"] for each in ada.ask("GET", "/api/bots/walker")["opponents"]}
        assert again not in opponents
        assert "walker v11" in opponents
        assert ada.ask("GET", f"/api/bots/walker/games/1/{key}")["session"]


def test_an_opponent_whose_author_went_back_to_an_earlier_version_is_one_opponent(tmp_path):
    names = ["walker v1", "other v1", "other v2", "other v1 (2)", "house v1"]
    folders = [Place(tmp_path).bot(version) for version in (1, 2, 3, 2)]
    with standing(tmp_path) as club:
        ada, bob = club.author("Ada"), club.author("Bob")
        for author, bot, number in ((ada, "walker", 1), (bob, "other", 1), (bob, "other", 2)):
            submit(author, bot, f"{bot}{number}".encode())
            club.decided(bot, number)
        with League.create_or_open(tmp_path / "league.arena") as league:
            simulate(league, LADDER, len(names), finish=False, at_most=160, names=names, folders=folders)
        found = ada.ask("GET", "/api/bots/walker")
        games = ada.ask("GET", "/api/bots/walker/games")
        assert {each["opponent"] for each in games} == {*names[1:]}, "as the league calls them"
        assert {each["what"] for each in found["opponents"]} == {"other", "house v1"}
        by_opponent, by_game = (sum(each["games"] for each in found[key]) for key in ("opponents", "by_game"))
        assert by_opponent == by_game > 0


def crawl(club: Club, token: str) -> dict[str, str]:
    """All that a person gets by following the links of the page, and at the addresses of the API."""
    headers = {"Cookie": f"arena=author:{token}"} if token else {}
    bots = ("walker", "other", SECRET_BOT)
    api = ["/api/environment", "/api/me", "/api/bots", *(f"/api/bots/{bot}" for bot in bots)]
    api += [f"/api/bots/{bot}/{what}" for bot in bots for what in ("log", "games")]
    api += [f"/api/bots/{bot}/versions/{number}/report" for bot in bots for number in (1, 2, 3)]
    pages = ["/", "/authors", "/login", "/bots", "/environment", "/nights-to-come", "/host", "/feed.atom"]
    pages += [f"/submissions/{bot}/{number}" for bot in bots for number in (1, 2, 3)]
    pages += [f"/bots/{bot}" for bot in bots]
    left, found = [*api, *pages], dict[str, str]()
    kinds = Counter[str]()
    while left:
        path = left.pop(0)
        kind = re.sub(r"\d+|nyuri|kleftis", "0", path.partition("?")[0])
        if path in found or kinds[kind] == MOST_OF_A_KIND:
            continue
        kinds[kind] += 1
        text = found[path] = get(club, path, headers)
        for link in re.findall(r'(?:href|src|action)="([^"]+)"', text) if not path.startswith("/api") else ():
            parts = urlsplit(urljoin(club.page.url + path, unescape(link)))
            if parts.netloc == urlsplit(club.page.url).netloc and not parts.path.startswith("/assets/"):
                left.append(parts.path + (f"?{parts.query}" if parts.query else ""))
                if key := re.fullmatch(r"/games/([\d.]+/[\w-]+/[\d.]+)", parts.path):
                    left += [f"/steps/{key[1]}?view=all", f"/plain/{key[1]}?view=all"]
    return found


def get(club: Club, path: str, headers: dict[str, str]) -> str:
    try:
        with urllib.request.urlopen(urllib.request.Request(club.page.url + path, headers=headers)) as answer:
            return str(answer.read(), "utf-8", "replace")
    except urllib.error.HTTPError as error:
        with error:
            text, code = error.read().decode("utf-8", "replace"), error.code
    assert code not in (429, 500), path
    return text


@pytest.mark.parametrize("who", [pytest.param("nobody", marks=pytest.mark.campaign), "bob", "ada", "host"])
def test_private_matters_reach_their_author_and_the_host_alone(club, who):
    token = "" if who == "nobody" else club.people[who].token
    found = crawl(club, token)
    assert len(found) > 60
    for mark in (NOTE, REPORT, REASON, LOG, SECRET_BOT, FAULT, str(PEAK), club.people["ada"].token):
        asked = [path for path, text in found.items() if mark in text and mark not in path]
        if who == "bob" and mark == FAULT:  # of his own bot
            asked = [path for path in asked if "/bots/other" not in path]
        if who in ("ada", "host") and mark != club.people["ada"].token:
            assert asked, mark
        else:
            assert not asked, mark
    assert not [path for path, text in found.items() if str(club.place.folder) in text]


def test_an_invitation_says_what_the_league_is_and_how_to_go_on(club):
    path = f"/join/{club.invitation('Newcomer')}"
    asked = club.page.get(path)
    assert "programs that play Nyuri, Kleftis against each other" in asked
    assert "where to get it" in asked
    assert "pip install" not in asked
    problem = get(club, "/bots/nobody", {})
    assert "The league</a>" in problem
    assert "League night" not in problem


def test_an_invitation_says_how_to_install_the_arena_if_the_host_has_said_where_it_is(tmp_path):
    with standing(tmp_path, f'source = "bot-arena @ https://x.example/a.whl"\n{LEAGUE}') as club:
        path = f"/join/{club.invitation('Newcomer')}"
        command = '<code class="token">pip install &#39;bot-arena @ https://x.example/a.whl&#39;</code>'
        asked = club.page.get(path)
        assert command in asked
        assert "where to get it" not in asked
        assert command in club.page.answer(path, 200, b"")[0]


def test_a_page_that_is_about_no_tournament_shows_the_state_of_none(club, browser):
    counting = "window.heard = 0; window.EventSource = class extends EventSource {"
    counting += " constructor(address) { super(address); heard += 1; } }"
    with tab(browser) as page:
        page.add_init_script(counting)
        for path, heard in (("/", 1), (f"/join/{club.invitation('Guest')}", 0)):
            page.goto(club.page.url + path)
            assert page.evaluate("heard") == heard, path
    assert 'data-state=""' in club.page.get("/nights-to-come")


def test_a_time_zone_is_named_where_it_is_not_that_of_the_browser(club, browser):
    winter = int(datetime(2027, 1, 8, 19, tzinfo=UTC).timestamp() * 1000)
    with tab(browser, timezone_id="Europe/Berlin") as page:
        page.goto(f"{club.page.url}/nights-to-come")
        for offset in (0, 60):
            text = f'<span data-offset="{offset}" data-at="{winter}">zone {offset}</span>'
            page.evaluate(
                "text => document.querySelector('main').insertAdjacentHTML('beforeend', text)", text
            )
        expect(page.get_by_text("zone 60")).to_be_hidden()
        expect(page.get_by_text("zone 0")).to_be_visible()


def test_a_version_under_way_shows_for_how_long_its_step_has_lasted(club):
    bob = club.people["bob"]
    submit(bob, "slow", b"slow")
    shown = partial(club.page.get, "/submissions/slow/1", Cookie=f"arena=author:{bob.token}")
    assert re.search(r"<b>received</b></span> <span id=\"elapsed\">for \d+ s", shown())
    report = club.place.submission(club.version_id("slow", 1)) / "report.jsonl"
    lines = []
    for step, minutes in (("unpack", 9000), ("build", 3), ("build", 1)):
        at = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(timespec="seconds")
        lines.append(json.dumps({"at": at, "step": step, "text": "", "level": "info"}) + "\n")
    report.write_text("".join(lines))
    [elapsed] = re.findall(r"for (\d+) min", shown())
    assert 3 <= int(elapsed) < 9000
    club.decided("slow", 1, "it is too slow")
    assert '<span id="elapsed"></span>' in shown()


def test_the_names_of_games_fit_beside_the_times_of_decisions_on_a_phone(club, browser):
    with tab(browser, 390, 800) as page:
        page.context.add_cookies(
            [{"name": "arena", "value": f"author:{club.people['ada'].token}", "url": club.page.url}]
        )
        page.goto(f"{club.page.url}/bots/walker")
        page.evaluate(
            "for (const each of document.querySelectorAll('.times td')) each.textContent = 123.4567"
        )
        cut = "each => each.filter(name => name.scrollWidth > name.clientWidth).length"
        assert page.locator(".times tbody th").count() == 2
        assert page.locator(".times tbody th").evaluate_all(cut) == 0


def test_a_newcomer_joins_submits_a_zip_and_reads_the_report(club, browser, tmp_path):
    archive = tmp_path / "bot.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bot.toml", 'name = "fresh"\n')
    with tab(browser, 390, 800) as page:
        page.goto(f"{club.page.url}/join/{club.invitation('Newcomer')}")
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
        token = page.locator("code.token").first.inner_text()
        assert Author(club.page, token).ask("GET", "/api/me")["name"] == "Newcomer"
        page.get_by_role("link", name="Submit a bot").click()
        page.get_by_label("The bot's name").fill("fresh")
        page.get_by_label("A zip of the bot's folder").set_input_files(archive)
        page.get_by_label("A note for yourself").fill("first try")
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("heading", name="fresh version 1")).to_be_visible()
        id = club.version_id("fresh", 1)
        club.report(id, "plays <b>nyuri</b>")
        expect(page.get_by_text("plays <b>nyuri</b>")).to_be_visible()
        club.decided("fresh", 1)
        expect(page.locator("#state")).to_contain_text("accepted")
        page.get_by_role("link", name="fresh").click()
        expect(page.get_by_text("Version 1 plays.")).to_be_visible()
        page.get_by_role("button", name="Withdraw the bot").click()
        expect(page.get_by_text("The bot is withdrawn.")).to_be_visible()
        page.get_by_role("button", name="Let it play").click()
        expect(page.get_by_text("The version plays from now on.")).to_be_visible()
        note = page.get_by_label("Note on version 1")
        note.fill("better")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_label("Note on version 1")).to_have_value("better")
        page.goto(f"{club.page.url}/authors")
        page.get_by_role("button", name="Log out in this browser").click()
        page.goto(f"{club.page.url}/authors")
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        page.get_by_label("Your token").fill(token)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="My bots")).to_be_visible()


@pytest.mark.parametrize(
    "path", ["/authors", "/bots", "/bots/walker", "/environment", "/submissions/walker/2"]
)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_pages_are_accessible_and_fit(club, tabs, path, width):
    with tabs.tab(width, 800) as page:
        page.context.add_cookies(
            [{"name": "arena", "value": f"author:{club.people['ada'].token}", "url": club.page.url}]
        )
        page.goto(club.page.url + path)
        found = Axe().run(page)
        assert not found.response["violations"], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_form_of_another_site_changes_nothing(club):
    cookie = "arena=author:" + club.people["bob"].token
    page = club.page
    page.answer("/authors/withdraw", 403, b"bot=other", Cookie=cookie)
    page.answer("/authors/withdraw", 403, b"bot=other", Cookie=cookie, Origin="http://x")
    page.answer("/authors/withdraw", 401, b"bot=other", Origin=page.url)
    answer, _ = post(page, "/authors/activate", 409, cookie, bot="walker", version=1)
    assert "no bot" in answer
    post(page, "/authors/note", 303, cookie, bot="other", version=1, note="n")
    log_in = f"token={club.people['ada'].token}".encode()  # as another author, who would get what Bob submits
    page.answer("/login", 403, log_in, Cookie=cookie)
    page.answer("/login", 403, log_in, Origin="http://x")


def test_a_cookie_is_for_https_alone_behind_a_proxy(club):
    _, headers = club.page.answer(
        "/login",
        303,
        ("token=" + club.people["bob"].token).encode(),
        X_Forwarded_Proto="https",
        X_Forwarded_For="192.0.2.1",
    )
    assert "Secure" in headers["Set-Cookie"]
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=strict" in headers["Set-Cookie"]
