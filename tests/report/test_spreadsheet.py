"""A spreadsheet shows every text as it is, and computes nothing from a bot's name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.tables import spreadsheet


def cell(value: object) -> str:
    _, (shown,) = spreadsheet([{"name": value}])
    return shown


@pytest.mark.parametrize(
    "name", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|'/c calc'!A1", "-", "+x", "\uff1d1"]
)
def test_a_formula_is_a_text(name):
    assert cell(name) == f"'{name}"


@pytest.mark.parametrize("value", ["ada", "", "1=1", "'x", "a-b", -1, -0.5, -1.5e-07, "+12.5", "-3", None])
def test_numbers_and_other_texts_stay_as_they_are(value):
    assert cell(value) == ("" if value is None else str(value))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_every_number_of_a_report_is_one(value):
    assert cell(f"{value:.6f}") == f"{value:.6f}"
