"""The plan of a comparison: how many boards it will take."""

from __future__ import annotations

import numpy as np
import pytest

from arena.comparison.planning import MOST, boards_needed, boards_to_an_answer
from arena.comparison.question import Precision, Question
from tests.comparison.simulation import EQUAL, SCORES, mirrored, tilted

PRECISION = Precision(0.05, 0.05)


@pytest.mark.parametrize("mean", [0.5, 0.57])
def test_the_boards_to_an_answer_are_those_of_a_question(mean):
    chances = tilted(mirrored(EQUAL["kleftis"]), mean)
    scores = SCORES[np.random.default_rng(3).choice(5, size=(12, 400), p=chances)]
    for row, boards in zip(scores, boards_to_an_answer(scores, PRECISION), strict=True):
        question = Question(PRECISION)
        for score in row:
            question.add(float(score))
        assert boards == (question.boards_needed or 401)


def test_level_boards_need_few_and_decided_boards_many():
    level, decided = [0.5] * 18 + [0.0, 1.0], [0.0, 1.0] * 10
    assert boards_needed(level, PRECISION, 0.5).mean < boards_needed(decided, PRECISION, 0.5).mean / 2


def test_the_larger_the_difference_the_fewer_boards():
    scores = [0.0, 0.5, 0.5, 1.0] * 5
    means = [boards_needed(scores, PRECISION, mean).mean for mean in (0.55, 0.6, 0.8)]
    assert means[0] > 2 * means[1] > 4 * means[2]
    assert boards_needed(scores, Precision(0.01, 0.05), 0.6).mean > means[1]


def test_it_is_the_same_every_time_and_says_where_the_end_is_not_known():
    scores = [0.0, 1.0] * 10
    assert boards_needed(scores, PRECISION, 0.5) == boards_needed(scores, PRECISION, 0.5)
    mean, nine_in_ten = boards_needed(scores, Precision(0.05, 0.005), 0.5)
    assert nine_in_ten is None
    assert 0.9 * MOST < mean <= MOST


def test_a_single_board_gives_a_plan():
    assert 0 < boards_needed([1.0], PRECISION, None).mean < MOST


@pytest.mark.campaign
@pytest.mark.parametrize("game", ["forty-one", "kleftis", "hyrule"])
@pytest.mark.parametrize("mean", [0.5, 0.6])
def test_so_many_are_enough_nine_times_in_ten(game, mean):
    """Plans from twenty boards, each tried on ten new comparisons (standard error of all: 3 points)."""
    random, chances = np.random.default_rng(5), tilted(mirrored(EQUAL[game]), mean)
    enough = []
    for _ in range(12):
        known = SCORES[random.choice(5, size=20, p=chances)]
        boards = boards_needed(known.tolist(), PRECISION, mean).nine_in_ten or MOST
        played = SCORES[random.choice(5, size=(10, boards), p=chances)]
        enough.append((boards_to_an_answer(played, PRECISION) <= boards).mean())
    assert np.mean(enough) > 0.8
