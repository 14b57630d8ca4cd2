"""Student's distribution, exactly.

M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 1964, 26.7.3 and 26.7.4.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin, sqrt
from statistics import NormalDist

_NORMAL_FROM = 10_000  # degrees of freedom, from which on the normal distribution is as good


@lru_cache
def student_quantile(probability: float, freedom: int) -> float:
    """The value below which Student's variable lies with some probability.

    Args:
        probability: from 0.5 to less than 1.
        freedom: the degrees of freedom, at least 1.

    Raises:
        ValueError: one of them is none of these.
    """
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(f"there is no quantile {probability} of {freedom} degrees of freedom")
    if freedom >= _NORMAL_FROM:
        return NormalDist().inv_cdf(probability)
    low, high = 0.0, pi / 2  # of the angle, whose tangent the value is
    for _ in range(60):
        angle = (low + high) / 2
        if (1 + _within(angle, freedom)) / 2 < probability:
            low = angle
        else:
            high = angle
    return sqrt(freedom) * sin(low) / cos(low)


def _within(angle: float, freedom: int) -> float:
    """The probability of the values from -t to t, where t is the angle's tangent times sqrt(freedom)."""
    square = cos(angle) ** 2
    if freedom % 2:
        term, total = cos(angle), 0.0
        for each in range(1, freedom - 1, 2):
            total += term
            term *= square * (each + 1) / (each + 2)
        return 2 / pi * (angle + sin(angle) * total)
    term, total = 1.0, 0.0
    for each in range(0, freedom - 1, 2):
        total += term
        term *= square * (each + 1) / (each + 2)
    return sin(angle) * total
