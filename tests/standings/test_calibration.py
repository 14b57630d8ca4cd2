"""The figure of a bot's own estimates: right for one that knows, bad for one that lies."""

from __future__ import annotations

import random

import pytest

from arena.standings.calibration import Band, Calibration, calibration_of


def test_a_small_case_by_hand():
    games = [([0.5, 1.0], 1.0), ([], 0.0), ([0.25], 0.0)]
    found = calibration_of(games)
    assert found == Calibration(
        2, (0.25 + 0.0625) / 2, 0.0625 / 2, 0.25, (Band(1, 0.25, 0.0), Band(1, 0.5, 1.0), Band(1, 1.0, 1.0))
    )
    assert calibration_of([([], 1.0)]) is None


def test_a_bot_that_knows_its_chances_beats_the_mean_and_one_that_lies_does_not():
    chance = random.Random(1)
    chances = [chance.random() for _ in range(2000)]
    games = [(each, float(chance.random() < each)) for each in chances]
    honest = calibration_of(([each], score) for each, score in games)
    boastful = calibration_of(([1.0], score) for _, score in games)
    assert honest is not None
    assert boastful is not None
    assert honest.first < 0.75 * honest.plain
    assert boastful.first > 1.5 * boastful.plain
    assert all(band.score == pytest.approx(band.estimate, abs=0.1) for band in honest.bands)
    [band] = boastful.bands
    assert band.score == pytest.approx(0.5, abs=0.05)
