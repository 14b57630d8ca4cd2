"""The overall standings as rows of a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from arena.results import FAULT_REASONS
from arena.runner.leagues.summary import Summary
from arena.text import one_line


def summary_rows(summary: Summary) -> Iterator[list[str]]:
    """A row of headers, then a row per entrant, in the order of the final ranking; scores are from 0 to 1.

    The rating is of all games pooled. Where `bound` says `above`, there is only
    a `low`, where `below`, only a `high`. `overall` is the mean of the games'
    scores over all boards, with its interval.
    """
    shares = dict(zip((line.entrant for line in summary.final), summary.shares, strict=True))
    ratings = {rating.entrant: rating for rating in summary.ratings}
    rows = {row.entrant: row for row in summary.rows}
    yield [
        "place", "name", "matches", "score", *summary.plan.games, "wins", "draws", "losses",
        "rating", "low", "high", *FAULT_REASONS, "forfeits", "decisions", "time_us",
        "bound", "overall", "overall_low", "overall_high",
    ]  # fmt: skip
    for line in summary.final:
        row, rating = rows[line.entrant], ratings[line.entrant]
        share = shares[line.entrant]
        numbers = (rating.rating, rating.low, rating.high)
        yield [
            str(line.place),
            one_line(summary.tournament.entrants[line.entrant].name),
            str(row.matches),
            *(
                "" if score is None else f"{float(score):.6f}"
                for score in (row.score, *(g.score for g in row.games))
            ),
            *map(str, (row.wins, row.draws, row.losses)),
            *("" if number is None else f"{number:.1f}" for number in numbers),
            *map(str, row.faults),
            *map(str, (row.forfeits, row.decisions, row.time)),
            rating.bound or "",
            *("" if number is None else f"{number:.6f}" for number in share),
        ]
