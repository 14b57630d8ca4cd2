"""Calibration: findings are wrong no more often than stated, and intervals cover as often as stated.

The boards are made up, with the scores that boards of two equal bots of each
game came to; for unequal bots these are tilted. docs/design-notes.md has the
figures of more runs, and the deep run has four times as many.
"""

from __future__ import annotations

import numpy as np
import pytest

from arena.comparison.betting import Scored, fixed_interval
from arena.comparison.coefficient import MOST_IN_BETS, Baselines, paying
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
from tests.examples import tried

pytestmark = pytest.mark.campaign

CAP = 1_000
MANY, SOME = tried(1_000, 2_000), tried(1_000, 1_000)
"""Simulated comparisons."""
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
    comparisons = Simulated(boards(game, 0.5, MANY), MARGIN)
    for error in (0.05, 0.01):
        found = comparisons.findings(error).found
        assert np.isin(found, (BETTER, WORSE)).mean() <= error
        covered = np.maximum(comparisons.better, comparisons.worse).max(1) < np.log(2 / error)
        assert covered.mean() >= 1 - error


def lucks_of(scores, mean, part, seed=3):
    """Luck without a mean: a part of what the scores differ from their mean by, and something else."""
    other = np.random.default_rng(seed).choice([-0.25, 0.0, 0.25], size=scores.shape)
    return part * (scores - mean) + (1 - part) * other


@pytest.mark.parametrize("part", [0.8, 0.2])
def test_what_is_simulated_without_luck_is_what_a_question_does(part):
    scores = boards("kleftis", 0.55, 10, 300)
    lucks = lucks_of(scores, 0.55, part)
    findings = Simulated(scores, MARGIN, lucks).findings(0.05)
    for run, row in enumerate(scores):
        question = Question(Precision(0.05, MARGIN), less_luck=True)
        baselines = Baselines(["greedy"], MOST_IN_BETS)
        for score, luck in zip(row.tolist(), lucks[run].tolist(), strict=True):
            reach = baselines.value
            question.add(score, Scored(baselines.take(score, {"greedy": luck}), reach))
        needed = question.boards_needed or 300
        assert (CODES[question.finding], needed) == (findings.found[run], findings.boards[run])


@pytest.mark.parametrize("part", [0.8, 0.5, 0.2])
@pytest.mark.parametrize("game", sorted(paying()))
def test_with_less_luck_findings_are_wrong_no_more_often_than_said(game, part):
    """Where luck is much of the scores, some of it, and so little that it is given up."""
    scores = boards(game, 0.5, MANY)
    comparisons = Simulated(scores, MARGIN, lucks_of(scores, 0.5, part))
    for error in (0.05, 0.01):
        found = comparisons.findings(error).found
        assert np.isin(found, (BETTER, WORSE)).mean() <= error
        covered = np.maximum(comparisons.better, comparisons.worse).max(1) < np.log(2 / error)
        assert covered.mean() >= 1 - error
    scores = boards(game, 0.55, SOME)
    comparisons = Simulated(scores, MARGIN, lucks_of(scores, 0.55, part))
    findings = comparisons.findings(0.05)
    assert (findings.found == NO_DIFFERENCE).mean() <= 0.05
    wealth = np.maximum(comparisons.log_wealth(0.55, True), comparisons.log_wealth(0.55, False))
    assert (wealth.max(1) >= np.log(2 / 0.05)).mean() <= 0.05
    if part == 0.8:
        plain = Simulated(scores, MARGIN).findings(0.05)
        assert findings.boards.mean() < 0.8 * plain.boards.mean()


@pytest.mark.parametrize("game", EQUAL)
def test_a_difference_that_matters_is_found(game):
    for mean, most in ((0.55, 360), (0.6, 120)):
        scores = boards(game, mean, SOME)
        found, needed = Simulated(scores, MARGIN).findings(0.05)
        assert (found == BETTER).mean() > 0.93
        assert not (found == WORSE).any()
        assert (found == NO_DIFFERENCE).mean() <= 0.05
        assert needed.mean() < most
        assert excluded(scores, mean, 0.05, MARGIN).any(1).mean() <= 0.05


def test_over_all_games_too():
    """A round is a board of each game; its score is their mean."""
    rounds = np.mean([boards(game, 0.5, SOME) for game in EQUAL], axis=0)
    equal = Simulated(rounds, MARGIN).findings(0.05)
    assert np.isin(equal.found, (BETTER, WORSE)).mean() <= 0.05
    assert (equal.found == OPEN).mean() < 0.01
    rounds = np.mean([boards(game, 0.55, SOME) for game in EQUAL], axis=0)
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
