"""The interval for a number of boards settled beforehand."""

from __future__ import annotations

import pytest

from arena.comparison.betting import Bounds
from arena.comparison.fixed import fixed_interval
from arena.student import quantile


def test_by_hand():
    # 4 boards: 1, 1, .5, 0, and half a board of 0 and of 1 added: a weight of 5, a mean of .6,
    # squares 2.5 * .16 + .01 + 1.5 * .36 = .95, a variance of .2375; Student's .975 of 3 is 3.182.
    low, high = fixed_interval({1.0: 2, 0.5: 1, 0.0: 1}, 0.05)
    half = 3.182446 * (0.2375 / 5) ** 0.5
    assert low == pytest.approx(max(0, 0.6 - half))
    assert high == pytest.approx(min(1, 0.6 + half))
    low, high = fixed_interval({1.0: 20, 0.5: 10, 0.0: 10}, 0.05)
    variance = (20.5 * 0.15**2 * (25.5 / 41 - 1) ** 2 / 0.15**2 + 10 * (25.5 / 41 - 0.5) ** 2) / 40
    variance += 10.5 * (25.5 / 41) ** 2 / 40
    assert (low + high) / 2 == pytest.approx(25.5 / 41)
    assert (high - low) / 2 == pytest.approx(quantile(0.025, 39) * (variance / 41) ** 0.5)


def test_one_board_says_nothing_and_level_boards_not_all():
    assert fixed_interval({}, 0.05) == (0, 1)
    assert fixed_interval({1.0: 1}, 0.05) == (0, 1)
    assert fixed_interval({1.0: 1}, 0.05, Bounds(-1, 2)) == (-1, 2)
    low, high = fixed_interval({0.5: 100}, 0.05)
    assert 0.47 < low < 0.5 < high < 0.53


def test_it_narrows_with_the_boards_and_widens_with_the_certainty():
    few, many = ({0.0: n, 0.5: 2 * n, 1.0: 3 * n} for n in (5, 50))
    assert fixed_interval(few, 0.05)[0] < fixed_interval(many, 0.05)[0]
    assert fixed_interval(many, 0.05)[1] < fixed_interval(few, 0.05)[1]
    assert fixed_interval(many, 0.01)[0] < fixed_interval(many, 0.05)[0]
