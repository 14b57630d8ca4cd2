"""The page of a replay in a real browser: its end, its log, what its numbers mean, and how to play."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
from playwright.sync_api import expect

from arena.games import GAMES
from arena.games.pages import rules_page
from arena.view.pictures.games import PICTURES
from arena.view.pictures.how_to import how_to
from arena.view.pictures.moments import in_words
from tests.view.served import played, served

NIGHT = 'name = "Night"\nseats = 4\nboards = 1\n[[stage]]\nformat = "round-robin"\n'
NAMES = ("anna", "ben", "cleo", "dora")
KEY = "1.1.1/{}/1.1"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    league = tmp_path_factory.mktemp("replay") / "night.league"
    with served(played(league, NIGHT, NAMES)) as found:
        yield found


def steps_of(page, game):
    return json.loads(page.get(f"/steps/{KEY.format(game)}"))


def words(view, selector):
    """The text of an element, with single blanks and without the marks that isolate names."""
    return re.sub(r"[\s\u2066-\u2069]+", " ", view.locator(selector).inner_text()).strip()


def test_the_end_says_who_won_and_leads_to_the_last_lead_change(tabs, page):
    game = next(game for game in GAMES if steps_of(page, game)["ending"]["marked"])
    data = steps_of(page, game)
    marked, last = data["ending"]["marked"], len(data["steps"]) - 1
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(game)}?at={last}")
        count = view.locator(".count")
        expect(count).to_have_text(f"{last}/{last}")
        assert words(view, ".outcome").startswith(in_words(data["ending"]["sentence"], data["names"]))
        winner = data["names"][data["places"].index(1)]
        expect(view.locator(".seatbox.won")).to_contain_text(winner)
        view.get_by_role("button", name="Last lead change", exact=False).last.click()
        expect(count).to_have_text(f"{marked}/{last}")
        view.keyboard.press("Home")
        view.keyboard.press("t")
        expect(count).to_have_text(f"{marked}/{last}")
        view.keyboard.press("Home")
        view.locator(".lead-change").focus()
        view.keyboard.press("Enter")
        expect(count).to_have_text(f"{marked}/{last}")


def test_a_viewer_guesses_at_the_last_lead_change_and_nothing_tells_or_sends_anything_before(tabs, page):
    data = next(data for data in map(partial(steps_of, page), GAMES) if data["guess"])
    guess, last = data["guess"], len(data["steps"]) - 1
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(data['game'])}?at={last}")
        expect(view.locator(".count")).to_have_text(f"{last}/{last}")
        sent = set()
        view.on("request", lambda request: sent.add(request.url))
        view.keyboard.press("y")
        expect(view.locator(".guess h2")).to_be_focused()
        assert data["names"][guess["seat"]] in words(view, ".guess h2")
        offered = view.locator(".guess li button")
        assert 2 <= offered.count() <= 6
        played = re.sub(r"\s+", " ", in_words(guess["actions"][guess["chosen"]], data["names"]))
        said = [re.sub(r"[\s\u2066-\u2069]+", " ", each) for each in offered.all_inner_texts()]
        assert said.count(played) == 1
        expect(view.locator(".scores")).to_be_hidden()
        assert view.locator(".log li:visible").last.get_attribute("data-step") == str(guess["step"] - 1)
        view.keyboard.press("ArrowRight")
        assert view.locator(".seek").input_value() == str(guess["step"] - 1)
        for _ in range(1 + said.index(played)):
            view.keyboard.press("Tab")
        view.keyboard.press("Enter")
        expect(view.locator("#status")).to_contain_text("You would play the same.")
        assert in_words(data["ending"]["sentence"], data["names"]) in words(view, ".guess")
        assert view.locator(".seek").input_value() == str(guess["step"])
        view.keyboard.press("Escape")
        expect(view.get_by_role("button", name="Your turn")).to_be_focused()
        expect(view.locator(".scores")).to_be_visible()
        assert sent <= {f"{page.url}/assets/icon.svg"}  # which a browser fetches when it likes


@pytest.mark.parametrize("game", GAMES)
def test_the_bar_tells_the_scores_and_the_lines_show_them(tabs, page, game):
    data = steps_of(page, game)
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(game)}?at=9")
        expect(view.locator(".count")).to_contain_text("9/")
        scores = [data["ending"]["sign"] * line[9] for line in data["ending"]["scores"]]
        told = view.locator(".seek").get_attribute("aria-valuetext")
        assert told == (
            f"step 9 of {len(data['steps']) - 1}: "
            + ", ".join(f"{name} {score}" for name, score in zip(data["names"], scores, strict=True))
            + f" {data['ending']['unit'][1]}"
        )
        assert view.locator(".legend b").all_inner_texts() == list(map(str, scores))
        assert view.locator(".lines polyline").count() == 4


@pytest.mark.parametrize("game", GAMES)
def test_the_table_and_all_controls_fit_a_small_window(tabs, page, game):
    last = len(steps_of(page, game)["steps"]) - 1
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        for at in (0, last // 3, 2 * last // 3, last):
            view.goto(f"{page.url}/games/{KEY.format(game)}?at={at}")
            expect(view.locator(".count")).to_have_text(f"{at}/{last}")
            assert view.evaluate("document.documentElement.scrollHeight") <= 720


@pytest.mark.parametrize("game", GAMES)
def test_in_a_large_window_the_table_fills_the_height_and_nothing_is_cut(tabs, page, game):
    last = len(steps_of(page, game)["steps"]) - 1
    with tabs.tab(1920, 1080, reduced_motion="reduce") as view:
        for at in (0, last // 2, last):
            view.goto(f"{page.url}/games/{KEY.format(game)}?at={at}")
            expect(view.locator(".count")).to_have_text(f"{at}/{last}")
            assert view.evaluate("document.documentElement.scrollHeight") <= 1080
            cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
            assert view.locator(".seatbox").evaluate_all(cut) == 0
            bottom = view.locator(".dock").evaluate("dock => dock.getBoundingClientRect().bottom")
            assert bottom == pytest.approx(1072, abs=1)


@pytest.mark.parametrize("game", GAMES)
def test_the_log_has_a_line_an_action_and_names(tabs, page, game):
    data = steps_of(page, game)
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(game)}?at=1")
        expect(view.locator(".count")).to_contain_text("1/")
        assert not re.search(r"\bseat \d", view.locator(".player").inner_text())
        for number in (1, 2, 3):
            entry = view.locator(f".log li[data-step='{number}']")
            lines = [in_words(line, data["names"]) for line in data["steps"][number]["log"]]
            assert re.sub(r"[\u2066-\u2069]", "", entry.locator(".line").first.inner_text()) == (
                f"{number}. {lines[0]}"
            )
            assert entry.locator(".said").count() == len(lines) - 1


@pytest.mark.parametrize("game", GAMES)
def test_how_to_play_is_beside_the_table_by_keyboard_and_is_what_the_rules_say(tabs, page, game):
    told = how_to(game)
    assert told is not None
    with tabs.tab(1280, 720, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(game)}")
        drawer = view.get_by_role("complementary", name=f"How to play {GAMES[game].title}")
        view.get_by_role("button", name="How to play").focus()
        view.keyboard.press("Enter")
        expect(drawer).to_be_visible()
        expect(drawer).to_contain_text(told.goal)
        assert drawer.locator(".scene").count() == len(told.turn) == 3
        assert drawer.locator(".scene:not(:has(.card))").count() == 0
        view.keyboard.press("Escape")
        expect(drawer).to_be_hidden()
    rules = " ".join((rules_page(GAMES[game]) or "").split())
    for sentence in (told.goal, told.scoring[1:], *(step.text for step in told.turn)):
        assert sentence in rules


@pytest.mark.parametrize("game", GAMES)
def test_the_numbers_on_the_table_explain_themselves(tabs, page, game):
    with tabs.tab(390, 844, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY.format(game)}?at=9")
        expect(view.locator(".count")).to_contain_text("9/")
        numbers = view.locator(".stage [data-about]")
        explained = set(numbers.evaluate_all("all => all.map(each => each.title)"))
        assert explained
        assert explained <= set(PICTURES[game].about.values())
        seen = "getComputedStyle(document.querySelector('.stage [data-about]'), '::after').content"
        assert view.evaluate(seen) == "none"
        view.get_by_role("button", name="Explain the numbers").click()
        assert json.loads(view.evaluate(seen)) in explained
        assert view.evaluate("document.documentElement.scrollWidth") <= 390


def test_there_is_no_drawer_for_an_unknown_game(page):
    assert "There is no such game." in page.get("/how-to/chess", 404)
    assert "How to play Kleftis" in page.get("/how-to/kleftis")
