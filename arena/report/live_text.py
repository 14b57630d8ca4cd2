"""How a tournament stands at the moment, in few lines: for a terminal that shows it anew again and again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from arena.report.bracket_text import bracket_lines
from arena.report.standings_text import percent, text_table
from arena.results import FAULT_REASONS
from arena.runner.summary import StageSummary, Summary
from arena.text import one_line


def live_text(summary: Summary, now: datetime | None = None) -> str:
    """The state of a tournament, its current stage, and what is left; `now` for the time to the end."""
    return "\n".join(_lines(summary, now or datetime.now(UTC)))


def _lines(summary: Summary, now: datetime) -> Iterator[str]:
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    yield f"{one_line(summary.plan.name)}: {_progress(summary, now)}"
    stage = summary.stages[-1]
    yield f"stage {stage.stage.number + 1} of {len(summary.plan.stages)}: {stage.title}, " + _matches(stage)
    yield ""
    if stage.bracket is not None:
        yield from bracket_lines(stage.bracket, names)
        yield ""
    yield _standings(summary, stage, names)
    for item in summary.withdrawals:
        because = f" ({one_line(item.reason)})" if item.reason else ""
        yield f"{names[item.decision.entrant]} was withdrawn{because}"


def _progress(summary: Summary, now: datetime) -> str:
    played, left = summary.games, summary.games_left
    if summary.tournament.finished is not None:
        why = f" early: {summary.ended}" if summary.ended else " early" if summary.ended is not None else ""
        return f"ended{why}, {played} games"
    share = f"{played} of {played + left} games"
    if summary.paused:
        return f"{share}, paused"
    if not played:
        return share
    spent = (now - summary.tournament.started).total_seconds()
    return f"{share}, about {_span(spent / played * left)} to go"


def _matches(stage: StageSummary) -> str:
    matches = "match" if stage.matches == 1 else "matches"
    return f"{stage.played} of {stage.matches} {matches} over"


def _span(seconds: float) -> str:
    span = timedelta(seconds=round(seconds))
    return f"{span.seconds} s" if span < timedelta(minutes=1) else str(span)


def _standings(summary: Summary, stage: StageSummary, names: list[str]) -> str:
    gone = {item.decision.entrant for item in summary.withdrawals}
    rows = [
        [
            str(row.rank),
            names[row.entrant] + (" (withdrawn)" if row.entrant in gone else ""),
            str(row.matches),
            percent(row.score),
            str(row.forfeits or ""),
            ", ".join(
                f"{count} {reason.replace('_', ' ')}"
                for reason, count in zip(FAULT_REASONS, row.faults, strict=True)
                if count
            ),
        ]
        for row in stage.rows
    ]
    return text_table(["#", "bot", "matches", "score", "forfeits", "faults"], rows, left=("bot", "faults"))
