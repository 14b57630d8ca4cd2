"""A real browser for tests: an installed Chromium, without a window."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.patience import PATIENCE

NOTHING_TURNS_BY_TIME = "const set = setTimeout; setTimeout = (what, ms) => set(what, ms > 5000 ? 1e9 : ms)"
"""A script for a tab with the projector: a slide stays until a key is pressed, however slow all is."""

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. Without one its tests are skipped, with the reason; in CI they fail."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        message = f"no Chromium is installed ({', '.join(NAMES)})"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def tab(browser: Browser, width: int = 1280, height: int = 800, **options: object) -> Iterator[Page]:
    """A page of the browser; an error in it fails the test."""
    with _tab(browser, width, height, **options) as (page, wrong):
        yield page
    assert not wrong, wrong


class Tabs:
    """Tabs that are opened once, each for all tests of a file that ask for its size and its options.

    To open one takes a quarter of a second of processor time.
    """

    def __init__(self, browser: Browser, ends: contextlib.ExitStack) -> None:
        self._browser, self._ends = browser, ends
        self._open: dict[tuple[object, ...], tuple[Page, list[str]]] = {}

    @contextlib.contextmanager
    def tab(self, width: int = 1280, height: int = 800, **options: object) -> Iterator[Page]:
        """Like `tab`, but the page may have been used: it knows nothing of that any more."""
        asked = (width, height, *options.items())
        if asked not in self._open:
            self._open[asked] = self._ends.enter_context(_tab(self._browser, width, height, **options))
        page, wrong = self._open[asked]
        wrong.clear()
        try:
            yield page
        finally:
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
            page.context.clear_cookies()
            page.goto("about:blank")
        assert not wrong, wrong


@contextlib.contextmanager
def _tab(browser: Browser, width: int, height: int, **options: object) -> Iterator[tuple[Page, list[str]]]:
    """A page of the browser, and the errors in it."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]  # passed on
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong: list[str] = []

    def note(text: str) -> None:
        if "Failed to load resource" not in text:
            wrong.append(text)

    page.on("pageerror", lambda error: note(str(error)))
    page.on("console", lambda message: note(message.text) if message.type == "error" else None)
    try:
        yield page, wrong
    finally:
        context.close()
