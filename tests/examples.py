"""How many examples hypothesis tries.

The profiles are registered in `conftest.py`. `pytest --hypothesis-profile=deep`
tries twenty times as many, `pytest -m "not slow"` a quarter.
"""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""So many are tried of a test that says nothing."""

DEEP = 20
"""How many times as many are tried in the deep run."""


def examples(count: int, deep: int | None = None) -> settings:
    """The settings of a test that tries so many examples in the usual run, and `deep` in the deep one.

    (Usually twenty times as many. More where the test is slow, and a few find what breaks often.)
    """
    share = settings().max_examples / USUAL
    return settings(max_examples=max(1, deep if deep and share == DEEP else int(count * share)))
