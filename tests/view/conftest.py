"""The fixtures of the page's tests: a browser for each file, and a night that is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.patience import PATIENCE
from tests.referee.nights import wait_for
from tests.view.browser import Tabs, chromium
from tests.view.nights import Night


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium with long time limits for expectations."""
    expect.set_options(timeout=1000 * PATIENCE)
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Tabs]:
    """Tabs of the browser for all tests of a file."""
    with ExitStack() as ends:
        yield Tabs(browser, ends)


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Callable[..., Night]]:
    """A function that begins a night, which ends with the test."""
    with ExitStack() as ends:

        def begin(*options: str, **head: str) -> Night:
            night = Night(tmp_path, *options, **head)
            ends.enter_context(night.process)
            ends.callback(night.process.kill)
            wait_for(night.league.exists)
            return night

        yield begin
