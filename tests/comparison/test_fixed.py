"""The interval for a number of boards settled beforehand, and Student's quantiles."""

from __future__ import annotations

import pytest

from arena.comparison.betting import Bounds
from arena.comparison.fixed import fixed_interval
from arena.student import student_quantile


@pytest.mark.parametrize(
    ("freedom", "quantiles"),
    [  # of .95, .975, .995, .9995, from the table in E. S. Pearson, H. O. Hartley, "Biometrika Tables", 12
        (1, (6.314, 12.706, 63.657, 636.62)),
        (2, (2.920, 4.303, 9.925, 31.598)),
        (3, (2.353, 3.182, 5.841, 12.924)),
        (4, (2.132, 2.776, 4.604, 8.610)),
        (5, (2.015, 2.571, 4.032, 6.869)),
        (9, (1.833, 2.262, 3.250, 4.781)),
        (10, (1.812, 2.228, 3.169, 4.587)),
        (29, (1.699, 2.045, 2.756, 3.659)),
        (30, (1.697, 2.042, 2.750, 3.646)),
        (60, (1.671, 2.000, 2.660, 3.460)),
        (120, (1.658, 1.980, 2.617, 3.373)),
        (1_000_000, (1.645, 1.960, 2.576, 3.291)),
    ],
)
def test_students_quantiles_are_those_of_the_tables(freedom, quantiles):
    found = [student_quantile(probability, freedom) for probability in (0.95, 0.975, 0.995, 0.9995)]
    assert found == pytest.approx(quantiles, rel=5e-4)


def test_from_many_degrees_on_it_is_the_normal_distribution_without_a_jump():
    assert student_quantile(0.5, 3) == pytest.approx(0, abs=1e-9)
    assert student_quantile(0.975, 9_999) == pytest.approx(student_quantile(0.975, 10_000), abs=1e-3)


@pytest.mark.parametrize(("probability", "freedom"), [(0.49, 3), (1.0, 3), (0.9, 0)])
def test_there_are_no_other_quantiles(probability, freedom):
    with pytest.raises(ValueError, match="there is no quantile"):
        student_quantile(probability, freedom)


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
    assert (high - low) / 2 == pytest.approx(student_quantile(0.975, 39) * (variance / 41) ** 0.5)


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
