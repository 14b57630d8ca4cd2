"""The work of an analysis is limited, and goes to the decisions that may be mistakes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from arena.checkup.analysis.decision import Screened
from arena.checkup.analysis.game import Searcher, decisions_of, house_of
from arena.checkup.analysis.turns import Setup as Played
from arena.checkup.analysis.turns import Turn
from arena.checkup.analysis.work import Share, shared_out
from arena.games import GAMES
from arena.policies import random_policy
from tests.checkup.analysis.games import recorded
from tests.games.boards import keyed
from tests.games.random_play import Setup


@pytest.mark.parametrize("game", ["hyrule", pytest.param("kleftis", marks=pytest.mark.campaign)])
def test_an_analysis_does_hardly_more_work_than_it_may_and_is_the_same_again(game) -> None:
    options = GAMES[game].Options()
    setup = Setup(GAMES[game], options, 2, 0, keyed(GAMES[game], options, 5))
    record = recorded(setup, [random_policy] * 2, random.Random(1))
    made: list[Searcher] = []

    def limited(turn: Turn, played: Played) -> Searcher:
        made.append(house_of(turn, played)._replace(work=100_000.0))
        return made[-1]

    decisions = list(decisions_of(record, 0, state=setup.start(), searcher_of=limited))
    assert 50_000 < sum(searcher.done() for searcher in made) < 120_000
    assert len({decision.choice.worlds for decision in decisions}) > 2  # they are not all worth the same
    assert decisions == list(decisions_of(record, 0, state=setup.start(), searcher_of=limited))
    assert {decision.by for decision in decisions} == {"greedy"}


def share(gain: float, spread: float, each: float) -> Share:
    return Share(Screened([np.zeros(20)] * 2, 1, 1, gain, spread), each)


def test_work_goes_first_to_what_may_be_a_mistake_and_is_told_with_little() -> None:
    clear, dear, best, level = (
        share(0.3, 0.4, 10),
        share(0.3, 0.4, 90),
        share(-0.3, 0.4, 10),
        share(0, 0.4, 10),
    )
    fresh = shared_out([level, best, dear, clear], 6_000, 1024)
    equally = [int(0.3 * 6_000 / 4 / pair) for pair in (20, 20, 180, 20)]
    assert fresh[3] > equally[3] + 10  # as many as probably tell
    assert fresh[2] > equally[2] + 10  # what is left
    assert fresh[0] == equally[0]
    assert equally[1] <= fresh[1] <= equally[1] + 1
    assert sum(some * pair for some, pair in zip(fresh, (20, 20, 180, 20), strict=True)) <= 6_000
    assert shared_out([level, best, dear, clear], 10_000_000, 1024) == [1024] * 4
    assert min(shared_out([level, best, dear, clear], -5.0, 1024)) == 1
