"""The standings of a tournament as tables of Markdown, for a forum, a wiki or a chat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arena.games import GAMES
from arena.report.layout import counted
from arena.report.numbers import interval, percent, rating_text
from arena.runner.leagues.summary import StageSummary, Summary
from arena.standings.values import Row
from arena.text import one_line

_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~])")


def summary_markdown(summary: Summary) -> str:
    """Each stage's standings and the final ranking; names are as they are, whatever signs are in them."""
    return "\n".join(_lines(summary)) + "\n"


def escaped(text: str) -> str:
    """A text of which Markdown takes no sign for its own."""
    return _SIGNS.sub(r"\\\1", one_line(text))


def _lines(summary: Summary) -> Iterator[str]:
    names = [escaped(entrant.name) for entrant in summary.tournament.entrants]
    state = "" if summary.tournament.finished else ", not finished"
    yield f"# {escaped(summary.plan.name)}"
    yield ""
    yield f"{counted(len(names), 'entrant')}, {counted(summary.games, 'game')}{state}"
    for stage in summary.stages:
        yield ""
        yield f"## Stage {stage.stage.number + 1}: {stage.title}"
        for group in stage.groups:
            yield ""
            yield f"### Group {escaped(group.name)}"
            yield from _standings(summary, stage, group.rows, names)
        if not stage.groups:
            yield from _standings(summary, stage, stage.rows, names)
    yield ""
    yield "## Final ranking" if summary.tournament.finished else "## Ranking so far"
    ratings = {rating.entrant: rating for rating in summary.ratings}
    yield from _table(
        ["place", "bot", "rating", "95% interval"],
        [
            [str(line.place), names[line.entrant], rating_text(ratings[line.entrant]),
             interval(ratings[line.entrant])]
            for line in summary.final
        ],
        "rlrr",
    )  # fmt: skip


def _standings(
    summary: Summary, stage: StageSummary, rows: Sequence[Row], names: Sequence[str]
) -> Iterator[str]:
    games = summary.plan.games if len(summary.plan.games) > 1 else ()
    duels = stage.stage.seats == 2
    heads = ["#", "bot", "played", "score", *(GAMES[game].title for game in games), *["W-D-L"] * duels]
    cells = [
        [str(row.rank), names[row.entrant], str(row.matches), percent(row.score)]
        + [percent(each.score) for each in row.games if games]
        + [f"{row.wins}-{row.draws}-{row.losses}"] * duels
        for row in rows
    ]
    yield from _table(heads, cells, "rl" + "r" * (len(heads) - 2))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    yield ""
    yield _row(heads)
    yield _row(["---:" if side == "r" else ":---" for side in sides])
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
