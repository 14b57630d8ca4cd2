"""Before the first game: who is expected, who is here, and when the tournament begins."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.league.store import League
from arena.referee.night.control import ask_to_start, night_of
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import good_bot, served_address
from tests.patience import PATIENCE
from tests.referee.nights import wait_for
from tests.view.browser import NOTHING_TURNS_BY_TIME, tab
from tests.view.hosted import line_with
from tests.view.nights import WAITING

NIGHT = """
name = "Friday <night>"
games = ["hyrule"]
BEGINS
[[stage]]
format = "round-robin"
[[stage]]
format = "knockout"
advance = 2
[[entrant]]
address = "ADDRESS"
name = "one"
[[entrant]]
address = "ADDRESS"
name = "two"
[[entrant]]
join = true
name = "laptop"
"""
COME = """\
retry: 3600000
id: 0
event: news
data: {"say": "", "games": 0, "state": "soon", "lobby": ["here"]}

"""
UNHURRIED = '[clock]\nbank = "1h"\nmove = "30m"\n'


@contextmanager
def waiting(
    folder: Path, begins: str, text: str = NIGHT
) -> Iterator[tuple[str, Path, subprocess.Popen[str]]]:
    """A tournament with its page, which waits: the address of the page, the league, the process."""
    file, league = folder / "night.toml", folder / "night.league"
    file.write_text(text.replace("BEGINS", begins).replace("ADDRESS", served_address()))
    anywhere = "127.0.0.1:0"
    run = subprocess.Popen(
        [*ARENA, "run", str(file), "--league", str(league), "--serve", anywhere, "--lobby", anywhere],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        found, _ = line_with(r"http://\S+/", run.stderr)
        yield found[0], league, run
    finally:
        run.kill()
        run.communicate(timeout=PATIENCE)


def test_the_page_shows_who_is_here_until_the_host_begins(browser, tmp_path):
    tomorrow = datetime.now().replace(microsecond=0) + timedelta(days=1)
    with waiting(tmp_path, f"begins = {tomorrow.isoformat()}") as (url, league, run), tab(browser) as view:
        view.goto(url)
        expect(view.get_by_role("heading", level=1)).to_contain_text("Friday <night> begins in ")
        expect(view.locator(".expected .here")).to_have_count(2)
        expect(view.locator(".expected .here .mark")).to_have_text(["Py", "Py"])
        expect(view.locator("main")).to_contain_text("2 of 3 bots are here.")
        expect(view.locator("main")).to_contain_text("Round robin, then knockout of the best 2: Hyrule")
        expect(view.locator("main")).to_contain_text("1 missing: laptop.")
        expect(view.locator("#connection")).to_have_text("soon")
        with tab(browser) as late:  # a bot has come after this page was made, and before its first event
            late.route("**/events*", lambda route: route.fulfill(content_type="text/event-stream", body=COME))
            with late.expect_request(lambda request: request.resource_type == "fetch"):
                late.goto(url)
        before = view.locator("time[data-left]").inner_text()
        expect(view.locator("time[data-left]")).not_to_have_text(before)
        wait_for(lambda: ask_to_start(league))
        assert run.wait(PATIENCE) == 1  # a guest never came


def test_the_projector_shows_who_is_here_without_navigation(browser, tmp_path):
    with waiting(tmp_path, "") as (url, _, _), tab(browser) as view:
        view.goto(f"{url}screen")
        expect(view.locator(".slide.shown .expected .here")).to_have_count(2)
        expect(view.get_by_role("heading", level=1)).to_have_text("Friday <night>")
        expect(view.get_by_role("navigation")).to_have_count(0)
        for other in ("standings", "games", "bots", "tables"):
            view.goto(f"{url}{other}")
            expect(view.locator("main")).not_to_contain_text("bug")
        for other in ("standings", "crosstable", "bracket", "schedule", "games", "bots", "season"):
            view.goto(f"{url}{other}")
            expect(view.locator("main")).to_contain_text("will be here with the first results")
            expect(view.locator("main .expected li")).to_have_count(3)


BUILDS = """
[build]
command = ["sh", "-c", "while [ ! -e go ]; do sleep 0.05; done"]
sources = ["bot.toml"]
"""


MAKE_SO_MANY = """count => {
    const list = document.querySelector(".slide.shown .expected");
    while (list.children.length < count) list.append(list.firstElementChild.cloneNode(true));
    while (list.children.length > count) list.lastElementChild.remove();
    const tiles = [...list.children].map((tile) => tile.getBoundingClientRect());
    return [
        document.querySelector(".slide.shown h2").getBoundingClientRect().bottom,
        Math.min(...tiles.map((tile) => tile.top)), Math.max(...tiles.map((tile) => tile.bottom)),
        document.querySelector("footer").getBoundingClientRect().top,
    ];
}"""
"""Shows so many tiles of bots: where the heading ends, the tiles begin and end, and the footer begins."""


def test_page_and_projector_say_which_bot_is_built(browser, tmp_path):
    folders = [good_bot(tmp_path, name) for name in ("unbelievable-gopher", "owl")]
    text = NIGHT.partition("[[entrant]]")[0]
    for folder in folders:
        with (folder / "bot.toml").open("a") as file:
            file.write(BUILDS)
        text += f'[[entrant]]\nbot = "{folder}"\n'
    with waiting(tmp_path, "", text) as (url, league, _), tab(browser, 1920, 1080) as view:
        view.goto(f"{url}screen")
        for number, folder in enumerate(folders, start=1):
            building = re.compile(rf"Building .?{folder.name}, {number} of 2.?\.")
            expect(view.locator(".slide.shown")).to_contain_text(building)
            expect(view.locator(".expected .building")).to_have_count(1)
            expect(view.locator(".expected .building")).to_contain_text(f"{folder.name}being built")
            names = view.locator(".expected .name bdi")
            sizes = [(box["height"], box["width"]) for each in names.all() if (box := each.bounding_box())]
            assert max(sizes)[0] < 2 * min(sizes)[0], "a name is broken inside a word"
            (folder / "go").touch()
        wait_for(lambda: night_of(league).begun)


LONG = (
    "ada", "heron v6", "The Unreasonable Effectiveness of Greedy", "my-very-long-hyphenated-bot-name v2",
    "Donaudampfschifffahrtsgesellschaft", "Rechtsschutzversicherungsgesellschaften",
)  # fmt: skip
LINES = r"""names => names.map((name) => {
    const range = document.createRange(), text = name.firstChild, tops = new Set();
    const words = [...text.data.matchAll(/[^ -]+-*/g)].map(({ 0: word, index }) => {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        for (const { top } of range.getClientRects()) tops.add(Math.round(top));
        return range.getClientRects().length;
    });
    return [text.data, tops.size, Math.max(...words) > 1];
})"""
"""For each name: on how many lines it is, and whether it is broken inside a word."""


def test_a_name_has_two_lines_at_most_and_is_never_broken_inside_a_word(browser, tmp_path):
    guests = "".join(f'[[entrant]]\njoin = true\nname = "{name}"\n' for name in LONG)
    with waiting(tmp_path, "", NIGHT.partition("[[entrant]]")[0] + guests) as (url, _, _):
        for path, width, height in (
            ("screen", 1920, 1080), ("screen", 1024, 768), ("", 1280, 800), ("", 390, 844)
        ):  # fmt: skip
            with tab(browser, width, height) as view:
                view.goto(f"{url}{path}")
                names = view.locator(".expected .name bdi")
                expect(names).to_have_count(len(LONG))
                for name, lines, broken in names.evaluate_all(LINES):
                    assert lines <= 2, f"{name} on {width} x {height}"
                    assert not broken, f"{name} on {width} x {height}"


def test_any_number_of_bots_has_room_on_the_projector(browser, tmp_path):
    with waiting(tmp_path, "", NIGHT.replace('"laptop"', '"unbelievable-gopher"')) as (url, _, _):
        for width, height in ((1920, 1080), (1024, 768)):
            with tab(browser, width, height) as view:
                view.add_init_script(NOTHING_TURNS_BY_TIME)
                view.goto(f"{url}screen")
                expect(view.locator(".slide.shown .expected li")).to_have_count(3)
                for count in (1, 2, 4, 5, 8, 9, 12, 13, 16, 17, 24, 25, 40, 60):
                    places = view.evaluate(MAKE_SO_MANY, count)
                    assert places == sorted(places), f"{count} bots on {width} x {height}"


def test_the_projector_goes_on_to_the_tournament_by_itself(browser, tmp_path):
    text = NIGHT
    for name in ("one", "two"):
        bot = good_bot(tmp_path, name, WAITING)
        text = text.replace(f'address = "ADDRESS"\nname = "{name}"', f'bot = "{bot}"')
    with waiting(tmp_path, UNHURRIED, text) as (url, league, _), tab(browser) as view:
        view.add_init_script(NOTHING_TURNS_BY_TIME)
        view.goto(f"{url}screen")
        expect(view.locator(".slide.shown .expected .here")).to_have_count(2)
        wait_for(lambda: ask_to_start(league))
        expect(view.locator("[data-wall] .minihead svg")).not_to_have_count(0)  # by its own scripts
        for _ in range(view.locator(".slide").count()):
            if view.locator(".slide.shown").get_attribute("data-key") == "wall":
                break
            view.keyboard.press("ArrowRight")
        expect(view.locator(".slide.shown")).to_have_attribute("data-key", "wall")


def test_the_control_room_says_when_the_tournament_begins_by_itself(browser, tmp_path):
    tomorrow = datetime.now().replace(microsecond=0) + timedelta(days=1)
    with waiting(tmp_path, f"begins = {tomorrow.isoformat()}") as (url, _, run), tab(browser) as view:
        token, _ = line_with(r"/host: (\S+)", run.stderr)
        view.goto(f"{url}host")
        view.keyboard.type(token[1])
        view.keyboard.press("Enter")
        expect(view.get_by_role("heading", level=1)).to_contain_text("Waiting for 1 of 3 bots. Begins in ")
        expect(view.locator(".brand")).to_have_text("Friday <night>")
        expect(view.locator(".bots .emblem")).to_have_count(3)
        expect(view.locator(".acts")).to_contain_text("at its time, not before, and without those")


@pytest.mark.campaign
def test_a_tournament_begins_at_its_time_not_before_and_without_the_missing(tmp_path):
    for seconds in (5, 30, 150):  # a busy machine may start it too late for a short time
        begins = datetime.now().astimezone().replace(microsecond=0) + timedelta(seconds=seconds)
        with waiting(tmp_path, f"begins = {begins.isoformat()}") as (_, league, run):
            assert run.stderr is not None
            told = [run.stderr.readline() for _ in range(2)]
            if "has passed" in told[1]:
                continue
            assert run.wait(PATIENCE) == 1
        break
    with League.read(league) as stored:
        (tournament,) = stored.tournaments()
    assert tournament.started >= begins
    standings: Any = json.loads(arena("standings", league, "--json", cwd=tmp_path).stdout)
    assert standings["finished"]


def test_a_time_that_has_passed_holds_nobody(tmp_path):
    with waiting(tmp_path, "begins = 2020-01-01T19:00:00Z") as (_, league, run):
        wait_for(lambda: ask_to_start(league))
        assert run.wait(PATIENCE) == 1
