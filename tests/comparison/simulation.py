"""Comparisons of made-up bots, thousands at once: what `Question` does, board by board, for all runs together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.comparison.betting import FRACTIONS
from arena.comparison.question import LEVEL, Precision

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""What a board of two seats can come to."""

EQUAL = {
    "forty-one": (653, 3, 2675, 4, 665),
    "hyrule": (377, 0, 2277, 0, 346),
    "kleftis": (0, 0, 1, 0, 0),
    "nur-mut": (0, 0, 1, 0, 0),
    "nyuri": (0, 0, 1, 0, 0),
}
"""How often boards of two greedy bots that choose at random at 15 % of their turns came to each score."""

BETTER, WORSE, NO_DIFFERENCE, OPEN = range(4)


class Findings(NamedTuple):
    """What each run found, and after how many boards (those played, where it stayed open)."""

    found: NDArray[np.int64]
    boards: NDArray[np.int64]


def mirrored(counts: tuple[int, ...]) -> NDArray[np.float64]:
    """The chances of the scores, where neither is better."""
    both = np.array(counts, float) + np.array(counts[::-1], float)
    return both / both.sum()


def tilted(chances: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The chances nearest to these that have a mean: each times exp(t * score)."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = chances * np.exp(tilt * (SCORES - LEVEL))
        weights /= weights.sum()
        low, high = (tilt, high) if weights @ SCORES < mean else (low, tilt)
    return weights


def compare(
    scores: NDArray[np.float64], precision: Precision, low: float = 0.0, high: float = 1.0
) -> Findings:
    """What comparisons find whose boards had these scores, a row each."""
    runs, cap = scores.shape
    found, boards = np.full(runs, OPEN), np.full(runs, cap)
    either, both = np.log(2 / precision.error), np.log(1 / precision.error)
    margin = precision.margin
    better = _log_wealth(scores, LEVEL, LEVEL - low) >= either
    worse = _log_wealth(scores, LEVEL, LEVEL - high) >= either
    above = _log_wealth(scores, LEVEL - margin, LEVEL - margin - low) >= both
    below = _log_wealth(scores, LEVEL + margin, LEVEL + margin - high) >= both
    for answer, reached in ((NO_DIFFERENCE, above & below), (WORSE, worse), (BETTER, better)):
        first = np.where(reached.any(1), reached.argmax(1) + 1, cap + 1)
        earlier = first <= boards
        found[earlier], boards[earlier] = answer, first[earlier]
    return Findings(found, boards)


def _log_wealth(scores: NDArray[np.float64], mean: float, room: float) -> NDArray[np.float64]:
    """After each board the logarithm of the mean wealth of those who bet on one side; room has its sign."""
    wealth = np.full(scores.shape, -np.inf)
    for fraction in FRACTIONS:
        growth = np.cumsum(np.log1p(fraction * (scores - mean) / room), axis=1)
        np.logaddexp(wealth, growth, out=wealth)
    return wealth - np.log(len(FRACTIONS))
