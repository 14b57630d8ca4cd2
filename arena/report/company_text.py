"""The report on company at tables of three and more: as text, as plain data for JSON, and as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.league.summary import CompanySummary
from arena.report.tables import NAME_IN_TEXT, WIDTH, shortened, spreadsheet, wrapped
from arena.standings.company import ALARM, POWER, Company
from arena.text import counted, one_line

_NO_PROOF = (
    "That is no proof of an agreement: a style of play that suits or beats the other has the same effect, "
    "and so has sitting right behind it more often than others do. Look at their games (arena replay LEAGUE)."
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
        "tests": report.tests,
        "forfeited_groups": summary.forfeited,
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
                **_encounters(pair),
                "suspicious": pair.suspicious,
            }
            for pair in report.pairs
        ],
    }


def company_rows(summary: CompanySummary) -> Iterator[list[str]]:
    """A row of headings, then a row per ordered pair, the most improbable first."""
    headings = (
        "name", "with", "groups", "score", "expected", "p", "p_corrected", "detectable_gap",
        "games", "ahead", "expected_ahead", "p_ahead", "p_ahead_corrected", "suspicious",
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


def _encounters(pair: Company) -> dict[str, float | None]:
    """The second test of a pair; None where it was not made."""
    keys = ("games", "ahead", "expected_ahead", "p_ahead", "p_ahead_corrected")
    if (met := pair.encounters) is None:
        return dict.fromkeys(keys)
    chances = (float(f"{chance:.6g}") for chance in (met.chance, met.corrected))
    return dict(zip(keys, (met.games, round(met.share, 6), round(met.expected, 6), *chances), strict=True))


def _lines(summary: CompanySummary, width: int) -> Iterator[str]:
    report = summary.report
    name = one_line(summary.tournament)
    if not report.groups:
        unforfeited = ", without a forfeit," if summary.forfeited else ""
        yield from wrapped(
            f"{name} is played at tables of two: only at larger ones can a bot help another."
            if summary.seats < 3
            else f"{name}: no board has been played from every seat{unforfeited} "
            "at a table of three or more yet.",
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
    if suspicious := report.suspicious:
        for pair in suspicious:
            for sentence in _sentences(summary, pair):
                yield from wrapped(sentence, width)
        yield from wrapped(_NO_PROOF, width)
    else:
        yield from wrapped(
            "No bot scores more at tables with a certain other, or comes out ahead of it more often, than "
            f"ratings and chance explain. {counted(len(report.pairs), 'pair was', 'pairs were')} tested, "
            "each in both directions.",
            width,
        )
    if summary.forfeited:
        boards = counted(summary.forfeited, "board")
        yield from wrapped(f"Left out: {boards} with a forfeited game.", width)
    yield from wrapped(
        "If all bots play for themselves, and each is about as strong against any other bot and in any seat "
        f"as its rating says, any pair is shown in at most {ALARM * 100:.0f} of 100 leagues. "
        f"At half of the pairs a gap of {(report.detectable or 0) * 100:.1f} % or more would be found in "
        f"{POWER * 100:.0f} of 100.",
        width,
    )


def _sentences(summary: CompanySummary, pair: Company) -> Iterator[str]:
    """What was seen of a pair, and how rarely chance does that."""
    helped, other = (
        shortened(one_line(summary.names[each]), NAME_IN_TEXT) for each in (pair.entrant, pair.other)
    )
    after = f"after correction for {counted(summary.report.tests, 'test')}"
    if pair.gains:
        yield (
            f"At tables with {other}, {helped} scores {pair.score * 100:.0f} % where "
            f"{pair.expected * 100:.0f} % is expected ({_equation(pair.corrected)} {after})."
        )
    if pair.overtakes and (met := pair.encounters):
        yield (
            f"{helped} comes out ahead of {other} in {met.share * 100:.0f} % of {counted(met.games, 'game')} "
            f"where {met.expected * 100:.0f} % is expected ({_equation(met.corrected)} {after})."
        )


def _equation(chance: float) -> str:
    text = _chance(chance)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _chance(chance: float) -> str:
    return "< .0001" if chance < 0.0001 else f"{chance:.4f}".removeprefix("0")
