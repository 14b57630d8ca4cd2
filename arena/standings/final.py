"""The final ranking of a tournament of stages in a row, each for the best of the one before."""

from __future__ import annotations

from collections.abc import Sequence

from arena.standings.values import Final, Ranking


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
