"""What the results of each game, and of all games pooled, tell about the strengths of the entrants.

To find it takes most of the time of a summary. While a tournament is played, most games have no new results
since the last look. So what was found before can be given, and a game with the same results keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.standings.adaptive import AdaptiveFit
from arena.standings.bradley_terry import Numbered, numbered, pooled
from arena.standings.cycles import cycles, nash_averages
from arena.standings.rating import Fitted, in_order, islands, rated
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Cycle, NashAverage, Rating


class Strengths(NamedTuple):
    """What some results tell about the strengths of the entrants.

    Attributes:
        results: the results.
        fitted: the fits to them; on a ladder the one fit to the results of all games.
        rated: the rating of each entrant that is in them.
        cycles: entrants that beat each other in a circle.
        nash: the Nash average of entrants; empty without a cycle.
    """

    results: Numbered
    fitted: Fitted | AdaptiveFit
    rated: Mapping[int, Rating]
    cycles: tuple[Cycle, ...]
    nash: dict[int, NashAverage]

    def ratings(self, entrants: Sequence[int]) -> tuple[Rating, ...]:
        """The ratings of these entrants, in their order."""
        return in_order(self.rated, entrants)


class StrengthsByGame(NamedTuple):
    """What the results of a tournament tell, with all that it depends on.

    Attributes:
        groups: for each game, the number of duplicate groups of each kind.
        intervals: whether the ratings have intervals.
        paired_by_score: whether some of the games belong to a Swiss.
        adaptive: whether results decide who meets whom, as on a ladder.
        games: what the results of each game tell.
        pooled: what the results of all games together tell.
    """

    groups: dict[str, dict[DuplicateGroup, int]]
    intervals: bool
    paired_by_score: bool
    adaptive: bool
    games: dict[str, Strengths]
    pooled: Strengths

    @property
    def fitted(self) -> dict[str, Fitted]:
        """The fits to the results of each game; not of a ladder."""
        return {game: each.fitted for game, each in self.games.items() if isinstance(each.fitted, tuple)}

    @property
    def fit(self) -> AdaptiveFit | None:
        """The fit to the results of a ladder; None of another tournament."""
        return self.pooled.fitted if isinstance(self.pooled.fitted, AdaptiveFit) else None


def strengths_by_game(
    groups: Mapping[str, Mapping[DuplicateGroup, int]],
    before: StrengthsByGame | None = None,
    *,
    intervals: bool = True,
    paired_by_score: bool = False,
    adaptive: bool = False,
) -> StrengthsByGame:
    """What the results of each game, and of all games pooled, tell.

    Args:
        groups: for each game, the number of duplicate groups of each kind: `Tally.groups`.
        before: what was found before, of which all is kept that is still right.
        intervals: whether to find the intervals of ratings, which takes most of the time.
        paired_by_score: whether some of the games belong to a Swiss.
        adaptive: whether results decide who meets whom, as on a ladder.
    """

    def found(results: Numbered) -> Strengths:
        fitted = islands(results, intervals=intervals)
        circles = cycles(results)
        return Strengths(
            results,
            fitted,
            rated(fitted, intervals=intervals, paired_by_score=paired_by_score),
            circles,
            nash_averages(fitted, circles, paired_by_score=paired_by_score),
        )

    def found_of(fit: AdaptiveFit, game: str | None, results: Numbered) -> Strengths:
        circles = cycles(results)
        lines = fit.ratings(game, intervals=intervals)
        return Strengths(results, fit, lines, circles, nash_averages(results, circles))

    now = {game: dict(each) for game, each in groups.items()}
    if before is not None and before[:4] == (now, intervals, paired_by_score, adaptive):
        return before
    if adaptive:
        results = {game: numbered(each, in_order=intervals) for game, each in now.items()}
        fit = AdaptiveFit(results)
        each_game = {game: found_of(fit, game, each) for game, each in results.items()}
        whole = found_of(fit, None, pooled(results.values()))
        return StrengthsByGame(now, intervals, paired_by_score, adaptive, each_game, whole)
    kept: dict[str, Strengths] = {}
    if before is not None and before[1:4] == (intervals, paired_by_score, adaptive):
        kept = {game: each for game, each in before.games.items() if before.groups[game] == now.get(game)}
    games = {game: kept.get(game) or found(numbered(each, in_order=intervals)) for game, each in now.items()}
    if before is not None and kept.keys() == games.keys() == before.games.keys():
        together = before.pooled
    elif len(games) == 1:
        (together,) = games.values()
    else:
        together = found(pooled(each.results for each in games.values()))
    return StrengthsByGame(now, intervals, paired_by_score, adaptive, games, together)
