"""The control room: what it shows, what it offers, and who may decide."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.league.store import League
from arena.referee.night.control import night_of
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Admit, Extend, read_ruling
from arena.view.league.choices import choices_of
from arena.view.pictures.emblem import emblem_of
from tests.arena_command import arena
from tests.bots_for_tests import good_bot, served_address
from tests.patience import PATIENCE
from tests.referee.nights import games_in, wait_for
from tests.referee.simulation import play_course
from tests.view.browser import tab
from tests.view.hosted import begun, host_of, post, sit_down, two_games, with_ada
from tests.view.served import DRAWN, begin, played, served

BETWEEN_BOTS = 3 * 2  # games of three bots, on one board


def test_only_whoever_entered_the_token_decides(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        assert page.token not in page.get("/host")
        post(page, "/host/pause", 403, sure="yes")
        post(page, "/host/enter", 200, token="wrong")
        _, headers = post(page, "/host/enter", 303, token=page.token)
        given = headers["Set-Cookie"]
        assert "HttpOnly" in given
        assert "SameSite=strict" in given
        cookie = given.split(";")[0]
        assert "Leave the control room" in page.get("/host", Cookie=cookie)
        post(page, "/host/pause", 403, "arena=host:stolen", sure="yes")
        for origin in ({}, {"Origin": "null"}, {"Origin": "http://elsewhere"}):  # forms of other sites
            page.answer("/host/pause", 403, b"sure=yes", Cookie=cookie, **origin)
        page.get("/host/pause", 405, Cookie=cookie)
        asked, _ = post(page, "/host/pause", 200, cookie)
        assert "Yes, pause" in asked
        assert "Stopped until" not in page.get("/")
        done, _ = post(page, "/host/pause", 200, cookie, sure="yes", reason="dinner <b>")
        assert "Done: Pause" in done
        assert "Stopped until the host resumes" in page.get("/")
        assert "dinner &lt;b&gt;" in page.get("/decisions")
        refused, _ = post(page, "/host/withdraw", 200, cookie, sure="yes", about="nobody")
        assert "Not done" in refused
        admitted, _ = post(page, "/host/admit", 200, cookie, sure="yes", about="late")
        assert re.search(
            "Done: Admit a guest .late.*The token of late, shown this once: [a-z0-9]{12,}", admitted
        )
        assert "late" in page.get("/decisions")
        refused, _ = post(page, "/host/admit", 200, cookie, sure="yes", about="late")
        assert "has an entrant late already" in refused
        refused, _ = post(page, "/host/start", 200, cookie, sure="yes")
        assert "Not done: it waits for nobody." in refused
        post(page, "/host/leave", 303, cookie)
        post(page, "/host/go", 403, cookie, sure="yes")


@pytest.mark.parametrize("more", ["-1", "boards", "1e3", "9" * 12, "9" * 5000, "boards -2", "cycles 1"])
def test_what_is_no_number_to_extend_by_is_said_in_a_sentence(tmp_path, more):
    path = two_games(tmp_path)
    with served(path) as page:
        cookie = host_of(page)
        for about in (more, f"boards {more}"):
            text, _ = post(page, "/host/extend", 200, cookie, sure="yes", about=about)
            assert "is no number of cycles such as 1, nor of boards such as boards 2" in text
        text, _ = post(page, "/host/extend", 200, cookie, sure="yes", about="1001")
        assert "cannot have more than 1000 cycles added at once" in text
    with League.read(path) as league:
        assert not list(league.rulings(1))


@pytest.mark.campaign
def test_a_running_bot_is_admitted_at_its_address(tmp_path):
    path = two_games(tmp_path)
    wait_for(Path(served_address().removeprefix("unix:")).exists)
    with served(path) as page:
        late = {"about": "late", "where": served_address(), "reason": "the train"}
        post(page, "/host/admit-at", 403, sure="yes", **late)
        cookie = host_of(page)
        form = urlencode({"sure": "yes", **late}).encode()
        page.answer("/host/admit-at", 403, form, Cookie=cookie, Origin="http://x")  # of another site

        def said(**form):
            text, _ = post(page, "/host/admit-at", 200, cookie, **form)
            return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", "", text)))

        assert "say what. Its address" in said(about="late")
        for where, name in (("nowhere", "late"), ("127.0.0.1:1", "late"), (served_address(), "THOUGHTFUL")):
            told = arena(
                "host", "admit", path, "--address", where, "--name", name, cwd=tmp_path, code=2
            ).stderr
            without = r"^.*--address: |^arena: |\n| \s+| \(arena host admit .*\)$"
            sentence = re.sub(without, "", told.splitlines()[-1])
            assert f"Not done: {sentence.rstrip('.')}." in said(about=name, where=where, sure="yes")
        asked = said(**late)
        assert f"Admit a running bot: late at {served_address()}" in asked
        assert "Done: Admit a running bot (late), Night <b>one</b>." in said(sure="yes", **late)
        assert "late" in page.get("/decisions")
    with League.read(path) as league:
        (stored,) = league.rulings(1)
        assert stored.reason == "the train"
        admitted = read_ruling(stored.ruling)
        assert isinstance(admitted, Admit)
        assert (admitted.how, admitted.source, admitted.version) == ("address", served_address(), "")


def test_a_form_that_is_sent_twice_is_decided_once(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        cookie = host_of(page)
        for kind, about in (("annul", "1.1.1"), ("admit", "late")):
            asked, _ = post(page, f"/host/{kind}", 200, cookie, about=about)
            form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
            first, _ = post(page, f"/host/{kind}", 200, cookie, **form)
            again, _ = post(page, f"/host/{kind}", 200, cookie, **form)
            assert "Done: " in first
            assert again == first
    with League.read(path) as league:
        assert len(list(league.rulings(1))) == 2


def test_without_a_host_nobody_decides(tmp_path):
    with served(played(tmp_path / "night.league"), no_host=True) as page:
        assert "no forms for the host" in page.get("/host")
        post(page, "/host/enter", 200, token="")


def text_of(answer):
    """The words of a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]+>", " ", answer)))


def test_the_host_is_offered_what_makes_sense_now(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        cookie = host_of(page)

        def offered():
            room = page.get("/host", Cookie=cookie)
            return set(re.findall(r'action="/host/([a-z-]+)"', room)) - {"leave", "seen"}

        def decide(kind, **form):
            asked, _ = post(page, f"/host/{kind}", 200, cookie, **form)
            sure = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
            return text_of(asked), text_of(post(page, f"/host/{kind}", 200, cookie, **{**sure, **form})[0])

        assert offered() == {"pause", "admit", "extend", "annul", "end", "withdraw", "limit"} | {"token"}
        decide("pause")
        assert "go" in offered()
        assert "pause" not in offered()
        decide("go")
        assert "pause" in offered()
        lost, _ = decide("withdraw", about="thoughtful")
        assert "It has 3 of 3 matches left: it had played less than half of its matches" in lost
        room = page.get("/host", Cookie=cookie)
        assert len(re.findall(r'action="/host/withdraw"', room)) == 3
        lost, refused = decide("end", name="another night")
        assert re.search(r"\d+ games are not played\.", lost)
        assert "That is not the name of the tournament, so nothing is decided." in refused
        assert "end" in offered()
        _, done = decide("end", name="night <b>ONE</b>", reason="the hall closes")
        assert "Done: End the tournament" in done
        assert offered() == set()
        room = text_of(page.get("/host", Cookie=cookie))
        assert "Nothing to decide" in room
        assert "It ends here; what is left is not played ( the hall closes )" in room
        refused = text_of(post(page, "/host/pause", 200, cookie)[0])
        assert "no tournament is played, so there is nothing to decide" in refused


def test_a_game_is_annulled_where_it_is_seen(tmp_path):
    path = two_games(tmp_path)
    with served(path) as page:
        (key, *_) = re.findall(r"/games/([\d.]+/[\w-]+/[\d.]+)", page.get("/games"))
        wanted = f"/host/annul?about={key}"
        assert wanted in page.get(f"/games/{key}")
        assert f'"/host/annul?about={key.partition("/")[0]}"' in page.get("/schedule")
        assert "Only the host can do this." in page.get(wanted)
        _, headers = post(page, "/host/enter", 303, token=page.token, wanted=key)
        assert headers["Location"] == wanted
        cookie = host_of(page)
        asked = page.get(wanted, Cookie=cookie)
        assert "2 games on 1 board void, and played again." in asked
        post(page, "/host/annul", 200, cookie, **dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked)))
        assert "Not possible now: " in page.get(wanted, Cookie=cookie)
        assert "is no game such as" in html.unescape(page.get("/host/annul?about=x", Cookie=cookie))
    assert wanted not in page_of_a_finished_one(tmp_path, key)


def page_of_a_finished_one(folder, key):
    with served(played(folder / "over.league")) as page:
        return page.get(f"/games/{key}")


def test_the_output_of_a_bot_is_for_the_host_alone(tmp_path):
    path = two_games(tmp_path)
    logs = path.with_suffix(".logs")
    logs.mkdir()
    (logs / "thoughtful.log").write_text("<b>thinking</b>")
    with served(path) as page:
        page.get("/host/log/1", 403)
        cookie = host_of(page)
        assert 'href="/host/log/1"' in page.get("/host", Cookie=cookie)
        text, headers = page.answer("/host/log/1", Cookie=cookie)
        assert text == "<b>thinking</b>"
        assert headers["Content-Type"].startswith("text/plain")
        for number in (0, 2, 99):
            page.get(f"/host/log/{number}", 404, Cookie=cookie)


@pytest.mark.parametrize(
    ("stage", "cycle"),
    [("round-robin", True), ("swiss", False), ("knockout", False), ("gauntlet", True), ("comparison", True)],
)
def test_a_stage_grows_by_as_many_games_as_the_host_is_told(tmp_path, stage, cycle):
    ids = '["hyrule"]' if stage == "comparison" else '["hyrule", "kleftis"]'
    more = {"swiss": "rounds = 3", "comparison": "cap = 20"}.get(stage, "")
    text = f'name = "n"\ngames = {ids}\nboards = 1\n[[stage]]\nformat = "{stage}"\n{more}\n'
    with League.create_or_open(tmp_path / "night.league") as league:
        number, course = begin(league, text, ("one", "two", "three", "four"))
        play_course(league, number, course, at_most=2)
    choices = choices_of(course)
    assert bool(choices.cycle) == cycle
    for games, ruling in (
        (choices.cycle, Extend.of(course, cycles=1)),
        (choices.board, Extend.of(course, boards=1)),
    ):
        if games:
            effects = Effects(course.effects.entrants)
            ruling.add_to(effects)
            longer = new_course(course.plan, effects).games
            assert longer - new_course(course.plan, Effects(course.effects.entrants)).games == games


def test_a_night_with_a_person_is_hosted_from_the_control_room_by_keyboard(browser, tmp_path):
    bots = [good_bot(tmp_path, name) for name in ("one", "two", "three")]
    squares = DRAWN.removesuffix("\norange")
    with (bots[0] / "bot.toml").open("a") as manifest:
        manifest.write(f'[emblem]\nsquares = """\n{squares}"""\n')
    text = with_ada(*bots)
    with (
        begun(tmp_path, text) as (league, process, token),
        served(league) as page,
        tab(browser) as seat,
        tab(browser) as view,
    ):

        def press(button):
            view.get_by_role("button", name=button).focus()
            view.keyboard.press("Enter")
            if button != "one more":
                expect(view.get_by_role("dialog")).to_be_visible()

        def decide():
            view.keyboard.press("Enter")
            expect(view.get_by_role("dialog")).to_be_hidden()  # the page may know it earlier

        view.goto(f"{page.url}/host")
        view.keyboard.type(page.token)  # its field has the focus
        view.keyboard.press("Enter")
        expect(view.get_by_role("heading", level=1)).to_have_text("Waiting for 1 of 4 bots.")
        expect(view.locator(".bots")).to_contain_text("expected")
        drawn = view.locator(".bots .emblem path")
        expect(drawn.first).to_have_attribute("d", emblem_of("one", squares).path)
        sit_down(seat, page.url, token)
        expect(seat.locator("#note")).to_contain_text("Your move.")
        expect(view.get_by_role("heading", level=1)).to_have_text("All 4 bots are here.")
        expect(view.locator(".waited")).to_contain_text(re.compile(r"Ada\s*\d:\d\d"))  # without a touch
        expect(view.locator(".bots")).to_contain_text("a person here, own clock: 30 min a move")
        wait_for(lambda: games_in(league) == BETWEEN_BOTS)  # which do not wait for her
        wait_for(lambda: night_of(league).tables == 1)
        (turn,) = night_of(league).awaited
        assert turn.entrant == 3
        assert 1500 < turn.left < 1800

        press("Pause …")
        view.keyboard.type("pizza")  # the reason
        decide()
        expect(view.get_by_role("heading", level=1)).to_have_text("Paused: no further games begin.")
        expect(view.locator(".happened")).to_contain_text("pizza")
        press("Go on")
        no_violations(view)  # of the dialog
        decide()
        expect(view.get_by_role("button", name="Pause …")).to_be_visible()

        view.locator("summary[aria-label='More about two']").focus()
        view.keyboard.press("Enter")
        no_violations(view)
        view.keyboard.press("Tab")  # its output
        view.keyboard.press("Tab")
        view.keyboard.press("Enter")
        expect(view.get_by_role("dialog")).to_contain_text("Limit a bot's tables: 1 two")
        view.keyboard.press("Escape")
        expect(view.get_by_role("dialog")).to_be_hidden()
        view.keyboard.press("Tab")  # the focus is back at its button
        view.keyboard.press("Enter")
        expect(view.get_by_role("dialog")).to_contain_text("Withdraw a bot: two")
        view.keyboard.press("Escape")
        expect(view.get_by_role("dialog")).to_be_hidden()

        press("one more")
        expect(view.locator(".extend output")).to_contain_text("Adds 24 games")
        press("End the tournament …")
        view.keyboard.type("a knight")
        view.keyboard.press("Enter")
        expect(view.get_by_role("dialog")).to_contain_text("That is not the name of the tournament")
        view.keyboard.type("a night")
        decide()
        expect(view.get_by_role("heading", level=1)).to_contain_text("Over.")
        expect(view.locator(".acts")).not_to_contain_text("…")
        no_violations(view)
        assert process.wait(PATIENCE) == 0


def no_violations(view):
    found = Axe().run(view).response["violations"]
    assert [f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}" for each in found] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_control_room_fits_a_phone_whatever_bots_are_called(browser, tmp_path, theme):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=1)
    with served(path) as page, tab(browser, 390, 844, color_scheme=theme) as view:
        view.goto(f"{page.url}/host")
        view.get_by_label("The token").fill(page.token)
        view.keyboard.press("Enter")
        expect(view.locator(".acts summary").first).to_be_visible()
        handy = view.locator(".handy")
        expect(handy.get_by_role("button")).to_have_text(["Pause …", "End …"])
        expect(handy).to_be_in_viewport(ratio=1)
        handy.get_by_role("link", name="Admit …").click()
        expect(view.get_by_label("Its name")).to_be_visible()
        expect(view.get_by_label("Its name")).to_be_in_viewport()
        for more in view.locator(".acts details").all():
            if more.get_attribute("open") is None:
                more.locator("summary").click()
        view.locator(".menu summary").nth(3).click()
        expect(view.get_by_role("button", name=re.compile("Withdraw .+ …"))).to_be_visible()
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        no_violations(view)
