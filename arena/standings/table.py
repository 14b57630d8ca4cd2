"""The standings table of a stage or of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from arena.standings.scoresheets import Scoresheets
from arena.standings.tally import Tally
from arena.standings.tiebreaks import DEFAULT, TieBreaks
from arena.standings.totals import EntrantTotals, Totals
from arena.standings.values import GameScore, Ranking, Row, TieBreak


def standings(
    tally: Tally,
    entrants: Sequence[int],
    stage: int | None = None,
    tie_breaks: Sequence[str] = DEFAULT,
    *,
    swiss: bool = False,
) -> tuple[Row, ...]:
    """The table, best first: by mean match score, then the tie-breaks.

    Entrants that no tie-break separates share a rank; so do all that have not
    finished a match, at the end.

    Args:
        tally: the results.
        entrants: who is listed, best seed first; this is the order of those who share a rank.
        stage: of which stage; None for the whole tournament.
        tie_breaks: FIDE codes in order of use, see `tiebreaks`.
        swiss: whether they are computed as in a Swiss, which it must be for BH and BH-C1.

    Raises:
        ValueError: there is no such tie-break.
    """
    totals = tally.totals(stage)
    breaks = TieBreaks(totals, tie_breaks, Scoresheets(tally, stage) if swiss else None)
    scores = {entrant: _score(totals, entrant) for entrant in entrants}
    rows: list[Row] = []
    best_first = sorted(entrants, key=lambda entrant: _sort_key(scores[entrant]), reverse=True)
    for score, group in groupby(best_first, key=scores.__getitem__):
        tied = tuple(group)
        places, used = ((tied,), {}) if score is None else breaks.separate(tied)
        for place in places:
            rank = len(rows) + 1
            rows += [_row(rank, entrant, score, used.get(entrant, ()), tally, totals) for entrant in place]
    return tuple(rows)


def merged(groups: Sequence[Sequence[Row]], seeds: Sequence[int]) -> tuple[Row, ...]:
    """The tables of groups as one: all who are first in theirs, then all who are second, and so on.

    Those of the same place in different groups are ranked by score; who has the
    same score, too, shares a rank.

    Args:
        groups: the table of each group.
        seeds: all entrants, best seed first; this is the order of those who share a rank.
    """
    number = {entrant: seed for seed, entrant in enumerate(seeds)}
    keys = {row.entrant: (place, -_sort_key(row.score)) for rows in groups for place, row in enumerate(rows)}
    every = [row for rows in groups for row in rows]
    every.sort(key=lambda row: (keys[row.entrant], number[row.entrant]))
    merged: list[Row] = []
    for _, group in groupby(every, key=lambda row: keys[row.entrant]):
        rank = len(merged) + 1
        merged += [row._replace(rank=rank) for row in group]
    return tuple(merged)


def ranking(rows: Sequence[Row]) -> Ranking:
    """The entrants of a table, those who share a rank together."""
    return tuple(tuple(row.entrant for row in group) for _, group in groupby(rows, key=lambda row: row.rank))


def seed_order(rows: Sequence[Row], seeds: Sequence[int]) -> tuple[int, ...]:
    """The entrants of a table as seeds of the next stage, best first: by rank, then by their seeds before.

    Args:
        rows: the table.
        seeds: the entrants in the order of their seeds before, best first.
    """
    number = {entrant: seed for seed, entrant in enumerate(seeds)}
    return tuple(row.entrant for row in sorted(rows, key=lambda row: (row.rank, number[row.entrant])))


def _sort_key(score: Fraction | None) -> Fraction:
    return Fraction(-1) if score is None else score


def _score(totals: Totals, entrant: int) -> Fraction | None:
    mine = totals.of(entrant)
    return Fraction(mine.points, totals.unit * mine.matches) if mine.matches else None


def _row(
    rank: int,
    entrant: int,
    score: Fraction | None,
    used: tuple[TieBreak, ...],
    tally: Tally,
    totals: Totals,
) -> Row:
    mine = totals.of(entrant)
    return Row(
        rank=rank,
        entrant=entrant,
        matches=mine.matches,
        score=score,
        total=Fraction(mine.points, totals.unit),
        games=_game_scores(mine, tally.games, totals.unit),
        wins=mine.wins,
        draws=mine.draws,
        losses=mine.losses,
        tie_breaks=used,
        forfeits=mine.forfeits,
        faults=mine.faults,
        decisions=mine.decisions,
        time=mine.time,
    )


def _game_scores(mine: EntrantTotals, games: Sequence[str], unit: int) -> tuple[GameScore, ...]:
    return tuple(
        # One game's points are those of the match's share for it: a game is 1/len(games) of a match.
        GameScore(
            game,
            mine.games_each,
            Fraction(points * len(games), unit * mine.matches) if mine.matches else None,
        )
        for game, points in zip(games, mine.game_points, strict=True)
    )
