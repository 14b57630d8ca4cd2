"""The season table as text and as data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.report.standings_text import points, text_table
from arena.standings.season import SeasonRow
from arena.text import one_line


def season_text(rows: Sequence[SeasonRow], nights: Sequence[str]) -> str:
    """The table, with a numbered list of the tournaments below it; `nights` are their titles, in order."""
    if not nights:
        return "no finished tournament yet"
    headers = ["#", "bot", "total", "won", *(str(number + 1) for number in range(len(nights))), "versions"]
    table = [
        [
            str(row.rank),
            row.name,
            points(row.total),
            str(row.wins),
            *map(points, row.nights),
            ", ".join(row.versions),
        ]
        for row in rows
    ]
    listed = "\n".join(f"{number}: {one_line(title)}" for number, title in enumerate(nights, 1))
    return f"{text_table(headers, table, left=('bot', 'versions'))}\n\n{listed}"


def season_json(rows: Sequence[SeasonRow], nights: Sequence[str]) -> dict[str, Any]:
    """The table as plain data; points are exact fractions beside their values."""
    return {
        "tournaments": list(nights),
        "season": [
            {
                "rank": row.rank,
                "name": row.name,
                "total": {"value": round(float(row.total), 6), "exact": str(row.total)},
                "tournaments": [None if score is None else str(score) for score in row.nights],
                "won": row.wins,
                "versions": list(row.versions),
            }
            for row in rows
        ],
    }
