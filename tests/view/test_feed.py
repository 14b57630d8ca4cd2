"""The feed of running tables: it shows an onlooker's view of each step, and nothing that is hidden."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from arena.cards import card
from arena.games import GAMES
from arena.games.game import SPECTATOR
from arena.league.store import League
from arena.league.stored import record_of
from arena.report.game_log import ONLOOKER
from arena.results import read_game_key
from arena.table.record import Record, first_position, replay
from arena.text import one_line
from arena.view.league.tables import Tables
from arena.view.pictures.replay import game_pictures
from arena.view.pictures.running import RunningPictures
from tests.patience import PATIENCE
from tests.referee.nights import wait_for
from tests.view.browser import NOTHING_TURNS_BY_TIME, tab
from tests.view.games import other_game
from tests.view.nights import NIGHT
from tests.view.served import served, served_by_a_process

A_CARD = re.compile(r"(?:10|[2-9AJQK])[♣♦♥♠]")


def beginning(record: Record) -> Record:
    return record._replace(actions=(), faults=(), forfeits=())


def onlookers(record: Record, names: list[str]) -> list[dict[str, Any]]:
    """The steps of a game as an onlooker may see them, without faults, whose words may tell hands."""
    steps = game_pictures(record._replace(faults=()), names, ONLOOKER)["steps"]
    whole = game_pictures(record, names, ONLOOKER)["keys"][0]
    return [{**steps[0], "changed": whole}, *steps[1:]]


@pytest.fixture(scope="module")
def records():
    return {game: other_game(game) for game in GAMES}


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random=st.randoms(use_true_random=False))
@pytest.mark.parametrize("game", GAMES)
def test_what_comes_bit_by_bit_is_what_an_onlooker_may_see(records, game, random):
    record = records[game]
    names = [f"bot {seat}" for seat in range(record.seats)]
    pictures = RunningPictures(beginning(record), names)
    steps, actions = [pictures.opening()], list(record.actions)
    while actions:
        count = random.randrange(1, 9)
        steps += pictures.after(actions[:count])
        del actions[:count]
    assert steps == onlookers(record, names)


@pytest.mark.parametrize("game", GAMES)
def test_no_card_is_in_it_that_is_hidden(records, game):
    record = records[game]
    pictures = RunningPictures(beginning(record), [f"bot {seat}" for seat in range(record.seats)])
    state = first_position(record)
    seen = f"{state.observation(SPECTATOR)} {[str(each.told_to(SPECTATOR)) for each in state.opening]}"
    assert cards_in(pictures.opening()) <= set(A_CARD.findall(seen))
    for action, step in zip(record.actions, replay(record, state), strict=True):
        seen += f"{[str(each.told_to(SPECTATOR)) for each in step.happenings]} {state.observation(SPECTATOR)}"
        (shown,) = pictures.after([action])
        assert cards_in(shown) <= set(A_CARD.findall(seen))
        assert not [lies for place, lies in shown["changed"].items() if place.startswith("lower.") and lies]
    assert A_CARD.search(seen) or game == "nur-mut"  # whose cards have no suits


def cards_in(step: dict[str, Any]) -> set[str]:
    """The cards of a step, in its words and in its picture."""
    found = set(A_CARD.findall(json.dumps([step["say"], step["log"]], ensure_ascii=False)))
    places = ("pile.", "hand.", "slot.", "discards", "claims", "groups.", "secured.", "spent", "drawn.")
    for place, lies in step["changed"].items():
        if place.startswith(places) and not (place.startswith("pile.") and isinstance(lies, int)):  # a face
            found |= set(cards_of(lies))
    return found


def cards_of(lies: Any) -> list[str]:
    if isinstance(lies, int) and not isinstance(lies, bool):
        return [str(card(lies))] if 1 <= lies <= 52 else []
    if isinstance(lies, dict):
        return [each for key in ("card", "cards") for each in cards_of(lies.get(key))]
    if isinstance(lies, list):
        return [each for part in lies for each in cards_of(part)]
    return []


def test_a_night_is_watched_and_its_feed_holds_nothing_hidden(browser, begun):
    night = begun("--watch-delay", "0.5")
    collecting = threading.Thread(target=night.collect)
    collecting.start()
    with served(night.league) as page, tab(browser) as view:
        url = page.url
        view.goto(f"{url}/tables")
        table = view.locator(".mini", has_text="Hyrule").first
        table.click()
        expect(view.locator(".banner")).to_contain_text("0.5 s late")
        expect(view.get_by_role("group", name=re.compile("in hand, not seen"))).to_have_count(2)
        view.goto(f"{url}/screen?view=table")
        expect(view.locator(".slide.shown.watch .card").first).to_be_visible()
        view.goto(f"{url}/tables")
        view.locator(".mini", has_text="Kleftis").first.click()
        expect(view.locator(".tag.live")).to_be_visible()
        expect(view.locator(".log li")).not_to_have_count(0)
        begun = view.locator(".log li").count()
        night.go_on()
        expect(view.locator(".banner")).to_contain_text("The game is over.")
        assert view.locator(".log li").count() > begun
        view.get_by_role("link", name="Watch the replay").click()
        expect(view.locator(".count")).to_contain_text("0/")
        _, told = night.process.communicate(timeout=PATIENCE)
        assert night.process.returncode == 0, told
        collecting.join()
        page.get("/tables")
    shown: dict[int, list[dict[str, Any]]] = {}
    for line in map(json.loads, night.told.splitlines()):
        shown.setdefault(line.pop("table"), []).append(line)
    watched = set()
    with League.read(night.league) as league:
        for heading, *steps in shown.values():
            key = read_game_key(heading["key"])
            assert key is not None
            record = record_of(league.game(league.game_number(1, key)))
            assert steps.pop()["end"] == "over"
            told_steps = [{name: step[name] for name in step if name != "t"} for step in steps]
            assert told_steps == onlookers(record, [one_line(name) for name in heading["names"]])
            assert record.board_key.hex().encode() not in night.told
            moments = [step["t"] for step in steps]
            assert moments == sorted(moments)
            watched.add(key.game)
    assert watched == set(GAMES)


def test_a_table_is_told_from_its_beginning_and_nothing_is_left(begun):
    night = begun()
    with served(night.league) as page:
        wait_for(lambda: "/tables/1" in page.get("/tables"))
        known = json.loads(page.get("/tables/1/steps"))
        more = json.loads(page.get(f"/tables/1/steps?from={known['count']}"))
        assert more["first"] == known["count"]
        page.get("/tables/99", 404)
        page.get("/tables/99/steps", 404)
        night.process.kill()
        wait_for(lambda: "No table to watch now." in page.get("/tables"))
        assert json.loads(page.get("/tables/1/steps"))["end"] == "gone"
        wait_for(lambda: child_with(b"arena.view.pictures.running", os.getpid()) is None)


@pytest.mark.parametrize("path", ["/", "/tables", "/screen"])
def test_no_event_comes_before_all_scripts_listen(browser, begun, path):
    """The first event of a wall has what later ones leave out, so none may be lost on a slow network."""
    night = begun(head=NIGHT)
    with served(night.league) as page, tab(browser) as view:
        view.add_init_script(
            """addEventListener("DOMContentLoaded", () => { window.loaded = true; });
            window.EventSource = class extends EventSource {
              constructor(...all) { super(...all); window.early = !window.loaded; }
            };"""
        )
        view.goto(f"{page.url}{path}")
        view.wait_for_function("window.early !== undefined")
        assert view.evaluate("window.early") is False


def test_a_final_cuts_in_on_the_projector(browser, begun):
    night = begun(head=f'{NIGHT}[[stage]]\nformat = "knockout"\n')
    with served(night.league) as page, tab(browser, 1920, 1080) as view:
        view.add_init_script(NOTHING_TURNS_BY_TIME)
        view.goto(f"{page.url}/screen")
        expect(view.locator(".slide.shown.watch .card").first).to_be_visible()
        assert view.locator(".slide:visible").count() == 1
        assert view.locator("main").get_attribute("data-final") == "1.1.1"
        # The final may cut in once more just now.
        while view.locator(".slide.shown.watch").count():
            view.keyboard.press("ArrowRight")
        expect(view.locator("[data-wall] .minihead svg")).not_to_have_count(0)
        while view.locator(".slide.shown").get_attribute("data-key") != "wall":
            view.keyboard.press("ArrowRight")
        expect(view.locator(".slide.shown .mini:has-text('final, board 1')").first).to_be_visible()
        wall = view.locator(".slide.shown")
        assert wall.evaluate("slide => slide.scrollHeight <= slide.clientHeight")


def child_with(words: bytes, parent: int) -> int | None:
    """The child of a process that has these words in its command."""
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in children.read_text().split():
            if words in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    return None


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list processes so")
def test_where_the_process_that_makes_pictures_is_killed_another_one_begins(browser, begun):
    night = begun()
    with served(night.league) as page, tab(browser) as view:
        wait_for(lambda: "/tables/1" in page.get("/tables"))

        def steps():
            return json.loads(page.get("/tables/1/steps"))["steps"]

        before = steps()
        view.goto(f"{page.url}/tables/1")
        expect(view.locator(".banner")).to_contain_text("As an onlooker sees it")
        feeder = child_with(b"arena.view.pictures.running", os.getpid())
        assert feeder is not None
        os.kill(feeder, signal.SIGKILL)
        expect(view.locator(".banner")).to_have_text("This table cannot be watched now.")
        assert night.process.poll() is None  # the games go on
        wait_for(lambda: "/tables/1" in page.get("/tables"))
        wait_for(lambda: len(steps()) >= len(before))
        assert steps()[: len(before)] == before  # the bots may have played on to where they wait
        expect(view.locator(".banner")).to_contain_text("As an onlooker sees it")
        wait_for(lambda: view.locator(".log li").count() == len(steps()))
        night.go_on()
        expect(view.locator(".banner")).to_contain_text("The game is over.")
        _, told = night.process.communicate(timeout=PATIENCE)
        assert night.process.returncode == 0, told


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list processes so")
def test_the_process_that_makes_pictures_ends_with_a_page_that_is_killed(begun):
    night = begun()
    with served_by_a_process(night.league) as (_, process):
        wait_for(lambda: child_with(b"arena.view.pictures.running", process.pid))
        feeder = child_with(b"arena.view.pictures.running", process.pid)
        process.kill()
        wait_for(lambda: not Path(f"/proc/{feeder}").exists())


def heading(table: int, key: str, moment: float = 0.0, delay: float = 0.0) -> dict[str, Any]:
    told = {"key": key, "delay": delay, "game": "hyrule", "title": "Hyrule", "names": []}
    return {"table": table, "t": moment, **told}


@pytest.mark.parametrize("end", ["over", ""])
def test_a_table_of_the_next_run_is_shown_though_it_has_the_number_of_one_before(end):
    tables = Tables()

    def seen() -> str:
        found = tables.table(1)
        assert found is not None
        return f"{found.heading['key']} {found.end}"

    for told in (heading(1, "first"), {"changed": {}}, *([{"end": end}] if end else [])):
        tables.hear({"table": 1, "t": 0, **told})
    assert tables.show_due()
    tables.lose()
    tables.show_due()
    assert seen() == f"first {end or 'gone'}"
    for told in (heading(1, "second"), {"changed": {}}):
        tables.hear({"table": 1, "t": 0, **told})
    tables.show_due()
    assert seen() == "second "
    assert [each.number for each in tables.running()] == [1]


def test_what_is_shown_late_is_no_earlier_and_no_later_where_the_clock_is_set(monkeypatch):
    now = time.monotonic()
    tables = Tables(now=lambda: now)
    tables.hear(heading(1, "k", now, 1000.0))
    tables.hear({"table": 1, "t": now, "changed": {}})
    for moment in (time.time() + 3600, time.time() - 3600):
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        assert tables.show_due() == {}
    now += 1001
    assert tables.show_due() == {1: 1}
