import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.standings.student import quantile, tail


@pytest.mark.parametrize(
    ("above", "freedom", "value"),
    [
        # M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, table 26.10.
        (0.025, 1, 12.706),
        (0.025, 2, 4.303),
        (0.025, 3, 3.182),
        (0.025, 10, 2.228),
        (0.025, 30, 2.042),
        (0.05, 4, 2.132),
        (0.005, 5, 4.032),
        (0.0005, 10, 4.587),
        (0.025, 1e7, 1.960),
    ],
)
def test_printed_tables(above, freedom, value):
    assert quantile(above, freedom) == pytest.approx(value, abs=6e-4)
    assert tail(quantile(above, freedom), freedom) == pytest.approx(above)


@given(st.floats(-9, -0.35), st.floats(-0.5, 5))
def test_so_much_is_above_the_quantile_wherever_it_is(power, size):
    above, freedom = 10**power, 10**size
    assert tail(quantile(above, freedom), freedom) == pytest.approx(above, rel=1e-9)


@pytest.mark.parametrize("t", [-3.0, -0.4, 0.0, 0.7, 2.5, 40.0])
def test_closed_forms(t):
    """One degree of freedom is Cauchy's distribution, and two have a simple form."""
    assert tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-12)
    assert tail(t, 2) == pytest.approx(0.5 - t / (2 * math.sqrt(2 + t * t)), abs=1e-12)
