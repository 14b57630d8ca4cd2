"""The baselines: fast ways to play on that bots' choices are compared with (`arena.comparison.luck`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from arena.engine import NeedsEngine, engine

SAMPLES: Final[Mapping[str, int]] = {"greedy": 16, "thoughtful": 64}
"""The baselines, each with its number of fresh orders of the later cards for each choice.

They are policies: `greedy` of `arena.policies`, and what the bot thoughtful plays, which only the native
engine has. Stored lucks are computed again to verify them. So another number of orders, or a policy that
plays otherwise, needs another name.
"""

ENGINE_ONLY: Final = frozenset(SAMPLES) - {"greedy"}
"""The baselines that only the native engine has."""


def present_baselines() -> tuple[str, ...]:
    """The baselines that this process can compute luck by."""
    return tuple([name for name in SAMPLES if name not in ENGINE_ONLY or engine().module is not None])


def require_baselines(baselines: Iterable[str]) -> None:
    """Raises NeedsEngine if one of some baselines needs the native engine, and it does not play here."""
    needed = ENGINE_ONLY.intersection(baselines)
    if needed and engine().module is None:
        raise NeedsEngine(
            f"luck is taken away by the baseline {min(needed)}, which only the native engine has"
        )
