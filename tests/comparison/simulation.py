"""Simulates thousands of comparisons of made-up bots at once, with the rules of `Question`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """

    def __init__(self, scores: NDArray[np.float64], margin: float) -> None:
        self.scores = scores
        self.better = log_wealth(scores, LEVEL, True, margin)
        self.worse = log_wealth(scores, LEVEL, False, margin)
        self._above = log_wealth(scores, LEVEL - margin, True, margin)
        self._below = log_wealth(scores, LEVEL + margin, False, margin)

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
