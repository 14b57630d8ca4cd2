"""An observation has only what the seat is told over the protocol."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.game import State
from arena.rl import encoding_of
from arena.rl.encoding import Arrays
from arena.rl.environment import GameEnv
from tests.examples import examples
from tests.games.leaks import change_cards, change_faces, watch
from tests.games.random_play import Setup, random_action, random_setup
from tests.rl.setups import SETUPS, as_sent, each_setup, made, positions

every_game = pytest.mark.parametrize("game", GAMES)


def same(left: Arrays, right: Arrays) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


@every_game
@examples(10, deep=200)
@given(number=st.integers(0, 2**64 - 1))
def test_it_is_made_of_the_wire_message_alone(game: str, number: int) -> None:
    """The arrays made from the bytes of a turn alone are those of the environment."""
    rng = random.Random(number)
    setup = rng.choice([each for each in SETUPS if each[0] == game])
    env = made(*setup)
    encoding = encoding_of(game, setup[1], env.options)
    for agent in positions(env, rng, number, most=60):
        turn = as_sent(env, agent)
        shown = env.observe(agent)
        assert same(shown["observation"], encoding.arrays(turn.observation))
        assert np.array_equal(shown["action_mask"], encoding.mask(turn.observation, turn.actions))


@every_game
@examples(15, deep=400)
@given(number=st.integers(0, 2**64 - 1))
def test_games_that_differ_in_what_a_seat_was_not_told_look_the_same_to_it(game: str, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(GAMES[game], rng)
    viewer = rng.randrange(setup.seats)

    def choose(state: State, played: int) -> Any:
        return random_action(state, rng) if played < 60 else None

    watched = watch(setup.start(), viewer, setup.starter, choose)
    if game == "nur-mut":
        board, actions = change_faces(setup.board, watched, setup.seats, rng)
    else:
        board, actions = change_cards(setup.board, watched, viewer, rng)
    played = [(seat, action) for _, seat, action in watched.actions]
    for shown, again in zip(
        seen_of(setup, setup.start(), viewer, played),
        seen_of(setup, setup.start(board), viewer, actions),
        strict=True,
    ):
        assert same(*(each[0] for each in (shown, again)))
        assert np.array_equal(shown[1], again[1])


def seen_of(setup: Setup, state: State, viewer: int, actions: list[Any]) -> list[tuple[Arrays, Any]]:
    """The arrays and masks that a seat is shown, position by position."""
    encoding = encoding_of(setup.game.id, setup.seats, setup.options)
    shown = []
    for chosen in (*actions, None):
        seen = state.observation(viewer)
        shown.append((encoding.arrays(seen), encoding.mask(seen, state.legal_actions(viewer))))
        if chosen is not None:
            state.apply(*chosen)
    return shown


@each_setup
def test_arrays_are_what_their_fields_say_for_every_agent_to_the_end(
    setup: tuple[str, int, dict[str, Any]],
) -> None:
    env = made(*setup)
    rng = random.Random(1)
    for _ in positions(env, rng, 5, most=10_000):
        if rng.random() < 0.9:
            continue
        for agent in env.agents:
            check(env, agent)
    for agent in env.agents:
        check(env, agent)


def check(env: GameEnv, agent: str) -> None:
    shown = env.observe(agent)
    assert env.observation_space(agent).contains(shown)
    assert list(shown["observation"]) == list(env.encoding.fields)
    vector = env.encoding.flat(shown["observation"])
    assert vector.shape == (env.encoding.length,)
    assert np.abs(vector).max() <= 1
    assert shown["action_mask"].any() == (agent == env.agent_selection and env.outcome is None)


@every_game
def test_different_sights_are_different_arrays(game: str) -> None:
    """But for the order of what is told as a set, and the cards that lie below, nothing is lost."""
    rng = random.Random(game)
    for seats in GAMES[game].seats(GAMES[game].Options()):
        env = made(game, seats, {})
        sights: dict[bytes, Any] = {}
        for agent in positions(env, rng, 2, most=200):
            seen: Any = env.seen(agent)
            arrays = b"".join(each.tobytes() for each in env.observe(agent)["observation"].values())
            assert sights.setdefault(agent.encode() + arrays, seen) == seen
