"""Environments for tests: every game, number of seats, and options that change most."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from arena.bot.player import Turn
from arena.games import GAMES
from arena.link.wire.messages import encode_turn
from arena.rl import raw_env
from arena.rl.environment import GameEnv
from arena.table.position import View
from arena.table.table import Ask
from arena.v1 import bot_pb2

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "nyuri": [
        {"players": 6},
        {"players": 6, "contest": "instant", "spend_cards": True, "placer_draws": True, "reuse_base": True},
        {"stall": 3, "replay": 1, "series": 2},
    ],
    "forty-one": [
        {"players": 6},
        {"players": 6, "min_stop_score": 25, "stall": 1, "series": 2},
        {"series": 2, "cumulative": True, "fixed_rotation": True},
    ],
    "nur-mut": [
        {},
        {"model": "one", "chain_courage_only": True, "joker_replay": True, "rounds": 2},
        {"min_value": 3, "stall": 1, "max_turns": 20},
    ],
    "kleftis": [
        {},
        {"secure_single": True, "final_secure": True, "series": 2},
        {"auto_secure": True, "tiebreak": "secured"},
    ],
    "hyrule": [
        {},
        {"mode": "chance", "double_joker": "last", "runoff": 2},
        {"last_winner": True, "series": 2, "no_swap_after_swap": True},
    ],
}
"""By game some options: together they differ from the default in every one."""

SETUPS = [
    (game, seats, given)
    for game, several in OPTIONS.items()
    for given in several
    for seats in GAMES[game].seats(GAMES[game].parse_options(given))
]


def name_of(setup: tuple[str, int, dict[str, Any]]) -> str:
    """A setup as pytest shows it."""
    game, seats, given = setup
    return " ".join([game, str(seats), *given])


def _setup(game: str, seats: int, given: dict[str, Any]) -> Any:
    """A setup as a parameter: those between the fewest and the most seats are for the campaigns."""
    several = GAMES[game].seats(GAMES[game].parse_options(given))
    marks = [pytest.mark.campaign] * (min(several) < seats < max(several))
    return pytest.param((game, seats, given), id=name_of((game, seats, given)), marks=marks)


each_setup = pytest.mark.parametrize("setup", [_setup(*setup) for setup in SETUPS])


def positions(
    env: GameEnv, rng: random.Random, seed: int, starter: int = 0, most: int = 300
) -> Iterator[str]:
    """Plays at random, and gives the agent to act in each position."""
    env.reset(seed=seed, options={"starter": starter})
    while env.outcome is None and most:
        yield env.agent_selection
        env.step(rng.choice(list(env.legal())))
        most -= 1


def made(game: str, seats: int, given: dict[str, Any]) -> GameEnv:
    """The environment of a setup."""
    return raw_env(game, seats, **given)


def as_sent(env: GameEnv, agent: str) -> Turn:
    """The turn of the agent to act, as a bot reads it from the bytes of the protocol."""
    view = View((), env.seen(agent), list(env.legal().values()))
    ask = Ask(int(agent[-1]), 1, view, 10**9)
    (message,) = bot_pb2.PlayRequest.FromString(encode_turn(1, env.game.id, ask)).turns
    return Turn(message)
