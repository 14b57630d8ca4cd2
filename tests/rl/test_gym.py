"""One seat as a Gymnasium environment: its interface, what it is told, its opponents, its vectors."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.policies import greedy
from arena.rl import gym_env, raw_env
from arena.rl.environment import GameEnv, rewards_of
from arena.rl.gym import Mask, Policy, SeatEnv, Vector
from tests.examples import examples
from tests.rl.setups import SETUPS, as_sent, each_setup

Setup = tuple[str, int, dict[str, Any]]

every_game = pytest.mark.parametrize("game", GAMES)


def chooser(rng: random.Random) -> Policy:
    """A policy that chooses any legal action."""
    return lambda _, mask: int(rng.choice(np.flatnonzero(mask)))


def setup_of(game: str, rng: random.Random) -> Setup:
    return rng.choice([setup for setup in SETUPS if setup[0] == game])


def shown_as_sent(table: GameEnv, agent: str) -> tuple[Vector, Mask]:
    """The observation and the mask of the agent to act, made from the bytes of its turn alone."""
    turn, encoding = as_sent(table, agent), table.encoding
    return encoding.flat(encoding.arrays(turn.observation)), encoding.mask(turn.observation, turn.actions)


def history(env: SeatEnv, rng: random.Random, shown: Any, episodes: int = 2) -> list[Any]:
    """Plays on at random: all that the environment gives until so many episodes have ended."""
    heard = [shown]
    choose = chooser(rng)
    while episodes:
        heard.append(env.step(choose(shown[0], env.action_masks().astype(np.int8))))
        if heard[-1][2]:
            episodes -= 1
            shown = env.reset()
            heard.append((*shown, env.seat))
    return [[each.tolist() for each in parts(item)] for item in heard]


def parts(item: Any) -> list[Any]:
    """An answer of the environment as a flat list of arrays."""
    return [np.asarray(part["action_mask"] if isinstance(part, dict) else part) for part in item]


@each_setup
def test_gymnasium_finds_nothing_wrong(setup: Setup) -> None:
    game, seats, given = setup
    for seat in (seats - 1, "random"):
        check_env(
            gymnasium.make(
                f"arena.rl.gym:arena/{game}-v1", seats=seats, seat=seat, opponents="random", **given
            ).unwrapped
        )


@each_setup
def test_a_seat_and_its_policies_see_what_a_bot_is_sent_and_nothing_else(setup: Setup) -> None:
    """In every position the observation and the mask are those made of the bytes of the turn."""
    game, seats, given = setup
    rng = random.Random(1)
    choose = chooser(rng)
    asked: list[int] = []

    def at(seat: int) -> Policy:
        def policy(seen: Vector, mask: Mask) -> Any:
            assert env.table.agent_selection == f"seat_{seat}"
            asked.append(seat)
            check(seen, mask)
            return choose(seen, mask)

        return policy

    def check(seen: Vector, mask: Mask) -> None:
        sent, legal = shown_as_sent(env.table, env.table.agent_selection)
        assert np.array_equal(seen, sent)
        assert np.array_equal(mask, legal)
        assert [*np.flatnonzero(mask)] == sorted(env.table.legal())

    own = rng.randrange(seats)
    others = [at((own + after) % seats) for after in range(1, seats)]
    env = gym_env(game, seats, seat=own, opponents=others, **given)
    seen, info = env.reset(seed=4)
    over = False
    while not over:
        assert env.table.agent_selection == f"seat_{own}"
        assert env.observation_space.contains(seen)
        check(seen, info["action_mask"])
        assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
        before = seen.copy(), info["action_mask"].copy()
        shown, reward, over, truncated, after = env.step(choose(seen, info["action_mask"]))
        assert np.array_equal(seen, before[0])  # what was given stays as it was
        assert np.array_equal(info["action_mask"], before[1])
        assert truncated is False
        assert over or reward == 0
        seen, info = shown, after
    outcome = env.table.outcome
    assert outcome is not None
    assert reward == rewards_of(outcome)[own]
    assert env.observation_space.contains(seen)
    assert not info["action_mask"].any()
    assert not env.action_masks().any()
    assert asked


@every_game
@examples(12, deep=200)
@given(number=st.integers(0, 2**32 - 1))
def test_a_game_goes_as_in_the_environment_of_all_seats(game: str, number: int) -> None:
    """The same board, with the opponents' turns played there by hand."""
    rng = random.Random(number)
    _, seats, given = setup_of(game, rng)
    own, starter = rng.randrange(seats), rng.randrange(seats)
    env, table = gym_env(game, seats, seat=own, **given), raw_env(game, seats, **given)
    agent, encoding = f"seat_{own}", table.encoding
    _, info = env.reset(seed=number, options={"starter": starter})
    table.reset(seed=number, options={"starter": starter})

    def play_others() -> None:
        while table.outcome is None and table.agent_selection != agent:
            seen = table.seen(table.agent_selection)
            table.step(encoding.number(seen, greedy(seen, list(table.legal().values()))))

    play_others()
    while table.outcome is not None:  # before the seat had a choice: the next board
        table.reset(options={"starter": starter})
        play_others()
    for _ in range(60):
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, reward, over, _, info = env.step(action)
        table.step(action)
        play_others()
        shown = table.observe(agent)
        assert np.array_equal(seen, encoding.flat(shown["observation"]))
        assert np.array_equal(info["action_mask"], shown["action_mask"])
        assert (reward, over) == (table.rewards[agent], table.terminations[agent])
        if over:
            break


@every_game
@examples(8, deep=100)
@given(number=st.integers(0, 2**32 - 1))
def test_all_follows_from_the_seed_and_a_saved_position_goes_on_as_before(game: str, number: int) -> None:
    """In the same environment and in another one, with all chance of the opponents and seats."""
    rng = random.Random(number)
    _, seats, given = setup_of(game, rng)
    opponents = [rng.choice(["greedy", "random"]) for _ in range(seats - 1)]
    env, other = (gym_env(game, seats, seat="random", opponents=opponents, **given) for _ in range(2))
    first, again = (history(each, random.Random(number), each.reset(seed=number)) for each in (env, other))
    assert first == again
    shown = env.reset(seed=number)
    choose = chooser(rng)
    for _ in range(rng.randrange(12)):
        seen, _, over, _, info = env.step(choose(*shown[:1], shown[1]["action_mask"]))
        shown = env.reset() if over else (seen, info)
    saved, place = env.save(), (env.seat, env.action_masks().tolist())
    later = history(env, random.Random(number), shown)
    other.reset()
    for restored in (env, other, env):
        restored.restore(saved)
        assert (restored.seat, restored.action_masks().tolist()) == place
        assert history(restored, random.Random(number), shown) == later


def test_a_random_seat_is_every_seat_and_options_choose_one() -> None:
    env = gym_env("kleftis", 4, seat="random", opponents="random")
    env.reset(seed=1)
    seats = set()
    for _ in range(60):
        env.reset()
        seats.add(env.seat)
    assert seats == {0, 1, 2, 3}
    env.reset(options={"seat": 2})
    assert env.seat == 2


def test_a_game_that_ends_before_the_seat_has_a_choice_is_no_episode() -> None:
    """By these rules that is so at most boards."""
    given: dict[str, Any] = {"players": 6, "contest": "instant", "spend_cards": True, "placer_draws": True}
    table, env = raw_env("nyuri", 6, **given), gym_env("nyuri", 6, seat=5, opponents="greedy", **given)
    boards = []
    for seed in range(10):
        _, info = env.reset(seed=seed, options={"board": "any"})
        assert info["action_mask"].any()
        assert env.table.outcome is None
        table.reset(seed=seed, options={"board": "any"})
        boards.append(env.table.seen("seat_5") == table.seen("seat_5"))
    assert not all(boards)


def test_an_illegal_action_forfeits_the_game() -> None:
    env = gym_env("forty-one")
    _, info = env.reset(seed=1)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, over, truncated, info = env.step(wrong)
    assert (reward, over, truncated) == (-1, True, False)
    assert not info["action_mask"].any()
    with pytest.raises(ResetNeeded, match=re.escape("no game is being played: call reset()")):
        env.step(0)
    assert env.reset()[1]["action_mask"].any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess'; the games are nyuri"),
        ({"seats": 5}, "kleftis is for 2 to 4 seats, not 5"),
        ({"seat": 2}, "the seat is 0 to 1 or 'random', not 2"),
        ({"opponents": "best"}, "an opponent is greedy, random or a policy function, not 'best'"),
        ({"opponents": ["greedy", "random"]}, "2 seats need one opponent, or a list of 1, not of 2"),
        ({"auto": True}, "kleftis has no option 'auto'; its options are secure_single"),
    ],
)
def test_what_there_is_not_is_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        gym_env(**{"game": "kleftis", **arguments})


def test_what_cannot_be_played_or_saved_is_one_sentence() -> None:
    env = gym_env("kleftis")
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    with pytest.raises(ValueError, match=re.escape("no game was begun: call reset()")):
        env.save()
    with pytest.raises(ValueError, match="the seat is 0 to 1 or 'random', not 'all'"):
        env.reset(options={"seat": "all"})


def test_without_the_extra_it_says_how_to_install_it() -> None:
    program = (
        "import sys\n"
        "sys.modules['gymnasium'] = None\n"
        "from arena.rl import gym_env\n"
        "try:\n    gym_env('kleftis')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "environments need PettingZoo: pip install '.[rl]' in a clone of the arena\n"


@every_game
def test_a_vector_of_them_gives_what_each_alone_gives(game: str) -> None:
    """With the mode that the page advises, in which every mask is that of a position to act in."""
    envs, rng = [gym_env(game, opponents="random") for _ in range(3)], random.Random(game)
    vector = gymnasium.make_vec(
        f"arena.rl.gym:arena/{game}-v1", num_envs=3, vectorization_mode="sync", opponents="random",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )  # fmt: skip
    assert isinstance(vector, SyncVectorEnv)
    seen, info = vector.reset(seed=5)
    shown = [env.reset(seed=5 + place) for place, env in enumerate(envs)]
    ended = 0
    while ended < 4:
        assert info["action_mask"].shape == (3, envs[0].table.encoding.actions)
        for place, each in enumerate(shown):
            assert np.array_equal(seen[place], each[0])
            assert np.array_equal(info["action_mask"][place], each[1]["action_mask"])
            assert info["action_mask"][place].any()
        assert np.array_equal(np.stack(vector.call("action_masks")), info["action_mask"])
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        seen, rewards, over, _, info = vector.step(actions)
        for place, env in enumerate(envs):
            last, reward, ends, _, told = env.step(actions[place])
            assert (rewards[place], over[place]) == (reward, ends)
            if ends:
                assert np.array_equal(info["final_obs"][place], last)
            shown[place] = env.reset() if ends else (last, told)
            ended += ends
    vector.close()
