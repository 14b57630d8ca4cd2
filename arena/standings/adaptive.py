"""Ratings and scores where results decide who meets whom: a ladder.

A ladder pairs a bot that won with a bot that won. The strengths of greatest likelihood (`rating`) then move
apart: lucky bots are measured against lucky bots. And people look at a ladder again and again, at all bots at
once, so one interval in twenty that is wrong is wrong in front of somebody. So a ladder has estimates of its
own.

**The model** is Bradley and Terry's (see `bradley_terry`) with random strengths. A bot has an ability,
drawn from one normal distribution, and in each game (kind) a strength, drawn from another one about its
ability; with one game both are the same. The widths of both distributions are estimated too. What the
results tell about the strengths is then the posterior distribution, and this does not depend on why two
bots met: the choice of a pair follows from earlier results, so its probability is a factor that no strength
changes (D. B. Rubin, "Inference and missing data", Biometrika 63, 1976). So the mean of the posterior is
not too far out, whatever the pairing.

The games of a board are not independent. A board counts as `worth` games: as many as have the variance that
boards of this game have about the scores that the model predicts. Widths and worths are those of greatest
likelihood, by the EM algorithm (A. P. Dempster, N. M. Laird, D. B. Rubin, Journal of the Royal Statistical
Society B 39, 1977), each with a prior: `ABILITY` and `STRENGTH` with the weight of `WIDTH_BOTS` bots, two
games with that of `WORTH_BOARDS` boards. The posterior is taken as normal around its top.

The matrix of the posterior is the Laplacian of a graph (`elimination`): strengths are linked by boards,
with their ability by the inner distribution, and abilities with the node 0 by the outer one.

**The interval** of a bot ends where the density of the posterior is small against that of the prior: it has
the values v with

    prior(v) / posterior(v) < 2 * bots / ERROR

The ratio at the true value, as results come in, is a martingale with the mean 1: it is above x at any time
with a probability of at most 1 / x (J. Ville, 1939; I. Waudby-Smith, A. Ramdas, "Confidence sequences for
sampling without replacement", NeurIPS 2020, section 2.3). So with a probability of 95 % all intervals of all
bots are right **at every moment of the season**, however often and at whichever bots anybody looks. The bots
share half of the error. The other half is for bots that come later, which get ever smaller shares: the sum
stays below ERROR until there are 2.7 times as many bots. The proof takes the model as exact: it holds for
each strength of the bot, if those of the others are drawn from the prior. `tests/standings/test_adaptive.py`
and docs/design-notes.md measure where it is not exact.

Where two intervals do not overlap, the order of the two bots is as certain. So certain places follow from the
intervals, with the same 95 % for all of them together (`certain.places`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from math import exp, inf, log, sqrt

import numpy as np

from arena.standings.bradley_terry import Groups, Numbered, chances_at, numbered, of_each
from arena.standings.elimination import Elimination, Floats, Integers
from arena.standings.rating import ANCHOR, MEAN, SCALE
from arena.standings.values import Rating, Share

ERROR = 0.05
"""The probability that any interval of a kind is wrong at any time."""
ABILITY, STRENGTH, WIDTH_BOTS = 200 / SCALE, 70 / SCALE, 4.0
WORTH, WORTH_BOARDS = 2.0, 4.0
_EXACT = 1e-4
_AHEAD, _FARTHEST_AHEAD = 3, 20
_LEAST = 1e-9
_STEPS = 200
_FARTHEST_STEP = 2.0


class AdaptiveFit:
    """What results tell about strengths when they also decided who met, at tables of two.

    Args:
        groups: for each game, the number of duplicate groups of each kind.

    Attributes:
        games: the games.
        entrants: the entrants in the results, ascending.
        boards: a row for each game: the number of boards of each entrant.
        strengths: a row for each game: the mean of the posterior of each entrant, in logarithms of odds; the
            prior has the mean 0.
        worth: for each game, how many independent games a board counts as.
    """

    def __init__(self, groups: Mapping[str, Groups]) -> None:
        self.games = tuple(groups)
        results = [numbered(each) for each in groups.values()]
        assert all(tables.seats == 2 for each in results for tables in each.tables)
        self.entrants = sorted({entrant for each in results for entrant in each.entrants})
        size, kinds = len(self.entrants), len(results)
        self._boards = [_Boards(each, self.entrants) for each in results]
        self.boards = np.array([each.of_each for each in self._boards], np.int64).reshape(kinds, size)
        # The nodes: the node 0, and of each entrant its strengths and, with several games, its ability.
        per_entrant = kinds + (kinds > 1)
        own = 1 + np.arange(size * per_entrant).reshape(size, per_entrant)
        self._node, abilities = own[:, :kinds].T, own[:, -1]
        self._inner = np.broadcast_to(abilities, self._node.shape).ravel() if kinds > 1 else abilities[:0]
        inner = self._node.ravel() if kinds > 1 else abilities[:0]
        ends = [
            (nodes[each.one], nodes[each.other]) for nodes, each in zip(self._node, self._boards, strict=True)
        ]
        self._one = np.concatenate([*(one for one, _ in ends), inner, abilities])
        self._other = np.concatenate([*(other for _, other in ends), self._inner, np.zeros(size, np.int64)])
        self._parts = np.cumsum([*map(len, (one for one, _ in ends)), len(inner)])
        self._values = np.zeros(1 + own.size)
        self._links = Elimination(self._one, self._other, len(self._values))
        self._ability, self._strength = _Width(ABILITY), _Width(STRENGTH)
        self.worth = [WORTH] * kinds
        for _ in range(_STEPS if size else 0):
            if self._climb() < _EXACT:
                break
        self.strengths: Floats = self._values[self._node]

    def _climb(self) -> float:
        """A step of Newton's method, and one for widths and worths; returns the largest change."""
        apart = self._values[self._one] - self._values[self._other]
        pairs = np.split(apart, self._parts)
        weights = self._weights(pairs)
        pull = -weights * apart  # of the prior
        pull[: self._parts[-2]] = np.concatenate(
            [
                worth * each.beyond(own)
                for worth, each, own in zip(self.worth, self._boards, pairs, strict=False)
            ]
        )
        slope = of_each(self._one, self._other, pull, -pull, len(self._values))
        step = self._links.solve(weights, slope)
        step = np.clip(step - step[0], -_FARTHEST_STEP, _FARTHEST_STEP)
        self._values = self._values + step
        spread = np.split(self._links.resistances(weights), self._parts)
        before = self.worth
        self.worth = [
            each.worth(own, unsure) for each, own, unsure in zip(self._boards, pairs, spread, strict=False)
        ]
        return max(
            float(np.abs(step).max()),
            self._ability.climb(pairs[-1], spread[-1]),
            self._strength.climb(pairs[-2], spread[-2]) if len(self._inner) else 0.0,
            *(abs(log(one / other)) for one, other in zip(self.worth, before, strict=True)),
        )

    @property
    def ability(self) -> float:
        """The standard deviation of the abilities in the prior."""
        return self._ability.value

    @property
    def strength(self) -> float:
        """The standard deviation of strengths in a game about the ability, in the prior; 0 with one game."""
        return self._strength.value if len(self._inner) else 0.0

    def _weights(self, pairs: Sequence[Floats]) -> Floats:
        """The weight of each link: of the boards, of strengths about their ability, and of abilities."""
        told = [
            worth * each.told(own) for worth, each, own in zip(self.worth, self._boards, pairs, strict=False)
        ]
        inner = np.full(len(self._inner), self.strength**-2 if self.strength else 0.0)
        return np.concatenate([*told, inner, np.full(len(self.entrants), self.ability**-2)])

    @cached_property
    def _final_weights(self) -> Floats:
        apart = self._values[self._one] - self._values[self._other]
        return self._weights(np.split(apart, self._parts))

    def _ends(self, slopes: Floats) -> list[tuple[float, float]]:
        """The interval of each of some sums of strengths, that is right all season (see the module).

        Args:
            slopes: an array of a row for each sum, with the factor of each strength: games by entrants.
        """
        rows, _, size = slopes.shape
        whole = np.zeros((len(self._values), rows))
        whole[self._node.ravel()] = slopes.reshape(rows, -1).T
        whole[0] = -whole.sum(axis=0)
        moved = self._links.solve(self._final_weights, whole)
        values = (slopes * self.strengths).sum(axis=(1, 2))
        spread = (whole * moved).sum(axis=0)
        prior = self.ability**2 * (slopes.sum(axis=1) ** 2).sum(axis=1)
        prior += self.strength**2 * (slopes**2).sum(axis=(1, 2))
        return [
            season_interval(value, variance, before, size)
            for value, variance, before in zip(values.tolist(), spread.tolist(), prior.tolist(), strict=True)
        ]

    def _rows(self, game: str | None) -> list[int]:
        return [*range(len(self.games))] if game is None else [self.games.index(game)]

    def anchors(self, game: str | None = None) -> Integers:
        """The numbers of the entrants whose mean is 1500: results tell half as much of them as usual."""
        told = np.zeros(len(self.entrants))
        for row in self._rows(game):
            boards, own = self._boards[row], self.strengths[row]
            of_pairs = boards.told(own[boards.one] - own[boards.other])
            told += of_each(boards.one, boards.other, of_pairs, of_pairs, len(told))
        return np.flatnonzero(told >= ANCHOR * np.median(told))

    def ratings(self, game: str | None = None, *, intervals: bool = True) -> dict[int, Rating]:
        """The rating in a game, or the mean of those in all games, of each entrant that has boards there.

        The intervals are right all season, see the module.
        """
        rows, size = self._rows(game), len(self.entrants)
        if not size:
            return {}
        anchors = self.anchors(game)
        slopes = np.zeros((size, len(self.games), size))
        slopes[:, rows] = np.eye(size)[:, None] / len(rows)
        slopes[:, rows, anchors[:, None]] -= 1 / len(rows) / len(anchors)
        values = (slopes * self.strengths).sum(axis=(1, 2))
        boards = self.boards[rows].sum(axis=0)
        found = {
            entrant: Rating(entrant, count, MEAN + SCALE * value)
            for entrant, count, value in zip(self.entrants, boards.tolist(), values.tolist(), strict=True)
        }
        for anchor in anchors.tolist():
            found[self.entrants[anchor]] = found[self.entrants[anchor]]._replace(anchor=True)
        for entrant, (low, high) in zip(self.entrants, self._ends(slopes) if intervals else (), strict=False):
            found[entrant] = found[entrant]._replace(low=MEAN + SCALE * low, high=MEAN + SCALE * high)
        return {entrant: line for entrant, line in found.items() if line.groups}

    def shares(
        self, field: Collection[int], game: str | None = None, *, intervals: bool = True
    ) -> dict[int, Share]:
        """The score of each entrant against the whole field, in a game or as the mean of all games.

        It is the score that the strengths predict. Where opponents are chosen, the scores themselves say
        little: a bot that meets strong bots has a low one. The intervals are right all season, see the
        module; they are those of the score as a linear function of the strengths, on the scale of logits.

        Args:
            field: the opponents, of which those count that are in the results.
            game: the game; None for all.
            intervals: whether to find the intervals.
        """
        rows, size = self._rows(game), len(self.entrants)
        inside = np.flatnonzero(np.isin(self.entrants, [*field]))
        others = inside != np.arange(size)[:, None]
        counts = np.maximum(others.sum(axis=1), 1)
        own = self.strengths[rows]
        chances = np.where(others, chances_at(own[:, :, None] - own[:, None, inside]), 0.0)
        scores = (chances.sum(axis=2) / counts).mean(axis=0)
        met = others.any(axis=1)
        found = {
            each: Share(float(score))
            for each, score, any_ in zip(self.entrants, scores, met, strict=True)
            if any_
        }
        if not intervals or not found:
            return found
        slopes = np.zeros((size, len(self.games), size))
        by_field = -np.where(others, chances * (1 - chances), 0.0) / counts[:, None] / len(rows)
        slopes[:, rows[0] : rows[-1] + 1, inside] = by_field.transpose(1, 0, 2)
        each = np.arange(size)
        slopes[each, rows[0] : rows[-1] + 1, each] -= by_field.sum(axis=2).T
        values = (slopes * self.strengths).sum(axis=(1, 2))
        inner = np.clip(scores, _LEAST, 1 - _LEAST)
        logits, steps = np.log(inner / (1 - inner)), inner * (1 - inner)
        for entrant, end, value, logit, step in zip(
            self.entrants, self._ends(slopes), values, logits, steps, strict=True
        ):
            if entrant in found:
                low, high = chances_at(logit + (np.array(end) - value) / step).tolist()
                found[entrant] = found[entrant]._replace(low=low, high=high)
        return found


class _Boards:
    """The boards of a game.

    Attributes:
        one, other: the entrants of each pair that met, by their numbers among all.
        of_each: the number of boards of each entrant.
    """

    def __init__(self, results: Numbered, entrants: Sequence[int]) -> None:
        one, other, sums = results.pairs
        numbers = np.searchsorted(entrants, results.entrants)
        self.one: Integers = numbers[one] if len(numbers) else one
        self.other: Integers = numbers[other] if len(numbers) else other
        self._count, halves, squares = sums[0] if sums else np.zeros((3, 0))
        self._scores, self._squares = halves / 4, squares / 16
        self.of_each = of_each(self.one, self.other, self._count, self._count, len(entrants))

    def told(self, apart: Floats) -> Floats:
        """The information of each pair's boards, if a board were one game."""
        chances = chances_at(apart)
        return np.asarray(self._count * chances * (1 - chances), np.float64)

    def beyond(self, apart: Floats) -> Floats:
        """By how much the first of each pair scored more than expected."""
        return np.asarray(self._scores - self._count * chances_at(apart), np.float64)

    def worth(self, apart: Floats, unsure: Floats) -> float:
        """How many games a board counts as if differences have these variances: a step of EM."""
        chances = chances_at(apart)
        even = chances * (1 - chances)
        blurred = float((self._count * even**2 * unsure).sum())
        missed = self._squares - 2 * chances * self._scores + self._count * chances**2
        chance = WORTH_BOARDS / 4 + float((self._count * even).sum()) - blurred
        return chance / (WORTH_BOARDS / 4 / WORTH + float(missed.sum()) + blurred)


class _Width:
    """The width of a normal distribution with the mean 0, as it is estimated.

    Each third step of the EM algorithm goes on to where the steps before point, if they shrink by one factor
    (A. C. Aitken, Proceedings of the Royal Society of Edinburgh 46, 1926).
    """

    def __init__(self, usual: float) -> None:
        self.value = self._usual = usual
        self._steps: list[float] = []

    def climb(self, values: Floats, unsure: Floats) -> float:
        """A step, given some values with their variances; returns the relative change."""
        squares = float((values**2 + unsure).sum())
        step = log((WIDTH_BOTS * self._usual**2 + squares) / (WIDTH_BOTS + len(values)) / self.value**2) / 2
        self._steps.append(step)
        if len(self._steps) == _AHEAD:
            shrinks = step / self._steps[-2] if self._steps[-2] else 0.0
            if 0 < shrinks < 1:
                step /= max(1 - shrinks, 1 / _FARTHEST_AHEAD)
            self._steps.clear()
        self.value *= exp(step)
        return abs(step)


def season_interval(value: float, variance: float, prior: float, bots: int) -> tuple[float, float]:
    """The values at which the prior's density is less than 2 `bots` / ERROR times that of the posterior.

    Args:
        value: the mean of the posterior, which is normal.
        variance: its variance.
        prior: the larger variance of the prior, which is normal with the mean 0.
        bots: how many intervals of this kind have to be right together.
    """
    if not prior:  # a constant
        return value, value
    # (v - value)² / variance - v² / prior = limit
    limit = 2 * log(2 * bots / ERROR) + log(prior / variance)
    told = 1 / variance - 1 / prior
    if told * prior < _EXACT:  # the results tell nothing
        return -inf, inf
    middle = value / variance / told
    reach = sqrt(max(limit / told + middle**2 - value**2 / variance / told, 0.0))
    return middle - reach, middle + reach
