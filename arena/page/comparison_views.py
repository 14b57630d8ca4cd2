"""A comparison as the page draws it: for each question the score and its interval, from 0 to 100 %."""

from __future__ import annotations

from arena.games import GAMES
from arena.page.view_request import Values
from arena.report.comparison_text import OVERALL, doubt_words, error_words, finding_words
from arena.report.tables import percent
from arena.runner.leagues.compared import Answer, Compared, ComparisonSummary
from arena.text import one_line


def comparison_pairs(summary: ComparisonSummary | None) -> list[Values]:
    """Each pair that is compared, with its questions; none for other tournaments."""
    return [] if summary is None else [_pair(summary, pair) for pair in summary.pairs]


def _pair(summary: ComparisonSummary, pair: Compared) -> Values:
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    return {
        "one": names[pair.one],
        "other": names[pair.other],
        "rows": [_row(summary, pair, answer) for answer in pair.answers],
        "warning": doubt_words(pair),
        "errors": error_words(summary),
    }


def _row(summary: ComparisonSummary, pair: Compared, answer: Answer) -> Values:
    found = answer.estimate
    said = finding_words(summary, pair, answer)
    return {
        "game": GAMES[answer.game].title if answer.game else OVERALL.capitalize(),
        "dot": None if found.score is None else round(100 * found.score, 2),
        "low": round(100 * found.low, 2),
        "high": round(100 * found.high, 2),
        "score": percent(found.score),
        "interval": f"{percent(found.low)} to {percent(found.high)}",
        "boards": found.boards,
        "wdl": f"{answer.won}-{answer.level}-{answer.lost}",
        "open": answer.finding is None,
        "said": f"{said[:1].upper()}{said[1:]}.",
    }
