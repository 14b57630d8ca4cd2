"""The walls of mini-tables: what they show, who comes to which place, and what a browser makes of it."""

from __future__ import annotations

import itertools
import json
import urllib.request
from typing import Any

import pytest
import trio
from playwright.sync_api import expect

from arena.games import GAMES
from arena.league.store import League
from arena.results import read_game_key
from arena.view.league.events import Publisher
from arena.view.league.tables import Table
from arena.view.league.wall import Wall
from arena.view.pictures.mini import mini_of
from arena.view.pictures.running import RunningPictures
from tests.referee.nights import wait_for
from tests.view.browser import tab
from tests.view.games import other_game
from tests.view.nights import NIGHT, WAITING
from tests.view.served import served

UNHURRIED = WAITING.replace("0.005", "0.03")
CARDS = """table => [...table.querySelectorAll(".minimid .card")].map(card => card.ariaLabel).join()"""
ENDS = f"""count => {{
    window.ended = {{}};
    document.addEventListener("arena-wall", () => {{
        for (const table of document.querySelectorAll('.mini:has(.minisay) a[href^="/games/"]')) {{
            const texts = (of) => [...table.querySelectorAll(of)].map(each => each.textContent);
            ended[table.dataset.key] = {{
                game: table.getAttribute("href").slice("/games/".length), cards: ({CARDS})(table),
                points: texts(".miniseat b"), best: texts(".miniseat.first b"), said: texts(".minisay")[0],
            }};
        }}
        if (Object.keys(ended).length === count) document.getElementById("freeze").click();
    }});
}}"""
"""Keeps how each table ended, and freezes the page at the last end: a slow machine shows them long apart."""

KEEP = """() => {
    window.kept = [];
    document.addEventListener("arena-wall", ({ detail }) => kept.push({
        told: detail.tiles.map((tile) => tile?.key),
        shown: [...document.querySelectorAll(".wall > .mini")].map((place) => [
            place.firstChild?.dataset.key ?? "", place.querySelector(".minisay")?.textContent ?? "",
            (CARDS)(place),
        ]),
    }));
}""".replace("CARDS", CARDS)
"""Keeps what each event says, and what the page shows after it."""


@pytest.mark.parametrize("game", GAMES)
def test_a_mini_table_holds_only_what_the_picture_holds_and_ends_with_the_numbers_that_decide(game):
    record = other_game(game)
    pictures = RunningPictures(
        record._replace(actions=(), faults=(), forfeits=()), [f"bot {seat}" for seat in range(record.seats)]
    )
    steps = [pictures.opening(), *pictures.after(record.actions)]
    picture: dict[str, Any] = {}
    middles = set()
    for step in steps:
        picture |= step["changed"]
        mini = mini_of(game, record.seats, picture)
        cards = {card for group in mini.middle for card in group["cards"] if card}
        assert cards <= set(
            numbers_in({key: picture[key] for key in picture if key not in ("scores", "act")})
        )
        assert len(json.dumps(mini.middle)) < 700
        assert 0 <= mini.lead <= 1
        middles.add(json.dumps(mini.middle))
    assert len(middles) > 10
    assert mini.left < mini_of(game, record.seats, steps[0]["changed"]).left
    if "deal" not in picture:  # in a series other numbers decide
        order = [number if mini.lowest_wins else -number for number in mini.numbers if number is not None]
        assert [sorted(order).index(each) + 1 for each in order] == list(record.outcome.places)


def numbers_in(lies: Any) -> list[int]:
    """All numbers in a picture."""
    if isinstance(lies, int):
        return [lies]
    parts = lies.values() if isinstance(lies, dict) else lies if isinstance(lies, list) else ()
    return [number for part in parts for number in numbers_in(part)]


class Evening:
    """Running tables at a time that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tables: list[Table] = []

    def begin(self, count: int) -> list[Table]:
        new = [Table(len(self.tables) + number, {"delay": 0}, lambda: self.now) for number in range(count)]
        self.tables += new
        return new

    def end(self, table: Table) -> None:
        table.hear({"t": self.now, "end": "over"})
        table.show(0.0)

    def choose(self, wall: Wall, at: float) -> list[int | None]:
        self.now = at
        running = [table for table in self.tables if not table.end]
        return [
            each.number if each else None for each in wall.choose(running, lambda table, _: table.number, at)
        ]


def test_a_table_keeps_its_place_until_its_result_was_shown():
    evening, wall = Evening(), Wall(2)
    first, second, third, fourth = evening.begin(4)
    assert evening.choose(wall, 0) == [0, 1]
    evening.now = 10
    evening.end(second)
    assert evening.choose(wall, 11) == [0, 1]
    assert evening.choose(wall, 14.5) == [0, 2]
    evening.end(third)  # at once, as games of fast bots do
    assert evening.choose(wall, 20) == [0, 2]
    assert evening.choose(wall, 21) == [0, 3]
    evening.end(first)
    evening.end(fourth)
    assert evening.choose(wall, 40) == [0, 3]  # nothing follows
    (fifth,) = evening.begin(1)
    assert evening.choose(wall, 41) == [4, 3]
    assert evening.choose(wall, 82) == [4]
    evening.end(fifth)
    assert evening.choose(wall, 150) == []


def test_it_is_known_whether_anybody_looks():
    async def look() -> None:
        publisher = Publisher()
        publisher.tell("wall3", {"tiles": []})
        listening = publisher.listen("wall3")
        await anext(listening)
        assert publisher.is_heard("wall3")
        assert not publisher.is_heard("wall12")
        assert b'"tiles": []' in await anext(listening)
        await listening.aclose()
        assert not publisher.is_heard("wall3")
        publisher.forget("wall3")
        later = publisher.listen("wall3", "news")
        await anext(later)
        publisher.tell("news", {})
        assert b"event: news" in await anext(later)  # what is forgotten is not sent
        await later.aclose()

    trio.run(look)


def test_a_wall_shows_what_is_played_and_how_it_ended_and_leads_to_it(browser, begun):
    night = begun("--watch-delay", "0.5")
    with served(night.league) as page, tab(browser, 1920, 1080) as view:
        view.goto(f"{page.url}/tables")
        tiles = view.locator(".mini:has(.minihead svg)")
        expect(tiles).to_have_count(10)
        expect(view.get_by_role("heading", level=1)).to_have_text("10 running tables")
        for game in GAMES.values():
            expect(tiles.filter(has_text=game.title)).to_have_count(2)
        expect(tiles.filter(has_text="round 1, board 1, seats swapped")).to_have_count(
            4
        )  # Hyrule is a series
        expect(view.locator(".miniseat:has-text('one')")).to_have_count(10)
        expect(view.locator(".miniseat .emblem").first).to_be_visible()
        assert page.get("/").count('<li class="mini"></li>') == 3  # their room is there before they are
        boxes = [box for each in tiles.all() if (box := each.bounding_box())]
        assert all(280 <= box["width"] <= 480 and box["y"] + box["height"] < 1080 for box in boxes)
        tiles.filter(has_text="Kleftis").first.click()
        expect(view.locator(".banner")).to_contain_text("As an onlooker sees it")
        view.go_back()
        expect(tiles).to_have_count(10)
        before = view.evaluate(
            "Object.fromEntries([...document.querySelectorAll('.mini a')].map(each => "
            f"[each.dataset.key, ({CARDS})(each)]))"
        )
        view.evaluate(ENDS, 10)
        night.go_on()
        expect(view.get_by_role("button", name="Frozen")).to_be_visible()
        expect(view.get_by_role("heading", level=1)).to_have_text("The last tables")
        ended = view.evaluate("ended")
        assert set(ended) == set(before)
        assert {key: each["cards"] for key, each in ended.items()} != before
        with League.read(night.league) as league:
            for each in ended.values():
                key = read_game_key(each["game"])
                assert key is not None
                seats = league.game(league.game_number(1, key)).result.seats
                assert each["points"] == [str(seat.points) for seat in seats]
                assert each["best"] == [str(seat.points) for seat in seats if seat.place == 1]
                assert each["best"][0] in each["said"]
        tiles.first.click()
        expect(view.locator(".count")).to_contain_text("0/")


def test_no_table_loses_its_place_before_its_end_or_under_the_pointer(browser, begun):
    night = begun(head=NIGHT.replace("boards = 1", "boards = 20"), program=UNHURRIED)
    with served(night.league) as page, tab(browser) as view:
        view.goto(page.url)
        expect(view.locator(".mini .minihead svg")).to_have_count(3)
        view.locator(".mini").first.hover()
        view.evaluate(KEEP)
        night.go_on()
        wait_for(lambda: view.evaluate("kept.length && kept.at(-1).told[0] !== kept.at(-1).shown[0][0]"))
        kept = view.evaluate("kept")
        held = kept[-1]["shown"][0][0]
        assert {each["shown"][0][0] for each in kept} == {held}
        view.mouse.move(0, 0)
        expect(view.locator(f'.mini:first-child [data-key="{held}"]')).to_have_count(0)
        for least, seen in (
            (2, "each.shown[0]?.[0]"),
            (2, "each.shown[1]?.[0]"),  # it may have changed while the first was held
            (11, "each.shown.map(([, , cards]) => cards)"),
        ):
            count = f"new Set(kept.flatMap(each => {seen})).size"
            wait_for(lambda count=count, least=least: view.evaluate(count) >= least)
        kept = view.evaluate("kept")
    last = kept[-1]
    assert last["told"] == [key for key, *_ in last["shown"]], "where nothing holds it, what is told is shown"
    kept = [each["shown"] for each in kept]
    changes = 0
    for before, after in itertools.pairwise(kept):
        for (key, say, _), (other, *_) in zip(before, after, strict=False):
            assert key == other or say, "a table was replaced before its result was shown"
            changes += key != other
    assert changes > 1
    assert len(kept[0]) == 3


def test_the_events_of_a_wall_tell_what_has_changed(begun):
    night = begun()
    with served(night.league) as page, urllib.request.urlopen(f"{page.url}/events?wall=12") as events:

        def following() -> dict[str, Any]:
            while next(events).strip() != b"event: wall12":
                pass
            line = next(events)
            assert len(line) < 12 * 1500
            told: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
            told["tiles"] = [tile for tile in told["tiles"] if tile]  # a place may be empty again
            return told

        told = following()
        while len(told["tiles"]) < 10:
            told = following()
        assert {each["name"] for tile in told["tiles"] for each in tile.get("seats", ())} <= {"one", "two"}
        known = {tile["key"] for tile in told["tiles"]}
        night.go_on()
        while all(len(tile) == 1 for tile in told["tiles"]) or told["running"]:
            told = following()
            for tile in told["tiles"]:
                assert tile["key"] not in known or "seats" not in tile, "what a browser has is told again"
            known |= {tile["key"] for tile in told["tiles"]}
