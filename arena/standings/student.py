"""Student's t distribution: its tail probability, and its quantile; also the binomial distribution's tail.

They are computed from the regularized incomplete beta function, by the continued fraction of the
Digital Library of Mathematical Functions, 8.17.22, evaluated by Lentz's method
(W. J. Lentz, Applied Optics 15, 1976). Degrees of freedom need not be whole.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi
from statistics import NormalDist

_TERMS = 10_000
_EXACT = 1e-14
_STEPS = 50  # five are enough, but where `above` is so near a half that rounding decides
_NEAR = 1e-7  # as far as a step went before which the next one is exact


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
    """The value above which lies the probability `above`, which is less than a half.

    Newton's method finds it, in the logarithms of both, where the tail is concave. It begins with the value
    of the normal distribution, which is nearer to 0: the first step goes past the value that is sought, and
    each further one comes nearer to it.
    """
    peak = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2  # the log density at 0
    value = -NormalDist().inv_cdf(above)
    for _ in range(_STEPS):
        beyond = tail(value, freedom)
        density = exp(peak - (freedom + 1) / 2 * log1p(value * value / freedom))
        step = log(beyond / above) * beyond / (value * density)
        value *= exp(step)
        if abs(step) < _NEAR:
            break
    return value


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
