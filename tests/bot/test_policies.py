"""The policies choose legal actions in every game, and the greedy policy beats the random one."""

from __future__ import annotations

import random

import pytest

from arena.bot.player import playout
from arena.bot.policies import GREEDY, greedy, greedy_policy, random_policy
from arena.games import GAMES
from tests.games.random_play import random_setup


@pytest.mark.parametrize("game", GAMES)
def test_policies_choose_what_is_legal(game: str) -> None:
    rng = random.Random(game)
    assert set(GREEDY) == set(GAMES)
    for _ in range(4):
        state = random_setup(GAMES[game], rng).start()
        for _ in range(60):
            if not state.to_act:
                break
            seat = state.to_act[0]
            actions = state.legal_actions(seat)
            assert greedy(state.observation(seat), actions) in actions
            assert greedy_policy(state, seat, rng) in actions
            state.apply(seat, random_policy(state, seat, rng))


@pytest.mark.parametrize("game", GAMES)
def test_a_playout_leaves_the_position_as_it_is_and_follows_from_its_seed(game: str) -> None:
    state = random_setup(GAMES[game], random.Random(game)).start()
    before = state.observation(0)
    first, again = (playout(state, random_policy, random.Random(7)) for _ in range(2))
    assert first == again
    assert state.observation(0) == before
    assert state.outcome is None
