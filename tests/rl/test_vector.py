"""Many games at once by the native engine: all that as many environments of one seat give."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from arena.games import BUILT_IN
from arena.rl import vector_env
from arena.rl.gym import SeatEnv
from tests.native import native as native
from tests.native import native_folder as native_folder
from tests.rl.setups import each_setup

pytestmark = pytest.mark.usefixtures("native")
GAMES = 6


def same(one: Any, other: Any) -> bool:
    """Whether two answers of vectors hold the same values."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if one.dtype == object:
        return all(map(_same_items, one, other))
    return one.dtype == other.dtype and np.array_equal(one, other)


def _same_items(one: Any, other: Any) -> bool:
    return one is other is None or np.array_equal(one, other)


def together(setup: tuple[str, int, dict[str, Any]], seat: Any, steps: int) -> int:
    """Plays the same actions in the engine's vector and in Gymnasium's; how many games ended."""
    game, seats, given = setup
    rng = np.random.default_rng(seats)
    native: Any = vector_env(game, GAMES, seats, seat=seat, **given)
    assert not isinstance(native, SyncVectorEnv)
    alone = [lambda: SeatEnv(game, seats, seat=seat, **given)] * GAMES
    python: Any = SyncVectorEnv(alone, autoreset_mode=AutoresetMode.SAME_STEP)
    assert native.single_observation_space == python.single_observation_space
    assert native.single_action_space == python.single_action_space
    seen, expected = native.reset(seed=7), python.reset(seed=7)
    assert same(seen, expected)
    ended = 0
    for _ in range(steps):
        actions = [rng.choice(np.flatnonzero(mask)) for mask in seen[1]["action_mask"]]
        if rng.random() < 0.02:  # an illegal one
            actions[0] = np.flatnonzero(seen[1]["action_mask"][0] == 0)[0]
        stepped, expected = native.step(np.array(actions)), python.step(np.array(actions))
        assert same(stepped, expected)
        ended += int(stepped[2].sum())
        seen = stepped[0], stepped[4]
    return ended


@each_setup
def test_it_gives_what_gymnasiums_vector_gives(setup: tuple[str, int, dict[str, Any]]) -> None:
    together(setup, "random", 40)


@pytest.mark.campaign
@each_setup
def test_it_gives_what_gymnasiums_vector_gives_for_long(setup: tuple[str, int, dict[str, Any]]) -> None:
    assert together(setup, setup[1] - 1, 200)


@pytest.mark.parametrize("game", BUILT_IN)
@pytest.mark.parametrize("opponents", ["random", "thoughtful"])
def test_other_opponents_play_legal_games_that_a_seed_repeats(game: str, opponents: str) -> None:
    def history() -> list[Any]:
        games = vector_env(game, GAMES, seats=3, opponents=[opponents, "greedy"])
        rng = np.random.default_rng(1)
        told = []
        _, info = games.reset(seed=3)
        for _ in range(60):
            assert info["action_mask"].any(axis=1).all()
            actions = [rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]]
            seen, rewards, over, _, info = games.step(np.array(actions))
            assert (np.abs(rewards) <= 1).all()
            assert not rewards[~over].any()
            told += [seen.tolist(), rewards.tolist()]
        return told

    assert history() == history()


def test_gymnasium_makes_it_by_its_id() -> None:
    games = gymnasium.make_vec("arena.rl.gym:arena/kleftis-v1", num_envs=3, seats=3, opponents="random")
    assert not isinstance(games.unwrapped, SyncVectorEnv)
    assert games.reset(seed=1)[0].shape == (3, *games.single_observation_space.shape)  # type: ignore[misc]  # a shape may be None
    games.close()


def test_some_of_the_games_begin_anew() -> None:
    games = vector_env("hyrule", 3)
    first, _ = games.reset(seed=1)
    _, info = games.reset(seed=1, options={"reset_mask": np.array([False, True, False])})
    assert info["_action_mask"].tolist() == [False, True, False]
    games.reset(seed=1)
    games.step(np.array([np.flatnonzero(mask)[0] for mask in games.reset(seed=1)[1]["action_mask"]]))
    again, _ = games.reset(seed=1, options={"reset_mask": np.array([True, True, False])})
    assert np.array_equal(again[:2], first[:2])
    assert not np.array_equal(again[2], first[2])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"reset_mask": [1, 0, 1]}, "reset_mask has a truth value for each of 3 games"),
        ({"seat": 5}, "the seat is 0 to 1 or 'random', not 5"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        vector_env("hyrule", 3).reset(options=wrong)


def test_wrong_numbers_of_seeds_and_actions_are_refused() -> None:
    games: Any = vector_env("hyrule", 3)
    with pytest.raises(ValueError, match="3 games need as many seeds, not 2"):
        games.reset(seed=[1, 2])
    games.reset(seed=1)
    with pytest.raises(ValueError, match="3 games need as many actions"):
        games.step(np.array([0, 0]))


def test_a_function_as_an_opponent_is_played_in_python() -> None:
    games = vector_env("hyrule", 2, opponents=lambda seen, mask: int(np.flatnonzero(mask)[0]))
    assert isinstance(games, SyncVectorEnv)
