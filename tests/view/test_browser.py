"""The page in a real browser: replays card by card, a running night, keys, phone, projector."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.games import GAMES
from arena.league.store import League
from arena.view.pictures.moments import in_words
from tests.arena_command import arena
from tests.referee.simulation import play_course
from tests.view.browser import tab
from tests.view.served import HOSTILE, begin, played, served

VIEWS = (
    "/", "/standings", "/standings/nyuri", "/crosstable", "/bracket", "/schedule", "/games", "/bots",
    "/bots/2", "/rivals/1/2", "/decisions", "/season", "/host", "/tables", "/games/1.1.1/kleftis/1.1?at=20",
    "/games?match=1.1.1", "/seat", "/screen",
)  # fmt: skip
STEP_THROUGH = """() => {
    const steps = [];
    for (;;) {
        const count = document.querySelector('.count').textContent;
        const now = [...document.querySelectorAll('.log li.now')];
        steps.push({
            count, moment: document.querySelector('.moment').textContent,
            words: now.flatMap(entry => [...entry.children].map(line => line.textContent)),
        });
        const [at, last] = count.split('/');
        if (at === last) return steps;
        document.querySelector('.dock .on').click();
    }
}"""


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    return played(tmp_path_factory.mktemp("browser") / "night.league")


@pytest.fixture(scope="module")
def page(league):
    with served(league) as found:
        yield found


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_steps_from_the_first_card_to_the_last(browser, page, league, game):
    key = f"1.1.1/{game}/1.1"
    with tab(browser, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{key}")
        expect(view.locator(".count")).to_contain_text("0/")
        last = int(view.locator(".count").inner_text().partition("/")[2])
        view.keyboard.press("ArrowRight")
        expect(view.locator(".count")).to_have_text(f"1/{last}")
        said = view.evaluate(STEP_THROUGH)
        assert [step["count"] for step in said] == [f"{at}/{last}" for at in range(1, last + 1)]
        data = json.loads(page.get(f"/steps/{key}"))
        assert in_words(data["ending"]["sentence"], data["names"]) in said[-1]["moment"]
        assert view.title() != "caught"
        told = arena("replay", league, key, cwd=league.parent).stdout.splitlines()
        first = next(at for at, line in enumerate(told) if line.lstrip().startswith("1. seat"))
        events = [line.strip() for line in told[first:] if line.startswith(" " * 6) and "FAULT" not in line]
        named = [re.sub(r"\bseat (\d)", lambda seat: data["names"][int(seat[1])], line) for line in events]
        shown = [re.sub(r"^\d+\. ", "", line) for step in said for line in step["words"]]
        assert [line for line in shown if line in named] == named
        assert view.locator(".card").count() > 0


def test_cards_lie_where_the_game_has_them(browser, page):
    steps = json.loads(page.get("/steps/1.1.1/hyrule/1.1"))
    with tab(browser) as view:
        view.goto(f"{page.url}/games/1.1.1/hyrule/1.1")
        picture = steps["keys"]["0"]
        for at, step in enumerate(steps["steps"]):
            picture |= step["changed"]
            expect(view.locator(".count")).to_contain_text(f"{at}/")
            tricks = view.locator(".slotcol")
            hands = view.locator(".hand")
            for seat in range(2):
                assert tricks.nth(seat).locator(".card").count() == (picture[f"slot.{seat}"] is not None)
                assert hands.nth(seat).get_by_role("img").count() == picture[f"count.{seat}"]
            view.keyboard.press("ArrowRight")
        view.select_option(".view", "public")
        view.evaluate("document.activeElement.blur()")
        view.keyboard.press("Home")
        expect(view.get_by_role("group", name="7 cards in hand, not seen")).to_have_count(2)


def test_keys_do_all_of_it_and_the_address_is_the_moment(browser, page):
    with tab(browser, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/1.1.1/kleftis/1.1?at=7&view=1")
        count = view.locator(".count")
        expect(count).to_contain_text("7/")
        assert view.input_value(".view") == "1"
        view.keyboard.press("End")
        last = int(count.inner_text().split("/")[1])
        expect(count).to_have_text(f"{last}/{last}")
        view.keyboard.press("Shift+ArrowLeft")
        assert int(count.inner_text().split("/")[0]) < last
        assert view.locator(".moment .tag").count() == 1
        view.keyboard.press("Home")
        view.keyboard.press("+")
        assert view.input_value(".speed") == "2"
        view.keyboard.press("v")
        expect(view.locator(".view")).to_have_value("public")
        view.keyboard.press("ArrowRight")
        view.wait_for_url("**at=1&view=public")
        view.keyboard.press("l")
        expect(view.locator(".logbox")).to_be_hidden()
        view.keyboard.press("?")
        expect(view.get_by_role("dialog")).to_be_visible()
        view.keyboard.press("Escape")
        for _ in range(4):
            view.keyboard.press("+")
        view.keyboard.press(" ")
        expect(count).to_have_text(f"{last}/{last}")


def test_a_key_counts_in_the_moment_in_which_the_help_closes(browser, page):
    with tab(browser, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/1.1.1/kleftis/1.1")
        expect(view.locator(".count")).to_contain_text("0/")
        view.keyboard.press("?")
        expect(view.get_by_role("button", name="Close")).to_be_focused()
        view.evaluate("""() => {
            document.querySelector("dialog.keys").close();
            const space = new KeyboardEvent("keydown", {key: " ", bubbles: true, cancelable: true});
            document.activeElement.dispatchEvent(space);
        }""")
        expect(view.get_by_role("button", name="Stop")).to_be_visible()


def test_a_night_is_followed_from_the_empty_page_to_the_final(browser, tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league, served(path) as found, tab(browser) as view:
        view.goto(found.url)
        expect(view.get_by_role("heading", level=1)).to_have_text("No tournament has begun yet.")
        number, course = begin(league)
        expect(view.get_by_role("heading", level=1)).to_have_text("No results yet.")
        expect(view.get_by_role("link", name="Night <b>one</b>")).to_be_visible()
        view.goto(f"{found.url}/standings")
        play_course(league, number, course, at_most=24)
        expect(view.get_by_role("heading", level=1)).to_contain_text("lead")
        view.get_by_role("button", name="Freeze").click()
        expect(view.locator("#connection")).to_have_text("frozen")
        play_course(league, number, course, at_most=20)
        before = view.locator("main").inner_text()
        expect(view.get_by_role("button", name="Frozen")).to_be_visible()
        assert view.locator("main").inner_text() == before
        view.get_by_role("button", name="Frozen").click()
        expect(view.locator("main")).to_contain_text("44 games played")
        play_course(league, number, course)
        league.finish_tournament(number)
        expect(view.get_by_role("heading", level=1)).to_contain_text("wins.")
        view.get_by_role("link", name="Bracket", exact=True).click()
        expect(view.locator(".round")).to_have_count(2)
        expect(view.get_by_text("to be decided")).to_have_count(0)


def test_offline_and_back_shows_itself(browser, league):
    with tab(browser) as view:
        with served(league) as found:
            view.goto(found.url)
            expect(view.locator("#connection")).to_have_text("final")
        expect(view.locator("#offline")).to_contain_text("Connection lost")
        assert view.get_by_role("heading", level=1).is_visible()


def test_a_hidden_page_holds_no_stream(browser, page):
    with tab(browser) as view:
        view.goto(page.url)
        expect(view.locator("#connection")).to_have_text("final")
        hide = (
            "Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
        with view.expect_event("requestfailed", lambda each: "/events" in each.url):
            view.evaluate(hide % "true")
        with view.expect_request("**/events?last=*"):
            view.evaluate(hide % "false")


def test_the_words_of_the_present_step_are_always_in_sight(browser, page):
    with tab(browser, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/1.1.1/nyuri/1.1")
        expect(view.locator(".count")).to_contain_text("0/")
        seen = view.evaluate("""() => {
            const inSight = [];
            for (let step = 0; step < 60; step++) {
                document.querySelector(".dock .on").click();
                const [box, now] = [".log", ".log li.now"].map(
                    (each) => document.querySelector(each).getBoundingClientRect());
                inSight.push(now.top >= box.top && now.bottom <= box.bottom);
            }
            return inSight;
        }""")
        assert seen == [True] * 60


def test_the_controls_of_a_replay_are_always_in_reach(browser, page):
    for width, height in ((1280, 800), (390, 844)):
        with tab(browser, width, height, reduced_motion="reduce") as view:
            view.goto(f"{page.url}/games/1.1.1/kleftis/1.1?at=20")
            expect(view.locator(".count")).to_contain_text("20/")
            rows = set()
            for part in (".moment", ".seek", ".play", ".view"):
                box = view.locator(part).bounding_box()
                assert box is not None
                rows.add(box["y"])
                assert 0 <= box["x"] <= box["x"] + box["width"] <= width
                assert box["y"] + box["height"] <= height
            assert len(rows) == 3  # the moment, the bar, the buttons


def test_a_bracket_has_each_box_between_those_that_lead_to_it(browser, tmp_path):
    text = (
        'name = "cup"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "knockout"\nthird_place = true\n'
    )
    league = played(tmp_path / "night.league", text, tuple(f"bot {number}" for number in range(6)))
    with served(league) as page, tab(browser) as view:
        view.goto(f"{page.url}/bracket")
        expect(view.locator(".round")).to_have_count(3)
        middles = view.evaluate("""() => [...document.querySelectorAll(".round")].map(
            (round) => [...round.querySelectorAll(".boxes .tablebox")].map((each) => {
                const box = each.getBoundingClientRect();
                return (box.top + box.bottom) / 2;
            }))""")
        for before, after in itertools.pairwise(middles):
            pairs = [sum(pair) / 2 for pair in zip(before[::2], before[1::2], strict=True)]
            assert after == pytest.approx(pairs, abs=2)
        final, third = (view.locator(".ending .tablebox").nth(at).bounding_box() for at in (0, 1))
        assert final is not None
        assert third is not None
        assert final["y"] + final["height"] < third["y"]


@pytest.mark.parametrize("path", VIEWS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nobody_is_kept_out(browser, page, path, theme):
    with tab(browser, color_scheme=theme, reduced_motion="reduce") as view:
        view.goto(page.url + path)
        if "at=" in path:
            expect(view.locator(".count")).to_contain_text("20/")
        found = Axe().run(view)
        wrong = [
            f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
            for each in found.response["violations"]
        ]
        assert wrong == []


@pytest.mark.parametrize("width", [760, 1280, 1920])
def test_nothing_is_wider_than_the_window(browser, page, width):
    with tab(browser, width) as view:
        for path in VIEWS:
            view.goto(page.url + path)
            assert view.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("path", VIEWS)
def test_nothing_is_wider_than_a_phone(browser, page, path):
    with tab(browser, 390, 844) as view:
        view.goto(page.url + path)
        if "at=" in path:
            expect(view.locator(".count")).to_contain_text("20/")
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        if path == "/screen":
            return  # it has no bar, and nothing to press
        places = view.evaluate(
            "['.brand', '#connection', '#freeze'].map(x => document.querySelector(x))"
            ".filter(x => x?.offsetParent).map(x => x.getBoundingClientRect().top)"
        )
        assert max(places) - min(places) < 30  # one row
        small = view.evaluate(
            "[...document.querySelectorAll('button, select, input, nav a')].filter(x => x.offsetParent)"
            ".map(x => [x.outerHTML.slice(0, 80), x.getBoundingClientRect()])"
            ".filter(([, box]) => box.width < 24 || box.height < 24).map(([text]) => text)"
        )
        assert small == []


def test_the_projector_goes_through_the_views_by_itself(browser, page):
    with tab(browser, 1920, 1080) as view:
        view.goto(f"{page.url}/screen")
        shown = view.locator(".slide.shown")
        expect(shown).to_have_count(1)
        seen = [shown.get_attribute("data-key")]
        for _ in range(6):
            assert shown.evaluate("slide => slide.scrollHeight <= slide.clientHeight"), seen[-1]
            for table in shown.locator(".stage").all():
                assert table.evaluate("stage => stage.scrollHeight <= stage.clientHeight")
            view.keyboard.press("ArrowRight")
            expect(shown).not_to_have_attribute("data-key", seen[-1])
            assert view.locator(".slide:visible").count() == 1
            seen.append(shown.get_attribute("data-key"))
        assert {"standings-1", "bracket", "ratings", "podium", "moment"} <= set(seen)
        assert seen[0] in seen[1:]
        assert view.locator(".hand:visible").count() == 0
        sizes = view.evaluate(
            "[...document.querySelectorAll('.slide.shown *, .screenhead')].filter(x => x.offsetParent"
            " && !x.matches('.sr') && [...x.childNodes].some(y => y.nodeType === 3 && y.data.trim()))"
            ".map(x => parseFloat(getComputedStyle(x).fontSize))"
        )
        assert min(sizes) >= 29


def test_a_projector_that_is_on_before_the_night_begins_shows_it(browser, tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league, served(path) as found, tab(browser, 1920, 1080) as view:
        view.goto(f"{found.url}/screen")
        expect(view.get_by_role("heading", level=1)).to_have_text("No tournament has begun yet.")
        begin(league)
        expect(view.locator(".slide.shown")).to_have_attribute("data-key", "lobby")
        expect(view.locator(".expected li")).to_have_count(4)
        expect(view.get_by_role("navigation")).to_have_count(0)


def test_paper_scraps_fall_for_the_winner_but_not_for_those_who_want_no_motion(browser, page):
    for motion, most in (("no-preference", 200), ("reduce", 0)):
        with tab(browser, 1920, 1080, reduced_motion=motion) as view:
            view.goto(f"{page.url}/screen")
            expect(view.locator(".slide.shown")).to_have_attribute("data-key", "podium")
            scraps = view.locator(".scrap").count()
            assert min(1, most) <= scraps <= most
            view.evaluate("document.getAnimations().forEach((each) => each.finish())")
            expect(view.locator(".scrap")).to_have_count(0)


@pytest.mark.parametrize("slide", ["standings", "ratings"])
def test_the_rows_of_the_projector_fill_its_height(browser, page, slide):
    with tab(browser, 1920, 1080) as view:
        view.goto(f"{page.url}/screen?view={slide}")
        rows = view.locator(".slide.shown tbody tr")
        last, foot = rows.last.bounding_box(), view.locator(".screenfoot").bounding_box()
        assert last
        assert foot
        assert foot["y"] - last["y"] - last["height"] < 60


def test_a_hostile_name_is_a_name(browser, page):
    with tab(browser) as view:
        for path in ("/", "/standings", "/games", "/bots/2", "/games/1.1.1/nyuri/1.1", "/screen"):
            view.goto(page.url + path)
            assert view.title() != "caught"
        view.goto(f"{page.url}/bots/2")
        assert view.locator("h1 bdi").inner_text() == HOSTILE
        view.goto(f"{page.url}/bots/3")
        assert view.locator("h1 bdi").evaluate("x => getComputedStyle(x).textAlign") == "left"
