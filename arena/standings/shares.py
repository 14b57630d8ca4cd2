"""Scores as estimates: what an entrant would score in the long run against those it met.

In each game (kind) the score is the mean over its boards; overall it is the
mean of the games' scores, each game weighing the same, however many boards it
had. The interval is E. B. Wilson's (Journal of the American Statistical
Association 22, 1927), with Student's t, for as many independent games as say as
much: the variance of the mean is that of whole duplicate groups about what the
game's ratings expect (`spread`). So it stays within 0 and 1 and has a width
where every game was won.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from arena.standings.bradley_terry import Fit
from arena.standings.rating import OUTSIDE, islands
from arena.standings.spread import Spread
from arena.standings.tally import Group
from arena.standings.values import Share
from arena.student import quantile


class Mean(NamedTuple):
    """An entrant's mean score in a game.

    Attributes:
        score: the mean.
        expected: what its rating expects, which is neither 0 nor 1.
        variance: of the score; 0 where none was asked for.
        freedom: how many degrees of freedom that has.
    """

    score: float
    expected: float
    variance: float
    freedom: float


def means(
    groups: Mapping[Group, int], *, intervals: bool = True, paired_by_score: bool = False
) -> dict[int, Mean]:
    """The mean score of each entrant in the groups of a game.

    Args:
        groups: how many duplicate groups there are of each kind.
        intervals: without, the scores have no variances.
        paired_by_score: whether any of the games were of a Swiss, where the ratings that the results
            alone give make the better side too sure to win.
    """
    found = {}
    for fit, tables, members in islands(groups, intervals=intervals):
        met, size = fit.wins.met, len(members)
        games = met.sum(axis=1)
        scores = fit.wins.taken.sum(axis=1) / games
        if paired_by_score:
            fit = Fit(fit.wins.evened())
        expected = (met * fit.chances[:size, :size]).sum(axis=1) / games
        spread = Spread(fit, tables) if intervals else None
        for at, member in enumerate(members):
            mean = Mean(float(scores[at]), float(expected[at]), 0.0, 0.0)
            if spread is not None:
                of_all = spread.variance([(each.entrants == at).astype(float) for each in tables])
                mean = mean._replace(variance=of_all.value / float(games[at]) ** 2, freedom=of_all.freedom)
            found[member] = mean
    return found


def share(found: Sequence[Mean]) -> Share:
    """The mean of an entrant's scores in several games, each weighing the same."""
    if not found:
        return Share(None)
    count = len(found)
    score = sum(mean.score for mean in found) / count
    variances = [mean.variance / count**2 for mean in found]
    variance = sum(variances)
    if not variance:
        return Share(score)
    freedom = variance**2 / sum(each**2 / mean.freedom for each, mean in zip(variances, found, strict=True))
    expected = sum(mean.expected for mean in found) / count
    t = quantile(OUTSIDE, round(freedom, 2))
    games = expected * (1 - expected) / variance
    middle = (score + t * t / (2 * games)) / (1 + t * t / games)
    reach = t / (1 + t * t / games) * sqrt(score * (1 - score) / games + t * t / (4 * games * games))
    return Share(score, max(middle - reach, 0.0), min(middle + reach, 1.0))
