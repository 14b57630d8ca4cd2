"""A real browser for tests: an installed Chromium, without a window."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.patience import PATIENCE

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
    context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]  # passed on
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    try:
        yield page
    finally:
        context.close()
    found = [text for text in wrong if "Failed to load resource" not in text]
    assert not found, found
