"""Games are explained in a real browser: for the host, for a person between two games, and for onlookers."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.league.store import League
from tests.bots_for_tests import good_bot
from tests.referee.nights import wait_for
from tests.seat.playing import await_turn, play_first
from tests.view.browser import tab
from tests.view.explained import alive, analysing, keep_findings, plain, told
from tests.view.hosted import begun, host_of, post, sit_down, with_ada
from tests.view.served import played, served, served_by_a_process

NIGHT = 'name = "Night"\nseats = {}\nboards = 1\ngames = ["hyrule"]\n[[stage]]\nformat = "round-robin"\n'
NAMES = ("anna", "ben", "cleo", "dora")
KEY = "1.1.1/hyrule/1.1"


def button(view):
    return view.get_by_role("button", name="Explain this game")


def log_in(view, page):
    view.goto(f"{page.url}/host")
    view.get_by_label("The token").fill(page.token)
    view.keyboard.press("Enter")
    expect(view.get_by_role("button", name="Leave")).to_be_attached()


def problems(view):
    """All that axe finds."""
    return Axe().run(view).response["violations"]


def test_the_host_sees_the_progress_and_what_each_decision_cost(browser, tmp_path):
    league = played(tmp_path / "night.league", NIGHT.format(2), NAMES[:2])
    with served(league) as page, tab(browser, reduced_motion="reduce") as view:
        address = f"{page.url}/games/{KEY}"
        with tab(browser) as other:
            other.goto(address)
            expect(other.locator(".count")).to_contain_text("0/")
            expect(button(other)).to_be_hidden()
            expect(other.locator("#explained")).to_be_hidden()
        log_in(view, page)
        view.goto(address)
        button(view).focus()
        view.keyboard.press("Enter")
        bar = view.get_by_role("progressbar", name="This game is being explained")
        expect(bar).to_be_visible()
        expect(button(view)).to_be_hidden()
        expect(view.get_by_role("status").first).to_have_text("This game is being explained.")
        assert problems(view) == []
        with tab(browser) as other:  # who sees the hands sees this too
            other.goto(address)
            expect(other.get_by_role("progressbar")).to_be_visible()
            expect(other.locator(".mistakes")).to_be_visible()
        expect(view.locator(".mistakes")).to_be_visible()
        expect(view.locator("#status")).to_have_text("This game is explained below.")
        found = told(page, KEY)["found"]
        assert view.locator(".expected polyline").count() == len(found["seats"]) == 2
        assert view.locator(".expected .lost").count() == len(found["mistakes"])


def test_who_guesses_at_the_last_lead_change_learns_what_the_analysis_found(browser, tmp_path):
    league = played(tmp_path / "night.league", NIGHT.format(2), NAMES)
    with served(league) as page, tab(browser, reduced_motion="reduce") as view:
        keys = [f"1.{pair}/hyrule/1.1" for pair in ("1.1", "1.2", "2.1", "2.2", "3.1", "3.2")]
        games = {key: json.loads(page.get(f"/steps/{key}")) for key in keys}
        key, game = next((key, game) for key, game in games.items() if game["guess"])
        guess = game["guess"]
        [found] = [
            each for seat in keep_findings(league, key) for each in seat if each.ply + 1 == guess["step"]
        ]
        view.goto(f"{page.url}/games/{key}")
        expect(view.locator(".mistakes")).to_be_visible()
        view.get_by_role("button", name="Your turn").click()
        view.locator(".guess li button").first.click()
        lines = [plain(each) for each in view.locator(".guess .tried li").all_inner_texts()]
        assert f"{game['names'][guess['seat']]}: {found.choice.action}, 40 ± 5 of 100" in lines
        assert len(lines) == len({found.best, found.chosen, 0})
        assert problems(view) == []


def test_a_mistake_leads_to_its_step_by_keyboard_and_is_told_there(browser, tmp_path):
    league = played(tmp_path / "night.league", NIGHT.format(2), NAMES[:2])
    decisions = keep_findings(league, KEY)
    with served(league) as page, tab(browser, reduced_motion="reduce") as view:
        view.goto(f"{page.url}/games/{KEY}")  # shown at once, without a token
        link = view.locator(".mistakes a").first
        expect(link).to_be_visible()
        expect(button(view)).to_be_hidden()
        mistake = told(page, KEY)["found"]["mistakes"][0]
        own = next(each for each in decisions[mistake["seat"]] if each.ply == mistake["ply"])
        better = f"better: {own.better.action}, +{100 * own.cost:.0f} ± 3"
        assert plain(link.inner_text()) == (f"{own.ply + 1}. {NAMES[own.seat]}: {own.choice.action} {better}")
        link.focus()
        view.keyboard.press("Enter")
        expect(view.locator(".count")).to_contain_text(f"{own.ply}/")
        expect(view.locator(".seek")).to_be_focused()
        expect(view.locator(".view")).to_have_value(str(own.seat))
        moment = view.locator(".moment .better").last
        expect(moment).to_contain_text("next, ")
        said = f"next, {NAMES[own.seat]}: {own.choice.action}; {better}"
        assert plain(moment.inner_text()) == said
        view.keyboard.press("ArrowRight")
        expect(view.locator(".count")).to_contain_text(f"{own.ply + 1}/")
        assert better in map(plain, view.locator(".moment .better").all_inner_texts())
        for hidden in ("public", str(1 - own.seat)):  # views in which the seat's cards are not seen
            with view.expect_response(re.compile(f"view={hidden}$")):
                view.select_option(".view", hidden)
            expect(view.locator(".stage .seatbox").nth(own.seat).locator(".hand")).to_have_attribute(
                "aria-label", re.compile("not seen")
            )
            assert better not in map(plain, view.locator(".moment .better").all_inner_texts())
        view.goto(f"{page.url}/games/{KEY}?at={own.ply}&view={own.seat}")  # as the command prints it
        expect(view.locator(".moment .better").last).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_all_can_use_it(browser, tmp_path, width, scheme):
    league = played(tmp_path / "night.league", NIGHT.format(4), NAMES)
    keep_findings(league, KEY)
    with (
        served(league) as page,
        tab(browser, width, 800, reduced_motion="reduce", color_scheme=scheme) as view,
    ):
        view.goto(f"{page.url}/games/{KEY}")
        expect(view.locator(".sources")).to_be_visible()
        assert view.locator(".expected .band").count() == 4
        assert view.evaluate("document.documentElement.scrollWidth") <= width
        assert problems(view) == []


def test_a_person_has_an_own_game_explained_and_plays_on(browser, tmp_path):
    night = with_ada(good_bot(tmp_path, "house")).replace("boards = 1", 'boards = 1\nshared_cards = "match"')
    with (
        begun(tmp_path, night) as (league, _, token),
        served(league) as page,
        tab(browser, reduced_motion="reduce") as view,
    ):
        sit_down(view, page.url, token)

        def games():
            with League.read(league) as store:
                return [str(result.key) for _, result in store.games(1)]

        assert await_turn(view)
        while not games():
            play_first(view)
            assert await_turn(view)
        [key] = games()
        replay = view.context.new_page()
        replay.goto(f"{page.url}/games/{key}")
        expect(replay.locator(".banner")).to_contain_text("Hands are shown when")
        button(replay).click()
        expect(replay.get_by_role("progressbar")).to_be_visible()
        play_first(view)  # the next game goes on
        assert await_turn(view)
        assert told(page, key) == {"state": "unknown", "may": False}  # for others
        expect(replay.locator(".sources tbody tr")).to_have_count(1)
        expect(replay.locator(".sources tbody th")).to_have_text("Ada")
        expect(replay.locator(".sources thead")).not_to_contain_text("luck")
        for link in replay.locator(".mistakes a").all():
            assert (link.get_attribute("href") or "").endswith("view=public")
            assert "Ada: " in link.inner_text()
        assert told(page, key) == {"state": "unknown", "may": False}
        page.get(f"/steps/{key}?view=all", 403)
        [cookie] = view.context.cookies()
        own = json.loads(page.get(f"/explained/{key}", Cookie=f"{cookie['name']}={cookie['value']}"))
        assert len(own["found"]["seats"]) == 1
        while await_turn(view) and len(games()) < 2:
            play_first(view)
        replay.reload()
        expect(replay.locator(".banner")).to_have_count(0)
        expect(button(replay)).to_be_visible()  # for all seats now
        assert told(page, key) == {"state": "unknown", "may": False}


def test_the_processes_that_compute_have_low_priority_and_end_with_the_first_of_them_or_the_page(tmp_path):
    league = played(tmp_path / "night.league", NIGHT.format(2), NAMES[:2])
    with served_by_a_process(league) as (page, process):
        cookie = host_of(page)
        post(page, f"/explained/{KEY}", 200, cookie)
        wait_for(lambda: told(page, KEY)["share"] > 0)
        processes = analysing(process.pid)
        assert processes
        assert all(os.getpriority(os.PRIO_PROCESS, each) >= 10 for each in processes)
        assert [each for each in processes if os.getpgid(each) == each] == processes  # Ctrl-C is not for them
        assert {os.readlink(f"/proc/{each}/fd/1") for each in processes} == {os.devnull}
        os.kill(processes[0], signal.SIGKILL)  # the page does not wait for what the others would say
        wait_for(lambda: told(page, KEY, cookie)["state"] == "failed")
        wait_for(lambda: not any(map(alive, processes)))
        post(page, f"/explained/{KEY}", 200, cookie)
        wait_for(lambda: analysing(process.pid))
        processes = analysing(process.pid)
        page.get("/games")
    wait_for(lambda: not any(map(alive, processes)))
