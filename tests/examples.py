"""How much is tried of what is drawn at random.

Tests say what is tried in the thorough run, `pytest --hypothesis-profile=thorough`.
Where `CI` is set half of it is tried, elsewhere a quarter, and with
`--hypothesis-profile=deep` twenty times as much.
"""

from __future__ import annotations

from hypothesis import settings

THOROUGH = 80
"""So many examples hypothesis tries then of a test that says nothing."""

DEEP = 20
"""How many times as much is tried in the deep run."""


def tried(count: int, deep: int | None = None) -> int:
    """How many are tried in this run, of so many in the thorough run and `deep` in the deep one.

    (Usually twenty times as many. More where the test is slow, and a few find what breaks often.)
    """
    return max(1, deep if deep and is_deep() else count * settings().max_examples // THOROUGH)


def is_deep() -> bool:
    """Whether this is the deep run."""
    return settings().max_examples == THOROUGH * DEEP


def examples(count: int, deep: int | None = None) -> settings:
    """The settings of a test for which hypothesis tries so many examples; see `tried`."""
    return settings(max_examples=tried(count, deep))
