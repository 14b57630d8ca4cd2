"""Dependent boards are noticed, and independent boards seldom cause a warning."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from math import fsum, log, sqrt
from statistics import fmean, pvariance

import numpy as np
import pytest

from arena.comparison.independence import NEIGHBOURS, Replaced, games_replaced, independence
from arena.standings.student import quantile
from tests.comparison.simulation import BETTER, EQUAL, SCORES, WORSE, Simulated, mirrored, tilted


def neighbours(scores: tuple[float, ...]) -> float:
    mean = fmean(scores)
    return fsum(
        (one - mean) * (other - mean)
        for step in range(1, NEIGHBOURS + 1)
        for one, other in zip(scores, scores[step:], strict=False)
    )


def test_by_hand():
    known = independence([1.0] * 8 + [0.0] * 8)
    assert known is not None
    assert known.halves == (1, 0)
    assert known.apart == pytest.approx(1 / sqrt((16 / 4 + 0.5) / 16 * (1 / 8 + 1 / 8)))
    # Of 15 + 14 + 13 + 12 pairs 1 + 2 + 3 + 4 differ; each is worth a quarter.
    assert known.correlation == pytest.approx((54 - 2 * 10) / 54)
    assert known.doubtful


def test_the_standard_error_is_that_over_all_orders():
    """Of independent boards every order has the same chance: what is usual, and how far it varies."""
    rng = random.Random(4)
    scores = [1.0] * 40 + [0.75] * 10 + [0.5] * 30 + [0.25] * 10 + [0.0] * 30
    orders = [tuple(rng.sample(scores, len(scores))) for _ in range(2_000)]
    values = [known.alike for order in orders if (known := independence(order)) is not None]
    assert fmean(values) == pytest.approx(0, abs=0.07)
    assert 0.8 < pvariance(values) < 1.05


def test_the_usual_sum_of_products_is_exact():
    scores = (1.0, 0.5, 0.5, 0.25, 0.0, 0.0)
    squares = len(scores) * pvariance(scores)
    pairs = sum(len(scores) - step for step in range(1, NEIGHBOURS + 1))
    usual = fmean(map(neighbours, permutations(scores)))
    assert usual == pytest.approx(-pairs * squares / (len(scores) * (len(scores) - 1)))


def test_nothing_is_said_of_a_few_boards_or_of_level_ones():
    assert independence([1.0] * 5 + [0.0] * 4) is None
    for scores in ([0.5] * 40, [1.0] * 12, [0.5] * 38 + [1.0] * 2, [0.5] * 390 + [1.0] * 9):
        known = independence(scores)
        assert known is not None
        assert known.correlation is None
        assert not known.doubtful


def test_a_bot_that_becomes_better_is_noticed():
    rng = random.Random(1)
    scores = [float(rng.random() < 0.25 + 0.5 * board / 400) for board in range(400)]
    known = independence(scores)
    assert known is not None
    assert known.apart > 3.5
    assert known.halves[0] < known.halves[1]


def test_wins_that_take_turns_with_losses_are_no_reason_for_a_warning():
    """They make findings wrong less often, not more."""
    known = independence([1.0, 0.0] * 50)
    assert known is not None
    assert not known.doubtful


def regimes(stay: float, shift: float, runs: int, boards: int = 1_000) -> np.ndarray:
    """Boards of bots that are equal in the end: now one is better, now the other, for a while."""
    random_ = np.random.default_rng(9)
    changes = random_.random((runs, boards)) >= stay
    better = (np.cumsum(changes, axis=1) + random_.integers(0, 2, (runs, 1))) % 2 == 1
    return (random_.random((runs, boards)) < np.where(better, 0.5 + shift, 0.5 - shift)).astype(float)


def warned(scores: np.ndarray, boards: np.ndarray) -> float:
    """Of how many runs the boards up to a number are taken to hang together."""
    known = [independence(row[:count].tolist()) for row, count in zip(scores, boards, strict=True)]
    return fmean(each is not None and each.doubtful for each in known)


@pytest.mark.campaign
@pytest.mark.parametrize("game", EQUAL)
@pytest.mark.parametrize("mean", [0.5, 0.65])
def test_independent_boards_are_seldom_warned_of(game, mean):
    chances = tilted(mirrored(EQUAL[game]), mean)
    scores = SCORES[np.random.default_rng(8).choice(len(SCORES), size=(1_000, 600), p=chances)]
    for boards in (Simulated(scores, 0.05).findings(0.01).boards, np.full(1_000, 60)):
        assert warned(scores, boards) <= 0.007  # 0.3 % at most, and 2.3 standard errors


@pytest.mark.campaign
@pytest.mark.parametrize("wins", [0.02, 0.04, 0.08])
def test_level_boards_are_seldom_warned_of(wins):
    scores = np.where(np.random.default_rng(8).random((1_000, 400)) < wins, 1.0, 0.5)
    for boards in (100, 400):
        assert warned(scores, np.full(1_000, boards)) <= 0.007


@pytest.mark.campaign
def test_regimes_are_warned_of_where_they_can_be_told():
    scores = regimes(0.9, 0.2, 300)
    assert warned(scores, np.full(300, 1_000)) > 0.9
    found = Simulated(scores, 0.05).findings(0.01)
    wrong = np.isin(found.found, (BETTER, WORSE))
    assert warned(scores[~wrong], found.boards[~wrong]) > 0.9
    # A wrong verdict mostly falls into one regime or two, and so looks like a right one.
    assert 0.15 < warned(scores[wrong], found.boards[wrong]) < 0.45
    assert warned(regimes(0.9, 0.3, 300), np.full(300, 200)) > 0.8


def told(boards: Sequence[Sequence[tuple[float, ...]]]) -> Replaced:
    """How many single games a game of these boards replaces."""
    replaced = games_replaced(boards)
    assert replaced is not None
    return replaced


def test_what_a_board_is_worth_by_hand():
    # Seat 0 scores 1, 1, 0, 0 on four boards, seat 1 what makes the sum 1, 2, 0, 1: variances 1/3 each,
    # and 2/3 of the sum. The same boards many times over have the same ratio.
    boards = [[(1.0, 0.0)], [(1.0, 1.0)], [(0.0, 0.0)], [(0.0, 1.0)]]
    assert told(boards * 3).games == pytest.approx(1)
    # What one seat wins the other mostly loses: the sums are 1, 1, 1, 2, of a variance of 1/4.
    boards = [[(1.0, 0.0)], [(0.0, 1.0)], [(1.0, 0.0)], [(1.0, 1.0)]]
    assert told(boards * 4).games == pytest.approx((1 / 4 + 1 / 3) / (1 / 4))


def test_of_two_matches_the_difference_counts():
    boards = [[(1.0, 0.0, 0.5), (1.0, 0.0, 0.5)], [(0.5, 0.5, 0.0), (0.5, 0.0, 0.0)]]
    boards += [[(0.0, 0.0, 1.0), (0.0, 0.5, 1.0)]]
    apart = sum(pvariance([board[match][seat] for board in boards]) for match in (0, 1) for seat in range(3))
    together = pvariance([sum(one) - sum(other) for one, other in boards])
    assert told(boards * 6).games == pytest.approx(apart / together)


def test_its_interval_is_the_jackknife_of_the_logarithm():
    rng = random.Random(3)
    boards = [[(float(rng.randrange(2)), rng.randrange(3) / 2)] for _ in range(40)]

    def logarithm(some: Sequence[Sequence[tuple[float, float]]]) -> float:
        apart = sum(pvariance([board[0][seat] for board in some]) for seat in (0, 1))
        return log(apart / pvariance([sum(board[0]) for board in some]))

    without = [logarithm(boards[:left] + boards[left + 1 :]) for left in range(40)]
    error = sqrt(39 * pvariance(without))
    squares = [(sum(board[0]) - fmean(sum(each[0]) for each in boards)) ** 2 for board in boards]
    freedom = sum(squares) ** 2 / sum(square**2 for square in squares) - 1
    games, low, high = told(boards)
    assert (
        log(high / games)
        == pytest.approx(log(games / low))
        == pytest.approx(quantile(0.025, freedom) * error)
    )


def test_nothing_is_told_where_few_boards_decide():
    level, other = [(1.0, 0.0)], [(1.0, 1.0)]
    assert games_replaced([]) is None
    assert games_replaced([level]) is None
    assert games_replaced([level, other, [(0.0, 0.0)]] * 3) is None  # nine boards
    assert games_replaced([level] * 100) is None
    assert games_replaced([level] * 196 + [other] * 4) is None
    assert games_replaced([level] * 194 + [other] * 6) is not None
    assert games_replaced([[(5 / 6, 1 / 6, 5 / 6)]] * 21) is None  # their mean is not exactly theirs


def test_boards_with_the_same_score_are_not_alike_by_rounding():
    score = round(5 / 6, 12)  # the mean of 21 of these is another number
    measured = independence([score] * 21)
    assert measured is not None
    assert (measured.correlation, measured.doubtful) == (None, False)


def dealt(kind: tuple[float, float, float, float], shape: tuple[int, int]) -> np.ndarray:
    """The scores of boards from two seats; `luck` favours a seat, and narrow games are ties."""
    luck, skill, noise, level = kind
    rng = np.random.default_rng(5)
    favour = luck * rng.normal(size=shape)
    margins = np.stack([favour, -favour], -1) + skill + noise * rng.normal(size=(*shape, 2))
    return np.where(np.abs(margins) < level, 0.5, (margins > 0) * 1.0)


KINDS = [
    (1.0, 0.2, 0.5, 0.0),
    (2.0, 0.1, 0.5, 0.0),
    (3.0, 0.3, 0.3, 0.2),
    (1.0, 0.5, 1.0, 0.0),
    (1.0, 2, 0.5, 0),
]


def missed(kind: tuple[float, float, float, float], boards: int, runs: int) -> float:
    """In which share of comparisons an interval is told that misses the true number."""
    many = dealt(kind, (1, 400_000))[0]
    true = many.var(axis=0).sum() / many.sum(axis=1).var()
    told_of = [games_replaced([[tuple(b)] for b in run]) for run in dealt(kind, (runs, boards)).tolist()]
    return sum(each is not None and not each.low <= true <= each.high for each in told_of) / runs


def test_seldom_does_an_interval_miss():
    assert missed(KINDS[0], 40, 300) < 0.07
    assert missed(KINDS[4], 40, 300) < 0.07


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("boards", [10, 20, 40, 80, 200])
def test_intervals_miss_in_at_most_5_of_100_comparisons(kind, boards):
    assert missed(kind, boards, 2_000) < 0.05 + 0.01  # and two standard errors


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("luck", [0.0, 0.5, 0.9])
def test_so_many_single_games_are_as_sure_as_those_of_boards(seats, luck):
    """Each board favours a seat so often: as many games dealt singly, by that, have the same variance."""
    rng = random.Random(7)

    def board() -> tuple[float, ...]:
        favoured = rng.randrange(seats)
        return tuple(
            float(seat == favoured if rng.random() < luck else rng.random() < 1 / seats)
            for seat in range(seats)
        )

    boards = [board() for _ in range(4_000)]
    replaced, low, high = told([[each] for each in boards])
    of_boards = pvariance([sum(each) / seats for each in boards])
    singly = pvariance(
        [sum(board()[seat] for seat in range(seats)) / seats for _ in range(4_000)]
    )  # every game on a board of its own
    assert singly / of_boards == pytest.approx(replaced, rel=0.1)
    assert low < replaced < high < 1.3 * low
    # By the formula: the favour moves a win from one seat to another, so the sums do not vary with it.
    if luck == 0:
        assert replaced == pytest.approx(1, rel=0.1)
    else:
        assert replaced > 1 + luck / 4
