"""Simulates thousands of comparisons of made-up bots at once, with the rules of `Question`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.comparison.coefficient import BELIEF, FIRST, MOST_IN_BETS, TRIAL, WORTH
from arena.comparison.planning import log_wealth
from arena.comparison.question import LEVEL

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""The possible scores of a board of two seats."""

EQUAL = {
    "forty-one": (653, 3, 2675, 4, 665),
    "hyrule": (377, 0, 2277, 0, 346),
    "kleftis": (560, 208, 1470, 186, 576),
    "nur-mut": (697, 0, 1690, 0, 613),
    "nyuri": (258, 30, 937, 24, 251),
}
"""How often boards of two greedy bots that choose at random at 15 % of their turns came to each score."""

BETTER, WORSE, NO_DIFFERENCE, OPEN = range(4)


class Findings(NamedTuple):
    """The finding of each run, and after how many boards (all that were played if it stayed open)."""

    found: NDArray[np.int64]
    boards: NDArray[np.int64]


def mirrored(counts: tuple[int, ...]) -> NDArray[np.float64]:
    """The probabilities of the scores if neither is better."""
    both: NDArray[np.float64] = np.array(counts, float) + np.array(counts[::-1], float)
    both /= both.sum()
    return both


def tilted(chances: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The chances nearest to these that have a mean: each times exp(t * score)."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights: NDArray[np.float64] = chances * np.exp(tilt * (SCORES - LEVEL))
        weights /= weights.sum()
        low, high = (tilt, high) if weights @ SCORES < mean else (low, tilt)
    return weights


class Simulated:
    """Comparisons whose boards have these scores, a row each.

    Args:
        scores: by run and board.
        margin: the smallest difference that matters.
        lucks: the luck of each board; None if all of the money is bet on the scores as they are.
    """

    def __init__(
        self, scores: NDArray[np.float64], margin: float, lucks: NDArray[np.float64] | None = None
    ) -> None:
        self.scores, self._margin = scores, margin
        self._without = None if lucks is None else without_luck(scores, lucks)
        self.better = self.log_wealth(LEVEL, True)
        self.worse = self.log_wealth(LEVEL, False)
        self._above = self.log_wealth(LEVEL - margin, True)
        self._below = self.log_wealth(LEVEL + margin, False)

    def log_wealth(self, mean: float, above: bool) -> NDArray[np.float64]:
        """The logarithm of the gamblers' wealth after each board."""
        wealth = log_wealth(self.scores, mean, above, self._margin)
        if self._without is None:
            return wealth
        scores, reaches = self._without
        both: NDArray[np.float64] = np.logaddexp(
            wealth, log_wealth(scores, mean, above, self._margin, reaches)
        )
        both -= np.log(2)
        return both

    def findings(self, error: float) -> Findings:
        """The findings, each of which may be wrong with this probability."""
        runs, cap = self.scores.shape
        found, boards = np.full(runs, OPEN), np.full(runs, cap)
        either, both = np.log(2 / error), np.log(1 / error)
        sides = [np.logical_or.accumulate(side >= both, axis=1) for side in (self._above, self._below)]
        for answer, reached in (
            (NO_DIFFERENCE, sides[0] & sides[1]),
            (WORSE, self.worse >= either),
            (BETTER, self.better >= either),
        ):
            first = np.where(reached.any(1), reached.argmax(1) + 1, cap + 1)
            earlier = first <= boards
            found[earlier], boards[earlier] = answer, first[earlier]
        return Findings(found, boards)


def excluded(scores: NDArray[np.float64], mean: float, error: float, margin: float) -> NDArray[np.bool_]:
    """After each board of each run whether the interval excludes a mean."""
    enough = np.log(2 / error)
    out: NDArray[np.bool_] = np.maximum(
        log_wealth(scores, mean, True, margin), log_wealth(scores, mean, False, margin)
    ) >= np.float64(enough)
    return out


def without_luck(
    scores: NDArray[np.float64], lucks: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores without luck and their reaches, by run and board, as `Baselines` has them for bets."""

    def before(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.hstack([np.zeros((len(values), 1)), np.cumsum(values, axis=1)[:, :-1]])

    boards = np.maximum(np.arange(scores.shape[1]), 1)
    together = before(scores * lucks) - before(scores) * before(lucks) / boards
    slopes = (BELIEF * FIRST + together) / (BELIEF + before(lucks**2))
    reaches: NDArray[np.float64] = np.array(np.clip(slopes, 0, MOST_IN_BETS).round(2), float)
    trial = slice(0, TRIAL)
    factor = scores[:, trial].var(1) / (scores - reaches * lucks)[:, trial].var(1)
    reaches[factor < WORTH, TRIAL:] = 0
    return scores - reaches * lucks, reaches
