"""How a running tournament stands, in as many lines as there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from arena.report.comparison_live import comparison_lines, comparison_words
from arena.report.layout import WIDTH
from arena.report.numbers import percent
from arena.report.text_table import Column, name_column, table
from arena.standings.values import Row
from arena.tournament.course import Course

_HEAD = 2  # lines of a table's heading


def live_rows(course: Course) -> list[tuple[int, Row]]:
    """The place and the standings of each entrant, best first, in the last stage with a finished match."""
    begun = [stage for stage in course.stages if course.tally.matches_finished(stage.number)]
    if not begun:
        return []
    stage = begun[-1]
    rows = course.standings(stage)
    placing = stage.placing(course.results(stage))
    if placing is None:
        return [(row.rank, row) for row in rows]
    of = {row.entrant: row for row in rows}
    places: list[tuple[int, Row]] = []
    for group in placing:
        place = len(places) + 1
        places += [(place, of[entrant]) for entrant in group]
    return places


def live_lines(course: Course, names: Sequence[str], height: int, width: int = WIDTH) -> list[str]:
    """The top of the table, by finished matches; nothing before the first.

    Args:
        course: the tournament.
        names: the names of all entrants, by number.
        height: how many lines there may be.
        width: the cells of a line.
    """
    if course.plan.compares:
        return comparison_lines(course.comparison, names, height, width)
    rows = live_rows(course)
    room = height - _HEAD
    if len(rows) > room:
        room -= 1  # for the line that counts the others
    if room < 1 or not any(row.matches for _, row in rows):
        return []
    shown, others = rows[:room], len(rows[room:])
    columns = [
        Column("#", [str(place) for place, _ in shown]),
        name_column("bot", [names[row.entrant] for _, row in shown]),
        Column("played", [str(row.matches) for _, row in shown]),
        Column("score", [percent(row.score) for _, row in shown]),
    ]
    if any(row.wins or row.draws or row.losses for _, row in shown):
        columns.append(Column("W-D-L", [f"{row.wins}-{row.draws}-{row.losses}" for _, row in shown]))
    faults = Column("faults", [str(sum(row.faults)) for _, row in shown])
    columns += [faults] * any(sum(row.faults) for _, row in shown)
    return [*table(columns, width), *[f"and {others} more"] * bool(others)]


def leaders(course: Course, names: Sequence[str], most: int = 3) -> str:
    """The first of the table in a few words; empty before a match is over."""
    if course.plan.compares:
        return comparison_words(course.comparison, names)
    played = (row for _, row in live_rows(course) if row.matches)
    return ", ".join(f"{names[row.entrant]} {percent(row.score)}" for row in islice(played, most))
