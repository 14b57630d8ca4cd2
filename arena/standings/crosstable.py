"""The crosstable: everybody against everybody, for tables of any size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from arena.standings.tally import Tally
from arena.standings.totals import Against
from arena.standings.values import Crosstable, Encounters


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
