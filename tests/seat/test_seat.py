"""A person's seat on the page: only the token opens it, and the person plays as any bot does."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.league.store import League
from arena.referee.night.control import state_of
from arena.referee.night.night_now import State
from arena.view.pictures.emblem import emblem_of
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, good_bot
from tests.certificates import Authority
from tests.patience import PATIENCE
from tests.referee.nights import wait_for
from tests.seat.playing import await_turn, play_first
from tests.view.browser import tab
from tests.view.hosted import begun, host_of, post, said_at_first, sit_down, token_in, with_ada
from tests.view.served import DRAWN, served

WITH_TWO = """
name = "A night"
games = ["kleftis"]
boards = 1
seats = 3
names = "shown"
[clock]
bank = "1h"
move = "30m"
[[stage]]
format = "round-robin"
[[entrant]]
name = "Ada"
join = true
[[entrant]]
bot = "{one}"
[[entrant]]
bot = "{two}"
"""
PENSIVE = FIRST.replace(
    "        return",
    """\
        while not (Path(__file__).parent / "go").exists():
            time.sleep(0.05)
        return""",
).replace("from arena", "import time\nfrom pathlib import Path\nfrom arena", 1)
"""A bot that waits in each turn until there is a file `go` in its folder."""


@pytest.fixture
def night(tmp_path):
    """The league of a tournament that waits for a person, its process, and the person's token."""
    with begun(tmp_path, with_ada(good_bot(tmp_path, "house"))) as found:
        yield found


def test_a_person_plays_a_tournament_by_keyboard(browser, night):
    league, process, token = night
    with served(league) as page, tab(browser, 390, 844) as view:
        view.goto(f"{page.url}/seat")
        view.get_by_label("The token of your seat").fill("wrong")
        view.keyboard.press("Enter")
        expect(view.get_by_role("alert")).to_contain_text("unknown token")
        view.get_by_label("The token of your seat").fill(token)
        view.keyboard.press("Enter")
        expect(view.locator("#note")).to_contain_text("Your move.")
        assert view.url == f"{page.url}/seat"
        assert [(each["httpOnly"], each["sameSite"]) for each in view.context.cookies()] == [(True, "Strict")]
        send, places, moves = view.locator("#send"), view.locator(".spot"), view.locator("#all")
        expect(view.locator("#clock")).to_have_text(re.compile(r"Your move (2\d|30):\d\d"))
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        serious = [
            each
            for each in Axe().run(view).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == []

        expect(view.locator(".pick").first).to_be_focused()
        expect(send).to_be_disabled()
        view.keyboard.press("ArrowRight")
        view.keyboard.press("Space")
        expect(view.locator(".pick[aria-pressed=true]")).to_have_count(1)
        expect(places.first).to_be_visible()
        view.keyboard.press("t")  # to the places
        expect(places.first).to_be_focused()
        view.keyboard.press("Escape")  # takes it back
        expect(view.locator(".pick[aria-pressed=true]")).to_have_count(0)
        expect(send).to_be_disabled()
        said = moves.inner_text()
        view.reload()
        expect(moves).to_have_text(said)
        refused_without_its_cookie(page, view)

        while not view.locator("#note", has_text="Thank you").is_visible():
            if view.locator(".seat").get_attribute("data-turn"):
                play_first(view)
            view.wait_for_function(
                "() => document.querySelector('.seat').dataset.turn"
                " || /Thank you/.test(document.querySelector('#note').textContent)"
            )
        _, wrong = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, wrong
        view.get_by_role("link", name="See all hands").click()
        expect(view.locator(".count")).to_have_text(re.compile(r"^(\d+)/\1$"))  # at its end
        expect(view.locator(".versus")).to_contain_text("Ada")
        view.goto(f"{page.url}/host")  # a form of the page is known as one in a browser too
        view.get_by_label("The token").fill(page.token)
        view.keyboard.press("Enter")
        expect(view.get_by_role("heading", level=1)).to_contain_text("Over.")
    assert state_of(league) == State()
    with League.read(league) as stored:
        games = [result for _, result in stored.games(1)]
    assert len(games) == 2
    assert not any(sum(seat.faults) for result in games for seat in result.seats)


def test_the_table_is_seen_between_two_turns(browser, tmp_path):
    bots = {name: good_bot(tmp_path, name, PENSIVE) for name in ("one", "two")}
    with (
        begun(tmp_path, WITH_TWO.format(**bots)) as (league, _, token),
        served(league) as page,
        tab(browser) as view,
    ):
        sit_down(view, page.url, token)
        clock, hand, waiting = view.locator("#clock"), view.locator(".pick:visible"), set(bots)
        while waiting:
            held = "|".join(waiting)
            expect(clock).to_have_text(re.compile(rf"Waiting for ({held})$|Your move \d+:\d\d"))
            name = clock.inner_text().removeprefix("Waiting for ")
            if name not in bots:  # it is the person's turn
                cards = hand.count()
                play_first(view)
                expect(clock).to_have_text(re.compile("Waiting for"))
                assert 0 < hand.count() < cards  # what was played is there no more
                continue
            expect(view.locator(".seatbox.acts .name")).to_have_text(name)
            hidden = view.locator(".stage .seatbox", has_text=name).locator(".hand")
            assert hidden.get_by_role("img").count() == 0
            view.reload()
            expect(clock).to_have_text(f"Waiting for {name}")
            (bots[name] / "go").touch()
            waiting.remove(name)
            expect(view.locator(".since")).to_contain_text(re.compile(f"{name} (plays|steals)"))
            expect(clock).not_to_have_text(f"Waiting for {name}")


def test_who_plays_sees_no_more_than_onlookers_whom_the_host_lets_wait(browser, tmp_path):
    bots = {name: good_bot(tmp_path, name, PENSIVE) for name in ("one", "two")}
    with (
        begun(tmp_path, WITH_TWO.format(**bots), "--watch-delay", "0.5") as (league, _, token),
        served(league) as page,
        tab(browser) as view,
    ):
        sit_down(view, page.url, token)
        wait_for(lambda: "/tables/1" in page.get("/tables"))  # an onlooker has seen it
        expect(view.locator("#clock")).to_have_text(re.compile(r"^Waiting for the other bots$|\d+:\d\d"))
        assert view.locator(".moment:visible").count() == 0


def test_who_changes_the_browser_goes_on_in_the_same_seat(browser, night):
    league, _, token = night
    with served(league) as page, tab(browser) as one, tab(browser) as other:
        sit_down(one, page.url, token)
        expect(one.locator("#note")).to_contain_text("Your move.")
        said = one.locator("#all").inner_text()
        sit_down(other, page.url, token)
        expect(other.locator("#note")).to_contain_text("Your move.")
        expect(other.locator("#all")).to_have_text(said)
        expect(one.locator("#note")).to_contain_text("You no longer sit here")
        one.keyboard.press("m")
        one.keyboard.type("1")
        one.keyboard.press("Enter")
        expect(one.locator("#note")).to_contain_text("You no longer sit here")
        one.reload()
        expect(one.get_by_label("The token of your seat")).to_be_visible()
        expect(other.locator("#all")).to_have_text(said)  # nothing was played


def test_the_seat_says_where_it_is(browser, tmp_path):
    bots = {name: good_bot(tmp_path, name, PENSIVE) for name in ("one", "two")}
    with (
        begun(tmp_path, WITH_TWO.format(**bots)) as (league, _, token),
        served(league) as page,
        tab(browser, 390, 844) as view,
    ):
        view.goto(f"{page.url}/seat")
        expect(view.locator(".card-form")).to_contain_text("A tournament is waiting for its guests")
        sit_down(view, page.url, token)
        expect(view.locator(".against")).to_have_text(re.compile("plays Kleftis against (one, two|two, one)"))
        expect(view.locator(".where")).to_have_text("A night · table 1, game 1.1.1 · 1.1")
        with tab(browser) as other:
            other.goto(f"{page.url}/seat")
            expect(other.locator(".card-form")).to_contain_text("You play in A night, by its clock.")


def test_the_seat_shows_the_emblem_that_an_author_drew(browser, tmp_path):
    bots = {name: good_bot(tmp_path, name, PENSIVE) for name in ("one", "two")}
    squares = DRAWN.removesuffix("\norange")
    with (bots["one"] / "bot.toml").open("a") as manifest:
        manifest.write(f'[emblem]\nsquares = """\n{squares}"""\n')
    with (
        begun(tmp_path, WITH_TWO.format(**bots)) as (league, _, token),
        served(league) as page,
        tab(browser) as view,
    ):
        sit_down(view, page.url, token)
        for name, own in (("one", squares), ("two", "")):
            drawn = view.locator(".stage .seatbox", has_text=name).locator(".emblem path")
            expect(drawn.first).to_have_attribute("d", emblem_of(name, own).path)


def test_a_person_knows_their_own_result_and_nobody_any_other_until_the_host_shows_it(browser, tmp_path):
    bots = [good_bot(tmp_path, name) for name in ("one", "two")]
    text = with_ada(*bots).replace("boards = 1", 'boards = 1\nreveal = "host"')
    with (
        begun(tmp_path, text, "--seed", "cards") as (league, _, token),
        served(league) as page,
        tab(browser) as view,
    ):
        sit_down(view, page.url, token)

        def games() -> dict[str, bool]:
            """The games that are played, and whether Ada played in them."""
            with League.read(league) as store:
                names = [entrant.name for entrant in store.tournament(1).entrants]
                return {str(each.key): "Ada" in [names[seat.entrant] for seat in each.seats]
                        for _, each in store.games(1)}  # fmt: skip

        assert await_turn(view)
        while True not in games().values():
            play_first(view)
            assert await_turn(view)
        wait_for(lambda: False in games().values())
        expect(view.locator(".seat")).to_contain_text(re.compile("You (win|lose|finish|share)"))
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in view.context.cookies())
        for key in games():
            for path in (f"/games/{key}", f"/steps/{key}", f"/explained/{key}", f"/boards/{key}"):
                page.get(path, 404)
                page.get(path, 404, Cookie=cookie)
        assert 'class="mini"' not in page.get("/tables")
        assert "No results yet." in page.get("/standings", Cookie=cookie)
        assert "<entry>" not in page.get("/feed.atom")
        arena("host", "show", league, "all", "--speed", "at-once", cwd=tmp_path)
        for key in games():
            page.get(f"/games/{key}")


def test_no_name_is_taken_for_words_of_the_arena(tmp_path):
    name, title = "Night in Paris, won 3:2", "Late in May"
    text = with_ada(good_bot(tmp_path, "house")).replace("Ada", name).replace("A night", title)
    with begun(tmp_path, text) as (league, _, token), served(league) as page:
        _, headers = page.answer("/seat/enter", 303, f"token={token}".encode())
        seat = page.get("/seat", Cookie=headers["Set-Cookie"].partition(";")[0])
        assert f"<bdi>{name}</bdi>" in seat
        assert f"<bdi>{title}</bdi>" in seat


def test_a_lobby_that_asks_for_certificates_is_shown_that_of_the_page(browser, tmp_path):
    authority = Authority(tmp_path)
    own = authority.signed("page")
    text = with_ada(good_bot(tmp_path, "house"))
    tls = ("--tls", "--tls-client-ca", str(authority.path))
    with begun(tmp_path, text, *tls) as (league, _, token):
        with served(league) as page, tab(browser) as view:
            sit_down(view, page.url, token)
            expect(view.get_by_role("alert")).to_contain_text(
                "lets in only bots with a certificate that it trusts, so the host has to serve this page with"
            )
        with served(league, shown=own) as page, tab(browser) as view:
            sit_down(view, page.url, token)
            expect(view.locator("#note")).to_contain_text("Your move.")


def test_the_page_of_a_run_shows_its_certificate(browser, tmp_path):
    authority = Authority(tmp_path)
    own = authority.signed("referee")
    text = with_ada(good_bot(tmp_path, "house"))
    tls = ("--tls-certificate", str(own.certificate), "--tls-key", str(own.key))
    asks = ("--tls-client-ca", str(authority.path), "--serve", "127.0.0.1:0")
    with said_at_first(tmp_path, text, *tls, *asks) as (_, _, said), tab(browser) as view:
        url = re.search(r"http://\S+(?=/\n)", said)
        assert url is not None
        sit_down(view, url[0], token_in(said))
        expect(view.locator("#note")).to_contain_text("Your move.")


def refused_without_its_cookie(page, view):
    page.get("/seat/events", 403)
    page.get("/seat/last", 403)
    page.answer("/seat/play", 403, b"turn=1&action=0")
    (cookie,) = view.context.cookies()
    named = f"{cookie['name']}={cookie['value']}"
    for path in ("/seat/play", "/seat/leave"):  # no form of this page
        page.answer(path, 403, b"turn=1&action=0", Cookie=named)
        page.answer(path, 403, b"turn=1&action=0", Cookie=named, Origin="http://elsewhere")
    own = {"Cookie": named, "Origin": page.url}
    page.answer("/seat/play", 400, b"turn=-1&action=x", **own)
    page.answer("/seat/play", 409, b"turn=999&action=0", **own)


def test_nobody_sits_down_where_nobody_is_expected(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    with served(path) as page:
        assert "no tournament here waits for guests" in page.answer("/seat/enter", 200, b"token=x")[0]
        assert "without a token" in page.answer("/seat/enter", 200, b"token=")[0]


def test_the_host_begins_without_those_who_are_missing(night):
    league, process, _ = night
    with served(league) as page:
        cookie = host_of(page)
        text = page.get("/host", Cookie=cookie)
        assert "The tournament waits for the missing guests, and begins by itself when all are here." in text
        assert "Withdraw a bot" not in text
        asked, _ = post(page, "/host/start", 200, cookie)
        assert "their games are forfeited" in asked
        done, _ = post(page, "/host/start", 200, cookie, sure="yes")
        assert "Done: it begins." in done
        _, wrong = process.communicate(timeout=PATIENCE)
    assert not list(league.parent.glob("night.league-*")), wrong
    with League.read(league) as stored:
        assert {seat.forfeit for _, result in stored.games(1) for seat in result.seats} == {True, False}


def test_the_games_of_others_go_on_while_a_person_thinks(browser, tmp_path):
    text = with_ada(*[good_bot(tmp_path, name) for name in ("one", "two", "three")])
    with begun(tmp_path, text) as (league, _, token), served(league) as page, tab(browser) as view:
        sit_down(view, page.url, token)
        expect(view.locator("#note")).to_contain_text("Your move.")

        def played():
            with League.read(league) as stored:
                return len([*stored.games(1)])

        wait_for(lambda: played() == 6)  # each two of the three bots, from both seats
        expect(view.locator("#note")).to_contain_text("Your move.")
