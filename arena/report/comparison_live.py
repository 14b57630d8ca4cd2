"""How a comparison stands while it is played, in as many lines as there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.comparison.comparison import Comparison, Study
from arena.comparison.question import Finding, Question
from arena.games import GAMES
from arena.report.layout import WIDTH
from arena.report.text_table import Column, name_column, table

_HEAD = 2  # lines of a table's heading
_OVERALL = "all games"


def comparison_lines(
    comparison: Comparison, names: Sequence[str], height: int, width: int = WIDTH
) -> list[str]:
    """A row a question: the score so far, and how many boards it will take as it looks.

    Args:
        comparison: what is compared.
        names: the names of all entrants, by number.
        height: how many lines there may be; the first rows are shown that fit.
        width: the cells of a line.
    """
    rows = [
        (_pair(study, names), title, question, counted)
        for study in comparison.studies
        for title, question, counted in _questions(study)
    ]
    shown, others = rows[: max(0, height - _HEAD - 1)], max(0, len(rows) - height + _HEAD + 1)
    if not shown or not any(question.scores for _, _, question, _ in shown):
        return []
    estimates = [question.estimate(counted) for _, _, question, counted in shown]
    columns = [
        name_column("pair", [pair for pair, *_ in shown]),
        Column("game", [title for _, title, *_ in shown], left=True),
        Column("score", ["-" if each.score is None else f"{100 * each.score:.1f}" for each in estimates]),
        Column("interval", [f"{100 * each.low:.1f}..{100 * each.high:.1f}" for each in estimates]),
        Column("boards", [str(each.boards) for each in estimates]),
        Column("found", [_found(question) for _, _, question, _ in shown], left=True),
    ]
    return [*table(columns, width), *[f"and {others} more"] * bool(others)]


def comparison_words(comparison: Comparison, names: Sequence[str]) -> str:
    """How the first pair stands in a few words; empty before a board is complete."""
    study = comparison.studies[0]
    words = []
    for title, question, counted in _questions(study):
        estimate = question.estimate(counted)
        if estimate.score is not None:
            words.append(
                f"{title} {100 * estimate.score:.1f} ({100 * estimate.low:.1f} to {100 * estimate.high:.1f}; "
                f"{_found(question)})"
            )
    return f"{_pair(study, names)}: {', '.join(words)}" if words else ""


def _questions(study: Study) -> Iterator[tuple[str, Question, int]]:
    """The questions of a pair, with how many boards count for each."""
    if study.overall is not None:
        yield _OVERALL, study.overall, study.overall.boards_needed or len(study.overall.scores)
    for game, question in study.games.items():
        yield GAMES[game].title, question, study.counted(game)


def _pair(study: Study, names: Sequence[str]) -> str:
    return f"{names[study.contest.one]} - {names[study.contest.other]}"


def _found(question: Question) -> str:
    match question.finding:
        case Finding.BETTER:
            return "better"
        case Finding.WORSE:
            return "worse"
        case Finding.NO_DIFFERENCE:
            return "no difference"
    expected = question.boards_expected()
    return "open" if expected is None else f"open, about {max(expected - len(question.scores), 1):,} more"
