"""A person plays whole games with the cards: by tapping, by dragging, and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from arena.games import BUILT_IN
from tests.bots_for_tests import FIRST, good_bot, served_address
from tests.seat.playing import (
    await_turn,
    drag_a_card,
    friendly,
    play_by_keys,
    play_with_cards,
    serious,
    sit_down,
    turn_number,
    turn_over,
)
from tests.view.browser import tab


def opponents(count=3):
    return [word for _ in range(count) for word in ("--against", served_address())]


TARDY = FIRST.replace(
    "serve(First)",
    """\
while not (Path(__file__).parents[1] / "go").exists():
    time.sleep(0.05)
serve(First)""",
).replace("from arena", "import time\nfrom pathlib import Path\nfrom arena", 1)
"""A bot that is not ready before there is a file `go` beside its folder."""


def at_table(view, url):
    sit_down(view, url)
    assert await_turn(view)


BOTTOMS = """() => [".tray", "#all", ".stage"].map(each => [
    each, document.querySelector(each).getBoundingClientRect().bottom
])"""


TOUCHED = "kleftis"  # which has moves of four kinds
OTHERS = [game for game in BUILT_IN if game != TOUCHED]


def play_another(view):
    """Plays a game to its end by keyboard."""
    number = 0
    while await_turn(view):
        play_by_keys(view)
        number += 1
    assert number
    expect(view.locator("#clock")).to_have_text("Game over")


@pytest.mark.parametrize(
    "game", [TOUCHED, *(pytest.param(game, marks=pytest.mark.campaign) for game in OTHERS)]
)
def test_a_person_taps_through_a_game_and_plays_another_by_keyboard(browser, tmp_path, game):
    with (
        friendly(tmp_path, game, *opponents()) as url,
        tab(browser, 1280, 800, has_touch=True, reduced_motion="reduce") as view,
    ):
        at_table(view, url)
        assert serious(view) == []
        number = 0
        while await_turn(view):
            assert [each for each in view.evaluate(BOTTOMS) if not 0 < each[1] <= 800] == []
            play_with_cards(view, number)
            number += 1
        assert number
        expect(view.locator("#winner")).to_have_text(re.compile(r"(You win|wins|share the first place) "))
        expect(view.locator(".faces .emblem").first).to_be_visible()
        view.get_by_role("button", name="Play again").click()
        expect(view.locator(".against")).to_contain_text("; you sit one seat further")
        play_another(view)


@pytest.mark.parametrize("game", OTHERS)
def test_a_person_plays_a_game_by_keyboard(tabs, tmp_path, game):
    with friendly(tmp_path, game, *opponents()) as url, tabs.tab(reduced_motion="reduce") as view:
        at_table(view, url)
        play_another(view)


def only_the_end(route):
    """Lets a browser have the steps of a table late: at the end of the game, a few at once."""
    answer = route.fetch()
    told = answer.json()
    told["steps"] = told["steps"][-6:] if told["end"] or "picture" in told else []
    route.fulfill(response=answer, json=told)


def test_the_end_of_a_game_is_not_shown_in_the_next_one(browser, tmp_path):
    (tmp_path / "go").touch()
    bot = good_bot(tmp_path, "bot", TARDY)
    with friendly(tmp_path, "hyrule", "--against", bot) as url, tab(browser) as view:
        view.clock.install()
        view.route("**/tables/*/steps*", only_the_end)
        with view.expect_response("**/steps"):
            sit_down(view, url)
        with view.expect_response(lambda answer: "/steps" in answer.url and bool(answer.json()["end"])):
            while await_turn(view):
                play_by_keys(view)
        (tmp_path / "go").unlink()
        other = view.context.new_page()
        other.goto(url)
        other.get_by_role("button", name="Play again").click()
        expect(view.locator("#note")).to_have_text("The bots are starting.")
        view.clock.run_for(5000)
        expect(view.locator("#note")).to_have_text("The bots are starting.")
        (tmp_path / "go").touch()
        assert await_turn(view)


def test_a_card_is_dragged_to_its_place_and_back(browser, tmp_path):
    with friendly(tmp_path, "hyrule", "--against", served_address()) as url, tab(browser, 390, 844) as view:
        at_table(view, url)
        turn = view.locator(".seat").get_attribute("data-turn")
        drag_a_card(view, view.locator(".since"))  # no place for it
        expect(view.locator(".pick[aria-pressed=true]")).to_have_count(0)
        expect(view.locator(".ghosts")).to_have_count(0)
        assert view.locator(".seat").get_attribute("data-turn") == turn
        while await_turn(view):
            drag_a_card(view, view.locator(".spot[data-spot='slot.0']"))
        expect(view.locator("#clock")).to_have_text("Game over")


def test_a_hand_of_ten_is_one_row_on_a_phone(browser, tmp_path):
    with friendly(tmp_path, "nyuri", "--against", served_address()) as url, tab(browser, 390, 844) as view:
        at_table(view, url)
        while view.locator(".pick").count() < 10:
            turn = turn_number(view)
            view.locator("#all").click()
            view.locator(".choices button", has_text=re.compile("Draw|Leave|Place")).first.click()
            turn_over(view, turn)
            assert await_turn(view)
        boxes = view.locator(".pick").evaluate_all(
            "all => all.slice(0, 10).map(each => each.getBoundingClientRect()).map(box => [box.y, box.width])"
        )
        assert len({y for y, _ in boxes}) == 1
        assert all(width >= 24 for _, width in boxes)
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
