"""The work of an analysis is limited, and goes to the decisions that may be mistakes."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from arena.checkup.analysis.decision import Screened, rounds_of, screen
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
    return Share(Screened([np.zeros(20)] * 2, 1, gain, spread, suspect=gain > 0), each)


def test_work_goes_first_to_what_may_be_a_mistake_and_is_told_with_little() -> None:
    clear, dear, best, level = (
        share(0.3, 0.4, 10),
        share(0.3, 0.4, 90),
        share(-0.3, 0.4, 10),
        share(0, 0.4, 10),
    )
    decisions, pairs = [level, best, dear, clear], (20, 20, 180, 20)
    fresh = shared_out(decisions, 6_000, 1024)
    assert fresh[3] == math.ceil(clear.wanted) > 40  # as many as probably tell
    left = 6_000 - sum(pairs) - 20 * (fresh[3] - 1)
    assert fresh[2] == 1 + left // 180  # what is left
    assert fresh[0] == 1
    assert fresh[1] == 1 + left % 180 // 20
    fresh = shared_out(decisions, 4 * sum(some * pair for some, pair in zip(fresh, pairs, strict=True)), 1024)
    enough = [math.ceil(each.wanted) for each in decisions]
    assert all(some > least for some, least in zip(fresh, enough, strict=True))  # all get more
    assert shared_out([level, best, dear, clear], 10_000_000, 1024) == [1024] * 4
    assert min(shared_out([level, best, dear, clear], -5.0, 1024)) == 1


class Scored:
    """Tries actions that score the same in each world, but for some; counts what it tries."""

    def __init__(self, better: dict[int, float]) -> None:
        self.better, self.tried = better, 0

    def __call__(self, actions: Sequence[int], worlds: int) -> np.ndarray:
        self.tried += len(actions) * worlds
        return np.array([[0.4 + self.better.get(each, 0.0) for each in actions]] * worlds)


def turn_of(actions: int) -> Turn:
    """A turn with so many actions, of which the first was played."""
    # Only the number of actions is read: the draw and the position are none.
    return Turn(0, 1, 0, range(actions), 0, "", lambda rng: None, ((), None, ()), b"")  # type: ignore[arg-type, return-value]


def test_few_worlds_are_tried_where_all_actions_are_the_same() -> None:
    level, apart = Scored({}), Scored({7: 0.3})
    same, other = (screen(turn_of(40), each, 200, 1) for each in (level, apart))
    assert level.tried < 200 < apart.tried
    assert (same.gain, same.suspect) == (0.0, False)
    assert same.told_in(same.gain) < 30  # as few as show that two actions are close
    assert (other.rival, other.suspect) == (7, True)
    assert other.gain == pytest.approx(0.3)


@pytest.mark.parametrize("actions", [2, 3, 40, 300])
def test_the_first_stage_does_hardly_more_than_it_may_or_each_action_needs(actions: int) -> None:
    trial = Scored({each: each / 1000 for each in range(actions)})
    screen(turn_of(actions), trial, 20, 1)
    assert trial.tried <= 10 * rounds_of(actions) + 2 * actions + 16
