"""The season table as text and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.report.layout import WIDTH, wrapped
from arena.report.numbers import points
from arena.report.text_table import Column, name_column, split_table, table
from arena.standings.season import SeasonRow
from arena.text import one_line

_BESIDE_TOTALS = 5  # tournaments that have a column in the table of totals
_LEGEND = "points: the share of the others that a bot finished ahead of, ties half; won: tournaments won"


def season_text(rows: Sequence[SeasonRow], nights: Sequence[str], width: int = WIDTH) -> str:
    """The table, with a numbered list of the tournaments below it.

    Args:
        rows: the table.
        nights: the titles of the tournaments, in order.
        width: the cells of a line; where there are too many tournaments they
            have a table of their own.
    """
    return "\n".join(_lines(rows, nights, width)) if nights else "no finished tournament yet"


def _lines(rows: Sequence[SeasonRow], nights: Sequence[str], width: int) -> Iterator[str]:
    who = [Column("#", [str(row.rank) for row in rows]), name_column("bot", [row.name for row in rows])]
    totals = [
        Column("total", [points(row.total) for row in rows]),
        Column("won", [str(row.wins) for row in rows]),
    ]
    each = [
        Column(str(number + 1), [points(row.nights[number]) for row in rows]) for number in range(len(nights))
    ]
    versions = []
    if any(row.versions for row in rows):
        versions.append(name_column("versions", [", ".join(row.versions) for row in rows]))
    if len(nights) <= _BESIDE_TOTALS:
        yield from table([*who, *totals, *each, *versions], width)
    else:
        yield from table([*who, *totals, *versions], width)
        yield ""
        yield "Points in each tournament"
        yield from split_table(who, each, width)
    yield ""
    yield from wrapped(_LEGEND, width)
    yield ""
    for number, title in enumerate(nights, 1):
        yield from wrapped(f"{number}: {one_line(title)}", width, "   ")


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
