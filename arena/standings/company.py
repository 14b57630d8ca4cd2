"""Company: finds entrants that do better at tables with a certain other one than ratings explain.

At tables of three and more a bot can help another one: it can lose to it, or spare it and harm the rest when
it cannot win itself. Then the helped bot has a higher score at tables with the helper than elsewhere. For
every ordered pair and game this is tested as one more parameter of the game's ratings, a bonus of Y at tables
with X, by its score statistic (C. R. Rao, Proceedings of the Cambridge Philosophical Society 44, 1948): the
score of Y there beyond its rating, less the part that the ratings would absorb. Its variance is that of whole
duplicate groups (`Spread`). Over several games the mean of the gaps is tested, with the same weight for each
game. The p-values are one-sided, by Student's t.

A second test asks how often Y comes out ahead of X (`encounters`). It sees a bot that gives its own place
away; the first sees also what a helper does to the rest of the table. The p-values of both tests of all pairs
are corrected together (S. Holm, Scandinavian Journal of Statistics 6, 1979), which holds however they depend
on each other. So a league shows any pair at all with a probability of at most ALARM, if all bots play for
themselves and the ratings describe them: each is as strong against any other bot, and in any seat, as its
rating says. Student's t is an approximation; docs/design-notes.md has the simulations.

Only tables of three and more count, also for the ratings. Boards with a forfeited game should be left out: a
bot that forfeits now and then has two strengths, which ratings do not describe.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist, median
from typing import NamedTuple

from arena.standings.bradley_terry import Fit, Spread, Tables
from arena.standings.elimination import Floats
from arena.standings.encounters import Encounters, encounters
from arena.standings.rating import islands, of_mean
from arena.standings.student import quantile, tail
from arena.standings.tally import DuplicateGroup

ALARM = 0.01
POWER = 0.8
_PRIOR_FREEDOM = 20.0  # gives more weight to the variance that all groups share
_LEAST_TOLD = 0.02  # the least information about a bonus that the fitted ratings must leave


class Company(NamedTuple):
    """The score of one entrant at the tables that it shared with another.

    Attributes:
        entrant: the entrant that scored.
        other: the entrant that shared the tables.
        groups: how many duplicate groups they shared.
        score: its score there, the mean of the games' scores.
        expected: the score that its rating elsewhere predicts.
        chance: the p-value: the probability of such a gap or a larger one by chance (one-sided).
        corrected: the p-value with the correction for all tests.
        detectable: the gap that would be found with the probability POWER.
        encounters: how often it came out ahead of the other; None if that is not tested.
    """

    entrant: int
    other: int
    groups: int
    score: float
    expected: float
    chance: float
    corrected: float
    detectable: float
    encounters: Encounters | None

    @property
    def gains(self) -> bool:
        """Whether its score is improbable beyond ALARM."""
        return self.corrected <= ALARM

    @property
    def overtakes(self) -> bool:
        """Whether it came out ahead of the other improbably often, beyond ALARM."""
        return self.encounters is not None and self.encounters.corrected <= ALARM

    @property
    def suspicious(self) -> bool:
        """Whether either is improbable."""
        return self.gains or self.overtakes

    @property
    def rarest(self) -> float:
        """The smaller of the two p-values."""
        return min(self.chance, self.encounters.chance if self.encounters else 1.0)


@dataclasses.dataclass(frozen=True, slots=True)
class CompanyReport:
    """All ordered pairs that could be tested, the most improbable first.

    Attributes:
        pairs: the pairs.
        groups: how many duplicate groups at tables of three and more there were.
        tests: how many tests were made of them.
    """

    pairs: tuple[Company, ...]
    groups: int
    tests: int

    @property
    def suspicious(self) -> tuple[Company, ...]:
        """The improbable pairs."""
        return tuple(pair for pair in self.pairs if pair.suspicious)

    @property
    def detectable(self) -> float | None:
        """The gap that would be found with the probability POWER at half of the pairs; None without pairs."""
        return median(pair.detectable for pair in self.pairs) if self.pairs else None


class _Gap(NamedTuple):
    """One game's part: the score at shared tables, its gap to the expected score, and the gap's variance."""

    groups: int
    score: float
    gap: float
    variance: float
    freedom: float


def company(games: Mapping[str, Mapping[DuplicateGroup, int]]) -> CompanyReport:
    """Looks for pairs whose results the ratings do not explain.

    Args:
        games: for each game, the number of duplicate groups of each kind: `Tally.groups`.
    """
    gaps: defaultdict[tuple[int, int], list[_Gap]] = defaultdict(list)
    fits, count = [], 0
    for groups in games.values():
        large = {group: number for group, number in groups.items() if len(group.entrants) > 2}
        count += sum(large.values())
        for fit, tables, members in islands(large):
            fits.append((fit, members))
            for entrant, other, gap in _gaps(fit, tables):
                gaps[members[entrant], members[other]].append(gap)
    size = 1 + max((members[-1] for _, members in fits), default=-1)
    met = {pair: found for pair, found in encounters(fits, size).items() if pair in gaps}
    tests = len(gaps) + len(met)
    pairs = [_whole(*pair, found, tests, met.get(pair)) for pair, found in gaps.items()]
    return CompanyReport(tuple(_corrected(pairs)), count, tests)


def _gaps(fit: Fit, tables: Sequence[Tables]) -> Iterator[tuple[int, int, _Gap]]:
    spread = Spread(fit, tables)
    size = len(fit.strengths)
    for entrant in range(size):
        mine = [(each.entrants == entrant).astype(float) for each in tables]
        for other in range(size):
            if other != entrant:
                shared = [
                    own * (each.entrants == other).any(axis=1)[:, None]
                    for own, each in zip(mine, tables, strict=True)
                ]
                if (gap := _gap(fit, tables, spread, entrant, shared)) is not None:
                    yield entrant, other, gap


def _gap(
    fit: Fit, tables: Sequence[Tables], spread: Spread, entrant: int, shared: Sequence[Floats]
) -> _Gap | None:
    """The gap of an entrant at shared tables, its place in them marked by 1; None if it cannot be tested."""
    told = spread.told(shared, len(fit.strengths))
    if told[entrant] <= 0:
        return None
    taken_up = fit.covariance @ told
    own = float(told[entrant])
    left = own - float(told @ taken_up)
    if left < _LEAST_TOLD * own:
        return None
    weights = [at - taken_up[each.entrants] for at, each in zip(shared, tables, strict=True)]
    beyond = spread.sum(weights)
    variance = spread.variance(weights, _PRIOR_FREEDOM)
    groups = sum(float((each.counts * at.sum(axis=1)).sum()) for at, each in zip(shared, tables, strict=True))
    games = sum(
        float((each.counts * at.sum(axis=1)).sum()) * each.seats
        for at, each in zip(shared, tables, strict=True)
    )
    by_bonus = own / left / games
    return _Gap(
        round(groups),
        spread.scored(shared) / games,
        beyond * by_bonus,
        variance.value * by_bonus**2,
        variance.freedom,
    )


def _whole(entrant: int, other: int, found: Sequence[_Gap], tests: int, met: Encounters | None) -> Company:
    """The mean over the games, not corrected yet."""
    games = len(found)
    score = sum(gap.score for gap in found) / games
    gap = sum(each.gap for each in found) / games
    variance, freedom = of_mean([(each.variance, each.freedom) for each in found])
    spread = sqrt(variance)
    chance = tail(gap / spread, freedom)
    needed = quantile(ALARM / tests, round(freedom, 2)) + NormalDist().inv_cdf(POWER)
    expected = min(max(score - gap, 0.0), 1.0)
    groups = sum(each.groups for each in found)
    return Company(entrant, other, groups, score, expected, chance, 1.0, needed * spread, met)


def _corrected(pairs: list[Company]) -> Iterator[Company]:
    """The pairs, the most improbable first, with Holm's correction of all p-values together."""
    pairs.sort(key=lambda pair: (pair.rarest, pair.entrant, pair.other))
    chances = [pair.chance for pair in pairs] + [pair.encounters.chance for pair in pairs if pair.encounters]
    corrected: dict[float, float] = {}
    worst = 0.0
    for place, chance in enumerate(sorted(chances)):
        worst = max(worst, min(1.0, chance * (len(chances) - place)))
        corrected.setdefault(chance, worst)
    for pair in pairs:
        met = pair.encounters and pair.encounters._replace(corrected=corrected[pair.encounters.chance])
        yield pair._replace(corrected=corrected[pair.chance], encounters=met)
