"""What a comparison came to, as plain data for JSON and as rows of a spreadsheet."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from arena.report.comparison_text import doubt_words, error_words, finding_words
from arena.results import FAULT_REASONS
from arena.runner.leagues.compared import Answer, Compared, ComparisonSummary, Conducted
from arena.text import one_line


def comparison_json(summary: ComparisonSummary) -> dict[str, Any]:
    """All that is known of a comparison. Scores and errors are from 0 to 1, times in microseconds."""
    tournament, format_ = summary.tournament, summary.format_
    names = [entrant.name for entrant in tournament.entrants]
    return {
        "comparison": summary.plan.name,
        "over": summary.over,
        "settled": summary.settled,
        "can_go_on": summary.can_go_on,
        "finished": tournament.finished is not None,
        "ended_early": summary.ended,
        "games_played": summary.games,
        "seats": format_.seats,
        "stops": format_.stops,
        "margin": format_.margin / 100,
        "rounds": summary.rounds,
        "extended": summary.extended,
        "shared_cards": summary.plan.shared_cards,
        "commitment": tournament.key_commitment,
        "key": None if tournament.key is None else tournament.key.hex(),
        "entrants": [
            {
                "name": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "author": entrant.author,
                "faults": dict(zip(FAULT_REASONS, charged, strict=False)),
                "forfeits": charged[-1],
            }
            for entrant, charged in zip(tournament.entrants, summary.charged, strict=True)
        ],
        "options": {game: dataclasses.asdict(summary.plan.options[game]) for game in summary.plan.games},
        "clock_ns": summary.plan.clock._asdict(),
        "withdrawn": [names[entrant] for entrant in summary.withdrawn],
        "errors": {
            "questions": sum(summary.errors.parts.values()),
            "findings": summary.errors.findings,
            "findings_and_intervals": summary.errors.all,
            "words": error_words(summary),
        },
        "pairs": [
            {
                "one": names[pair.one],
                "other": names[pair.other],
                "overall": None if pair.overall is None else _answer(summary, pair, pair.overall),
                "games": {str(answer.game): _answer(summary, pair, answer) for answer in pair.games},
                "boards_beyond": pair.beyond,
                "warning": doubt_words(pair) or None,
            }
            for pair in summary.pairs
        ],
    }


def _answer(summary: ComparisonSummary, pair: Compared, answer: Answer) -> dict[str, Any]:
    estimate = answer.estimate
    return {
        "finding": None if answer.finding is None else answer.finding.value,
        "words": finding_words(summary, pair, answer),
        "score": estimate.score,
        "low": estimate.low,
        "high": estimate.high,
        "error": answer.error,
        "anytime": estimate.anytime,
        "boards": estimate.boards,
        "found_after": answer.after,
        "boards_expected": answer.expected,
        "won": answer.won,
        "level": answer.level,
        "lost": answer.lost,
        "board_scores": answer.scores,
        "games_replaced": answer.replaced,
        "played_alike": answer.alike,
        "played_twice": answer.repeated,
        "the_same_way": answer.same,
        "independence": None
        if (known := answer.independence) is None
        else {**known._asdict(), "doubtful": known.doubtful},
        "less_luck": None
        if (less := answer.less_luck) is None
        else {
            "finding": None if less.finding is None else less.finding.value,
            "score": less.estimate.score,
            "low": less.estimate.low,
            "high": less.estimate.high,
            "factor": less.factor,
        },
        "one": _conducted(answer.one),
        "other": _conducted(answer.other),
    }


def _conducted(part: Conducted) -> dict[str, Any]:
    return {
        "games": part.games,
        "points": part.points,
        "decisions": part.decisions,
        "time_us": part.time,
        "faults": dict(zip(FAULT_REASONS, part.faults, strict=True)),
        "forfeits": part.forfeits,
    }


def comparison_rows(summary: ComparisonSummary) -> Iterator[list[str]]:
    """A row of headers, then a row for each question; scores are from 0 to 1."""
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    yield [
        "one", "other", "game", "finding", "score", "low", "high", "error", "anytime", "boards",
        "found_after", "won", "level", "lost", "games_replaced", "points_one", "points_other",
        "ms_per_decision_one", "ms_per_decision_other", "faults_one", "faults_other",
    ]  # fmt: skip
    for pair in summary.pairs:
        for answer in pair.answers:
            estimate = answer.estimate
            yield [
                names[pair.one],
                names[pair.other],
                answer.game or "",
                "" if answer.finding is None else answer.finding.value,
                *map(_number, (estimate.score, estimate.low, estimate.high)),
                f"{answer.error:g}",
                "yes" if estimate.anytime else "no",
                str(estimate.boards),
                "" if answer.after is None else str(answer.after),
                *map(str, (answer.won, answer.level, answer.lost)),
                *map(_number, (answer.replaced, answer.one.points, answer.other.points)),
                *map(_milliseconds, (answer.one, answer.other)),
                *(str(sum(part.faults)) for part in (answer.one, answer.other)),
            ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _milliseconds(part: Conducted) -> str:
    return "" if not part.decisions else f"{part.time / 1000 / part.decisions:.3f}"
