"""How many examples hypothesis tries.

The profiles are registered in `conftest.py`. `pytest --hypothesis-profile=deep`
tries twenty times as many, `pytest -m "not slow"` a quarter.
"""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""So many are tried of a test that says nothing."""


def examples(count: int) -> settings:
    """The settings of a test that tries so many examples in the usual run."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
