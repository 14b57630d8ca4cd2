"""What the host has not shown yet (`reveal = "host"`) is nowhere on the page, as if it was never played."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
import trio
from playwright.sync_api import expect
from starlette.routing import BaseRoute, Mount, Route

from arena.cli.composed import compose
from arena.cli.page_beside import Page
from arena.cli.serve import settings_of
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.league.store import EntrantInfo, League, TournamentInfo, chain
from arena.league.stored import course_of
from arena.league.tournament_file import parse_plan
from arena.results import GameKey
from arena.table.deal import commitment
from arena.tournament.rulings import Ruling, Show, Withdraw
from arena.view.league.events import LeagueEvents
from arena.view.league.reader import LeagueReader
from arena.view.league.tables import Tables
from arena.view.listening import listening
from arena.view.serving.server import ComposedPage, Start
from tests.patience import PATIENCE
from tests.referee.simulation import KEY, play_game
from tests.view.every_view import ask
from tests.view.served import served

BOTS = 4
STAGES = {
    "finals": '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nadvance = 4\n'
    'extra_boards = 2\nreveal = "host"\n',
    "all": 'reveal = "host"\n[[stage]]\nformat = "round-robin"\n',
    "bracket": 'reveal = "host"\n[[stage]]\nformat = "double-elimination"\nextra_boards = 1\n',
}
LEAST = 60
"""So many addresses are compared at least."""

NEVER_THE_SAME = re.compile(
    rb"127\.0\.0\.1:\d+|about [\d.]+ \w+(?: left)?|data-pace=\"[\d.]+\"|data-seconds=\"\d+\""
)
"""The port of the page, and how long it may take: it depends on the time."""


class Staged:
    """A league whose last tournament is staged, with real games of bots that play at random."""

    def __init__(self, folder: Path, stages: str) -> None:
        self.path = folder / "league.arena"
        folder.mkdir()
        text = f'name = "night"\ngames = ["hyrule"]\nboards = 1\n{stages}' + "[[entrant]]\n" * BOTS
        self.plan = parse_plan(text, Path("night.toml"))
        self.names = [f"bot {number}" for number in range(BOTS)]
        infos = tuple(EntrantInfo(name, str(folder / name)) for name in self.names)
        with League.create_or_open(self.path) as league:
            plan = self.plan.to_json()
            info = TournamentInfo("night", self.path, text, KEY, commitment(KEY), infos, plan)
            self.number = league.start_tournament(info)
        self.token = club(Place(folder), self.names)

    def play(self, most: int = 1_000) -> None:
        with League.create_or_open(self.path) as league:
            course = course_of(league, self.number)
            for _ in range(most):
                if (due := course.take()) is None:
                    break
                game = play_game(course.plan, due)
                league.record_games(self.number, [game])
                course.add(game.result)

    def rule(self, ruling: Ruling, request: str = "") -> None:
        with League.create_or_open(self.path) as league:
            league.record_ruling(self.number, ruling.to_json(), "", request)

    def show(self, what: str, speed: str = "at-once") -> None:
        with League.read(self.path) as league:
            ruling = Show.asked(f"{what} {speed}", course_of(league, self.number), self.names)
        self.rule(ruling, "by hand")

    def hidden(self) -> list[tuple[int, GameKey]]:
        """The games that are not shown, by the rules of the tournament."""
        with League.read(self.path) as league:
            course = course_of(league, self.number)
            return [(number, result.key) for number, result in league.games(self.number)
                    if course.hides(result.key.match_key)]  # fmt: skip

    def keys(self) -> list[str]:
        """The first game, two of the first match that is staged, and the last game."""
        with League.read(self.path) as league:
            keys = [str(result.key) for _, result in league.games(self.number)]
        hidden = [str(key) for _, key in self.hidden()]
        return [
            *dict.fromkeys(
                [keys[0], *(each for each in keys if each.startswith("2.1.1")), *hidden[:1], keys[-1]]
            )
        ]

    def copied(self, folder: Path) -> Path:
        """A copy of the folder of the league, with its accounts."""
        shutil.copytree(self.path.parent, folder)
        return folder / self.path.name

    def without_hidden(self, folder: Path, decisions: Sequence[int] = ()) -> Path:
        """A copy of the league in which the hidden games, and some decisions, are deleted."""
        copy, hidden = self.copied(folder), self.hidden()
        db = apsw.Connection(str(copy))
        with db:
            for number, _ in hidden:
                db.execute("DELETE FROM seat WHERE game = ?", (number,))
                db.execute("DELETE FROM game WHERE number = ?", (number,))
                db.execute("DELETE FROM chain WHERE thing = 'game' AND id = ?", (number,))
            for number in decisions:
                db.execute("DELETE FROM decision WHERE number = ?", (number,))
                db.execute("DELETE FROM chain WHERE thing = 'decision' AND id = ?", (number,))
            for place, (position,) in enumerate(
                db.execute("SELECT position FROM chain ORDER BY position").fetchall(), 1
            ):
                db.execute("UPDATE chain SET position = ? WHERE position = ?", (place, position))
        head, links = chain.FIRST, []
        with League.read(copy) as league:
            for entry in league.chain():
                fields = league.fields(entry)
                assert fields is not None
                head = chain.link(head, fields)
                links.append((head, entry.position))
        db.executemany("UPDATE chain SET link = ? WHERE position = ?", links)
        db.close()
        return copy


def club(place: Place, names: Sequence[str]) -> str:
    """Makes the folder of a league a standing one, in which each bot has an author; returns a token."""
    place.settings.write_text('name = "Club"\nsandbox = "none"\ngames = ["hyrule"]\n')
    token = ""
    with Database(place.database, writer=True) as database:
        for number, name in enumerate(names):
            account = database.add_account(f"author {number}", "author")
            token = token or database.give_secret(account, "token")
            bot = database.add_bot(account, name.replace(" ", "-"))
            database.change_version(database.add_version(bot, f"{number:064x}", 1000, ""), state="accepted")
    return token


@contextmanager
def page_of(path: Path, standing: Path | None) -> Iterator[ComposedPage]:
    said: list[str] = []
    with listening("127.0.0.1:0") as listener:
        page = compose(
            settings_of(path, Page(no_host=False), "token", None, standing), Start(listener, 3, said.append)
        )
        try:
            yield page
        finally:
            page.reader.close()
    assert said == []


def addresses(routes: Sequence[BaseRoute], staged: Staged, base: str = "") -> Iterator[str]:
    """Every address that answers, of every bot, and of every game, hidden or not."""
    keys, hidden = staged.keys(), {str(key) for _, key in staged.hidden()}
    parts = {
        "game": ["hyrule"],
        "number": [str(number + 1) for number in range(BOTS)],
        "key:path": keys,
        "night:int": ["1"],
        "name": [name.replace(" ", "-") for name in staged.names],
    }
    for route in routes:
        if isinstance(route, Mount):
            yield from addresses(route.routes, staged, base + route.path.replace("{night:int}", "1"))
        elif isinstance(route, Route) and "GET" in (route.methods or ()) and route.path != "/events":
            found = [base + route.path]
            for part in re.findall(r"{(.+?)}", route.path):
                found = [
                    each.replace(f"{{{part}}}", value) for each in found for value in parts.get(part, ["1"])
                ]
            if route.path.startswith("/explained/"):  # a game that is shown would be analysed now
                found = [each for each in found if each.partition("/explained/")[2] in hidden]
            yield from found
            if route.path in ("/games", "/bots"):
                yield from (
                    f"{base}{route.path}?{each}" for each in ("bot=1", "match=2.1.1", "faults=1", "sort=-ms")
                )


async def all_of(page: ComposedPage, staged: Staged, cookie: str) -> dict[str, tuple[int, bytes]]:
    """The answers to all addresses, and what the stream of events tells first."""
    told = {}
    with trio.fail_after(PATIENCE):
        for address in addresses(page.routes, staged):
            answer = await ask(page, address, cookie=cookie)
            told[address] = answer.code, answer.body
        async with trio.open_nursery() as nursery:
            (work,) = [work for where, work in page.background if where == "the event stream"]
            nursery.start_soon(work)
            answer = await ask(page, "/events", b"event: news", cookie=cookie)
            nursery.cancel_scope.cancel()
        told["/events"] = answer.code, answer.body
    return told


def answers(path: Path, staged: Staged, who: str) -> dict[str, tuple[int, bytes]]:
    """All that a person sees of a league: a visitor, the host or an author of one of its bots."""

    async def see() -> dict[str, tuple[int, bytes]]:
        cookie = f"arena=author:{staged.token}" if who == "author" else ""
        if who == "host":
            entered = await ask(page, "/host/enter", form=b"token=token")
            cookie = entered.headers["set-cookie"].partition(";")[0]
        return await all_of(page, staged, cookie)

    with page_of(path, path.parent if who == "author" else None) as page:
        told = trio.run(see)
    folder = str(path.parent).encode()
    return {
        address: (code, NEVER_THE_SAME.sub(b"", body.replace(folder, b"")))
        for address, (code, body) in told.items()
    }


def compare(
    staged: Staged, folder: Path, who: str, decisions: Sequence[int] = ()
) -> dict[str, tuple[int, bytes]]:
    """Compares all answers with those of a league without the hidden rows; returns them."""
    whole = staged.copied(folder / "whole")
    less = staged.without_hidden(folder / "less", decisions)
    told, expected = answers(whole, staged, who), answers(less, staged, who)
    assert told.keys() == expected.keys()
    for address, answer in told.items():
        assert answer == expected[address], address
    assert len(told) > LEAST
    assert {code for code, _ in told.values()} <= {200, 303, 400, 401, 403, 404}
    return told


@pytest.mark.parametrize("who", ["visitor", "author", pytest.param("host", marks=pytest.mark.campaign)])
@pytest.mark.parametrize(
    "stages",
    [each if each == "finals" else pytest.param(each, marks=pytest.mark.campaign) for each in STAGES],
)
def test_every_address_answers_as_if_the_hidden_games_had_not_been_played(tmp_path, stages, who):
    staged = Staged(tmp_path / "league", STAGES[stages])
    staged.play()
    hidden = len(staged.hidden())
    before = compare(staged, tmp_path / "before", who)
    staged.show("table")
    assert 0 < len(staged.hidden()) < hidden
    after = compare(staged, tmp_path / "after", who)
    assert after["/games"] != before["/games"]
    with League.read(staged.path, only_shown=True) as league:
        games = [str(result.key) for _, result in league.games(staged.number)]
    asked = staged.keys()
    assert {game for game in asked if after[f"/games/{game}"][0] == 200} == {*asked} & {*games}
    assert after["/events"] != before["/events"]


def test_a_withdrawal_by_the_rules_is_hidden_as_long_as_a_game_of_the_bot_is(tmp_path):
    staged = Staged(tmp_path / "league", STAGES["all"])
    staged.play(2)
    with League.read(staged.path) as league:
        ruling = Withdraw.asked(staged.names[0], course_of(league, staged.number), staged.names)
    staged.rule(ruling)
    staged.play()
    told = compare(staged, tmp_path / "before", "visitor", [1])
    assert b"plays no more" not in told["/decisions"][1]
    staged.show("all")
    told = compare(staged, tmp_path / "after", "visitor")
    assert b"plays no more" in told["/decisions"][1]


def test_results_are_shown_when_their_countdown_is_over(tmp_path):
    staged = Staged(tmp_path / "league", STAGES["all"])
    staged.play()
    staged.show("all", "slow")
    with League.read(staged.path, only_shown=True) as league:
        assert league.shown is not None
        before = league.length(), len([*league.games(staged.number)])
        league.shown.now = (datetime.now(UTC) + timedelta(seconds=10)).timestamp()
        after = league.length(), len([*league.games(staged.number)])
    assert before == (2, 0)
    assert after == (2 + after[1], 12)


def test_the_events_tell_nothing_of_a_result_until_its_countdown_is_over(tmp_path):
    staged = Staged(tmp_path / "league", STAGES["all"])
    staged.play()
    told: list[dict[str, Any]] = []

    def decide(when: timedelta) -> None:
        """Says that the host decided so long from now."""
        db = apsw.Connection(str(staged.path))
        db.execute("UPDATE decision SET decided = ?", ((datetime.now(UTC) + when).isoformat(),))
        db.close()

    async def listen() -> None:
        reader = LeagueReader(staged.path)
        events = LeagueEvents(reader, Tables(0.0))
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(events.follow_league)
                async for message in events.listen(None, tables=False):
                    if b"event: news" not in message:
                        continue
                    told.append(json.loads(message.partition(b"data: ")[2]))
                    if len(told) == 1:
                        staged.show("all", "slow")
                        decide(timedelta(hours=1))
                    elif len(told) == 2:
                        decide(-timedelta(hours=1))
                    else:
                        nursery.cancel_scope.cancel()
        reader.close()

    trio.run(listen)
    before, counted_down, after = told
    assert counted_down == before
    assert (before["games"], after["games"]) == (0, 12)


SLOW = "const animate = Element.prototype.animate; Element.prototype.animate = function (frames, how) {" \
    " return animate.call(this, frames, { ...how, duration: 1e9 }); }"  # fmt: skip
"""Nothing that is animated ends while a test looks."""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_is_shown_is_drawn_on_the_page_and_on_the_projector_unless_nothing_may_move(
    tabs, tmp_path, motion
):
    staged = Staged(tmp_path / "league", 'reveal = "host"\n[[stage]]\nformat = "round-robin"\n')
    staged.play()
    staged.show("round")
    staged.show("round")
    grown = re.compile(r"^\S+ \S+ \S+$")
    drawn = "document.querySelector('.plot > svg').getAnimations().length"
    with served(staged.path) as page, ExitStack() as open_tabs:
        views: list[Any] = []
        for address in ("/standings", "/screen?view=standings"):
            view = open_tabs.enter_context(tabs.tab(1280 + len(views), 720, reduced_motion=motion))
            view.add_init_script(SLOW)
            view.goto(page.url + address)
            view.wait_for_selector(".plot", state="attached")
            assert view.evaluate(drawn) == 0
            views.append(view)
        staged.show("round")
        for view in views:
            expect(view.locator(".plot polyline").first).to_have_attribute("points", grown)
            assert view.evaluate(drawn) == (motion != "reduce")
        assert views[1].locator(".slide.shown").get_attribute("data-key") == "lines"


OPENING = """() => document.getAnimations().flatMap(({ effect }) => {
  const box = effect.target.closest(".tablebox");
  return box ? [[box.querySelector(".boxhead").textContent, effect.getTiming().delay]] : [];
})"""
"""The boxes of brackets in which something is animated, and with which delay."""


@pytest.mark.parametrize("motion", ["no-preference", pytest.param("reduce", marks=pytest.mark.campaign)])
def test_the_boxes_of_a_bracket_open_one_after_another_and_last_those_to_which_the_winners_go_on(
    tabs, tmp_path, motion
):
    staged = Staged(
        tmp_path / "league", 'reveal = "host"\n[[stage]]\nformat = "knockout"\nextra_boards = 1\n'
    )
    staged.play()
    with served(staged.path) as page, ExitStack() as open_tabs:
        views: list[Any] = []
        for address in ("/bracket", "/screen?view=bracket"):
            view = open_tabs.enter_context(tabs.tab(1280 + len(views), 720, reduced_motion=motion))
            view.add_init_script(SLOW)
            view.goto(page.url + address)
            view.wait_for_selector(".tablebox", state="attached")
            assert view.evaluate(OPENING) == []
            views.append(view)
        staged.show("round")
        for view in views:
            expect(view.locator(".tablebox .slot.on").first).to_be_attached()
            last: dict[str, float] = {}
            for label, delay in view.evaluate(OPENING):
                last[label] = max(delay, last.get(label, delay))
            order = sorted(last, key=lambda label: last[label])
            assert order == ([] if motion == "reduce" else [
                "semi-final 1", "semi-final 2", "third place", "final",
            ])  # fmt: skip
            assert len(set(last.values())) == len(order)


def test_no_page_reads_all_games_of_a_league_to_find_the_hidden_ones(tmp_path):
    night = Staged(tmp_path / "night", STAGES["finals"])
    with League.read(night.path, only_shown=True) as league:
        for asked in ("max(number) FROM game", "1 FROM seat WHERE game = 1", "max(position) FROM chain"):
            plan = [row[3] for row in league._db.execute(f"EXPLAIN QUERY PLAN SELECT {asked}")]
            assert not any(step.startswith(("SCAN game", "SCAN main.seat", "SCAN seat")) for step in plan)
            assert any(step.startswith("SCAN main.tournament") for step in plan)
