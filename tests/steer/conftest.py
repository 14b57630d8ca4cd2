"""The browser of the tests of this folder."""

from __future__ import annotations

from tests.view.conftest import browser, tabs

__all__ = ["browser", "tabs"]
