"""What the tables of the page show: standings, ratings, crosstables, and the sentence above all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from arena.page.pages import joined
from arena.page.snapshot import Snapshot
from arena.report.standings_text import TIE_BREAKS
from arena.report.tables import percent
from arena.runner.leagues.summary import StageSummary, Summary
from arena.standings.values import Crosstable, Rating, Row
from arena.text import counted, one_line

Values = dict[str, Any]


def isolated(name: str) -> str:
    """A name in a sentence, so that one that runs from right to left turns nothing round it."""
    return f"\u2068{name}\u2069"


def headline(snapshot: Snapshot | None) -> str:
    """How the tournament stands, in one sentence."""
    if snapshot is None:
        return "No tournament yet."
    summary = snapshot.summary
    if summary is None:
        return one_line(snapshot.tournament.name)
    if not summary.games:
        return "No results yet."
    first = [isolated(snapshot.names[line.entrant]) for line in summary.final if line.place == 1]
    if snapshot.finished or summary.stages[-1].bracket is not None:
        winner = summary.stages[-1].bracket.winner if summary.stages[-1].bracket else None
        if winner is not None:
            return f"{isolated(snapshot.names[winner])} wins."
    if snapshot.finished:
        if summary.ended is not None:
            return f"Ended early: {joined(first)} {'is' if len(first) == 1 else 'are'} first."
        return f"{joined(first)} {'wins' if len(first) == 1 else 'win together'}."
    stage = summary.stages[-1]
    if stage.bracket is not None:
        matches = counted(stage.matches, "match", "matches")
        over = sum(each.played for each in snapshot.rounds if each.stage == snapshot.rounds[-1].stage)
        return f"{stage.title.capitalize()}: {over} of {matches} over."
    return _leading(stage.rows, snapshot.names)


def _leading(rows: Sequence[Row], names: Sequence[str]) -> str:
    if not rows or rows[0].score is None:
        return "No match is over yet."
    best = [row for row in rows if row.score == rows[0].score]
    if len(best) > 1:
        return f"{joined([isolated(names[row.entrant]) for row in best[:3]])} lead together."
    if len(rows) == 1 or rows[1].score is None:
        return f"{isolated(names[rows[0].entrant])} leads."
    return f"{isolated(names[rows[0].entrant])} leads by {percent(rows[0].score - rows[1].score)}."


def stage_tables(snapshot: Snapshot, summary: Summary, before: Mapping[tuple[int, int], int]) -> list[Values]:
    """The standings of each stage that has begun, the latest first."""
    return [_stage_table(snapshot, summary, stage, before) for stage in reversed(summary.stages)]


def _stage_table(
    snapshot: Snapshot, summary: Summary, stage: StageSummary, before: Mapping[tuple[int, int], int]
) -> Values:
    present = stage is summary.stages[-1]
    groups = stage.groups or (None,)
    last = stage.stage.number == len(summary.plan.stages) - 1
    return {
        "title": f"Stage {stage.stage.number + 1}: {stage.title}",
        "number": stage.stage.number + 1,
        "seats": stage.stage.seats,
        "played": stage.played,
        "matches": stage.matches,
        "advances": 0 if last else len(stage.advancing),
        "games": summary.plan.games,
        "bracket": stage.bracket is not None,
        "duels": any(row.wins or row.draws or row.losses for row in stage.rows),
        "tie_breaks": _tie_breaks(stage.rows),
        "tables": [
            {
                "name": None if group is None else group.name,
                "rows": _rows(
                    snapshot, summary, stage, group.rows if group else stage.rows, before if present else {}
                ),
            }
            for group in groups
        ],
    }


def _rows(
    snapshot: Snapshot,
    summary: Summary,
    stage: StageSummary,
    rows: Sequence[Row],
    before: Mapping[tuple[int, int], int],
) -> list[Values]:
    gone = {item.ruling.entrant for item in summary.withdrawals}
    present = stage is summary.stages[-1] and not snapshot.finished
    line = _line(rows, stage) if present else None
    shown: list[Values] = []
    for row in rows:
        ratio = float(row.score) if row.score is not None else 0.0
        was = before.get((stage.stage.number, row.entrant))
        shown.append(
            {
                "entrant": row.entrant,
                "rank": row.rank,
                "change": 0 if was is None else was - row.rank,
                "score": percent(row.score),
                "bar": round(100 * ratio, 1),
                "games": [(each.game, percent(each.score)) for each in row.games],
                "wdl": f"{row.wins}-{row.draws}-{row.losses}",
                "played": row.matches,
                "of": _of(snapshot, row) if present else row.matches,
                "faults": sum(row.faults),
                "forfeits": row.forfeits,
                "gone": row.entrant in gone,
                "advances": row.entrant in stage.advancing,
                "need": None if line is None else _need(snapshot, row, line),
                "ties": [(item.code, item.value) for item in row.tie_breaks],
            }
        )
        shown[-1]["cut"] = False
    for above, below in pairwise(shown):
        above["cut"] = above["advances"] and not below["advances"]
    return shown


def _of(snapshot: Snapshot, row: Row) -> int:
    """How many matches it has in all, as far as that is known."""
    return max(row.matches, int(snapshot.matches_of.get(row.entrant, Fraction(row.matches))))


def _line(rows: Sequence[Row], stage: StageSummary) -> Row | None:
    """The last row that goes on as it stands, or the leader where nobody does: what others aim at."""
    scored = [row for row in rows if row.score is not None]
    on = [row for row in scored if row.entrant in stage.advancing]
    if not scored or (on and len(on) == len(scored)):
        return None
    return on[-1] if on else scored[0]


def _need(snapshot: Snapshot, row: Row, line: Row) -> Values | None:
    """What an entrant behind the line needs to reach the score that is there now."""
    if row.score is None or line.score is None or row.entrant == line.entrant or row.rank < line.rank:
        return None
    of = _of(snapshot, row)
    left = of - row.matches
    if left <= 0 or row.score >= line.score:
        return None
    share = (line.score * of - row.total) / left
    return {"whom": line.entrant, "left": left, "share": percent(share) if share <= 1 else None}


def _tie_breaks(rows: Sequence[Row]) -> list[tuple[str, str]]:
    codes = dict.fromkeys(item.code for row in rows for item in row.tie_breaks)
    return [(code, TIE_BREAKS[code]) for code in codes]


def rating_strips(ratings: Sequence[Rating]) -> list[Values]:
    """Ratings with the places of their dots and intervals on a strip from 0 to 100."""
    ends = [end for each in ratings for end in (each.low, each.rating, each.high) if end is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    width = max(high - low, 1.0)

    def at(value: float | None) -> float | None:
        return None if value is None else round(3 + 94 * (value - low) / width, 2)

    ranked = sorted(ratings, key=lambda each: -(each.rating if each.rating is not None else float("-inf")))
    return [
        {"rating": each, "dot": at(each.rating), **_interval(at(each.low), at(each.high))} for each in ranked
    ]


def _interval(low: float | None, high: float | None) -> Values:
    """The ends of an interval on a strip, of which one may be open."""
    if low is None and high is None:
        return {"low": None, "high": None}
    return {"low": 0.0 if low is None else low, "high": 100.0 if high is None else high}


def crosstables(snapshot: Snapshot, summary: Summary) -> list[Values]:
    """Everybody against everybody, for each stage whose format has a table."""
    tables = []
    for stage in reversed(summary.stages):
        if stage.bracket is not None:
            continue
        parts: list[tuple[str | None, Crosstable]] = [(each.name, each.crosstable) for each in stage.groups]
        parts = parts or [(None, stage.crosstable)]
        tables += [
            {"title": f"Stage {stage.stage.number + 1}: {stage.title}", "group": name, "table": table}
            for name, table in parts
            if len(table.entrants) > 1
        ]
    return tables
