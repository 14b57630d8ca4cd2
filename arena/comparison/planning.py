"""How many boards will a comparison need? Simulated with boards like those that are known.

How often each score occurs is not known exactly. So each run draws the chances by the Bayesian
bootstrap (D. Rubin, Annals of Statistics 9, 1981), with one board of each of the scores 0, 1/2 and 1
added, because a few boards do not show all scores that there can be. To see what a difference takes,
the chances are tilted to its mean score: p(x) becomes p(x) * exp(t * x). Then boards with these
chances are played until the question is answered.

The bets are those of `arena.comparison.betting`, for many runs at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.comparison.betting import (
    BOARDS_BEFORE,
    VARIANCE_BEFORE,
    Betting,
    best_stake,
    digits,
    winnings,
)
from arena.comparison.question import LEVEL, Precision

RUNS: Final = 100
"""The number of simulated comparisons."""
MOST: Final = 2_000
"""The most boards of each."""
_LOOKS = 50, 200, 600  # after so many boards, those questions go on that have no answer yet
_ADDED = 1  # board of each of these scores
_ADDED_SCORES = 0.0, LEVEL, 1.0
_NINE_IN_TEN = 9 * RUNS // 10
_HALVINGS, _STEEPEST = 60, 200.0  # of the search for a tilt

Scores = NDArray[np.float64]


class Needed(NamedTuple):
    """How many boards a question needs.

    Attributes:
        mean: on average; runs without an answer count with MOST.
        nine_in_ten: so many are enough in nine of ten cases; None if MOST are not.
    """

    mean: float
    nine_in_ten: int | None


def boards_needed(scores: Sequence[float], precision: Precision, mean: float | None) -> Needed:
    """How many boards a question will need, from its beginning.

    Args:
        scores: the scores of boards of this pair; there must be one.
        precision: the precision of the answer, with targeted bets.
        mean: the mean score that the boards would have, between 0 and 1; None for what the boards show.
    """
    chance = np.random.default_rng(len(scores))
    counts = Counter(scores)
    for score in _ADDED_SCORES:
        counts[score] += 0
    possible = np.array(sorted(counts))
    weights = np.array([counts[score] + _ADDED * (score in _ADDED_SCORES) for score in sorted(counts)])
    boards = np.empty((RUNS, MOST))
    for row in boards:
        drawn = chance.dirichlet(weights)
        row[:] = chance.choice(possible, MOST, p=drawn if mean is None else _tilted(drawn, possible - mean))
    needed = np.sort(boards_to_an_answer(boards, precision))
    enough = int(needed[_NINE_IN_TEN - 1])
    return Needed(float(np.minimum(needed, MOST).mean()), enough if enough <= MOST else None)


def boards_to_an_answer(scores: Scores, precision: Precision) -> NDArray[np.int64]:
    """After how many boards each question is answered; one more than there are if it is not.

    Args:
        scores: the scores of the boards, by question and board.
        precision: the precision of the answers, with targeted bets.
    """
    count = scores.shape[1]
    answered = np.full(len(scores), count + 1)
    waiting = np.arange(len(scores))
    for boards in (*(boards for boards in _LOOKS if boards < count), count):
        found = _boards_to_an_answer(scores[waiting, :boards], precision)
        answered[waiting[found <= boards]] = found[found <= boards]
        waiting = waiting[found > boards]
    return answered


def _boards_to_an_answer(scores: Scores, precision: Precision) -> NDArray[np.int64]:
    """The same, of all boards at once."""
    assert precision.betting is Betting.TARGETED
    error, margin, _ = precision
    either, both = log(2 / error), log(1 / error)
    better, worse, above, below = (
        _first(log_wealth(scores, value, up, margin) >= enough)
        for value, up, enough in (
            (LEVEL, True, either),
            (LEVEL, False, either),
            (LEVEL - margin, True, both),
            (LEVEL + margin, False, both),
        )
    )
    answered: NDArray[np.int64] = np.minimum(np.minimum(better, worse), np.maximum(above, below))
    return answered


def _first(reached: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of the first board at which each row is true, from 1; one more than there are if none is."""
    first: NDArray[np.int64] = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, reached.shape[1] + 1)
    return first


def log_wealth(
    scores: Scores, mean: float, above: bool, margin: float, reaches: Scores | float = 0.0
) -> Scores:
    """The logarithm of the gamblers' wealth after each board, with targeted bets.

    Args:
        scores: the scores of the boards, by question and board.
        mean: the value.
        above: whether they bet that the mean lies above it, else below.
        margin: the smallest difference that matters.
        reaches: how far beyond 0 and 1 each score can lie.
    """
    before = np.arange(scores.shape[1]) + BOARDS_BEFORE
    squares = np.cumsum((scores - LEVEL) ** 2, axis=1)
    squares = np.hstack([np.zeros((len(scores), 1)), squares[:, :-1]]) + BOARDS_BEFORE * VARIANCE_BEFORE
    stakes = np.round(best_stake(margin, squares, before), digits(margin))
    wealth: Scores = np.full(scores.shape, -np.inf)
    each = winnings(scores, stakes, reaches, mean, above, np.minimum)
    for won, share in zip(each, Betting.TARGETED.shares, strict=True):
        np.logaddexp(wealth, np.cumsum(np.log1p(won), axis=1) + np.log(share), out=wealth)
    return wealth


def _tilted(chances: Scores, gaps: Scores) -> Scores:
    """The chances tilted to a mean score, by the gaps of the scores from it."""
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        tilt = (low + high) / 2
        tilted: Scores = chances * np.exp(tilt * gaps)
        low, high = (tilt, high) if tilted @ gaps < 0 else (low, tilt)
    tilted /= tilted.sum()
    return tilted
