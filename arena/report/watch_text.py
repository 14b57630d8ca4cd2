"""How a tournament stands at the moment, in few lines: for a terminal that shows it anew again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from arena.report.bracket_text import bracket_lines
from arena.report.layout import WIDTH, counted, wrapped
from arena.report.numbers import percent
from arena.report.text_table import Column, name_column, table
from arena.results import FAULT_REASONS
from arena.runner.leagues.summary import StageSummary, Summary
from arena.standings.values import Row
from arena.text import one_line


def watch_text(summary: Summary, width: int = WIDTH) -> str:
    """The state of a tournament, its current stage, and what is left.

    Args:
        summary: how it stands.
        width: the cells of a line.
    """
    return "\n".join(_lines(summary, width))


def _lines(summary: Summary, width: int) -> Iterator[str]:
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    yield f"{one_line(summary.plan.name)}: {_progress(summary)}"
    stage = summary.stages[-1]
    yield f"stage {stage.stage.number + 1} of {len(summary.plan.stages)}: {stage.title}, " + _matches(stage)
    yield ""
    if stage.bracket is not None:
        yield from bracket_lines(stage.bracket, names, stage.stage.extra_boards, width)
        yield ""
    for group in stage.groups:
        yield f"Group {group.name}"
        yield from _standings(summary, group.rows, names, width)
        yield ""
    if not stage.groups:
        yield from _standings(summary, stage.rows, names, width)
    for item in summary.withdrawals:
        because = f" ({one_line(item.reason)})" if item.reason else ""
        yield from wrapped(f"{names[item.ruling.entrant]} was withdrawn{because}", width)


def _progress(summary: Summary) -> str:
    played, left = summary.games, summary.games_left
    if summary.tournament.finished is not None:
        why = f" early: {summary.ended}" if summary.ended else " early" if summary.ended is not None else ""
        return f"ended{why}, {counted(played, 'game')}"
    share = f"{played} of {counted(played + left, 'game')}"
    if summary.paused:
        return f"{share}, paused"
    if summary.time_left is None:
        return share
    return f"{share}, about {_span(summary.time_left)} to go"


def _matches(stage: StageSummary) -> str:
    return f"{stage.played} of {counted(stage.matches, 'match', 'matches')} over"


def _span(seconds: float) -> str:
    span = timedelta(seconds=round(seconds))
    return f"{span.seconds} s" if span < timedelta(minutes=1) else str(span)


def _standings(summary: Summary, rows: Sequence[Row], names: list[str], width: int) -> Iterator[str]:
    gone = {item.ruling.entrant for item in summary.withdrawals}
    faults = [
        ", ".join(
            f"{count} {reason.replace('_', ' ')}"
            for reason, count in zip(FAULT_REASONS, row.faults, strict=True)
            if count
        )
        for row in rows
    ]
    columns = [
        Column("#", [str(row.rank) for row in rows]),
        name_column("bot", [names[row.entrant] + " (gone)" * (row.entrant in gone) for row in rows]),
        Column("played", [str(row.matches) for row in rows]),
        Column("score", [percent(row.score) for row in rows]),
    ]
    if any(row.forfeits for row in rows):
        columns.append(Column("forfeits", [str(row.forfeits or "") for row in rows]))
    if any(faults):
        columns.append(Column("faults", faults, left=True, least=10))
    yield from table(columns, width)
