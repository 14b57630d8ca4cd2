"""Several tournaments: the list of a league and the season table, as text and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.report.tables import WIDTH, Column, exact, name_column, points, split_table, table, wrapped
from arena.runner.leagues.stored import course_of
from arena.runner.leagues.summary import final_of
from arena.standings.season import SeasonRow
from arena.store import League, StoredTournament
from arena.text import one_line

_BESIDE_TOTALS = 5  # how many tournaments have a column in the table of totals
_LEGEND = "points: the share of the others that a bot finished ahead of, ties half; won: tournaments won"


def season_text(rows: Sequence[SeasonRow], nights: Sequence[str], width: int = WIDTH) -> str:
    """The season table, with a numbered list of the tournaments below it.

    Args:
        rows: the table.
        nights: the titles of the tournaments, in order.
        width: the cells of a line; if there are too many tournaments they have a table of their own.
    """
    return "\n".join(_season_lines(rows, nights, width)) if nights else "no finished tournament yet"


def _season_lines(rows: Sequence[SeasonRow], nights: Sequence[str], width: int) -> Iterator[str]:
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
                "total": exact(row.total),
                "tournaments": [None if score is None else str(score) for score in row.nights],
                "won": row.wins,
                "versions": list(row.versions),
            }
            for row in rows
        ],
    }


class _Line(NamedTuple):
    """A tournament, its progress, and its leaders (several if they share the first place)."""

    stored: StoredTournament
    state: str
    played: int
    left: int
    first: list[str]


def _lines(league: League) -> Iterator[_Line]:
    for stored in league.tournaments():
        course = course_of(league, stored.id)
        final = final_of(course)
        first = [stored.entrants[line.entrant].name for line in final if line.place == 1]
        state = "finished" if stored.finished else "paused" if course.paused else "unfinished"
        if course.over and course.may_go_on:
            state = "can go on"
        if course.ended:
            state = "ended early"
        played = course.tally.played
        yield _Line(stored, state, played, course.games_left(), first if played else [])


def list_text(league: League, width: int = WIDTH) -> str:
    """The tournaments as a table, in lines of so many cells."""
    lines = [*_lines(league)]
    if not lines:
        return f"{league.path} holds no tournament yet; run one with arena run FILE"
    games = [
        str(line.played) if not line.left else f"{line.played}/{line.played + line.left}" for line in lines
    ]
    columns = [
        Column("#", [str(line.stored.id) for line in lines]),
        name_column("tournament", [one_line(line.stored.name) for line in lines]),
        Column("begun", [f"{line.stored.started.astimezone():%Y-%m-%d %H:%M}" for line in lines]),
        Column("state", [line.state for line in lines], left=True),
        Column("bots", [str(len(line.stored.entrants)) for line in lines]),
        Column("games", games),
        name_column("first", [", ".join(map(one_line, line.first)) for line in lines]),
    ]
    return "\n".join(table(columns, width))


def list_json(league: League) -> list[dict[str, Any]]:
    """The tournaments as plain data; times are UTC, ISO 8601."""
    return [
        {
            "tournament": line.stored.id,
            "name": line.stored.name,
            "started": line.stored.started.isoformat(),
            "finished": None if line.stored.finished is None else line.stored.finished.isoformat(),
            "state": line.state,
            "entrants": [entrant.name for entrant in line.stored.entrants],
            "games_played": line.played,
            "games_left": line.left,
            "first": line.first,
        }
        for line in _lines(league)
    ]
