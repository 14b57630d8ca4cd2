"""The interval for a number of boards settled beforehand."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest

from arena.comparison.betting import fixed_interval


def at_least(won: int, boards: int, chance: float) -> float:
    """The chance of so many wins or more."""
    return sum(comb(boards, k) * chance**k * (1 - chance) ** (boards - k) for k in range(won, boards + 1))


def coverage(boards: int, high: float, low: float, wins: float, losses: float = 0.0) -> float:
    """How often the interval has the true mean, exactly: over all ways in which the boards can come out."""
    level = 1 - wins - losses
    mean = wins * high + losses * low + level * 0.5
    covered = 0.0
    for won, lost in product(range(boards + 1), range(boards + 1 if losses else 1)):
        if won + lost <= boards:
            drawn = boards - won - lost
            ends = fixed_interval({high: won, low: lost, 0.5: drawn}, 0.05)
            ways = comb(boards, won) * comb(boards - won, lost)
            covered += (ends[0] <= mean <= ends[1]) * ways * wins**won * losses**lost * level**drawn
    return covered


def test_by_hand():
    # With a board of 0 added, 40 level boards weigh nothing but for the share of that one: it is above
    # 1 - .025 ** (1 / 40) with a chance of .025.
    low, high = fixed_interval({0.5: 40}, 0.05)
    assert low == pytest.approx(0.5 * 0.025 ** (1 / 40), abs=3e-4)
    assert high == pytest.approx(1 - 0.5 * 0.025 ** (1 / 40), abs=3e-4)
    # Of two boards, one won and one lost, the lower end is the value that one of three random weights
    # falls below with that chance: 1 - (1 - x) ** 2 = .025.
    assert fixed_interval({0.0: 1, 1.0: 1}, 0.05)[0] == pytest.approx(1 - 0.975**0.5, rel=0.05)


@pytest.mark.parametrize(("won", "boards"), [(1, 5), (7, 20), (30, 100), (3, 300), (290, 300)])
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_of_boards_won_and_lost_it_is_that_of_clopper_and_pearson(won, boards, error):
    low, high = fixed_interval({1.0: won, 0.0: boards - won}, error)
    assert at_least(won, boards, low) == pytest.approx(error / 2, rel=0.06)
    assert at_least(boards - won, boards, 1 - high) == pytest.approx(error / 2, rel=0.06)


@pytest.mark.parametrize("boards", [10, 40, 100])
@pytest.mark.parametrize("wins", [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.5])
def test_it_covers_where_all_boards_are_level_but_those_that_one_wins(boards, wins):
    for high in (0.75, 1.0):
        assert coverage(boards, high, 0.0, wins) >= 0.95


@pytest.mark.parametrize("boards", [10, 20])
@pytest.mark.parametrize(("wins", "losses"), [(0.04, 0.01), (0.08, 0.04), (0.3, 0.1), (0.7, 0.3)])
def test_it_covers_where_the_other_wins_some_too(boards, wins, losses):
    for high, low in ((1.0, 0.0), (0.75, 0.25), (0.75, 0.0), (1.0, 0.25)):
        assert coverage(boards, high, low, wins, losses) >= 0.95


def test_one_board_says_nothing_and_level_boards_not_all():
    assert fixed_interval({}, 0.05) == (0, 1)
    assert fixed_interval({1.0: 1}, 0.05) == (0, 1)
    low, high = fixed_interval({0.5: 100}, 0.05)
    assert 0.47 < low < 0.5 < high < 0.53


def test_it_narrows_with_the_boards_and_widens_with_the_certainty():
    few, many = ({0.0: n, 0.5: 2 * n, 1.0: 3 * n} for n in (5, 50))
    assert fixed_interval(few, 0.05)[0] < fixed_interval(many, 0.05)[0]
    assert fixed_interval(many, 0.05)[1] < fixed_interval(few, 0.05)[1]
    assert fixed_interval(many, 0.01)[0] < fixed_interval(many, 0.05)[0]
