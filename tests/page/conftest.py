"""The fixture of the page's tests: a browser for each file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browser import chromium
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium with long time limits for expectations."""
    expect.set_options(timeout=1000 * PATIENCE)
    with chromium() as found:
        yield found
