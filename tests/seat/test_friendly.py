"""A friendly game on the page: `arena play ... --serve`, played in a browser to its end, and again."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import expect

from arena.table.deal import key_of_seed
from tests.arena_command import arena
from tests.bots_for_tests import served_address
from tests.seat.playing import friendly, play_to_the_end, serious, sit_down
from tests.view.browser import tab


def command_lines():
    """The command lines of all processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            found.append(path.read_bytes().decode(errors="replace"))
    return found


def test_a_person_plays_a_friendly_game_and_again(browser, tmp_path):
    with (
        friendly(tmp_path, "hyrule", "--against", served_address(), "--seat", 1, "--move", "90s") as url,
        tab(browser, 390, 844) as view,
    ):
        sit_down(view, url)
        expect(view.locator("#note")).to_contain_text("Your move.")
        expect(view.locator(".against")).to_have_text(re.compile("^plays Hyrule against [^;]+$"))
        expect(view.locator("#clock")).to_have_text(re.compile(r"Your move 1:(30|2\d)"))
        assert any("friendly_page" in line for line in command_lines())
        assert not any(key_of_seed("1").hex() in line for line in command_lines())  # which every bot may read
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        with tab(browser) as other:  # the first person plays
            sit_down(other, url, "Eve")
            expect(other.get_by_role("alert")).to_have_text("Somebody sits here already.")
        first = view.locator(".myhand").inner_html()
        play_to_the_end(view)
        expect(view.locator("#clock")).to_have_text("Game over")
        expect(view.locator("#winner")).to_have_text(re.compile(r"^.+ wins \d+ to \d+"))
        assert serious(view) == []
        view.get_by_role("link", name="See all hands").click()
        expect(view.locator(".count")).to_have_text(re.compile(r"^(\d+)/\1$"))  # at its end
        expect(view.locator(".versus")).to_contain_text("Ada")
        assert view.input_value(".view") == "all"
        view.get_by_role("link", name="Back to your seat").click()
        view.get_by_role("button", name="Play again, seats swapped").click()
        expect(view.locator("#note")).to_contain_text("Your move.")
        expect(view.locator(".against")).to_have_text(re.compile("; the seats are swapped$"))
        assert view.locator(".stage .seatbox").nth(0).locator(".name").inner_text() == "Ada"
        assert view.locator(".myhand").inner_html() != first  # another board
        view.get_by_role("button", name="Leave").click()
        sit_down(view, url, "Bob")
        expect(view.locator("#note")).to_contain_text("Your move.")
        assert view.locator(".myhand").inner_html() == first  # that of the seed
        assert serious(view) == []
        view.goto(f"{url}/standings")
        expect(view.get_by_role("heading", level=1)).to_have_text("There is no such page.")


def test_a_bot_that_never_comes_is_said_on_the_page(browser, tmp_path):
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "bot.toml").write_text('name = "gone"\n[run]\ncommand = ["false"]\n')
    with friendly(tmp_path, "nyuri", "--against", "gone") as url, tab(browser) as view:
        sit_down(view, url)
        expect(view.locator("#note")).to_contain_text(
            re.compile("Gone .*see what is wrong by arena check-bot")
        )
        view.get_by_role("button", name="Leave").click()
        sit_down(view, url, "gone")
        expect(view.get_by_role("alert")).to_contain_text("take another name")


def test_wrong_use_is_a_sentence(tmp_path):
    words = ["play", "kleftis", "--against", served_address()]
    assert "there are seats 0 to 1" in arena(*words, "--seat", 2, "--serve", cwd=tmp_path, code=2).stderr
    done = arena(*words, "--serve", "here", cwd=tmp_path, code=2)
    assert "'here' is no HOST:PORT" in done.stderr
