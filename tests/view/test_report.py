"""The report file and the Markdown: complete, safe, and refused if too large."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from arena.league.store import League
from arena.report.standings_data import escaped
from arena.view.report_file import recap_of
from tests.arena_command import arena
from tests.referee.simulation import play_game, simulate
from tests.view.browser import tab
from tests.view.served import HOSTILE, LONGEST, begin, played


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    return played(tmp_path_factory.mktemp("report") / "night.league")


@pytest.fixture(scope="module")
def everything(league):
    """A report with all games to watch, and what the command said."""
    out = league.parent / "everything.html"
    return out, arena("report", league, out, "--replays", "all", "--large", cwd=league.parent).stdout


@pytest.fixture(scope="module")
def one_game(league):
    """A report with a game to watch, and what the command said."""
    out = league.parent / "one.html"
    return out, arena("report", league, out, "--replay", "1.1.1/nyuri/1.1", cwd=league.parent).stdout


def test_a_report_is_one_file_and_its_policy_allows_its_style_and_its_script(one_game):
    out, said = one_game
    assert "1 game to watch" in said
    text = out.read_text("utf-8")
    assert HOSTILE not in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    for kind, opening in (("style", "<style>"), ("script", '<script type="module">')):
        inside = text.partition(opening)[2].partition(f"</{kind}>")[0]
        assert base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() in text


def test_a_report_watches_games_without_a_server_and_is_no_wider_than_a_phone(browser, one_game, everything):
    with tab(browser) as view:
        view.goto(one_game[0].as_uri())
        assert view.title() != "caught"
        view.locator("details.replaybox summary").click()
        view.locator(".stage .card").first.wait_for()
        view.get_by_role("button", name="Step on").click()
        expect(view.locator(".count")).to_contain_text("1/")
        assert view.locator(".log li.now").count() == 1
        view.set_viewport_size({"width": 390, "height": 844})
        view.goto(everything[0].as_uri())
        assert view.get_by_text(LONGEST).count() > 1  # whatever bots are called
        assert view.evaluate("document.documentElement.scrollWidth") <= 390


def test_games_are_chosen_and_a_large_file_is_asked_about(league, everything, tmp_path):
    out = tmp_path / "report.html"
    assert "20 games to watch" in arena("report", league, out, cwd=tmp_path).stdout
    assert "no games to watch" in arena("report", league, out, "--replays", "none", cwd=tmp_path).stdout
    large, said = everything
    assert "100 games to watch" in said
    assert large.stat().st_size > 4 * out.stat().st_size
    refused = arena("report", league, tmp_path / "nowhere" / "out.html", cwd=tmp_path, code=2)
    assert "cannot be written" in refused.stderr


def long_night(path, game, boards):
    """A league with a tournament of many boards; the games of all are those of the first one."""
    with League.create_or_open(path) as league:
        text = f'name = "long"\ngames = ["{game}"]\nboards = {boards}\n'
        number, course = begin(league, text, ("one", "two"))
        due = list(iter(course.take, None))
        first = {each.players: play_game(course.plan, each) for each in due[:2]}
        games = [(each.key, first[each.players]) for each in due]
        league.record_games(
            number, [each._replace(result=each.result._replace(key=key)) for key, each in games]
        )
        league.finish_tournament(number)
    return path


@pytest.mark.campaign
def test_the_default_fits_however_many_boards_there_are_and_too_many_are_refused_at_once(tmp_path):
    """This tests the limit of the file: 1,000 games of Kleftis have some 30 MB."""
    path = long_night(tmp_path / "long.league", "kleftis", 500)
    out = tmp_path / "report.html"
    said = arena("report", path, out, cwd=tmp_path).stdout
    assert re.search(r", \d+ games of the last round's 1000 to watch, ", said)
    assert 1_000_000 < out.stat().st_size < 5_000_000
    out.unlink()
    everything = long_night(tmp_path / "longer.league", "hyrule", 1400)
    refused = arena("report", everything, out, "--replays", "all", cwd=tmp_path, code=2)
    said = " ".join(refused.stderr.split())
    assert re.search(r"the file would have at least 5(\.\d+)? MiB: choose its games by --replay GAME", said)
    assert not out.exists()


def test_markdown_holds_the_tables_and_takes_no_name_for_a_sign(league, tmp_path):
    text = arena("standings", league, "--markdown", cwd=tmp_path).stdout
    assert "# Night \\<b\\>one\\</b\\>" in text
    assert "| ---: | :--- |" in text
    assert "<script>" not in text
    assert LONGEST in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count(" | ") for line in rows[:6]}) == 1
    arena("standings", league, "--markdown", "--json", cwd=tmp_path, code=2)


def test_a_sign_of_markdown_is_escaped():
    assert escaped("a|b*[c](d)") == "a\\|b\\*\\[c\\]\\(d\\)"


def test_a_recap_has_pictures_of_the_moments_that_decided_games_and_is_no_wider_than_a_phone(
    browser, league, tmp_path
):
    out = tmp_path / "recap.html"
    address = "https://example.org/night/recap.html"
    said = arena("report", league, out, "--recap", "--address", address, cwd=tmp_path).stdout
    text = out.read_text("utf-8")
    assert "recap.png" in said
    assert (tmp_path / "recap.png").read_bytes().startswith(b"\x89PNG")
    assert '<meta property="og:image" content="https://example.org/night/recap.png">' in text
    assert HOSTILE not in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    with tab(browser) as view:
        view.set_viewport_size({"width": 390, "height": 844})
        view.goto(out.as_uri())
        assert view.locator(".still").count() == 3
        for still in view.locator(".still").all():
            assert still.locator(".stage").inner_text()
            assert still.locator(".moment").inner_text()
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        assert view.title() != "caught"


def test_a_recap_tells_how_much_of_the_work_is_done(league):
    told: list[float] = []
    recap_of(league, 1, tell=told.append)
    assert told[0] == 0
    assert told == sorted(set(told))
    assert told[-1] < 1


SHAPES = {
    "round robin": ('games = ["hyrule", "nyuri"]\n', 12, None),
    "knockout": ('[[stage]]\nformat = "knockout"\n', 6, None),
    "double elimination": ('[[stage]]\nformat = "double-elimination"\n', 6, None),
    "groups": ('[[stage]]\nformat = "groups"\ngroups = 2\n', 6, None),
    "large tables": ("seats = 4\n", 5, None),
    "ladder": ('[[stage]]\nformat = "ladder"\n', 5, 60),
    "unfinished": ("", 4, 25),
    "one game": ("", 4, 1),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_recap_of_every_shape_takes_one_sheet_of_paper(browser, tmp_path, shape):
    stages, bots, games = SHAPES[shape]
    path, out = tmp_path / "night.league", tmp_path / "recap.html"
    with League.create_or_open(path) as league:
        names = [f"a bot with a long name {number}" for number in range(bots)]
        text = f'name = "night"\nboards = 1\n{stages}'
        simulate(league, text, bots, names=names, finish=games is None, at_most=games)
    arena("report", path, out, "--recap", cwd=tmp_path)
    with tab(browser) as view:
        view.goto(out.as_uri())
        assert view.locator(".still").count() == min(3, games or 3)
        assert view.locator(".ranking li").count() == bots
        assert len(re.findall(rb"/Type\s*/Page\b", view.pdf(prefer_css_page_size=True))) == 1


def test_on_paper_a_report_has_all_columns_lines_as_wide_as_the_page_and_the_games_that_are_open(
    browser, one_game
):
    with tab(browser, 703, 1020) as view:  # A4 without its margins
        view.emulate_media(media="print")
        view.goto(one_game[0].as_uri())
        assert view.evaluate("document.documentElement.scrollWidth") <= 703
        assert view.locator(".standings .wide:visible").count() > 0
        box, plot = view.locator("main").bounding_box(), view.locator(".plot:visible").first.bounding_box()
        assert box is not None
        assert plot is not None
        assert plot["width"] > 0.95 * box["width"]
        labels = view.locator(".plot:visible").first.locator(":scope > text:not(.below)")
        heights = sorted(box["y"] for each in labels.all() if (box := each.bounding_box()))
        assert min(below - above for above, below in pairwise(heights)) >= 12
        expect(view.locator("#replays")).to_be_hidden()
        view.locator("details.replaybox").evaluate("each => each.open = true")
        expect(view.locator(".log li").last).to_be_visible()


@pytest.mark.parametrize(
    ("text", "games", "problem"),
    [
        ('[[stage]]\nformat = "comparison"\ncap = 2\n', 8, "is a comparison"),
        ("", 0, "has no games"),
    ],
)
def test_what_has_no_recap_is_told_what_to_do_instead(tmp_path, text, games, problem):
    path, out = tmp_path / "night.league", tmp_path / "recap.html"
    with League.create_or_open(path) as league:
        simulate(league, f'name = "night"\n{text}', 2, at_most=games, finish=False)
    said = " ".join(arena("report", path, out, "--recap", cwd=tmp_path, code=2).stderr.split())
    assert problem in said
    assert "leave out --recap" in said
    assert not out.exists()
    arena("report", path, out, cwd=tmp_path)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("--recap", "--address", "night.html"), "https://example.org/night.html"),
        (("--address", "https://example.org/a.html"), "--recap"),
        (("--recap", "--replays", "all"), "leave out --replays"),
    ],
)
def test_options_of_a_recap_that_do_not_go_together_are_refused(league, tmp_path, options, remedy):
    said = arena("report", league, tmp_path / "a.html", *options, cwd=tmp_path, code=2).stderr
    assert remedy in " ".join(said.split())
    assert not (tmp_path / "a.html").exists()
