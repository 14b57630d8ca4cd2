"""Moments as people say them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from arena.view.views.view import day_text, played_text, was_text, when_text

NOW = datetime(2026, 11, 29, 22, 30).astimezone()


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "Sunday 22:30"),
        (5, "Friday 22:30"),
        (6, "Saturday 5 December 2026, 22:30"),  # that Saturday, and not yesterday's
        (-1, "Saturday 28 November 2026, 22:30"),
        (365, "Monday 29 November 2027, 22:30"),
    ],
)
def test_the_weekday_is_enough_for_the_next_six_days(days, said):
    assert when_text(NOW + timedelta(days=days), NOW) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "Sunday 22:30"),
        (-5, "Tuesday 22:30"),
        (-6, "Monday 23 November 2026, 22:30"),  # not tomorrow's Monday
        (1, "Monday 30 November 2026, 22:30"),
    ],
)
def test_the_weekday_is_enough_for_the_last_six_days(days, said):
    assert was_text(NOW + timedelta(days=days), NOW) == said


def test_a_moment_of_a_season_has_its_day_and_its_month():
    assert played_text(NOW) == "29 November, 22:30"


def test_a_day_has_its_weekday_and_its_year():
    assert day_text(NOW) == "Sunday 29 November 2026"
