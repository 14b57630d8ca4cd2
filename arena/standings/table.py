"""The tables: the standings and the crosstable of a stage or of a tournament, and the final ranking."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

from arena.results import Ranking
from arena.standings.tally import Tally
from arena.standings.tiebreaks import DEFAULT, Scoresheets, TieBreaks
from arena.standings.totals import Against, EntrantTotals, Totals
from arena.standings.values import Crosstable, Encounters, Final, GameScore, Row, TieBreak


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


def crosstable(tally: Tally, entrants: Sequence[int], stage: int | None = None) -> Crosstable:
    """The crosstable of a stage, or of the whole tournament.

    An encounter is a game with both at the table; it is won by the better
    place, and a tie is half. Finished matches count, extra boards do not.

    Args:
        tally: the results.
        entrants: the rows, and in the same order the columns.
        stage: of which stage; None for the whole tournament.
    """
    against = tally.totals(stage).against()
    nobody: dict[int, Against] = {}
    return Crosstable(
        tuple(entrants),
        tuple(
            tuple(
                None if row == column else _cell(against.get(row, nobody).get(column)) for column in entrants
            )
            for row in entrants
        ),
    )


@lru_cache(1 << 16)  # of a million cells most are alike
def _cell(against: Against | None) -> Encounters:
    if against is None:
        return Encounters(0, None)
    return Encounters(against.games, Fraction(against.halves, 2 * against.games))


def final_ranking(stages: Sequence[Ranking]) -> tuple[Final, ...]:
    """Ranks all entrants: those of the last stage first, then those who were in it no more.

    Who took part in the last stage (a knockout, say) is ranked by it; behind
    them stand the others, ranked by the last stage that they were in. Those who
    share a place there share it here.

    Args:
        stages: the ranking of each stage in order, of all its entrants.
    """
    lines: list[Final] = []
    placed: set[int] = set()
    for number in range(len(stages) - 1, -1, -1):
        for group in stages[number]:
            left = [entrant for entrant in group if entrant not in placed]
            place = len(lines) + 1
            lines += [Final(place, entrant, number) for entrant in left]
        placed.update(line.entrant for line in lines)
    return tuple(lines)


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
