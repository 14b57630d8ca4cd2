"""The tournaments of a league, a line each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from arena.report.layout import WIDTH
from arena.report.text_table import Column, name_column, table
from arena.runner.leagues.stored import course_of
from arena.store import League, StoredTournament
from arena.text import one_line


class _Line(NamedTuple):
    """A tournament, how far it is, and who is first in it (several where they share the place)."""

    stored: StoredTournament
    state: str
    played: int
    left: int
    first: list[str]


def _lines(league: League) -> Iterator[_Line]:
    for stored in league.tournaments():
        course = course_of(league, stored.id)
        first = [stored.entrants[line.entrant].name for line in course.final() if line.place == 1]
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
