"""Student's t distribution: its tail probability, and its quantile; also the binomial distribution's tail.

They are computed from the regularized incomplete beta function, by the continued fraction of the
Digital Library of Mathematical Functions, 8.17.22, evaluated by Lentz's method
(W. J. Lentz, Applied Optics 15, 1976). Degrees of freedom need not be whole.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log

_TERMS = 10_000
_EXACT = 1e-14


def tail(t: float, freedom: float) -> float:
    """The probability of a value above `t`, with so many degrees of freedom."""
    if t < 0:
        return 1 - tail(-t, freedom)
    return _beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2


def at_least(successes: float, trials: float, chance: float) -> float:
    """The probability of so many successes or more; neither number need be whole (up to all trials)."""
    if successes <= 0:
        return 1.0
    least = min(successes, trials)
    return _beta_share(least, trials - least + 1, chance)


@lru_cache(1 << 12)
def quantile(above: float, freedom: float) -> float:
    """The value above which lies the probability `above`, which is at most a half."""
    low, high = 0.0, 1.0
    while tail(high, freedom) > above:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, freedom) > above else (low, middle)
    return high


def _beta_share(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(b, a, 1 - x)
    factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return factor * value
