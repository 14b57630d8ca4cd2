"""The standings and the crosstable of a stage or of a tournament, and the final ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

from arena.results import LATEST_EDITION, Ranking, TieBreakEdition
from arena.standings.tally import Tally
from arena.standings.tiebreaks import DEFAULT, Scoresheets, TieBreaks
from arena.standings.totals import Against, Totals
from arena.standings.values import Crosstable, Encounters, Final, GameScore, Row, TieBreak, Unfinished


def standings(
    tally: Tally,
    entrants: Sequence[int],
    stage: int | None = None,
    tie_breaks: Sequence[str] = DEFAULT,
    *,
    swiss: bool = False,
    edition: TieBreakEdition = LATEST_EDITION,
    unfinished: bool = True,
) -> tuple[Row, ...]:
    """The standings, best first: by mean match score, then by the tie-breaks.

    Entrants that no tie-break separates share a rank. Entrants without a game share the last rank.

    Args:
        tally: the results.
        entrants: the entrants to list, best seed first; entrants that share a rank stay in this order.
        stage: the stage; None for the whole tournament.
        tie_breaks: FIDE codes in order of use, see `tiebreaks`.
        swiss: whether they are computed as in a Swiss; BH and BH-C1 need this.
        edition: the edition of C.07 by which they are computed; it matters only in a Swiss.
        unfinished: whether unfinished matches count, as far as they are played.

    Raises:
        ValueError: there is no such tie-break.
    """
    totals = tally.totals(stage, unfinished=unfinished)
    breaks = TieBreaks(totals, tie_breaks, Scoresheets(tally, stage, edition) if swiss else None)
    scores = {entrant: totals.score(entrant) for entrant in entrants}
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
    """The tables of groups as one: the firsts of all groups, then the seconds, and so on.

    Entrants with the same place in different groups are ranked by score, and share a rank if it is equal.

    Args:
        groups: the table of each group.
        seeds: all entrants, best seed first; entrants that share a rank are in this order.
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
    """The entrants of a table by rank; entrants that share a rank are together."""
    return tuple(tuple(row.entrant for row in group) for _, group in groupby(rows, key=lambda row: row.rank))


def seed_order(rows: Sequence[Row], seeds: Sequence[int]) -> tuple[int, ...]:
    """The entrants of a table as seeds of the next stage, best first: by rank, then by their old seeds.

    Args:
        rows: the table.
        seeds: the entrants in the order of their old seeds, best first.
    """
    number = {entrant: seed for seed, entrant in enumerate(seeds)}
    return tuple(row.entrant for row in sorted(rows, key=lambda row: (row.rank, number[row.entrant])))


def crosstable(tally: Tally, entrants: Sequence[int], stage: int | None = None) -> Crosstable:
    """The crosstable of a stage, or of the whole tournament.

    An encounter is a game with both at the table. The better place wins it, and a tie is half. Extra boards
    do not count.

    Args:
        tally: the results.
        entrants: the rows, and in the same order the columns.
        stage: the stage; None for the whole tournament.
    """
    return crosstable_of(tally.totals(stage, unfinished=True).against(), entrants)


Met = Mapping[int, Mapping[int, Against]]
"""The results of each entrant against each that it met."""


def crosstable_of(against: Met, entrants: Sequence[int]) -> Crosstable:
    """The crosstable of such results, with the rows and columns in this order."""
    column = {entrant: number for number, entrant in enumerate(entrants)}
    rows: list[tuple[Encounters | None, ...]] = []
    for entrant in entrants:
        cells: list[Encounters | None] = [_NEVER] * len(entrants)
        for opponent, met in against.get(entrant, {}).items():
            if opponent in column:
                cells[column[opponent]] = _cell(met)
        cells[column[entrant]] = None
        rows.append(tuple(cells))
    return Crosstable(tuple(entrants), tuple(rows))


_NEVER = Encounters(0, None)


@lru_cache(1 << 16)  # most cells are alike
def _cell(met: Against) -> Encounters:
    return Encounters(met.games, Fraction(met.halves, 2 * met.games))


def final_ranking(stages: Sequence[Ranking]) -> tuple[Final, ...]:
    """Ranks all entrants by their last stages.

    The entrants of the last stage (such as a knockout) come first, ranked by it. The others follow, ranked by
    the last stage in which they played. Entrants that share a place there share it here.

    Args:
        stages: the ranking of all entrants of each stage, in order.
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
        weight=totals.weight(entrant),
        games=tuple(
            GameScore(game, mine.games_each + mine.part_games[kind], totals.score(entrant, kind))
            for kind, game in enumerate(tally.games)
        ),
        wins=mine.wins,
        draws=mine.draws,
        losses=mine.losses,
        tie_breaks=used,
        forfeits=mine.forfeits,
        faults=mine.faults,
        decisions=mine.decisions,
        time=mine.time,
        unfinished=Unfinished(sum(mine.part_games), mine.part_of) if mine.part_of else None,
    )
