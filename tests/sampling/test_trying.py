"""Actions are tried in the same samples, with the same luck."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import numpy as np
import pytest

from arena.bot import Bot, Turn, simulate
from arena.bot.policies import greedy, greedy_policy, random_policy
from arena.games import GAMES
from arena.games.game import IllegalAction
from arena.results import seat_scores
from arena.sampling.playing import playout, try_actions
from tests.games.random_play import Setup, random_setup
from tests.sampling.watching import Moment, moments, mostly_greedy

every_game = pytest.mark.parametrize("game", GAMES)


def fourth_choice(setup: Setup, seed: str) -> Moment:
    """The fourth moment of a game in which seat 0 has a choice."""
    choices = (
        moment
        for moment in moments(setup, 0, mostly_greedy, random.Random(seed))
        if 0 in moment.state.to_act and len(moment.state.legal_actions(0)) > 1
    )
    return next(islice(choices, 3, None))


@every_game
@pytest.mark.parametrize("policy", [random_policy, greedy_policy])
def test_an_action_scores_the_same_beside_others_and_alone(game: str, policy: Any) -> None:
    setup = random_setup(GAMES[game], random.Random(f"trying {game}"))

    def tried(places: list[int]) -> Any:
        moment = fourth_choice(setup, game)
        actions = moment.state.legal_actions(0)
        draw = moment.sampler.draws(moment.seen)
        return try_actions(draw, 0, [actions[place] for place in places], policy, random.Random(1), 6)

    together = tried([0, 1, 0])
    assert together.shape == (6, 3)
    assert (together[:, 0] == together[:, 2]).all()
    assert (together[:, [1]] == tried([1])).all()
    possible = [halves / (2 * setup.seats - 2) for halves in range(2 * setup.seats - 1)]
    assert np.isin(together, possible).all()


@every_game
def test_samples_differ(game: str) -> None:
    moment = fourth_choice(random_setup(GAMES[game], random.Random(game)), game)
    draw, actions = moment.sampler.draws(moment.seen), moment.state.legal_actions(0)
    scores = try_actions(draw, 0, actions, random_policy, random.Random(2), 30)
    assert len(np.unique(scores, axis=0)) > 1


def test_the_scores_are_those_of_the_seat_at_the_end_of_the_sample() -> None:
    state = random_setup(GAMES["hyrule"], random.Random(3), GAMES["hyrule"].parse_options({})).start()
    seat = state.to_act[0]
    expected = []
    for action in state.legal_actions(seat):
        after = state.clone()
        after.apply(seat, action)
        expected.append(float(seat_scores(playout(after, greedy_policy, random.Random(0)).places)[seat]))
    actions = state.legal_actions(seat)
    scores = try_actions(lambda rng: state.clone(), seat, actions, greedy_policy, random.Random(1), 3)
    assert len({*expected}) > 1
    assert scores.tolist() == [expected] * 3  # nothing later is left to chance


class Greedy(Bot):
    name = "greedy"

    def choose(self, turn: Turn) -> Any:
        return greedy(turn.observation, turn.actions)


class Asking(Bot):
    name = "asking"

    def choose(self, turn: Turn) -> Any:
        worst = turn.actions[-1]
        scores = turn.try_actions(greedy_policy, self.rng, 50, seconds=0.0, actions=[worst])
        assert scores.shape == (1, 1)
        with pytest.raises(ValueError, match="actions are tried in at least 1 sample, not 0"):
            turn.try_actions(greedy_policy, self.rng, 0)
        with pytest.raises(IllegalAction):
            turn.try_actions(greedy_policy, self.rng, 1, actions=[("fly", "fly")])  # type: ignore[list-item]  # wrong on purpose
        return turn.actions[0]


def test_the_first_sample_is_tried_even_without_time_and_wrong_use_is_said() -> None:
    assert simulate("hyrule", [Asking, Greedy], "board").outcome is not None
