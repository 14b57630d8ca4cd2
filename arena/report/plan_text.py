"""How many boards a comparison will take: as text, and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import pstdev
from typing import Any, NamedTuple

from arena.comparison.betting import Betting
from arena.comparison.planning import MOST, RUNS, Needed, boards_needed
from arena.comparison.question import LEVEL
from arena.games import GAMES
from arena.league.compared import ComparisonSummary
from arena.report.comparison_text import OVERALL, number
from arena.report.tables import WIDTH, Column, name_column, percent, table, wrapped
from arena.text import counted, one_line


class PlanRow(NamedTuple):
    """What a question will take.

    Attributes:
        one, other: the names of the pair.
        game: the id of the game; None over all games.
        boards: how many boards are known.
        deviation: the standard deviation of their scores.
        needed: the boards to an answer, for each mean score; the last one for what the boards show.
    """

    one: str
    other: str
    game: str | None
    boards: int
    deviation: float
    needed: Mapping[float | None, Needed]


def plan_rows(summary: ComparisonSummary) -> list[PlanRow]:
    """What the questions of a comparison will take, from its boards so far; takes some seconds.

    Each question is looked at for equal bots, for a difference of the margin and twice as much, and for
    the difference that the boards show. Questions without a board are left out.
    """
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    margin = summary.format_.margin / 100
    rows = []
    for pair in summary.pairs:
        for answer in pair.answers:
            if not answer.scores:
                continue
            rule = summary.format_.rule
            precision = (rule.game if answer.game else rule.overall)._replace(betting=Betting.TARGETED)
            means = (LEVEL, LEVEL + margin, LEVEL + 2 * margin, None)
            needed = {mean: boards_needed(answer.scores, precision, mean) for mean in means}
            boards = len(answer.scores)
            deviation = pstdev(answer.scores)
            rows.append(PlanRow(names[pair.one], names[pair.other], answer.game, boards, deviation, needed))
    return rows


def plan_text(summary: ComparisonSummary, rows: Sequence[PlanRow], width: int = WIDTH) -> str:
    """What the questions of a comparison will take, as a table."""
    if not rows:
        return "no board is known yet"
    format_ = summary.format_
    means = [*rows[0].needed]
    titles = ["equal", *(f"{percent(mean)} %" for mean in means[1:-1] if mean is not None), "as it looks"]
    columns = [name_column("game", [GAMES[row.game].title if row.game else OVERALL for row in rows])]
    if len(summary.pairs) > 1:
        columns.insert(0, name_column("pair", [f"{row.one} - {row.other}" for row in rows]))
    columns.append(Column("deviation", [percent(row.deviation) for row in rows]))
    columns += [
        Column(title, [_needed(row.needed[mean]) for row in rows])
        for title, mean in zip(titles, means, strict=True)
    ]
    errors = {f"{number(format_.game_error)} % for a game"}
    if any(row.game is None for row in rows):
        errors.add(f"{number(format_.error)} % over all games")
    known = counted(max(row.boards for row in rows), "board")
    lines = [
        *table(columns, width),
        "",
        *wrapped(
            f"Boards until a question is answered with a margin of {number(format_.margin)} points and an "
            f"error of {' and '.join(sorted(errors))}: if the bots are equal, if one has the mean score in "
            "the heading, and as the boards so far look. In brackets: so many are enough nine times in ten. "
            f"From {RUNS} simulated comparisons with boards like those that are known ({known}).",
            width,
            "  ",
        ),
    ]
    return "\n".join(lines)


def _needed(needed: Needed) -> str:
    most = f"over {MOST:,}" if needed.nine_in_ten is None else f"{needed.nine_in_ten:,}"
    return f"{needed.mean:,.0f} ({most})"


def plan_json(summary: ComparisonSummary, rows: Sequence[PlanRow]) -> dict[str, Any]:
    """The same as plain data; scores and errors are from 0 to 1."""
    return {
        "comparison": summary.plan.name,
        "margin": summary.format_.margin / 100,
        "error": summary.format_.error / 100,
        "game_error": summary.format_.game_error / 100,
        "questions": [
            {
                "one": row.one,
                "other": row.other,
                "game": row.game,
                "boards": row.boards,
                "deviation": row.deviation,
                "needed": [
                    {"mean": mean, "boards": needed.mean, "nine_in_ten": needed.nine_in_ten}
                    for mean, needed in row.needed.items()
                ],
            }
            for row in rows
        ],
    }
