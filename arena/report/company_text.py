"""The report on company at tables of three and more: as text, as plain data for JSON, and as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.report.tables import (
    NAME_IN_TEXT,
    WIDTH,
    Column,
    name_column,
    percent,
    shortened,
    spreadsheet,
    table,
    wrapped,
)
from arena.runner.leagues.summary import CompanySummary
from arena.standings.company import ALARM, POWER, Company
from arena.text import counted, one_line

_NO_PROOF = (
    "That is no proof of an agreement: a style of play that suits the other has the same effect, and so has "
    "sitting right behind it more often than others do. Look at their games (arena replay)."
)


def company_text(summary: CompanySummary, width: int = WIDTH) -> str:
    """The report in lines of at most `width` cells."""
    return "\n".join(_lines(summary, width))


def company_json(summary: CompanySummary) -> dict[str, Any]:
    """The report as plain data, with every tested pair. Scores and gaps are from 0 to 1."""
    report, names = summary.report, summary.names
    return {
        "tournament": summary.tournament,
        "groups": report.groups,
        "pairs_looked_at": len(report.pairs),
        "false_alarms_at_most": ALARM,
        "power": POWER,
        "detectable_gap": None if report.detectable is None else round(report.detectable, 6),
        "pairs": [
            {
                "name": names[pair.entrant],
                "with": names[pair.other],
                "groups": pair.groups,
                "score": round(pair.score, 6),
                "expected": round(pair.expected, 6),
                "p": float(f"{pair.chance:.6g}"),
                "p_corrected": float(f"{pair.corrected:.6g}"),
                "detectable_gap": round(pair.detectable, 6),
                "suspicious": pair.suspicious,
            }
            for pair in report.pairs
        ],
    }


def company_rows(summary: CompanySummary) -> Iterator[list[str]]:
    """A row of headings, then a row per ordered pair, the most improbable first."""
    headings = (
        "name", "with", "groups", "score", "expected", "p", "p_corrected", "detectable_gap", "suspicious",
    )  # fmt: skip
    return spreadsheet(
        [
            {
                **pair,
                "name": one_line(pair["name"]),
                "with": one_line(pair["with"]),
                "suspicious": str(pair["suspicious"]).lower(),
            }
            for pair in company_json(summary)["pairs"]
        ],
        headings,
    )


def _lines(summary: CompanySummary, width: int) -> Iterator[str]:
    report = summary.report
    name = one_line(summary.tournament)
    if not report.groups:
        yield from wrapped(
            f"{name} is played at tables of two: only at larger ones can a bot help another."
            if summary.seats < 3
            else f"{name}: no board has been played from every seat at a table of three or more yet.",
            width,
        )
        return
    yield from wrapped(
        f"{name}: company at tables of three and more, {counted(report.groups, 'duplicate group')}", width
    )
    yield ""
    if not report.pairs:
        yield from wrapped(
            "No pair can be tested: the same bots sat together at every table, so the effect of company "
            "cannot be told from strength. The test needs more bots than seats, and results that differ.",
            width,
        )
        return
    suspicious = report.suspicious
    if suspicious:
        yield "Bots that score more at tables with another than their rating explains"
        yield from table(_columns(summary, suspicious), width)
        yield ""
        for pair in suspicious:
            yield from wrapped(f"{_sentence(summary, pair)}.", width)
        yield from wrapped(_NO_PROOF, width)
    else:
        yield from wrapped(
            f"No bot scores more at tables with a certain other than ratings and chance explain. "
            f"{counted(len(report.pairs), 'pair was', 'pairs were')} tested, each in both directions.",
            width,
        )
    yield from wrapped(
        f"If all bots play for themselves, any pair is shown in at most {ALARM * 100:.0f} of 100 leagues. "
        f"At half of the pairs a gap of {(report.detectable or 0) * 100:.1f} % or more would be found in "
        f"{POWER * 100:.0f} of 100.",
        width,
    )


def _columns(summary: CompanySummary, pairs: tuple[Company, ...]) -> list[Column]:
    names = [*map(one_line, summary.names)]
    return [
        name_column("bot", [names[pair.entrant] for pair in pairs]),
        name_column("with", [names[pair.other] for pair in pairs]),
        Column("boards", [str(pair.groups) for pair in pairs]),
        Column("score", [percent(pair.score) for pair in pairs]),
        Column("expected", [percent(pair.expected) for pair in pairs]),
        Column("p", [_chance(pair.corrected) for pair in pairs]),
    ]


def _sentence(summary: CompanySummary, pair: Company) -> str:
    helped, other = (
        shortened(one_line(summary.names[each]), NAME_IN_TEXT) for each in (pair.entrant, pair.other)
    )
    return (
        f"At tables with {other}, {helped} scores {pair.score * 100:.0f} % where {pair.expected * 100:.0f} % "
        f"is expected ({_equation(pair.corrected)} after correction for "
        f"{counted(len(summary.report.pairs), 'pair')})"
    )


def _equation(chance: float) -> str:
    text = _chance(chance)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _chance(chance: float) -> str:
    return "< .0001" if chance < 0.0001 else f"{chance:.4f}".removeprefix("0")
