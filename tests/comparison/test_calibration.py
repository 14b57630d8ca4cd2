"""Calibration: findings are wrong no more often than stated, and intervals cover as often as stated.

The boards are made up, with the scores that boards of two equal bots of each
game came to; for unequal bots these are tilted. docs/comparing.md has the
figures of more runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from arena.comparison.betting import fixed_interval
from arena.comparison.question import Finding, Precision, Question
from tests.comparison.simulation import (
    BETTER,
    EQUAL,
    NO_DIFFERENCE,
    OPEN,
    SCORES,
    WORSE,
    Simulated,
    excluded,
    mirrored,
    tilted,
)

pytestmark = pytest.mark.campaign

CAP = 1_000
MARGIN = 0.05
CODES = {Finding.BETTER: BETTER, Finding.WORSE: WORSE, Finding.NO_DIFFERENCE: NO_DIFFERENCE, None: OPEN}


def boards(game, mean, runs, cap=CAP, seed=14):
    random = np.random.default_rng([seed, *map(ord, game)])
    return SCORES[random.choice(len(SCORES), size=(runs, cap), p=tilted(mirrored(EQUAL[game]), mean))]


@pytest.mark.parametrize("mean", [0.5, 0.56])
def test_what_is_simulated_is_what_a_question_does(mean):
    scores = boards("kleftis", mean, 10, 500)
    findings = Simulated(scores, MARGIN).findings(0.05)
    for run, row in enumerate(scores):
        question = Question(Precision(0.05, MARGIN))
        for score in row:
            question.add(float(score))
        needed = question.boards_needed or 500
        assert (CODES[question.finding], needed) == (findings.found[run], findings.boards[run])


@pytest.mark.parametrize("game", EQUAL)
def test_of_equal_bots_one_is_found_better_no_more_often_than_said(game):
    comparisons = Simulated(boards(game, 0.5, 2_000), MARGIN)
    for error in (0.05, 0.01):
        found = comparisons.findings(error).found
        assert np.isin(found, (BETTER, WORSE)).mean() <= error
        covered = np.maximum(comparisons.better, comparisons.worse).max(1) < np.log(2 / error)
        assert covered.mean() >= 1 - error


@pytest.mark.parametrize("game", EQUAL)
def test_a_difference_that_matters_is_found(game):
    for mean, most in ((0.55, 360), (0.6, 120)):
        scores = boards(game, mean, 1_000)
        found, needed = Simulated(scores, MARGIN).findings(0.05)
        assert (found == BETTER).mean() > 0.93
        assert not (found == WORSE).any()
        assert (found == NO_DIFFERENCE).mean() <= 0.05
        assert needed.mean() < most
        assert excluded(scores, mean, 0.05, MARGIN).any(1).mean() <= 0.05


def test_over_all_games_too():
    """A round is a board of each game; its score is their mean."""
    rounds = np.mean([boards(game, 0.5, 1_000) for game in EQUAL], axis=0)
    equal = Simulated(rounds, MARGIN).findings(0.05)
    assert np.isin(equal.found, (BETTER, WORSE)).mean() <= 0.05
    assert (equal.found == OPEN).mean() < 0.01
    rounds = np.mean([boards(game, 0.55, 500) for game in EQUAL], axis=0)
    better = Simulated(rounds, MARGIN).findings(0.05)
    assert (better.found == BETTER).mean() > 0.98
    assert better.boards.mean() < 110


@pytest.mark.parametrize("game", EQUAL)
@pytest.mark.parametrize("mean", [0.5, 0.6, 0.8])
def test_intervals_for_a_number_settled_beforehand_cover(game, mean):
    """Nineteen times in twenty, as near as 2,000 runs can tell (2.6 standard errors)."""
    chances = tilted(mirrored(EQUAL[game]), mean)
    counts = np.random.default_rng([5, *map(ord, game)]).multinomial(200, chances, size=2_000)
    different, times = np.unique(counts, axis=0, return_counts=True)
    covered = 0
    for row, runs in zip(different, times, strict=True):
        low, high = fixed_interval(dict(zip(SCORES.tolist(), row.tolist(), strict=True)), 0.05)
        covered += int(runs) * (low <= mean <= high)
    assert 0.95 - 0.0127 <= covered / 2_000 <= 0.95 + 0.015 + 0.0127
