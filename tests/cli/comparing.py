"""Helpers for tests of comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.arena_command import arena

COUNTED = (
    "finding", "words", "score", "low", "high", "boards", "found_after", "won", "level", "lost",
    "board_scores", "games_replaced", "played_alike", "played_twice", "the_same_way",
)  # fmt: skip


def compare(folder: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """What a comparison finds; it plays without workers if the arguments name no number of them."""
    done = arena("compare", "--workers", 0, *arguments, "--json", cwd=folder, code=code)
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def known(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {key: answer[key] for key in COUNTED}
        for pair in summary["pairs"]
        for answer in (pair["overall"], *pair["games"].values())
        if answer is not None
    ]
