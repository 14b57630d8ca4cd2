"""A friendly game on the page: `arena play ... --serve`, played in a browser to its end, and again."""

from __future__ import annotations

import re
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from arena.table.deal import key_of_seed
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import served_address
from tests.page.browser import tab
from tests.patience import PATIENCE
from tests.runner.nights import wait_for


@contextmanager
def friendly(folder: Path, *words: object):
    """Serves a friendly game, ends it as Ctrl-C does, and checks that nothing is left; yields its address."""
    process = subprocess.Popen(
        [*ARENA, "play", *map(str, words), "--seed", "1", "--serve", "127.0.0.1:0"],
        cwd=folder, env={"TMPDIR": str(folder), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+(?=/)", process.stdout.readline())
        assert found, process.stderr.read()
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (0, "")
    wait_for(lambda: not list(folder.glob("arena-*")))


def sit_down(view, url, name="Ada"):
    view.goto(url)
    view.get_by_label("Your name").fill(name)
    view.keyboard.press("Enter")


def command_lines():
    """The command lines of all processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            found.append(path.read_bytes().decode(errors="replace"))
    return found


def play_to_the_end(view):
    """Plays the first action of each turn, by keyboard."""
    find, again = view.locator("#find"), view.get_by_role("button", name="Play again")
    while True:
        expect(view.locator("#send:visible:not([disabled]), #find:visible").or_(again).first).to_be_visible()
        if again.is_visible():
            return
        before = view.locator("#timeout").inner_text(), view.locator(".since").inner_html()
        find.fill("1")
        view.keyboard.press("Enter")
        view.keyboard.press("Enter")
        view.wait_for_function(
            "([timeout, since]) => document.querySelector('.resting') || timeout !=="
            " document.querySelector('#timeout').innerText || since !=="
            " document.querySelector('.since').innerHTML",
            arg=list(before),
        )


def test_a_person_plays_a_friendly_game_and_again(browser, tmp_path):
    with (
        friendly(tmp_path, "hyrule", "--against", served_address(), "--seat", 1, "--move", "90s") as url,
        tab(browser, 390, 844) as view,
    ):
        sit_down(view, url)
        expect(view.locator("#note")).to_contain_text("Your turn.")
        expect(view.locator(".against")).to_have_text("plays Hyrule, in seat 1")
        expect(view.locator("#clock")).to_have_text(re.compile(r"1:(30|2\d)"))
        assert any("friendly_page" in line for line in command_lines())
        assert not any(key_of_seed("1").hex() in line for line in command_lines())  # which every bot may read
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        with tab(browser) as other:  # the first person plays
            sit_down(other, url, "Eve")
            expect(other.get_by_role("alert")).to_have_text("Somebody sits here already.")
        first = view.locator(".myhand").inner_html()
        play_to_the_end(view)
        expect(view.locator("#note")).to_contain_text("The game is over")
        view.get_by_role("link", name="Show me everything").click()
        expect(view.locator(".count")).to_contain_text("0/")
        expect(view.locator(".versus")).to_contain_text("Ada")
        assert view.input_value(".view") == "all"
        view.get_by_role("link", name="Back to your seat").click()
        view.get_by_role("button", name="Play again").click()
        expect(view.locator("#note")).to_contain_text("Your turn.")
        assert view.locator(".myhand").inner_html() != first  # another board
        view.get_by_role("button", name="Leave the seat").click()
        sit_down(view, url, "Bob")
        expect(view.locator("#note")).to_contain_text("Your turn.")
        assert view.locator(".myhand").inner_html() == first  # that of the seed
        serious = [
            each
            for each in Axe().run(view).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == []
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
        view.get_by_role("button", name="Leave the seat").click()
        sit_down(view, url, "gone")
        expect(view.get_by_role("alert")).to_contain_text("take another name")


def test_wrong_use_is_a_sentence(tmp_path):
    words = ["play", "kleftis", "--against", served_address()]
    assert "there are seats 0 to 1" in arena(*words, "--seat", 2, "--serve", cwd=tmp_path, code=2).stderr
    done = arena(*words, "--serve", "here", cwd=tmp_path, code=2)
    assert "'here' is no HOST:PORT" in done.stderr
