"""A friendly game on the page, and a person who plays it: by the list of moves, or with the cards."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.arena_command import ARENA
from tests.patience import PATIENCE
from tests.referee.nights import wait_for


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


def serious(view):
    """The serious problems for people who cannot see, or cannot use a mouse."""
    found = Axe().run(view).response["violations"]
    return [each for each in found if each["impact"] in ("serious", "critical")]


def await_turn(view: Page) -> bool:
    """Waits for the person's turn; whether there is one, and the game is not over."""
    view.wait_for_selector(".seat[data-turn]:not([data-turn='']), .seat.ended", state="attached")
    return not view.locator(".seat.ended").count()


def turn_over(view: Page, turn: str | None) -> None:
    """Waits until a turn is over."""
    view.wait_for_function("turn => document.querySelector('.seat').dataset.turn !== turn", arg=turn)


def turn_number(view: Page) -> str | None:
    """The number of the open turn."""
    return view.locator(".seat").get_attribute("data-turn")


def play_first(view: Page) -> None:
    """Plays the first move of the list, by keyboard."""
    turn = turn_number(view)
    view.keyboard.press("m")
    expect(view.locator("#find")).to_be_focused()
    view.keyboard.type("1")
    view.keyboard.press("Enter")
    turn_over(view, turn)


def play_to_the_end(view: Page) -> None:
    """Plays the first move of each turn, by keyboard."""
    while await_turn(view):
        play_first(view)


_CORNER = """number => {
    const box = document.querySelectorAll(".spot")[number]?.getBoundingClientRect();
    return box ? [box.right - 7, box.top + 7] : null;
}"""
"""The upper right corner of a place where a card may go: smaller places lie at its left."""

_COUNTED = """wanted => [
    document.querySelector(".seat").dataset.turn,
    ...wanted.map(each => document.querySelectorAll(each).length)
]"""


_CLICKS = "window.clicks ??= (addEventListener('click', () => { clicks += 1; }, true), 0)"


def _tapped(view: Page, tap: Callable[[], None]) -> None:
    """Taps, and waits until the page knows: the click comes some time after the touch."""
    before = view.evaluate(_CLICKS)
    tap()
    view.wait_for_function("before => clicks > before", arg=before)


def play_with_cards(view: Page, number: int) -> None:
    """Plays one move by tapping.

    Taps a place; then as long as more is needed, a card that goes with it, and the place again, or the
    buttons offered there. Every other turn begins with a card.
    """
    turn = turn_number(view)
    wanted = (
        ".pick:not([aria-disabled=true]):not(.apart)",
        ".pick[aria-pressed=true]",
        ".spot",
        ".beside",
        ".atplace button",
    )
    for _ in range(8):
        now, cards, picked, spots, beside, offered = view.evaluate(_COUNTED, wanted)
        if now != turn:
            return
        if number % 2 and cards and not picked:
            _tapped(view, view.locator(wanted[0]).nth(number % cards).tap)
        elif offered:
            _tapped(view, view.locator(".atplace button").first.tap)
        elif spots:
            point = view.evaluate(_CORNER, number % spots)
            if point is not None:  # it may have been drawn again meanwhile, as may what is tapped then
                _tapped(view, partial(view.touchscreen.tap, *point))
        elif beside:
            _tapped(view, view.locator(".beside").first.tap)
        else:
            _tapped(view, view.locator("#send").tap)
    if turn_number(view) != turn:
        return
    raise AssertionError("eight taps play no move")


def drag_a_card(view: Page, to: Locator) -> None:
    """Drags the first card to a place; waits until the turn is over if it is a lit one."""
    turn, lit = turn_number(view), to.get_attribute("data-spot")
    start, end = view.locator(".pick").first.bounding_box(), to.bounding_box()
    assert start is not None
    assert end is not None
    view.mouse.move(start["x"] + 12, start["y"] + 30)
    view.mouse.down()
    view.mouse.move(start["x"] + 12, start["y"] - 30)
    view.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2)
    expect(view.locator(".ghosts .card")).to_have_count(1)
    view.mouse.up()
    if lit:
        turn_over(view, turn)


def play_by_keys(view: Page) -> None:
    """Plays a move without a pointer or the list: a card, then a place or a button."""
    turn = turn_number(view)
    if view.locator(".pick:not([aria-disabled=true])").count():
        while view.evaluate("() => document.activeElement.matches('.pick[aria-disabled=true]')"):
            view.keyboard.press("ArrowRight")
        view.keyboard.press("Space")
    for _ in range(4):
        if turn_number(view) != turn:
            return
        if view.locator("#send:enabled:visible").count():
            view.locator("#send").focus()
        elif view.locator(".atplace").count():
            view.locator(".atplace button").first.focus()
        elif view.locator(".spot").count():
            view.keyboard.press("t")
        else:
            view.locator(".beside").first.focus()
        view.keyboard.press("Enter")
    turn_over(view, turn)
