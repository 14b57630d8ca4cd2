"""A million decisions, of which the native engine tells every byte as the rules in Python do."""

from __future__ import annotations

import itertools

import pytest

from arena.games import BUILT_IN
from tests.examples import tried
from tests.link.wire.lockstep import play_both
from tests.native import native as native
from tests.native import native_folder as native_folder

DECISIONS = 200_000  # of each game


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("game", BUILT_IN)
def test_every_byte_is_that_of_the_rules_in_python(game):
    played, seeds = 0, itertools.count(10_000)
    while played < tried(DECISIONS):
        played += play_both(game, next(seeds))[1]
    assert next(seeds) > 10_010
