"""The documentation as tests read it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")
